"""A plan made and done in this process, with the session's pool of PDF workers."""

from collections.abc import Sequence
from pathlib import Path

from methodlens.engine import driver
from methodlens.engine.engines import LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.plan import Plan, Request, make_plan
from methodlens.engine.totals import Summary
from methodlens.ledger.store import Ledger
from methodlens.papers.parsers import FileParser, Parsers
from methodlens.questions import QuestionSet
from methodlens.retrieval import LexicalRetriever
from methodlens.seams import Reader, Retriever
from methodlens.settings import RetrievalSettings, Settings


def planned(sources: Sequence[Path], questions: QuestionSet, readers: Sequence[Reader], *, repeat: int = 1) -> Plan:
    request = Request(tuple(map(str, sources)), questions, tuple(readers), repeat=repeat)
    return make_plan(request, settings=Settings(), portable=["embedded"])


def local_engine(
    plan: Plan,
    parser: FileParser,
    *,
    at_once: int = 1,
    retriever: Retriever | None = None,
    retrieval: RetrievalSettings = RetrievalSettings(),  # noqa: B008 - frozen
) -> LocalEngine:
    readers = [reader for reader in plan.readers if not reader.info.remote]
    deferred = [reader.info for reader in plan.readers if reader.info.remote]
    return LocalEngine(
        Stages(Parsers(parser), retriever or LexicalRetriever(), readers, deferred, plan.questions, retrieval), at_once=at_once
    )


def run_locally(plan: Plan, out: Path, parser: FileParser, *, at_once: int = 1) -> Summary:
    with Ledger.at(out, create=True) as ledger:
        return driver.run(plan, local_engine(plan, parser, at_once=at_once), ledger)
