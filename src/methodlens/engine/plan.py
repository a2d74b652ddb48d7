"""The plan of a run, made before anything is written."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.engine.code_pairs import CodeSource, outside, pair_code
from methodlens.engine.pair_choice import PairChoice
from methodlens.engine.supplement_pairs import Supplements, pair_supplements, without_supplements
from methodlens.errors import InputError
from methodlens.ledger.keys import digest, question_digest
from methodlens.ledger.repeats import with_repeats
from methodlens.ledger.store import Run
from methodlens.papers import Metadata, PaperFile, Sidecars, find, parser_fingerprint, read_sidecars
from methodlens.papers.files import printable_name
from methodlens.papers.remote_files import is_url
from methodlens.questions import QuestionSet
from methodlens.records import PaperEntry, Question
from methodlens.seams import Reader
from methodlens.settings import CodeLimits, PaperLimits, Settings
from methodlens.verdicts import voting_rule

COLLECTION = "collection:"
"""Starts the flag of a paper that is in a collection of a reference manager: 'collection:Moths/Night'."""


class Plan(Struct, frozen=True):
    """`papers` and `questions` are those of this start; `names` are all papers of the run."""

    run: Run
    papers: tuple[PaperFile, ...]
    readers: tuple[Reader, ...]
    questions: tuple[Question, ...]
    names: tuple[str, ...]
    parser: str
    """The fingerprint of the parser that will read the papers."""
    portable: frozenset[str] = frozenset()
    """Names of readers that any process can create; the others are objects of this process."""
    sidecars: tuple[Sidecars, ...] = ()
    """Metadata from .bib, .ris and manifest.csv files next to the papers."""
    max_file_mb: int = PaperLimits().max_file_mb
    skipped: tuple[str, ...] = ()
    """Files and folders below the sources that cannot be read, and why."""
    code: Mapping[str, CodeSource] | None = None
    """The repositories, by the names of their papers; None leaves those of the run as they are."""
    code_limits: CodeLimits = CodeLimits()
    supplements: Supplements | None = None
    """The supplements, by the names of their papers; None leaves those of the run as they are."""
    is_addition: bool = False
    """Whether this adds to a run: the supplements that it has are kept."""

    @property
    def cells(self) -> int:
        return len(self.papers) * len(self.questions) * len(self.readers)

    def only(self, papers: Iterable[PaperFile]) -> "Plan":
        """The same run, limited to these papers."""
        return replace(self, papers=tuple(papers))

    def describe(self, entry: PaperEntry) -> PaperEntry:
        """The entry with the metadata of the sidecars, and with a flag per collection."""
        about = Metadata(entry.title, entry.authors, entry.year, entry.doi)
        for sidecar in self.sidecars:
            about = sidecar.lookup(entry.name, about)
        flags = dict.fromkeys(entry.flags)
        for sidecar in self.sidecars:
            flags |= dict.fromkeys(f"{COLLECTION}{name}" for name in sidecar.collections(entry.name, about))
        return replace(entry, title=about.title, authors=about.authors, year=about.year, doi=about.doi, flags=tuple(flags))


class Request(Struct, frozen=True):
    """What a user asks of a run: sources, questions, readers, how votes are counted and how many times readers are asked."""

    sources: tuple[str, ...]
    questions: QuestionSet
    readers: tuple[Reader, ...]
    vote: str = "majority"
    repeat: int = 1
    code: PairChoice = PairChoice()
    supplements: PairChoice = PairChoice()


def make_plan(
    request: Request,
    *,
    settings: Settings,
    portable: Iterable[str] = (),
    suffixes: Sequence[str] = (".pdf",),
    papers: Sequence[PaperFile] | None = None,
    sidecars: Sequence[Sidecars] = (),
) -> Plan:
    """The same sources, questions and readers are the same run: it resumes, with new papers added.

    The voting rule and the number of repeats may change, because the cells stay the same. `papers` limits the run to some of
    the papers in the sources; `sidecars` add to the metadata files in the sources, and override them.
    """
    skipped: list[str] = []
    papers = find(request.sources, suffixes=suffixes, on_skip=skipped.append) if papers is None else papers
    every_sidecar = (*sidecars_of(request.sources), *sidecars)
    supplements = pair_supplements(papers, request.supplements, every_sidecar)
    if supplements:
        papers = without_supplements(papers, supplements)
    code = pair_code(papers, request.code, every_sidecar, limits=settings.code)
    if code and papers and not (papers := outside(papers, code)):
        raise InputError("every paper is a file of a repository", "name the folder of the papers, or add --no-code")
    readers = {reader.info.name: reader for reader in request.readers}
    sources = tuple(printable_name(source if is_url(source) else Path(source).resolve()) for source in request.sources)
    questions = request.questions.questions
    voting_rule(request.vote, tuple(readers) if len(readers) > 1 else ())  # fail now, not after the answers are paid for
    run = Run(
        id=run_id(sources, questions, tuple(readers)),
        sources=sources,
        questions=questions,
        readers=tuple(readers),
        papers=len(papers),
        question_set=request.questions.name,
        version=__version__,
        vote=request.vote,
        repeat=request.repeat,
    )
    return Plan(
        run,
        tuple(papers),
        with_repeats(tuple(readers.values()), request.repeat),
        questions,
        names=tuple(paper.name for paper in papers),
        parser=parser_fingerprint(settings.reading),
        portable=frozenset(portable),
        sidecars=every_sidecar,
        max_file_mb=settings.papers.max_file_mb,
        skipped=tuple(skipped),
        code={paper.name: code[paper.name] for paper in papers if paper.name in code},
        code_limits=settings.code,
        supplements=supplements,
    )


def sidecars_of(sources: Sequence[str]) -> tuple[Sidecars, ...]:
    paths = [Path(source) for source in sources if not is_url(source)]
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths if path.exists())
    return tuple(map(read_sidecars, folders))


def run_id(sources: Sequence[str], questions: Sequence[Question], readers: Sequence[str]) -> str:
    return digest([sorted(sources), [question_digest(question) for question in questions], tuple(readers)])
