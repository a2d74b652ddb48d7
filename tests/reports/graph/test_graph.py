"""What the graph states, the same in every serialisation, and that its shapes hold."""

import json
from collections.abc import Callable, Iterable, Sequence

import pytest
from msgspec.structs import replace

pytest.importorskip("pyoxigraph")
pytest.importorskip("pyshacl")
import pyshacl
import rdflib

from methodlens.errors import InputError
from methodlens.facts.catalog import BUILT_IN
from methodlens.records import Evidence, Match, PaperStatus, Row, SourceKind, Status
from methodlens.reports.graph import graph_formats, serialisations
from methodlens.reports.graph.evidence_statements import MATCHES
from methodlens.reports.graph.fact_statements import fact_table
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.graph.row_statements import PAPER_STATUSES, SOURCES, STATUSES
from methodlens.reports.graph.vocabulary import DATA, PREFIXES
from methodlens.text.printable import encodable
from tests.reports.graph.conftest import with_quote

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # rdflib warns of its own calls

MakeRow = Callable[..., Row]
ML, OA, PROV, SCHEMA, MLS = (rdflib.Namespace(PREFIXES[name]) for name in ("ml", "oa", "prov", "schema", "mls"))
TYPE, Literal = rdflib.RDF.type, rdflib.Literal
PARSERS = {"turtle": "turtle", "n_quads": "nquads", "json_ld": "json-ld"}


def graph(rows: Iterable[Row], context: ReviewContext, function: str = "turtle") -> rdflib.Graph:
    """As an independent parser reads what we write."""
    written = b"".join(getattr(serialisations, function)(rows, context))
    read, triples = rdflib.Dataset(), rdflib.Graph()
    read.parse(data=written.decode(), format=PARSERS[function])
    for subject, predicate, value, _ in read.quads():
        triples.add((subject, predicate, value))
    return triples


def data(name: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=DATA.joinpath(name).read_text("utf-8"), format="turtle")


def violations(checked: rdflib.Graph) -> str:
    conforms, _, text = pyshacl.validate(checked, shacl_graph=data("shapes.ttl"))
    return "" if conforms else str(text)


def test_rows_of_every_kind_conform_to_the_shapes(rows: Sequence[Row], context: ReviewContext) -> None:
    assert violations(graph(rows, context)) == ""
    assert violations(graph(rows, ReviewContext())) == ""


def without_status(triples: rdflib.Graph) -> None:
    triples.remove((None, ML.status, None))


def with_unknown_status(triples: rdflib.Graph) -> None:
    without_status(triples)
    for answer in list(triples.subjects(TYPE, ML.Answer)):
        triples.add((answer, ML.status, ML.Perhaps))


def with_a_probability_of_two(triples: rdflib.Graph) -> None:
    for answer in list(triples.subjects(TYPE, ML.Answer)):
        triples.add((answer, ML.probabilityReported, Literal(2)))


def without_quotes(triples: rdflib.Graph) -> None:
    triples.remove((None, ML.quote, None))


def without_activities(triples: rdflib.Graph) -> None:
    triples.remove((None, PROV.wasGeneratedBy, None))


def with_an_invented_property(triples: rdflib.Graph) -> None:
    for answer in list(triples.subjects(TYPE, ML.Answer)):
        triples.add((answer, ML.usesMothCards, Literal("two")))


@pytest.mark.parametrize(
    "break_it",
    [
        without_status,
        with_unknown_status,
        with_a_probability_of_two,
        without_quotes,
        without_activities,
        with_an_invented_property,
    ],
)
def test_the_shapes_find_what_is_wrong(
    break_it: Callable[[rdflib.Graph], None], make_row: MakeRow, context: ReviewContext
) -> None:
    triples = graph([make_row()], context)
    break_it(triples)
    assert violations(triples) != ""


@pytest.mark.parametrize("function", ["n_quads", "json_ld"])
def test_every_serialisation_states_the_same(function: str, rows: Sequence[Row], context: ReviewContext) -> None:
    assert set(graph(rows, context, function)) == set(graph(rows, context))


def test_quads_name_the_run_as_their_graph(rows: Sequence[Row], context: ReviewContext) -> None:
    lines = b"".join(serialisations.n_quads(rows, context)).decode().splitlines()
    (run,) = graph(rows, context).subjects(TYPE, ML.Run)
    assert all(line.endswith(f"<{run}> .") for line in lines)


def test_hostile_text_is_only_text(hostile_row: Row, hostile: str, context: ReviewContext) -> None:
    text = str(encodable(hostile))
    assert Literal(text) in set(graph([hostile_row], context).objects(None, SCHEMA.text))
    nodes = json.loads(b"".join(serialisations.json_ld([hostile_row], context)))["@graph"]
    assert [text] in [node.get("schema:text") for node in nodes]


