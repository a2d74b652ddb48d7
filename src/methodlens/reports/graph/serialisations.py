"""Statements as text: Turtle, JSON-LD and N-Quads, paper by paper, so that only one paper is in memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from methodlens.records import Row
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.graph.row_statements import ReviewGraph
from methodlens.reports.graph.vocabulary import PREFIXES, TYPE, shorten, term

_OF_DATA_FILES = {"dlprov", "dlprovenance", "owl", "rdfs", "skos"}
_PREFIXES = {name: iri for name, iri in PREFIXES.items() if name not in _OF_DATA_FILES}


def turtle(rows: Iterable[Row], context: ReviewContext) -> Iterator[bytes]:
    yield "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in _PREFIXES.items()).encode()
    for triples in ReviewGraph(context).papers(rows):
        # each document begins with the prefixes, one per line, in no particular order
        yield b"\n" + _bytes(triples, RdfFormat.TURTLE).split(b"\n", len(_PREFIXES))[-1]


def n_quads(rows: Iterable[Row], context: ReviewContext) -> Iterator[bytes]:
    """The named graph is the run, so that several reviews can be loaded into one store and told apart."""
    graph = ReviewGraph(context)
    for triples in graph.papers(rows):
        yield _bytes(_quads(triples, graph.run), RdfFormat.N_QUADS)


def json_ld(rows: Iterable[Row], context: ReviewContext) -> Iterator[bytes]:
    """One document with a list of nodes, one per line; names are shortened by the prefixes in its context."""
    yield b'{"@context":' + msgspec.json.encode(_PREFIXES) + b',"@graph":['
    separator = b"\n"
    for triples in ReviewGraph(context).papers(rows):
        for subject in _nodes(triples):
            yield separator + msgspec.json.encode(subject)
            separator = b",\n"
    yield b"\n]}\n"


def _bytes(statements: Sequence[Triple] | Sequence[Quad], format: RdfFormat) -> bytes:
    return serialize(statements, format=format, prefixes=_PREFIXES) or b""


def _quads(triples: Sequence[Triple], graph: NamedNode | None) -> list[Quad]:
    return [Quad(triple.subject, triple.predicate, triple.object, graph) for triple in triples]


def _nodes(triples: Iterable[Triple]) -> Iterable[dict[str, Any]]:
    """The triples of each subject as a JSON object."""
    nodes: dict[NamedNode, dict[str, Any]] = {}
    for subject, predicate, value in triples:
        about = nodes.setdefault(subject, {"@id": _short(subject)})
        if predicate == TYPE:
            about.setdefault("@type", []).append(_short(value))
        else:
            about.setdefault(_short(predicate), []).append(_json_value(value))
    return nodes.values()


def _json_value(value: NamedNode | Literal) -> Any:
    if isinstance(value, NamedNode):
        return {"@id": _short(value)}
    datatype = value.datatype
    if datatype == term("xsd:string"):
        return value.value
    if datatype in (term("xsd:integer"), term("xsd:boolean")):
        return msgspec.json.decode(value.value)
    return {"@value": value.value, "@type": _short(datatype)}


def _short(iri: NamedNode) -> str:
    return shorten(iri, _PREFIXES)
