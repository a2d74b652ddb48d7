"""One question over many papers: counts, a table of short answers, the values summarised, and the quotes that disagree."""

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from methodlens.questions import is_calibrated
from methodlens.questions.answer_form import infer_form
from methodlens.records import AnswerForm, Question, Row, Status
from methodlens.reports.checklists.filled_item import shorten
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.text import words

_LONGEST_QUOTE = 400
_COMPUTED = "derived"  # from other facts; no paper says it
_SHORT = 110  # characters of an answer in the table
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,3}(?:,\d{3}){1,9}(?:\.\d+)?(?![\w,])|(?<![\w.,/-])\d{1,15}(?:\.\d{1,12})?(?![\w.,]*\d)")
_NO_VALUES = re.compile(r"\(pp?\. [\d, -]{1,40}\)|\b(?:Tab(?:le|\.)|Fig(?:ure|\.))\s?\d{1,3}")  # "(p. 2)", "Table 1"
_NO = re.compile(r"\b(?:no|not|never|none|without|neither|nor|cannot|lack(?:s|ed)?)\b", re.IGNORECASE)
_REACH = 30  # characters after a number in which its unit or noun stands
_YES_NO_VALUE = "answer"


class PaperAnswer(Struct, frozen=True):
    """`values` are the typed values of the answer, or its numbers, as text, by what they are."""

    paper: str
    status: Status
    page: int | None
    answer: str
    quotes: tuple[tuple[str, int | None], ...]
    """With their pages, best first."""
    reason: str
    values: Mapping[str, tuple[str, ...]]


class ValueGroup(Struct, frozen=True):
    """Papers with the same value."""

    value: str
    papers: tuple[str, ...]
    quote: str
    page: int | None


class ValueSummary(Struct, frozen=True):
    """The values of one kind, most frequent first. `numbers` has the smallest, median and largest of different numbers.

    `disagreeing` groups the papers by all their values of this kind; it is empty if all papers have the same.
    """

    name: str
    groups: tuple[ValueGroup, ...]
    numbers: tuple[float, float, float] | None
    disagreeing: tuple[ValueGroup, ...]


class FolderAnswer(Struct, frozen=True):
    question: Question
    calibrated: bool
    counts: Mapping[str, int]
    papers: tuple[PaperAnswer, ...]
    values: tuple[ValueSummary, ...]

    @property
    def disagreements(self) -> tuple[ValueSummary, ...]:
        return tuple(summary for summary in self.values if summary.disagreeing)


def folder_answer(question: Question, rows: Sequence[Row]) -> FolderAnswer:
    """`rows` has one row per paper."""
    papers = tuple(_paper_answer(question, row) for row in rows)
    counts = Counter(answer.status for answer in papers)
    summaries = tuple(_summaries(papers))
    return FolderAnswer(question, is_calibrated(question), {str(one): counts[one] for one in Status}, papers, summaries)


def _paper_answer(question: Question, row: Row) -> PaperAnswer:
    answer, status = row.cell.answer, row.cell.verdict.status
    first = answer.evidence[0] if answer.evidence else None
    page = first.page if first else None
    if page is None and status is Status.WITHHELD and row.cell.hits:
        page = row.cell.hits[0].passage.page or None
    values = _values(question, row) if status is Status.REPORTED else {}
    quotes = tuple((evidence.quote, evidence.page) for evidence in answer.evidence)
    return PaperAnswer(row.paper.name, status, page, shorten(answer.text, _SHORT), quotes, row.cell.verdict.reason, values)


def _values(question: Question, row: Row) -> dict[str, tuple[str, ...]]:
    answer = row.cell.answer
    facts = {fact_label(key): tuple(fact.value for fact in found) for key, found in shown_facts(answer.facts) if key != _COMPUTED}
    if facts:
        return facts
    form = question.form or infer_form(question.text)
    if form is AnswerForm.NUMBER:
        texts = (answer.text, *(evidence.quote for evidence in answer.evidence))
        number = next((found for text in texts if (found := _number_asked_for(question, _NO_VALUES.sub("", text)))), "")
        return {"number": (number,)} if number else {}
    if form is AnswerForm.YES_NO:
        return {_YES_NO_VALUE: ("no" if _NO.search(answer.evidence[0].quote if answer.evidence else answer.text) else "yes",)}
    return {}


def _number_asked_for(question: Question, text: str) -> str:
    """The first number that a word of the question follows: if epochs are asked for, the 40 of "a batch of 12 for 40 epochs"."""
    asked = set(words(question.text))
    for match in _NUMBER.finditer(text):
        after = _NUMBER.split(text[match.end() : match.end() + _REACH])[0]
        if asked.intersection(words(after)):
            return match[0]
    return ""


def _summaries(papers: Sequence[PaperAnswer]) -> Iterator[ValueSummary]:
    names = dict.fromkeys(name for answer in papers for name in answer.values)
    for name in names:
        single: dict[str, list[PaperAnswer]] = {}
        together: dict[str, list[PaperAnswer]] = {}
        for answer in papers:
            values = tuple(dict.fromkeys(answer.values.get(name, ())))
            for value in values:
                single.setdefault(value, []).append(answer)
            if values:
                together.setdefault(", ".join(sorted(values)), []).append(answer)
        numbers = [_as_number(value) for value, who in single.items() for _ in who]
        yield ValueSummary(name, _groups(single), _range(numbers), _groups(together) if len(together) > 1 else ())


def _groups(papers: Mapping[str, Sequence[PaperAnswer]]) -> tuple[ValueGroup, ...]:
    ordered = sorted(papers.items(), key=lambda group: -len(group[1]))
    return tuple(_group(value, who) for value, who in ordered)


def _group(value: str, who: Sequence[PaperAnswer]) -> ValueGroup:
    """With the quote of the first paper that has the value, if one has it."""
    first = value.split(", ")[0].lower()
    quotes = who[0].quotes
    quote, page = next((one for one in quotes if first in one[0].lower().replace(",", "")), quotes[0] if quotes else ("", None))
    return ValueGroup(value, tuple(answer.paper for answer in who), shorten(quote, _LONGEST_QUOTE), page)


def _as_number(value: str) -> float | None:
    text = value.split(" ")[0].replace(",", "")
    try:
        return float(text)
    except ValueError:
        return None


def _range(numbers: Sequence[float | None]) -> tuple[float, float, float] | None:
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or len(set(known)) < 2:
        return None
    return min(known), statistics.median(known), max(known)