def test_no_term_is_invented(rows: Sequence[Row], context: ReviewContext) -> None:
    triples, ontology = graph(rows, context), data("ontology.ttl")
    used = {*triples.predicates(), *triples.objects(None, TYPE), *triples.objects(None, ML.status)}
    defined = {subject for subject in ontology.subjects() if str(subject).startswith(str(ML))}
    assert {str(term) for term in used if str(term).startswith(str(ML))} <= set(map(str, defined))
    ours = {"ml", "schema", "prov", "oa", "mls", "fair4ml", "dcterms", "rdf"}
    assert all(str(term).startswith(tuple(PREFIXES[name] for name in ours)) for term in used)


def test_every_own_term_has_a_label_and_a_comment() -> None:
    ontology = data("ontology.ttl")
    terms = {subject for subject in ontology.subjects() if str(subject).startswith(str(ML))}
    assert len(terms) > 80
    for predicate in (rdflib.RDFS.label, rdflib.RDFS.comment):
        assert [term for term in terms if not ontology.value(term, predicate)] == []


def test_terms_that_the_code_and_the_shapes_name_are_defined() -> None:
    ontology, shapes = data("ontology.ttl"), data("shapes.ttl")
    names = {*STATUSES.values(), *PAPER_STATUSES.values(), *SOURCES.values(), *MATCHES.values()}
    for terms in fact_table().facts.values():
        names |= {*terms.types, terms.specified_by, *terms.value}
    in_code = {ML[name.removeprefix("ml:")] for name in names | set(fact_table().parts.values()) if name.startswith("ml:")}
    in_shapes = {
        term for triple in shapes for term in triple if str(term).startswith(str(ML)) and not str(term).endswith("Shape")
    }
    assert sorted(term for term in in_code | in_shapes if (term, None, None) not in ontology) == []
    assert set(STATUSES) == set(Status)
    assert set(PAPER_STATUSES) == set(PaperStatus)
    assert set(SOURCES) == set(SourceKind)


def test_every_built_in_fact_has_terms() -> None:
    assert {fact_type.key for fact_type in BUILT_IN} == set(fact_table().facts)


def test_each_status_is_stated_as_itself(rows: Sequence[Row], context: ReviewContext) -> None:
    stated = {str(status).removeprefix(str(ML)) for status in graph(rows, context).objects(None, ML.status)}
    assert stated == {"Reported", "NotReported", "Withheld", "Failed", "Unreadable"}


def test_one_answer_decides_each_paper_and_question(rows: Sequence[Row], context: ReviewContext) -> None:
    triples = graph(rows, context)
    deciding = [tuple(triples.objects(answer, ML.question)) for answer in triples.subjects(TYPE, ML.DecidingAnswer)]
    assert len(deciding) == 5  # two questions to two papers, one to the torn one
    (newts,) = (answer for answer in triples.subjects(ML.source, ML.ByPerson))
    assert (newts, TYPE, ML.DecidingAnswer) in triples


def test_people_are_agents_of_their_decisions(rows: Sequence[Row], context: ReviewContext) -> None:
    triples = graph(rows, context)
    answer = triples.value(None, ML.source, ML.ByPerson)
    people = list(triples.objects(answer, PROV.wasAttributedTo))
    assert {str(triples.value(person, SCHEMA.name)) for person in people} == {"ann", "bob"}
    activity = triples.value(answer, PROV.wasGeneratedBy)
    assert set(people) <= set(triples.objects(activity, PROV.wasAssociatedWith))
    assert str(triples.value(activity, PROV.endedAtTime)).startswith("2026-05-04T11:00:00")
    assert triples.value(activity, PROV.wasInformedBy) == triples.value(None, TYPE, ML.Run)


def test_a_decision_without_a_valid_time_states_none(rows: Sequence[Row], context: ReviewContext) -> None:
    untimed = [replace(row, final=replace(row.final, at="last week")) if row.final else row for row in rows]
    triples = graph(untimed, context)
    activity = triples.value(triples.value(None, ML.source, ML.ByPerson), PROV.wasGeneratedBy)
    assert triples.value(activity, PROV.endedAtTime) is None


def test_a_vote_names_the_answers_it_counts(rows: Sequence[Row], context: ReviewContext) -> None:
    triples = graph(rows, context)
    (vote,) = triples.subjects(TYPE, ML.VoteAnswer)
    counted = [triples.value(answer, PROV.wasAttributedTo) for answer in triples.objects(vote, PROV.wasDerivedFrom)]
    assert {str(triples.value(reader, SCHEMA.name)) for reader in counted} == {"embedded", "chat:heron"}


