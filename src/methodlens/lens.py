"""Lens: settings, parts and ledger wired in one place. The command line, the review room and the tests all use it.

>>> lens = Lens()
>>> lens
Lens(readers=['embedded'], questions='dl-methods')
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from methodlens.engine import driver
from methodlens.engine.add import plan_addition
from methodlens.engine.asking import answer_cells, read_files, unreadable_cell
from methodlens.engine.budget import Budget
from methodlens.engine.cascade import create as create_reader
from methodlens.engine.cascade import heads
from methodlens.engine.engines import Engine
from methodlens.engine.example_effect import RankedPassage, example_effect
from methodlens.engine.execute import Stages, Task, read_paper
from methodlens.engine.factory import EngineKind, open_engine
from methodlens.engine.pair_choice import PairChoice
from methodlens.engine.plan import Plan, Request, make_plan
from methodlens.engine.run_state import Watch, unwatched
from methodlens.engine.supplement_pairs import Supplements
from methodlens.engine.supplement_reading import read_supplements
from methodlens.engine.totals import Summary
from methodlens.errors import InputError
from methodlens.ledger import repositories
from methodlens.ledger import supplements as ledger_supplements
from methodlens.ledger.store import Ledger, Run
from methodlens.lens_parts import DEFAULT_READER, LensParts
from methodlens.papers import PaperFile, Sidecars, find
from methodlens.papers.files import printable_name
from methodlens.progress import counted, run_progress
from methodlens.records import Paper, PaperStatus, Question
from methodlens.review import AnsweredQuestion, Review

if TYPE_CHECKING:
    from methodlens.engine.indexing import SearchResults
    from methodlens.reports.checklists.author_check import AuthorCheck
    from methodlens.reports.checklists.folder_answer import FolderAnswer


Papers = str | Path | Sequence[str | Path] | Sequence[PaperFile]
"""A file, a folder, several of them, or papers that `find` has found."""


class Lens(LensParts):
    """Asks papers questions.

    `readers` are names as on the command line ("embedded", "chat:ollama/qwen2.5", a plugin's) or objects of your own;
    `questions` a shipped set, a file, a QuestionSet or a list of questions. `retriever` and `parsers` take objects too;
    `fact_types` adds types that questions can name, in this process.
    `vote` is a rule by name, as in the settings, or an object: it counts in `ask` and in the Review that `run` returns, while the
    ledger names the rule of the settings.
    """

    @contextmanager
    def _open_stages(self, plan: Plan) -> Iterator[Stages]:
        settings = self.settings
        with self.open_parsers(settings.worker_count) as parsers:
            yield Stages(
                parsers,
                self.retriever,
                [reader for reader in plan.readers if not reader.info.remote],
                [reader.info for reader in plan.readers if reader.info.remote],
                plan.questions,
                settings.retrieval,
                max_file_mb=settings.papers.max_file_mb,
                heads=heads((reader.info for reader in plan.readers), settings, self._environ),
            )

    # --- one paper --------------------------------------------------------------------------------------------------

    def read(self, paper: str | Path) -> Paper:
        """The paper as methodlens reads it. Raises InputError if the file is not a paper; see `Paper.status` for the rest."""
        if Path(paper).is_dir():
            raise InputError(f"{printable_name(paper)} is a folder", "give a single paper; 'ask' and 'run' take folders")
        (file,) = find([paper], suffixes=self._suffixes)
        with self.open_parsers() as parsers:
            read = read_paper(Task(file.location, file.name), parsers, max_file_mb=self.settings.papers.max_file_mb)[0]
        self.pictures.add(read.sha256, file.location)
        return read

    def _readable(self, paper: str | Path | Paper) -> Paper:
        read = paper if isinstance(paper, Paper) else self.read(paper)
        if read.status is not PaperStatus.OK:
            raise InputError(
                f"{paper.title if isinstance(paper, Paper) else printable_name(paper)} is {read.status.value}", read.reason
            )
        return read

    def ask(self, paper: str | Path | Paper, question: str | Question) -> AnsweredQuestion:
        """One question to one paper: the answer with its quotes and pages, or "not reported".

        With several readers, the answer is their vote. Raises InputError if the paper cannot be read.
        """
        asked = question if isinstance(question, Question) else self.question(question)
        name = paper.title or paper.sha256[:12] if isinstance(paper, Paper) else printable_name(Path(paper).name)
        (answer,) = self.answers(self._readable(paper), [asked], name=name)
        return answer

    def answers(self, paper: Paper, questions: Sequence[Question], *, name: str) -> Iterator[AnsweredQuestion]:
        """Several questions to one paper, which is indexed once; a paper that cannot be read has the status `unreadable`."""
        rule = self._vote or self.settings.vote.rule
        if paper.status is PaperStatus.OK:
            answered = answer_cells(paper, questions, self.readers, self.retriever, self.settings.retrieval)
        else:
            answered = ((one, [unreadable_cell(paper, one, reader) for reader in self.readers]) for one in questions)
        for question, cells in answered:
            yield AnsweredQuestion.of(name, paper, question, cells, rule=rule)

    def check(self, paper: str | Path, *, progress: bool = True) -> "AuthorCheck":
        """What a draft lacks, by the lens's questions: `.missing`, `.doubtful`, `.found`, `.to_markdown()`."""
        from methodlens.reports.checklists.author_check import author_check

        read, name, asked = self._readable(paper), Path(paper).name, self.questions
        answers = self.answers(read, asked.questions, name=name)
        rows = [answer.row for answer in counted(answers, "questions", len(asked.questions), show=progress)]
        return author_check(read, rows, asked, name=name)

    def ask_folder(self, papers: Papers, question: str | Question, *, progress: bool = True) -> "FolderAnswer":
        """One question over many papers: counts, short answers, values and the quotes that disagree. Nothing is stored."""
        from methodlens.reports.checklists.folder_answer import folder_answer

        asked = question if isinstance(question, Question) else self.question(question)
        files = self._find(papers)
        workers, limit = self.settings.worker_count, self.settings.papers.max_file_mb
        with self.open_parsers(workers) as parsers:
            reading = read_files(files, parsers, max_file_mb=limit, workers=workers)
            answers = (
                answer for file, read in self.pictures.seen(reading) for answer in self.answers(read, [asked], name=file.name)
            )
            rows = [answer.row for answer in counted(answers, "papers", len(files), show=progress)]
        return folder_answer(asked, rows)

    def try_questions(
        self, paper: str | Path, questions: Sequence[Question], *, top: int = 5
    ) -> list[tuple[Question, list[RankedPassage]]]:
        """The best passages for each question, and how they rank without the question's examples."""
        read, size = self._readable(paper), self.settings.retrieval.passage_chars
        return [(one, example_effect(read, one, self.retriever, passage_chars=size, top=top)) for one in questions]

    # --- many papers ------------------------------------------------------------------------------------------------

    def run(
        self,
        papers: str | Path | Sequence[str | Path],
        out: str | Path | None = None,
        *,
        code: Mapping[str, str | Path] | None = None,
        supplements: Mapping[str, str | Path] | None = None,
        progress: bool = True,
    ) -> Review:
        """Ask every question of every paper and keep each cell in the ledger in `out`; a rerun resumes.

        `code` has the repository of a paper by the paper's name, such as {"moths.pdf": "clones/moths@2023-05-31"}; an empty one
        turns off the search for repositories next to the papers. `supplements` has files by the names of their papers, likewise.
        `progress` shows a bar in a terminal or notebook.
        """
        lens = self if out is None else self._with_out(Path(out))
        sources = [papers] if isinstance(papers, str | Path) else papers
        plan = lens.plan(
            sources,
            code=PairChoice.by_paper(code),
            supplements=PairChoice.by_paper(supplements),
        )
        budget = Budget()
        with lens.open_ledger(create=True) as ledger, ledger.lock(), ExitStack() as stack:
            shown = run_progress(papers=len(plan.papers), cells=plan.cells, cost=budget.forecast) if progress else None
            lens.work(plan, ledger, budget=budget, watch=stack.enter_context(shown) if shown else unwatched)
        return Review.open(lens.open_ledger, lens.settings, plan.run.id, vote=self._vote)

    def _with_out(self, out: Path) -> "Lens":
        """The same parts with another folder; they are created on this one, which closes them."""
        lens = copy(self)
        lens.settings = replace(self.settings, out=str(out), ledger="")
        lens._readers, lens._loaded = self.readers, self.questions
        return lens

    def plan(
        self,
        sources: Sequence[str | Path],
        *,
        repeat: int = 1,
        papers: Sequence[PaperFile] | None = None,
        sidecars: Sequence[Sidecars] = (),
        code: PairChoice = PairChoice(),  # noqa: B008 - a value
        supplements: PairChoice = PairChoice(),  # noqa: B008
    ) -> Plan:
        """What `work` will do; nothing is written yet. `papers` are those of the sources that count, where not all do.

        `sidecars` have further metadata of the papers; `code` says which repositories belong to them, and
        `supplements` which files supplement them.
        """
        request = Request(
            tuple(map(str, sources)),
            self.questions,
            self.readers,
            vote=self.settings.vote.rule,
            repeat=repeat,
            code=code,
            supplements=supplements,
        )
        return make_plan(
            request, settings=self.settings, portable=self._portable, suffixes=self._suffixes, papers=papers, sidecars=sidecars
        )

    @property
    def _portable(self) -> set[str]:
        """The readers that other processes can create by name."""
        specs = zip(self._reader_specs, self.readers, strict=True)
        return {reader.info.name for spec, reader in specs if isinstance(spec, str) and spec == reader.info.name}

    def work(
        self,
        plan: Plan,
        ledger: Ledger,
        *,
        engine: EngineKind = EngineKind.LOCAL,
        address: str = "",
        budget: Budget | None = None,
        watch: Watch = unwatched,
        notify: Callable[[str], None] = lambda _: None,
    ) -> Summary:
        """Do a plan. The caller holds the ledger's lock."""
        with self.open_engine(plan, kind=engine, address=address) as opened:
            summary = driver.run(plan, opened, ledger, budget=budget, watch=watch, notify=notify, pictures=self.pictures)
        return replace(summary, supplements=self.read_supplements(plan, ledger))

    def read_supplements(self, plan: Plan, ledger: Ledger) -> dict[PaperStatus, int]:
        """Read the supplements of a plan after its papers: how many there are, by status. The caller holds the ledger's lock."""
        if not plan.supplements:
            return read_supplements(plan, ledger, self.readers[0], self.open_engine)
        embedded = (reader for reader in self.readers if reader.info.name == DEFAULT_READER and DEFAULT_READER in self._portable)
        reader = next(embedded, None) or create_reader(DEFAULT_READER, self.settings, self._environ)
        return read_supplements(plan, ledger, reader, self.open_engine)

    def open_engine(
        self, plan: Plan, *, kind: EngineKind = EngineKind.LOCAL, address: str = ""
    ) -> AbstractContextManager[Engine]:
        """Separate from `work`, so that a command can check the cluster before it creates a ledger."""
        portable = not (self._own_retriever or self._parsers or self._fact_types)
        return open_engine(plan, self.settings, partial(self._open_stages, plan), kind=kind, address=address, portable=portable)

    def add(
        self,
        ledger: Ledger,
        old: Run,
        new: Run,
        papers: Sequence[PaperFile] | None = None,
        *,
        supplements: Supplements | None = None,
        budget: Budget | None = None,
        watch: Watch = unwatched,
    ) -> Summary:
        """Carry over what `old` has, and ask what only `new` has: `papers`, or a question of all papers (None). `supplements` are
        new ones, by the names of their papers."""
        plan = plan_addition(ledger, old, new, self.readers, settings=self.settings, papers=papers, portable=self._portable)
        ledger.carry_over(old, new)
        repositories.carry_over(ledger, old, new)
        ledger_supplements.carry_over(ledger, old, new)
        return self.work(replace(plan, supplements=supplements or None), ledger, budget=budget, watch=watch)

    def _find(self, papers: Papers) -> Sequence[PaperFile]:
        sources = [papers] if isinstance(papers, str | Path) else papers
        found = [paper for paper in sources if isinstance(paper, PaperFile)]
        return found if found else find([one for one in sources if not isinstance(one, PaperFile)], suffixes=self._suffixes)

    # --- search -----------------------------------------------------------------------------------------------------

    def search(self, papers: Papers, query: str, *, top: int = 10, index: Path | None = None) -> "SearchResults":
        """The best passages over many papers. The index is kept in `index`: the next search reads only new papers.

        By default it is in `settings.out`, and the ledger there keeps the text of new papers too.
        """
        from methodlens.engine import indexing
        from methodlens.ledger.database import FILE
        from methodlens.retrieval import create_fused
        from methodlens.retrieval.corpus_index import CorpusIndex

        settings, folder = self.settings, Path(self.settings.out)
        files = self._find(papers)
        question = self._known_question(query) or Question("ask", query)
        size, workers = settings.retrieval.passage_chars, settings.worker_count
        with ExitStack() as stack:
            ledger = stack.enter_context(self.open_ledger()) if settings.ledger or (folder / FILE).is_file() else None
            corpus = stack.enter_context(CorpusIndex.at(index or folder, *create_fused(settings.retrieval, self._environ)))
            parsers = stack.enter_context(self.open_parsers(workers))
            keep = index is None or index == folder
            indexed = indexing.build(files, corpus, parsers, ledger, passage_chars=size, workers=workers, keep_papers=keep)
            return indexing.search(question, corpus, indexed, top=top)
