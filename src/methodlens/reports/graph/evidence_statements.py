"""Quotes as Web Annotations: the text with what surrounds it, and its place on the pages of the PDF."""

from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from methodlens.records import Evidence, Match
from methodlens.reports.graph.vocabulary import Description, literal, node, term
from methodlens.reports.quote_fragments import PDF_FRAGMENTS, fragment_value, quoted_text

MATCHES = {Match.EXACT: "ml:Exact", Match.FUZZY: "ml:Fuzzy", Match.ABSENT: "ml:Absent"}


def quote_statements(quote: NamedNode, answer: NamedNode, file: NamedNode, evidence: Evidence, text: str) -> Iterator[Triple]:
    """`text` is that of the paper; without it, the quote has no context."""
    target, selector = node("target", quote.value), node("text", quote.value)
    places = [(place.page, box) for place in evidence.places for box in place.boxes or (None,)]
    fragments = [(node("place", quote.value, index), page, box) for index, (page, box) in enumerate(places)]
    annotation = Description(quote, "oa:Annotation").add("oa:motivatedBy", term("oa:describing"))
    annotation.add("oa:hasBody", answer).add("oa:hasTarget", target).add("ml:match", term(MATCHES[evidence.match]))
    for page in dict.fromkeys(place.page for place in evidence.places):
        annotation.add("ml:page", page)
    yield from annotation.triples
    specific = Description(target, "oa:SpecificResource").add("oa:hasSource", file).add("oa:hasSelector", selector)
    for fragment, _, _ in fragments:
        specific.add("oa:hasSelector", fragment)
    yield from specific.triples
    yield from _text_selector(selector, evidence, text).triples
    for fragment, page, box in fragments:
        selected = Description(fragment, "oa:FragmentSelector").add("rdf:value", fragment_value(page, box))
        yield from selected.add("dcterms:conformsTo", NamedNode(PDF_FRAGMENTS)).triples


def _text_selector(selector: NamedNode, evidence: Evidence, text: str) -> Description:
    exact, prefix, suffix = quoted_text(evidence, text)
    # literals, since empty text counts: the quote is empty, or begins or ends the paper
    description = Description(selector, "oa:TextQuoteSelector").add("oa:exact", literal(exact))
    description.add("oa:prefix", None if prefix is None else literal(prefix))
    description.add("oa:suffix", None if suffix is None else literal(suffix))
    return description.add("ml:quotedAs", evidence.quote if evidence.quote != exact else "")
