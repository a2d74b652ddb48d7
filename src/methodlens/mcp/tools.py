"""What a client can do with a library. Each tool returns JSON text; none of them writes anything."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from methodlens.errors import InputError
from methodlens.ledger import final_words
from methodlens.mcp.library import Library, OpenReview
from methodlens.mcp.replies import facts_of, paper_text, quoted, reply
from methodlens.questions import is_calibrated
from methodlens.records import PaperEntry, PaperStatus, Question, Row
from methodlens.reports.checklists.folder_answer import FolderAnswer, PaperAnswer, folder_answer
from methodlens.reports.fact_words import fact_label
from methodlens.reports.formats.export_rows import decided_by

MOST_PAPERS = 50
"""That a call reads: each takes about a second."""
_MOST_VALUES = 20

Start = Annotated[int, Field(ge=0, description="Skip this many: use next_start of the reply before.")]
PaperName = Annotated[str, Field(max_length=1000, description="A paper's name, as list_papers gives it.")]
QuestionText = Annotated[
    str, Field(min_length=1, max_length=2000, description="An id such as CQ20, or a question in your own words.")
]


class Tools:
    def __init__(self, library: Library) -> None:
        self._library, self._lens = library, library.lens

    def list_papers(
        self,
        contains: Annotated[str, Field(max_length=200, description="Only names or titles with this text.")] = "",
        start: Start = 0,
    ) -> str:
        """List the papers: name, title, year, DOI, and whether a review has answers for them."""
        files = self._library.files()
        with self._library.review() as review:
            known = {entry.name: entry for entry, _ in review.ledger.entries(review.run)} if review else {}
        names = list(dict.fromkeys((*files, *known)))
        wanted = contains.strip().lower()
        found = [name for name in names if wanted in f"{name}\n{known[name].title if name in known else ''}".lower()]
        listed = (_listed(name, known.get(name), has_file=name in files) for name in found[start:])
        return reply({"total": len(found)}, items="papers", listed=listed, start=start)

    def list_questions(self, start: Start = 0) -> str:
        """List the questions that read_answer knows, with the facts that compare_papers can compare."""
        questions = self._questions()
        listed = ({"id": q.id, "title": q.title, "question": q.text, "facts": q.facts} for q in questions[start:])
        return reply({"total": len(questions)}, items="questions", listed=listed, start=start)

    def search_papers(
        self,
        query: Annotated[str, Field(min_length=1, max_length=1000, description="Words or a question.")],
        top: Annotated[int, Field(ge=1, le=30)] = 8,
    ) -> str:
        """Find the best passages over all papers, with paper, page and section. The first search reads all papers."""
        if not query.strip():
            raise InputError("the query is empty", "write what to look for")
        files = list(self._library.files().values())
        results = self._lens.search(files, query.strip(), top=top, index=self._library.index)
        about = {"skipped": list(results.skipped[:20])} if results.skipped else {}
        listed = (
            {
                "paper": found.paper,
                "page": found.hit.passage.page or None,
                "section": found.hit.passage.section,
                "score": found.hit.score,
                **paper_text(found.hit.passage.text),
            }
            for found in results.hits
        )
        return reply(about, items="passages", listed=listed)

    def read_answer(self, paper: PaperName, question: Annotated[str, Field(max_length=200, description="Such as CQ20.")]) -> str:
        """Read what a review says about one question and one paper: verdict, answer, quotes with pages, and facts."""
        with self._library.existing_review() as review:
            rows = final_words.final_rows(review.ledger, review.run, only=[paper])
            by_id = {row.question.id.lower(): row for row in rows}
        if not by_id:
            raise InputError(
                f"the review has no paper {paper[:200]!r}", "list_papers gives the names; ask_paper reads any of them"
            )
        row = by_id.get(question.strip().lower())
        if row is None:
            raise InputError(
                f"the review has no question {question!r}", "list_questions gives the ids; ask_paper takes any question"
            )
        return _answer(row)

    def ask_paper(self, paper: PaperName, question: QuestionText) -> str:
        """Ask one paper a question of your own. Reads the PDF, which takes about a second; nothing is stored."""
        file = self._library.file(paper)
        read = self._lens.read(file.path)
        if read.status is not PaperStatus.OK:
            raise InputError(f"{paper} is {read.status.value}", read.reason)
        (answer,) = self._lens.answers(read, [self._lens.question(question)], name=paper)
        return _answer(answer.row)

    def ask_folder(self, question: QuestionText, start: Start = 0) -> str:
        """Ask all papers one question: how many report it, a short answer per paper, and the most frequent values.

        Reads at most 50 papers per call, in about a second each; next_start of the reply says where to go on.
        """
        asked = self._lens.question(question)
        return _folder_reply(self._ask(asked, start), total=len(self._library.files()), start=start)

    def compare_papers(
        self,
        fact: Annotated[str, Field(min_length=1, max_length=200, description="A fact such as optimizers or 'learning rate'.")],
        papers: Annotated[list[PaperName], Field(max_length=MOST_PAPERS, description="Names; by default all papers.")] = [],  # noqa: B006 - never changed
        start: Start = 0,
    ) -> str:
        """Compare papers on a fact, such as hardware, optimizers or learning_rate: the value of each, with page and quote.

        Uses the review if there is one, else reads the papers.
        """
        question, key = self._fact(fact)
        with self._library.review() as review:
            if review:
                rows = self._rows(review, question, papers)
                page = list(islice(rows, start, start + MOST_PAPERS))
                return _folder_reply(folder_answer(question, page), total=len(papers) or review.run.papers, start=start, only=key)
        return _folder_reply(
            self._ask(question, start, names=papers), total=len(papers or self._library.files()), start=start, only=key
        )

    def _ask(self, question: Question, start: int, names: Sequence[str] = ()) -> FolderAnswer:
        files = [self._library.file(name) for name in names] or list(self._library.files().values())
        page = files[start : start + MOST_PAPERS]
        return self._lens.ask_folder(page, question, progress=False) if page else folder_answer(question, [])

    def _rows(self, review: OpenReview, question: Question, papers: Sequence[str]) -> Iterator[Row]:
        rows = final_words.final_rows(review.ledger, review.run, only=papers or None)
        return (row for row in rows if row.question.id == question.id)

    def _questions(self) -> tuple[Question, ...]:
        with self._library.review() as review:
            return review.run.questions if review else self._lens.questions.questions

    def _fact(self, fact: str) -> tuple[Question, str]:
        """The question that asks for a fact, and the fact's key."""
        wanted = fact.strip().lower()
        known: dict[str, Question] = {}
        for question in self._questions():
            for key in question.facts:
                known.setdefault(key, question)
        for key, question in known.items():
            if wanted in (key.lower(), fact_label(key).lower()):
                return question, key
        raise InputError(f"there is no fact {fact[:200]!r}", f"choose one of: {', '.join(sorted(known))}")


