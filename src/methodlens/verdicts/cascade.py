"""The rules of a cascade: when a reader's answer is in doubt, so that the next reader is asked, and whose answer counts."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from methodlens.records import Answer, Cell, Evidence, Match, Status, Step, Usage, Verdict
from methodlens.settings import CascadeSettings

_MAX_NAMED = 60


def doubt(cell: Cell, earlier: Sequence[Cell], settings: CascadeSettings) -> str:
    """Why the next reader should be asked; empty if this answer can stand. `earlier` are the answers before it."""
    verdict, p = cell.verdict, cell.answer.p_reported
    if verdict.status.reported is None:
        return f"{verdict.status}: {verdict.reason}" if verdict.reason else str(verdict.status)
    if p is not None and settings.low < p < settings.high:
        return f"p = {p:.2f} is between {settings.low:g} and {settings.high:g}"
    for other in earlier:
        if other.verdict.status.reported is not None and other.verdict.status is not verdict.status:
            return f"contradicts {other.reader}"
    if verdict.status is Status.REPORTED:
        for value, confidence in _values(cell.answer):
            if confidence < settings.fact_confidence:
                return f"the value {value[:_MAX_NAMED]} is doubtful ({confidence:.2f})"
    return ""


def deciding(cells: Sequence[Cell]) -> Cell:
    """The last reader that decided; if none did, the last one that answered; if all failed, the last one."""
    decided = [cell for cell in cells if cell.verdict.status.reported is not None]
    answered = [cell for cell in cells if cell.verdict.status is not Status.FAILED]
    return (decided or answered or list(cells))[-1]


def combine(cells: Sequence[Cell], doubts: Sequence[str]) -> tuple[Verdict, Answer]:
    """The verdict and answer of a cascade: those of the deciding reader, with the trail and what all readers used."""
    winner = deciding(cells)
    answer = _with_facts(winner, cells)
    used = [cell.answer.usage for cell in cells if cell.answer.usage]
    total = sum(used[1:], used[0]) if used else None
    trail = tuple(step_of(cell, reason) for cell, reason in zip(cells, doubts, strict=True))
    return winner.verdict, replace(
        answer, trail=trail, usage=total, tokens=total.tokens_in + total.tokens_out if total else answer.tokens
    )


def step_of(cell: Cell, doubt: str = "") -> Step:
    answer, usage = cell.answer, cell.answer.usage or Usage()
    return Step(
        reader=cell.reader,
        status=cell.verdict.status,
        reason=cell.verdict.reason,
        doubt=doubt,
        p_reported=answer.p_reported,
        answer=answer.text,
        quotes=tuple(quote.quote for quote in answer.evidence if quote.match is not Match.ABSENT),
        cost=usage.cost,
        tokens=usage.tokens_in + usage.tokens_out,
        seconds=round(cell.seconds, 4),
    )


def _with_facts(winner: Cell, cells: Sequence[Cell]) -> Answer:
    """Language models give no typed values: those of an earlier answer count if both quote the same sentence."""
    answer = winner.answer
    if answer.facts or winner.verdict.status is not Status.REPORTED:
        return answer
    for cell in reversed(cells):
        if cell.answer.facts and _share_a_quote(answer, cell.answer):
            return replace(answer, facts=cell.answer.facts, fact_confidence=cell.answer.fact_confidence)
    return answer


def _share_a_quote(first: Answer, second: Answer) -> bool:
    return any(_overlap(a, b) for a in first.evidence for b in second.evidence)


def _overlap(first: Evidence, second: Evidence) -> bool:
    located = Match.ABSENT not in (first.match, second.match)
    return located and first.start < second.end and second.start < first.end


def _values(answer: Answer) -> Iterator[tuple[str, float]]:
    for values in answer.fact_confidence.values():
        yield from values.items()
