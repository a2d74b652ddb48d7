"""The answer of a vote: what each reader answered, and the quotes that several readers share."""

from collections.abc import Sequence

from msgspec import Struct

from methodlens.records import Answer, Cell, Evidence, Match

_MAX_QUOTES = 5


class _Place(Struct):
    """A part of the paper, with the longest quote of it and the readers that quoted it."""

    quote: Evidence
    readers: list[str]


def combine_answers(cells: Sequence[Cell], winners: Sequence[Cell]) -> Answer:
    """`winners` are the cells that decided a vote for "reported": only their quotes are used."""
    places = _places(winners)
    lines = [f"{cell.reader} ({_in_words(cell)}): {cell.answer.text or cell.verdict.reason}" for cell in cells]
    lines += [f"Quoted by {' and '.join(place.readers)}: “{place.quote.quote}”" for place in places if len(place.readers) > 1]
    source = next((cell.answer for cell in winners if cell.answer.facts), Answer(""))
    quotes = tuple(place.quote for place in places)
    return Answer("\n".join(lines), quotes, source.facts, fact_confidence=source.fact_confidence)


def _in_words(cell: Cell) -> str:
    return str(cell.verdict.status).replace("_", " ")


def _places(cells: Sequence[Cell]) -> list[_Place]:
    """Those quoted by most readers first. Overlapping quotes are one place: readers rarely cut at the same word."""
    places: list[_Place] = []
    for cell in cells:
        for quote in (each for each in cell.answer.evidence if each.match is not Match.ABSENT):
            place = next((each for each in places if overlap(quote, each.quote)), None)
            if place is None:
                places.append(_Place(quote, [cell.reader]))
                continue
            if cell.reader not in place.readers:
                place.readers.append(cell.reader)
            if quote.end - quote.start > place.quote.end - place.quote.start:
                place.quote = quote
    return sorted(places, key=lambda place: -len(place.readers))[:_MAX_QUOTES]


def overlap(first: Evidence, second: Evidence) -> bool:
    return first.start < second.end and second.start < first.end