def test_a_quote_selects_the_paper_text_with_its_context_and_place(make_row: MakeRow, context: ReviewContext) -> None:
    triples = graph([make_row()], context)
    (selector,) = triples.subjects(TYPE, OA.TextQuoteSelector)
    parts = [str(triples.value(selector, part)) for part in (OA.prefix, OA.exact, OA.suffix)]
    assert parts == ["In short. ", "Training ran on two Kestrel K9 cards for six hours.", " It was warm."]
    (place,) = triples.subjects(TYPE, OA.FragmentSelector)
    assert str(triples.value(place, rdflib.RDF.value)) == "page=8&viewrect=72,100.5,228,12"


def test_a_quote_that_differs_from_the_paper_is_kept_as_it_was_given(make_row: MakeRow, context: ReviewContext) -> None:
    quote = Evidence("training ran on 2 Kestrel K9 cards", Match.FUZZY, 10, 45)
    triples = graph([with_quote(make_row(), quote)], context)
    (selector,) = triples.subjects(TYPE, OA.TextQuoteSelector)
    assert str(triples.value(selector, OA.exact)) == "Training ran on two Kestrel K9 card"
    assert str(triples.value(selector, ML.quotedAs)) == quote.quote


def test_odd_metadata_and_values_conform_to_the_shapes(make_row: MakeRow, context: ReviewContext) -> None:
    facts = {
        "ram_gb": float("inf"),
        "epochs": float("nan"),
        "datasets": [""],
        "hardware": [{"name": "", "count": None}],
        "split": {},
    }
    rows = [make_row("a.pdf", facts=facts), make_row("b.pdf", facts=facts)]
    odd = [
        replace(row, paper=replace(row.paper, year=year, doi=doi, authors=("", "B")))
        for row, year, doi in zip(rows, (7, 2024), ("not a doi", "10.5555/<odd>"), strict=True)
    ]
    assert violations(graph(odd, context)) == ""


@pytest.mark.parametrize("quote", ["A sentence that ann imported.", ""])
def test_a_quote_without_a_span_is_taken_as_it_is(quote: str, make_row: MakeRow, context: ReviewContext) -> None:
    triples = graph([with_quote(make_row(), Evidence(quote, Match.EXACT))], context)
    assert [str(exact) for exact in triples.objects(None, OA.exact)] == [quote]
    assert violations(triples) == ""


def test_facts_use_public_vocabularies(rows: Sequence[Row], context: ReviewContext) -> None:
    triples = graph(rows[:1], context)
    facts = {str(triples.value(fact, ML.value)): fact for fact in triples.subjects(TYPE, ML.Fact)}
    rate = facts["0.00001"]
    assert (rate, TYPE, MLS.HyperParameterSetting) in triples
    assert triples.value(rate, MLS.specifiedBy) == ML.LearningRate
    assert triples.value(facts["Kestrel K9"], ML["count"]) == Literal(8)
    assert triples.value(facts["Pondflow"], SCHEMA.softwareVersion) == Literal("2.1")
    assert (facts["https://example.org/moths"], TYPE, MLS.Implementation) in triples
    assert set(triples.objects(None, SCHEMA.codeRepository)) == {rdflib.URIRef("https://example.org/moths")}
    assert triples.value(facts["train 0.8, test 0.2"], ML.trainingPart) == Literal("0.8", datatype=rdflib.XSD.decimal)
    assert str(triples.value(facts["pond"], ML.details)) == '{"deepest":[3,4]}'


def test_two_copies_of_a_file_are_one_paper_with_two_names(make_row: MakeRow, context: ReviewContext) -> None:
    triples = graph([make_row("a.pdf"), make_row("b.pdf")], context)
    (paper,) = triples.subjects(TYPE, SCHEMA.ScholarlyArticle)
    names = triples.objects(triples.value(paper, SCHEMA.encoding), SCHEMA.name)
    assert sorted(map(str, names)) == ["a.pdf", "b.pdf"]


def test_the_alignment_joins_both_namespaces_of_dlprov(rows: Sequence[Row], context: ReviewContext) -> None:
    loaded = graph(rows, context) + data("ontology.ttl") + data("dlprov-alignment.ttl")
    for namespace in ("dlprov", "dlprovenance"):
        found = loaded.query(
            f"""PREFIX owl: <{PREFIXES["owl"]}> PREFIX rdfs: <{PREFIXES["rdfs"]}> PREFIX theirs: <{PREFIXES[namespace]}>
            PREFIX ml: <{ML}>
            SELECT ?value WHERE {{ ?thing a/(rdfs:subClassOf|owl:equivalentClass)* theirs:Framework ; ml:value ?value }}"""
        )
        assert [str(value) for (value,) in found] == ["Pondflow"]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_formats, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"methodlens\[graph\]"):
        graph_formats.Turtle()
