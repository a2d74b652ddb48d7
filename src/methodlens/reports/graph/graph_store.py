"""A review's graph in a SPARQL store: in memory, or kept on disk where papers are many."""

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QuerySolutions, RdfFormat, Store, Variable, serialize

from methodlens._version import __version__
from methodlens.errors import InputError
from methodlens.ledger import overview
from methodlens.ledger.final_words import rows_of_export
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Row
from methodlens.reports.graph.ready_queries import question_query
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.graph.row_statements import ReviewGraph
from methodlens.reports.graph.vocabulary import DATA, PREFIXES, shorten
from methodlens.reports.output_files import scratch_folder

_MOST_IN_MEMORY = 500
"""Papers. The graph of a larger run is stored on disk."""
_FOLDER = "graph-store"
_POSITION = re.compile(r"error at (\d+):(\d+)")
_HELP = "'methodlens query --list' shows queries that work, and docs/reference/graph.md the terms"


class Result(NamedTuple):
    """The columns and rows of a SELECT, read as they are needed; for other queries, `text` is the result."""

    columns: Sequence[str] = ()
    rows: Iterable[Sequence[str]] = ()
    text: str = ""


class GraphStore:
    """The graph of a review with the ontology and the alignment, which queries may use."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def filled(cls, rows: Iterable[Row], context: ReviewContext) -> "GraphStore":
        """In memory."""
        store = Store()
        _fill(store, rows, context)
        return cls(store)

    @classmethod
    def of_run(cls, ledger: Ledger, run: Run, folder: Path, *, vote: str = "") -> "GraphStore":
        """In memory, or for a large run on disk in `folder`, where it is kept until the run changes."""
        if run.papers <= _MOST_IN_MEMORY:
            return cls.filled(rows_of_export(ledger, run, vote=vote), ReviewContext.of_run(ledger, run))
        kept = folder / _FOLDER / _version(ledger, run, vote)
        if not kept.exists():
            with scratch_folder(folder / _FOLDER) as scratch:
                _fill(Store(scratch / "store"), rows_of_export(ledger, run, vote=vote), ReviewContext.of_run(ledger, run))
                shutil.rmtree(folder / _FOLDER, ignore_errors=True)
                kept.parent.mkdir()
                (scratch / "store").rename(kept)
        return cls(Store.read_only(str(kept)))

    def answers_to(self, question: str) -> Result:
        """The deciding answers to a question, by its id: a row per paper."""
        return self._query(question_query().sparql, {Variable("question"): Literal(question)})

    def query(self, sparql: str) -> Result:
        """The prefixes of docs/reference/graph.md are declared already."""
        return self._query(sparql, {})

    def _query(self, sparql: str, given: dict[Variable, Any]) -> Result:
        try:
            found = self._store.query(sparql, prefixes=dict(PREFIXES), substitutions=given)
        except SyntaxError as err:
            raise InputError(f"this is not a SPARQL query{_position(str(err))}", _HELP) from err
        if isinstance(found, QueryBoolean):
            return Result(text="yes" if found else "no")
        if isinstance(found, QuerySolutions):
            return Result([variable.value for variable in found.variables], _texts(found))
        triples = serialize(found, format=RdfFormat.TURTLE, prefixes=dict(PREFIXES)) or b""
        return Result(text=triples.decode())


def _fill(store: Store, rows: Iterable[Row], context: ReviewContext) -> None:
    for name in ("ontology.ttl", "dlprov-alignment.ttl"):
        store.load(DATA.joinpath(name).read_bytes(), RdfFormat.TURTLE)
    papers = ReviewGraph(context).papers(rows)
    store.bulk_extend(Quad(*triple) for triples in papers for triple in triples)


def _version(ledger: Ledger, run: Run, vote: str) -> str:
    """Changes whenever the graph of the run would."""
    parts = (*overview.version(ledger, run), overview.progress(ledger, run).annotations, vote, __version__)
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _position(message: str) -> str:
    """
    >>> _position("error at 2:18: expected one of ...")
    ': the error is in line 2, column 18'
    """
    found = _POSITION.search(message)
    return f": the error is in line {found[1]}, column {found[2]}" if found else f" ({message.splitlines()[0]})"


def _texts(solutions: QuerySolutions) -> Iterator[list[str]]:
    try:
        for solution in solutions:
            yield [_text(value) for value in solution]
    except (OSError, RuntimeError, ValueError) as err:  # such as SERVICE, which asks another server
        raise InputError(f"the query cannot be answered ({err})", _HELP) from err


def _text(value: Any) -> str:
    if value is None:
        return ""
    return shorten(value) if isinstance(value, NamedNode) else str(value.value if isinstance(value, Literal) else value)