def _listed(name: str, entry: PaperEntry | None, *, has_file: bool) -> dict[str, Any]:
    if entry is None:
        return {"name": name, "reviewed": False}
    about = {"name": name, "reviewed": True, "status": entry.status.value, "year": entry.year, "doi": entry.doi}
    missing = {} if has_file else {"file": "not in the folders: only its answers can be read"}
    return {**about, **missing, **paper_text(entry.title, key="paper_title")}


def _answer(row: Row) -> str:
    cell = row.cell
    about = {
        "paper": row.paper.name,
        "question": row.question.id,
        "question_text": row.question.text,
        "calibrated": is_calibrated(row.question),
        "status": cell.verdict.status.value,
        "reason": cell.verdict.reason,
        "p_reported": cell.answer.p_reported,
        "decided_by": decided_by(row),
        "paper_facts": facts_of(cell.answer.facts),
        **paper_text(cell.answer.text, key="paper_answer"),
    }
    return reply(about, items="paper_quotes", listed=quoted(cell.answer.evidence))


def _folder_reply(answer: FolderAnswer, *, total: int, start: int, only: str = "") -> str:
    """`only` is the key of the fact that is compared."""
    label = fact_label(only) if only else ""
    summaries = [summary for summary in answer.values if not label or summary.name == label]
    about: dict[str, Any] = {
        "question": answer.question.text,
        "calibrated": answer.calibrated,
        "total": total,
        "counts": {status: count for status, count in answer.counts.items() if count},
        "paper_values": {
            summary.name: [{"value": group.value, "papers": len(group.papers)} for group in summary.groups[:_MOST_VALUES]]
            for summary in summaries
        },
    }
    if start + len(answer.papers) < total:
        about["next_start"] = start + len(answer.papers)
    listed = (_short_answer(paper, label) for paper in answer.papers)
    return reply(about, items="papers", listed=listed, start=start)


def _short_answer(paper: PaperAnswer, label: str) -> dict[str, Any]:
    quote, page = paper.quotes[0] if paper.quotes else ("", paper.page)
    values = paper.values if not label else {label: paper.values.get(label, ())}
    return {
        "paper": paper.paper,
        "status": paper.status.value,
        "page": page,
        "paper_values": values,
        **paper_text(quote, key="paper_quote"),
        "paper_answer": paper.answer,
    }
