"""The answer on the row of a vote: who said what, and the quotes that several readers share."""

from collections.abc import Sequence

from msgspec import Struct

from methodlens.records import Answer, Cell, Evidence, Match

_MOST_QUOTES = 5


class _Place(Struct):
    """A stretch of the paper, with the fullest quote of it and who quoted there."""

    quote: Evidence
    readers: list[str]


def combine_answers(cells: Sequence[Cell], winners: Sequence[Cell]) -> Answer:
    """`winners` are the cells that a vote for "reported" rests on: only theirs are the quotes."""
    places = _places(winners)
    lines = [f"{cell.reader} ({_in_words(cell)}): {cell.answer.text or cell.verdict.reason}" for cell in cells]
    lines += [f"Quoted by {' and '.join(place.readers)}: “{place.quote.quote}”" for place in places if len(place.readers) > 1]
    facts = next((cell.answer.facts for cell in winners if cell.answer.facts), {})
    return Answer("\n".join(lines), tuple(place.quote for place in places), facts)


def _in_words(cell: Cell) -> str:
    return str(cell.verdict.status).replace("_", " ")


def _places(cells: Sequence[Cell]) -> list[_Place]:
    """Those that most readers quote come first. Quotes that overlap are of one place: readers seldom cut at the same word."""
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
    return sorted(places, key=lambda place: -len(place.readers))[:_MOST_QUOTES]


def overlap(one: Evidence, other: Evidence) -> bool:
    return one.start < other.end and other.start < one.end
