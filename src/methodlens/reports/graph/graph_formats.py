"""The export formats of the knowledge graph: Turtle, JSON-LD and N-Quads. They need the extra `graph`."""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from importlib.resources import files
from importlib.util import find_spec
from typing import Self

from methodlens.errors import InputError
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Row
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.settings import Settings


def require_graph() -> None:
    if find_spec("pyoxigraph") is None:
        raise InputError("the knowledge graph needs pyoxigraph", "pip install 'methodlens[graph]'")


def data_files() -> Iterator[tuple[str, bytes]]:
    """The ontology, the shapes, the alignment and the ready queries, by their names below `data/`."""
    folder = files(__package__) / "data"
    for name in ("ontology.ttl", "shapes.ttl", "dlprov-alignment.ttl", "question.rq"):
        yield name, (folder / name).read_bytes()
    for query in (folder / "queries").iterdir():
        yield f"queries/{query.name}", query.read_bytes()


class GraphFormat(StreamFormat):
    """The modules that import pyoxigraph are imported only when a graph is written."""

    function: str
    """Its name in `serialisations`."""

    def __init__(self) -> None:
        require_graph()
        self.context = ReviewContext()

    def for_run(self, run: Run, ledger: Ledger, settings: Settings) -> Self:
        bound = copy(self)
        bound.context = ReviewContext.of_run(ledger, run)
        return bound

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        from methodlens.reports.graph import serialisations

        serialise: Callable[..., Iterator[bytes]] = getattr(serialisations, self.function)
        return serialise(rows, self.context)


class Turtle(GraphFormat):
    name = "ttl"
    suffix = ".ttl"
    description = "the knowledge graph as Turtle"
    function = "turtle"


class JsonLd(GraphFormat):
    name = "jsonld"
    suffix = ".jsonld"
    description = "the knowledge graph as JSON-LD"
    function = "json_ld"


class NQuads(GraphFormat):
    name = "nq"
    suffix = ".nq"
    description = "the knowledge graph as N-Quads, each run in a named graph"
    function = "n_quads"
