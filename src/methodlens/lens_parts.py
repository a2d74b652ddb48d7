"""The parts of a Lens: readers, questions, retriever, parsers and ledger, created from settings and names when first needed."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from methodlens.engine.cascade import create as create_reader
from methodlens.engine.expand import expand_questions
from methodlens.engine.page_pictures import PaperPictures
from methodlens.errors import InputError
from methodlens.facts import FactType, add_types
from methodlens.ledger.store import Ledger
from methodlens.papers import FileParser, Parsers, WorkerPool, all_parsers, paper_suffixes
from methodlens.questions import QuestionSet, refuse_unanswerable, refuse_unreadable
from methodlens.questions import load as load_questions
from methodlens.records import Question
from methodlens.retrieval import create as create_retriever
from methodlens.seams import Reader, Retriever, VotingRule, close_reader, show_pictures
from methodlens.settings import Settings, VoteSettings

DEFAULT_QUESTIONS = "dl-methods"
DEFAULT_READER = "embedded"


class LensParts:
    """What a Lens works with; its verbs are in `lens.py`."""

    def __init__(
        self,
        readers: Sequence[str | Reader] = (DEFAULT_READER,),
        questions: str | Path | QuestionSet | Sequence[str] = DEFAULT_QUESTIONS,
        *,
        settings: Settings | None = None,
        retriever: Retriever | None = None,
        parsers: Sequence[FileParser] = (),
        fact_types: Sequence[FactType] = (),
        vote: str | VotingRule = "",
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.settings = settings or Settings()
        if isinstance(vote, str) and vote:
            self.settings = replace(self.settings, vote=VoteSettings(vote))
        self._vote = "" if isinstance(vote, str) else vote
        self._reader_specs, self._environ = tuple(readers), environ
        self._questions, self._retriever, self._parsers = questions, retriever, tuple(parsers)
        self._own_retriever, self._fact_types = retriever is not None, tuple(fact_types)
        add_types(self._fact_types)
        self.pictures = PaperPictures(self.open_pool)
        """For readers that see."""
        self._readers: tuple[Reader, ...] | None = None
        self._loaded: QuestionSet | None = None

    def __repr__(self) -> str:
        readers = [spec if isinstance(spec, str) else spec.info.name for spec in self._reader_specs]
        questions = self._questions if isinstance(self._questions, str) else self.questions.name
        return f"Lens(readers={readers!r}, questions={questions!r})"

    # --- parts, created when first needed ---------------------------------------------------------------------------

    @property
    def readers(self) -> tuple[Reader, ...]:
        if self._readers is None:
            specs = self._reader_specs
            self._readers = tuple(
                create_reader(spec, self.settings, self._environ) if isinstance(spec, str) else spec for spec in specs
            )
            for reader in self._readers:
                show_pictures(reader, self.pictures)
        return self._readers

    @property
    def questions(self) -> QuestionSet:
        """The set, with bare questions expanded by what is known about similar ones."""
        if self._loaded is None:
            given = self._questions
            if isinstance(given, QuestionSet):
                loaded = given
            elif isinstance(given, str | Path):
                loaded = load_questions(str(given))
            else:
                numbered = tuple(Question(f"Q{number}", text) for number, text in enumerate(given, 1))
                loaded = QuestionSet("questions", "Your questions", "", numbered)
            for question in loaded.questions:
                if not question.query and not question.signs:
                    refuse_unreadable(question.text)
            self._loaded = replace(loaded, questions=expand_questions(loaded.questions, self.settings.retrieval))
        return self._loaded

    @property
    def retriever(self) -> Retriever:
        if self._retriever is None:
            self._retriever = create_retriever(self.settings.retrieval, self._environ)
        return self._retriever

    def question(self, text: str, *, id: str = "ask") -> Question:
        """The question of the set with that id or text, or a new one, expanded by what is known about similar ones."""
        if not text.strip():
            raise InputError("the question is empty", 'write it in quotes: methodlens ask paper.pdf "Which GPUs were used?"')
        known = self._known_question(text)
        if known:
            return known
        refuse_unanswerable(text)
        return expand_questions([Question(id, text.strip())], self.settings.retrieval)[0]

    def _known_question(self, text: str) -> Question | None:
        wanted = text.strip().lower()
        return next((q for q in self.questions.questions if wanted in (q.id.lower(), q.text.strip().lower())), None)

    def open_pool(self, size: int = 1) -> WorkerPool:
        """Processes that parse and render PDFs. Use it as a context manager."""
        return WorkerPool(size, self.settings.papers, self.settings.reading)

    @contextmanager
    def open_parsers(self, size: int = 1) -> "Iterator[Parsers]":
        with self.open_pool(size) as pool:
            yield all_parsers(pool, self.settings.reading, self._parsers)

    def open_ledger(self, *, create: bool = False, ping: bool = False) -> Ledger:
        """The one that `settings.ledger` names, or the file in `settings.out`. `ping`: for a ledger that stays open for hours."""
        settings = self.settings
        if not settings.ledger:
            return Ledger.at(Path(settings.out), create=create)
        password = self._environ.get(settings.ledger_password_variable)
        return Ledger.on(settings.ledger, password=password, create=create, lease_s=settings.ledger_lease_s, ping=ping)

    def close(self) -> None:
        """Close connections to language models, and end the process that renders pages for them."""
        for reader in self._readers or ():
            close_reader(reader)
        self.pictures.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _suffixes(self) -> tuple[str, ...]:
        return paper_suffixes(self._parsers)
