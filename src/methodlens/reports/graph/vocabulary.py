"""Names and values of the graph: prefixes, identifiers, and Python values as RDF terms. Needs the extra `graph`."""

import hashlib
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from pyoxigraph import Literal, NamedNode, Triple

from methodlens.text.printable import encodable

DATA = files(__package__) / "data"
PREFIXES: Mapping[str, str] = {
    "ml": "https://w3id.org/methodlens/ns#",
    "id": "https://w3id.org/methodlens/id/",
    "schema": "http://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "oa": "http://www.w3.org/ns/oa#",
    "mls": "http://www.w3.org/ns/mls#",
    "fair4ml": "https://w3id.org/fair4ml#",
    "dlprov": "https://w3id.org/dlprov#",
    "dlprovenance": "https://w3id.org/dlprovenance#",
    "dcterms": "http://purl.org/dc/terms/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


@cache
def term(name: str) -> NamedNode:
    """
    >>> term("schema:name").value
    'http://schema.org/name'
    """
    prefix, _, local = name.partition(":")
    return NamedNode(PREFIXES[prefix] + local)


TYPE = term("rdf:type")


def shorten(iri: NamedNode, prefixes: Mapping[str, str] = PREFIXES) -> str:
    """The inverse of `term`; an address without a prefix stays whole.

    >>> shorten(term("schema:name"))
    'schema:name'
    """
    for prefix, start in prefixes.items():
        if iri.value.startswith(start):
            return f"{prefix}:{iri.value.removeprefix(start)}"
    return iri.value


def node(kind: str, *parts: object) -> NamedNode:
    """A thing that is named by a hash of what identifies it: the same parts give the same node in every export."""
    text = "\0".join(str(encodable(str(part))) for part in parts)
    return NamedNode(f"{PREFIXES['id']}{kind}-{hashlib.sha256(text.encode()).hexdigest()[:32]}")


def literal(value: Any) -> Literal:
    """Text, a truth value or a number. Fractions are decimals, which Turtle and SPARQL print as they were written.

    >>> literal(0.00001).value, literal(3).value, literal(True).value
    ('0.00001', '3', 'true')
    """
    if isinstance(value, float) and math.isfinite(value):
        return Literal(format(Decimal(repr(value)), "f"), datatype=term("xsd:decimal"))
    return Literal(value if isinstance(value, bool | int | float) else str(encodable(str(value))))


def web_address(url: str) -> NamedNode | None:
    """None for what is not an address on the web: papers, and models, print all sorts of things as links."""
    if not url.startswith(("https://", "http://")):
        return None
    try:
        return NamedNode(url)
    except (ValueError, UnicodeError):
        return None


class Description:
    """The triples of one subject."""

    def __init__(self, subject: NamedNode, *types: str) -> None:
        self.subject = subject
        self.triples = [Triple(subject, TYPE, term(name)) for name in types]

    def add(self, predicate: str, value: Any) -> "Description":
        """A term, or a Python value. None and empty text say nothing and are left out."""
        if value is not None and value != "":
            of_graph = value if isinstance(value, NamedNode | Literal) else literal(value)
            self.triples.append(Triple(self.subject, term(predicate), of_graph))
        return self
