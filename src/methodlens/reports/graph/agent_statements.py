"""Who states something, as PROV-O: readers and voting rules as software, reviewers as people, each active in a run."""

from collections.abc import Iterator
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Triple

from methodlens._version import __version__
from methodlens.ledger.run_rows import VOTE
from methodlens.records import Row, SourceKind
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.graph.vocabulary import Description, literal, node, term

PEOPLE = frozenset({SourceKind.PERSON, SourceKind.ADJUDICATED, SourceKind.DISPUTED})


class Agents:
    """The agents and activities of a review. `introduce` describes each once, when it is first needed."""

    def __init__(self, context: ReviewContext) -> None:
        self._context, self._known = context, set[NamedNode]()
        run = context.run
        self.run = node("run", run.id) if run else None
        self._version = run.version if run and run.version else __version__

    def introduce(self, row: Row) -> Iterator[Triple]:
        for description in (*self._of_run(), *self._of_row(row)):
            if description.subject not in self._known:
                self._known.add(description.subject)
                yield from description.triples

    def activity(self, row: Row) -> NamedNode:
        """What produced the answer: one activity per run, reader and model, or per person and decision."""
        run = self._run_id
        if row.final:
            return node("decision", run, row.final.kind, *row.final.by, row.final.at)
        return node("reading", run, row.cell.reader, row.cell.model)

    def agents(self, row: Row) -> list[NamedNode]:
        """The people who decided, or else the reader or voting rule."""
        if row.final and row.final.kind in PEOPLE:
            return [node("person", self._run_id, name) for name in row.final.by]
        return [node("reader", _reader(row), row.cell.model)]

    @property
    def _run_id(self) -> str:
        return self._context.run.id if self._context.run else ""

    def _of_run(self) -> Iterator[Description]:
        run = self._context.run
        if run and self.run and self.run not in self._known:
            about = Description(self.run, "ml:Run", "prov:Activity").add("schema:identifier", run.id)
            about.add("schema:softwareVersion", self._version).add("ml:questionSet", run.question_set)
            about.add("ml:votingRule", run.vote).add("prov:startedAtTime", _time(self._context.started_at))
            yield about.add("prov:endedAtTime", _time(self._context.ended_at))

    def _of_row(self, row: Row) -> Iterator[Description]:
        software, agents = node("software", self._version), self.agents(row)
        named = Description(software, "prov:SoftwareAgent", "prov:Agent", "schema:SoftwareApplication")
        yield named.add("schema:name", "methodlens").add("schema:softwareVersion", self._version)
        if row.final and row.final.kind in PEOPLE:
            for name, person in zip(row.final.by, agents, strict=True):
                yield Description(person, "prov:Person", "prov:Agent", "schema:Person").add("schema:name", literal(name))
        else:
            about = Description(agents[0], "prov:SoftwareAgent", "prov:Agent").add("schema:name", literal(_reader(row)))
            yield about.add("ml:model", row.cell.model)
        activity = Description(self.activity(row), "prov:Activity").add("prov:wasInformedBy", self.run)
        for agent in (software, *agents):
            activity.add("prov:wasAssociatedWith", agent)
        yield activity.add("prov:endedAtTime", _time(row.final.at) if row.final else None)


def _reader(row: Row) -> str:
    """The reader of an answer; of a final answer that no person decided, the reader or the vote that it repeats."""
    if row.final is None:
        return row.cell.reader
    return VOTE if row.final.kind is SourceKind.VOTE else row.final.by[0]


def _time(text: str) -> Literal | None:
    """None for what is not a time: labels that people import may bring anything."""
    try:
        return Literal(datetime.fromisoformat(text).isoformat(), datatype=term("xsd:dateTime"))
    except ValueError:
        return None
