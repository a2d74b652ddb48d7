"""What a draft still lacks, as a to-do list for its authors."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from methodlens.papers import checklist_pages
from methodlens.questions import QuestionSet
from methodlens.records import Paper, Passage, Row
from methodlens.relevance.understanding import understand
from methodlens.reports.checklists.filled_item import NOT_CALIBRATED, UNCLEAR, FilledItem, filled_item, shorten
from methodlens.reports.checklists.markdown import escaped
from methodlens.reports.checklists.section_advice import where_it_belongs
from methodlens.text import words
from methodlens.text.stems import stem

_CONSIDERED = 10  # passages


class FailOn(StrEnum):
    """What makes a draft incomplete."""

    MISSING = "missing"
    DOUBTFUL = "doubtful"
    NEVER = "never"


class CheckedItem(Struct, frozen=True):
    """`belongs_in` is the section where the paper should say it; `closest` the nearest passage if it is missing or doubtful."""

    item: FilledItem
    belongs_in: str
    closest: str
    closest_page: int | None


class AuthorCheck(Struct, frozen=True):
    """The items of a checklist, checked against a draft. `ignored_pages` hold the draft's own checklist."""

    paper: str
    title: str
    checklist: str
    calibrated: bool
    items: tuple[CheckedItem, ...]
    ignored_pages: tuple[int, ...] = ()

    @property
    def missing(self) -> list[CheckedItem]:
        return [one for one in self.items if one.item.reported == "no"]

    @property
    def doubtful(self) -> list[CheckedItem]:
        return [one for one in self.items if one.item.reported == UNCLEAR]

    @property
    def found(self) -> list[CheckedItem]:
        return [one for one in self.items if one.item.reported == "yes"]

    def is_complete(self, fail_on: FailOn = FailOn.MISSING) -> bool:
        """Whether nothing is missing; with FailOn.DOUBTFUL, whether everything was found."""
        if fail_on is FailOn.NEVER:
            return True
        return not self.missing and (fail_on is FailOn.MISSING or not self.doubtful)

    def to_markdown(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _repr_markdown_(self) -> str:
        """For notebooks."""
        return self.to_markdown()

    def _lines(self) -> Iterator[str]:
        yield f"# To do: {escaped(self.title or self.paper)}\n"
        counts = f"{len(self.found)} of {len(self.items)} items found, {len(self.missing)} missing, {len(self.doubtful)} doubtful"
        yield f"{escaped(self.checklist)}, checked against {escaped(self.paper)}: {counts}."
        if not self.calibrated:
            yield f"\n{NOT_CALIBRATED}"
        if self.ignored_pages:
            pages = ", ".join(map(str, self.ignored_pages))
            yield f"\nThe paper's own checklist (p. {pages}) was not used as a source."
        for heading, items in (("Missing", self.missing), ("Doubtful: say it more clearly, or check", self.doubtful)):
            if items:
                yield f"\n## {heading}\n"
                for checked in items:
                    yield from _to_do(checked)
        if self.found:
            yield "\n## Found\n"
            for checked in self.found:
                item = checked.item
                where = f" (p. {item.page_list})" if item.pages else ""
                yield f"- [x] **{escaped(item.item)} {escaped(item.title)}**{where}: {escaped(_short(item))}"


def author_check(paper: Paper, rows: Sequence[Row], question_set: QuestionSet, *, name: str) -> AuthorCheck:
    """`rows` has the answer to each question."""
    items: list[CheckedItem] = []
    for row in rows:
        item, hits = filled_item(row), row.cell.hits
        best = _closest(row) if item.reported != "yes" else None
        items.append(
            CheckedItem(
                item,
                where_it_belongs(row.question, paper, hits, missing=item.reported == "no"),
                shorten(best.text, 200) if best else "",
                best.page or None if best else None,
            )
        )
    calibrated = all(item.item.calibrated for item in items)
    return AuthorCheck(name, paper.title, question_set.title, calibrated, tuple(items), tuple(checklist_pages(paper)))


def _closest(row: Row) -> Passage | None:
    """Of the best passages the one that has most words of the question, None if none has two: any passage is the closest to
    something that the paper is silent on."""
    asked = understand(row.question.text).words
    wanted = {stem(word) for word in (*asked, *words(row.question.title))}
    needed = min(2, len(wanted))
    shared = [(len(wanted.intersection(map(stem, words(hit.passage.text)))), hit.passage) for hit in row.cell.hits[:_CONSIDERED]]
    most, passage = max(shared, key=lambda pair: pair[0], default=(0, None))
    return passage if most >= needed else None


def _to_do(checked: CheckedItem) -> Iterator[str]:
    item = checked.item
    yield f"- [ ] **{escaped(item.item)} {escaped(item.title)}**: {escaped(item.question.text)}"
    yield f"  - Belongs in: {escaped(checked.belongs_in)}"
    if item.quote:
        where = f" (p. {item.page_list})" if item.pages else ""
        yield f"  - Possibly said{where}: “{escaped(item.quote)}”"
    elif checked.closest:
        where = f" (p. {checked.closest_page})" if checked.closest_page else ""
        yield f"  - Closest passage{where}: “{escaped(checked.closest)}”"
    if item.question.examples:
        yield f"  - For example: “{escaped(item.question.examples[0])}”"


def _short(item: FilledItem) -> str:
    return shorten(item.answer or item.quote, 200)
