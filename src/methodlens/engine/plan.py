"""What a run will do, decided before anything is written."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.ledger.keys import digest, question_digest
from methodlens.ledger.ledger import Run
from methodlens.ledger.repeats import asked_again
from methodlens.papers import PaperFile, Sidecars, find, read_sidecars
from methodlens.papers.remote_files import is_url
from methodlens.questions import QuestionSet
from methodlens.records import Question
from methodlens.seams import Reader
from methodlens.verdicts import voting_rule


class Plan(Struct, frozen=True):
    """`names` are all papers of the run, `papers` the files to be done now: two strings a paper, which is what grows."""

    run: Run
    papers: tuple[PaperFile, ...]
    readers: tuple[Reader, ...]
    sidecars: tuple[Sidecars, ...] = ()
    names: tuple[str, ...] = ()

    def only(self, papers: Sequence[PaperFile]) -> "Plan":
        """The same run, of which only these are done now."""
        return replace(self, papers=tuple(papers))

    @property
    def cells(self) -> int:
        return len(self.papers) * len(self.run.questions) * len(self.readers)


def plan(
    sources: Sequence[Path | str],
    questions: QuestionSet,
    readers: Sequence[Reader],
    *,
    vote: str = "majority",
    repeat: int = 1,
    papers: Sequence[PaperFile] | None = None,
) -> Plan:
    """The same sources, questions and readers are the same run: it goes on where it stopped, and takes in new papers.

    How its votes are counted and how often a reader is asked do not make it another run: the cells are the same. `papers` are
    those of the sources that count, where not all of them do.
    """
    papers = find(sources) if papers is None else papers
    names = tuple(dict.fromkeys(reader.info.name for reader in readers))
    where = tuple(str(source) if is_url(source) else str(Path(source).resolve()) for source in sources)
    run = Run(
        id=run_id(where, questions.questions, names),
        sources=where,
        questions=questions.questions,
        readers=names,
        papers=len(papers),
        question_set=questions.name,
        version=__version__,
        vote=vote,
        repeat=repeat,
    )
    voting_rule(vote, names if len(names) > 1 else ())  # refused now, not when the answers are there
    by_name = {reader.info.name: reader for reader in readers}
    here = [Path(source) for source in sources if not is_url(source)]
    folders = dict.fromkeys(source if source.is_dir() else source.parent for source in here)
    return Plan(
        run,
        tuple(papers),
        asked_again([by_name[name] for name in names], repeat),
        tuple(map(read_sidecars, folders)),
        names=tuple(paper.name for paper in papers),
    )


def run_id(sources: Sequence[str], questions: Sequence[Question], readers: Sequence[str]) -> str:
    return digest([sorted(sources), [question_digest(question) for question in questions], tuple(readers)])
