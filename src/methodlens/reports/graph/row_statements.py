"""Rows as statements: each paper, question, answer, fact and quote, with who states it.

Every answer is a node of its own, so that what one reader says of a paper is never mixed with what another says.
"""

from collections.abc import Iterable, Iterator, Sequence

from pyoxigraph import Literal, NamedNode, Triple

from methodlens.questions import is_calibrated
from methodlens.records import PaperEntry, PaperStatus, Question, Row, SourceKind, Status
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.graph.agent_statements import PEOPLE, Agents
from methodlens.reports.graph.evidence_statements import quote_statements
from methodlens.reports.graph.fact_statements import fact_statements
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.graph.vocabulary import Description, literal, node, term, web_address
from methodlens.reports.verdict_matrix import rows_by_paper
from methodlens.text.printable import encodable

STATUSES = {
    Status.REPORTED: "ml:Reported",
    Status.NOT_REPORTED: "ml:NotReported",
    Status.WITHHELD: "ml:Withheld",
    Status.FAILED: "ml:Failed",
    Status.UNREADABLE: "ml:Unreadable",
}
PAPER_STATUSES = {
    PaperStatus.OK: "ml:PaperOk",
    PaperStatus.NO_TEXT: "ml:PaperNoText",
    PaperStatus.GARBLED: "ml:PaperGarbled",
    PaperStatus.ENCRYPTED: "ml:PaperEncrypted",
    PaperStatus.MALFORMED: "ml:PaperMalformed",
    PaperStatus.TOO_BIG: "ml:PaperTooBig",
    PaperStatus.TIMEOUT: "ml:PaperTimeout",
    PaperStatus.CRASHED: "ml:PaperCrashed",
}
SOURCES = {kind: f"ml:By{kind.value.capitalize()}" for kind in SourceKind}


class ReviewGraph:
    """The statements of a review, one paper at a time: `for triples in ReviewGraph(context).papers(rows): ...`"""

    def __init__(self, context: ReviewContext) -> None:
        self._context, self._agents = context, Agents(context)
        self._questions: set[NamedNode] = set()

    @property
    def run(self) -> NamedNode | None:
        """The node of the run that the rows belong to."""
        return self._agents.run

    def papers(self, rows: Iterable[Row]) -> Iterator[list[Triple]]:
        """The triples of each paper, with those of the readers, people and questions that were not described before.

        The triples of a subject are consecutive.
        """
        for paper_rows in rows_by_paper(rows):
            yield list(self._paper(paper_rows))

    def _paper(self, rows: Sequence[Row]) -> Iterator[Triple]:
        paper = rows[0].paper
        yield from _paper_statements(paper)
        text = self._context.text_of(paper) if paper.status is PaperStatus.OK else ""
        deciding = {id(row) for _, chosen in deciding_rows(rows) for row in chosen}
        for row in rows:
            question = _question(row.question)
            if question.subject not in self._questions:
                self._questions.add(question.subject)
                yield from question.triples
            yield from self._agents.introduce(row)
            yield from self._answer(row, rows, text, decides=id(row) in deciding)

    def _answer(self, row: Row, rows: Sequence[Row], text: str, *, decides: bool) -> Iterator[Triple]:
        cell, answer, subject = row.cell, row.cell.answer, self._answer_node(row)
        activity = self._agents.activity(row)
        facts = list(fact_statements(answer, subject, activity))
        quotes = [(node("quote", subject.value, index), evidence) for index, evidence in enumerate(answer.evidence)]
        about = Description(subject, "ml:Answer", "prov:Entity", *_kinds(row, decides=decides))
        about.add("schema:about", _paper_node(row.paper)).add("ml:question", _question(row.question).subject)
        about.add("ml:status", term(STATUSES[cell.verdict.status])).add("ml:probabilityReported", answer.p_reported)
        about.add("schema:text", answer.text).add("ml:reason", cell.verdict.reason)
        about.add("prov:wasGeneratedBy", activity)
        for agent in self._agents.agents(row):
            about.add("prov:wasAttributedTo", agent)
        if row.final:
            about.add("ml:source", term(SOURCES[row.final.kind]))
        for source in self._derived_from(row, rows):
            about.add("prov:wasDerivedFrom", source)
        for fact, _ in facts:
            about.add("ml:states", fact)
        for quote, _ in quotes:
            about.add("ml:quote", quote)
        yield from about.triples
        for _, triples in facts:
            yield from triples
        for quote, evidence in quotes:
            yield from quote_statements(quote, subject, _file_node(row.paper), evidence, text)

    def _derived_from(self, row: Row, rows: Sequence[Row]) -> list[NamedNode]:
        """The readers' answers that a vote counts, and the answer that a final word of no person repeats."""
        if row.votes is not None:
            readers = set(row.votes)
        elif row.final and row.final.kind not in PEOPLE:
            readers = set(row.final.by)
        else:
            return []
        return [
            self._answer_node(other)
            for other in rows
            if other.question.id == row.question.id and other.cell.reader in readers and not other.final
        ]

    def _answer_node(self, row: Row) -> NamedNode:
        run = self.run.value if self.run else ""
        return node("answer", run, _paper_key(row.paper), row.question.id, row.cell.reader)


def _paper_statements(paper: PaperEntry) -> Iterator[Triple]:
    article = Description(_paper_node(paper), "schema:ScholarlyArticle", "prov:Entity").add("schema:name", paper.title)
    authors = [(node("author", _paper_key(paper), index), name) for index, name in enumerate(paper.authors)]
    for author, _ in authors:
        article.add("schema:author", author)
    article.add("schema:datePublished", Literal(f"{paper.year:04}", datatype=term("xsd:gYear")) if paper.year else None)
    if paper.doi:
        article.add("schema:identifier", f"doi:{paper.doi}")
        article.add("schema:sameAs", web_address(f"https://doi.org/{encodable(paper.doi)}"))
    article.add("schema:encoding", _file_node(paper)).add("ml:paperStatus", term(PAPER_STATUSES[paper.status]))
    for flag in paper.flags:
        article.add("ml:flag", flag)
    yield from article.add("ml:reason", paper.reason).add("ml:duplicateOf", paper.duplicate_of).triples
    for author, name in authors:
        yield from Description(author, "schema:Person").add("schema:name", literal(name)).triples
    # two copies of a file are one node with two names
    file = Description(_file_node(paper), "schema:MediaObject").add("schema:name", literal(paper.name))
    yield from file.add("schema:sha256", paper.sha256).triples


def _question(question: Question) -> Description:
    about = Description(node("question", question.id, question.text), "ml:Question", "schema:Question")
    about.add("schema:identifier", question.id).add("schema:name", question.title).add("schema:text", question.text)
    return about.add("ml:calibrated", is_calibrated(question))


def _kinds(row: Row, *, decides: bool) -> list[str]:
    kind = "ml:FinalAnswer" if row.final else "ml:VoteAnswer" if row.votes is not None else "ml:ReaderAnswer"
    return [kind, "ml:DecidingAnswer"] if decides else [kind]


def _paper_key(paper: PaperEntry) -> str:
    """The content of the file; for a file that could not be opened, its name."""
    return paper.sha256 or f"name {paper.name}"


def _paper_node(paper: PaperEntry) -> NamedNode:
    return node("paper", _paper_key(paper))


def _file_node(paper: PaperEntry) -> NamedNode:
    return node("file", _paper_key(paper))
