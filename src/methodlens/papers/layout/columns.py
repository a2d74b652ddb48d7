"""Puts columns in reading order, also where the file draws them line by line across the page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from methodlens.papers.raw_page import RawLine, RawPage, RawWord

_PROSE_WORDS = 4
_MIN_LINES = 8  # lines of prose in each column
_MAX_COLUMNS = 4
_MAX_JUMPS = 0.3  # share of the lines whose next line is elsewhere: nearly all where a file draws columns line by line
_GAP = 0.6  # of the font size, between two columns: a line may have such gaps, but not all lines at one place
_BIN = 2.0  # points
_OTHER_SIZE = 0.15  # by which the mean width of letters differs in another size
_OVERLAP = 0.6  # share of their height that the cells of a row share


def in_reading_order(page: RawPage) -> RawPage:
    """PDFium's order is that of the file, and nearly always right. It is changed only where it contradicts the columns."""
    lines = _split_at_gutters(page.lines)
    gutter = _gutter(lines)
    if gutter is not None:
        ordered = list(_column_by_column(lines))
        lines = ordered if _contradicts(lines, ordered) or _is_reversed(lines, gutter) else lines
    return page._replace(lines=_join_cells(lines))


def _is_prose(line: RawLine) -> bool:
    return len(line.words) >= _PROSE_WORDS


def _contradicts(lines: Sequence[RawLine], ordered: Sequence[RawLine]) -> bool:
    """Whether the file jumps from column to column."""
    rank = {id(line): number for number, line in enumerate(line for line in ordered if _is_prose(line))}
    ranks = [rank[id(line)] for line in lines if _is_prose(line)]
    return sum(after != before + 1 for before, after in pairwise(ranks)) > _MAX_JUMPS * len(ranks)


def _is_reversed(lines: Sequence[RawLine], gutter: float) -> bool:
    """Whether the file draws the text right of a gutter before the text left of it. Captions and tables may come in any order."""
    prose = [line for line in lines if _is_prose(line)]
    usual = sorted(line.size for line in prose)[len(prose) // 2]
    text = [line for line in prose if abs(line.size - usual) < 0.05 * usual]
    left = [at for at, line in enumerate(text) if _ends_before(line, gutter)]
    right = [at for at, line in enumerate(text) if _starts_after(line, gutter)]
    return len(left) >= _MIN_LINES <= len(right) and max(right) < min(left)


def _column_by_column(lines: Sequence[RawLine]) -> Iterator[RawLine]:
    """Lines across a gutter divide the page into bands; in each band the left column comes first."""
    gutter = _gutter(lines)
    if gutter is None:
        yield from sorted(lines, key=lambda line: (round(line.box[1]), line.box[0]))
        return
    left, right = list[RawLine](), list[RawLine]()
    for line in sorted(lines, key=lambda line: (round(line.box[1]), line.box[0])):
        if _ends_before(line, gutter):
            left.append(line)
        elif _starts_after(line, gutter):
            right.append(line)
        else:
            yield from (*_column_by_column(left), *_column_by_column(right), line)
            left, right = [], []
    yield from (*_column_by_column(left), *_column_by_column(right))


def _ends_before(line: RawLine, gutter: float) -> bool:
    return line.box[2] < gutter + 0.3 * line.size


def _starts_after(line: RawLine, gutter: float) -> bool:
    return line.box[0] > gutter - 0.3 * line.size


def _gutter(lines: Sequence[RawLine]) -> float | None:
    """Where a column starts that the fewest lines run across; None if there is one column."""
    prose = [line for line in lines if _is_prose(line)]
    starts = Counter(round(line.box[0] / _BIN) for line in prose)
    best, fewest = None, float("inf")
    for start, count in starts.items():
        if count + starts[start + 1] < _MIN_LINES / 2:
            continue
        gutter = start * _BIN - _BIN
        before, after = sum(_ends_before(line, gutter) for line in prose), sum(_starts_after(line, gutter) for line in prose)
        across = len(prose) - before - after
        if min(before, after) >= _MIN_LINES and across <= 0.5 * min(before, after) and across < fewest:
            best, fewest = gutter, across
    return best


def _split_at_gutters(lines: list[RawLine]) -> list[RawLine]:
    """Splits lines that the file draws across several columns, at the gaps that most of them have."""
    for _ in range(_MAX_COLUMNS - 1):
        split = _split_at_gutter(lines)
        if len(split) == len(lines):
            break
        lines = split
    return lines


def _split_at_gutter(lines: list[RawLine]) -> list[RawLine]:
    votes: Counter[int] = Counter()
    cuts: list[dict[int, int]] = []
    for line in lines:
        gaps = _gaps(line)
        cuts.append({place: index for index in gaps for place in _inside(line, index)})
        votes.update(place for index in _between_prose(line, gaps) for place in _inside(line, index))
    gutter, count = max(votes.items(), key=lambda vote: (vote[1], -vote[0]), default=(0, 0))
    unbroken = sum(line.box[0] < gutter * _BIN < line.box[2] and gutter not in cut for line, cut in zip(lines, cuts, strict=True))
    if count < max(_MIN_LINES, unbroken):
        return lines
    split: list[RawLine] = []
    for line, cut in zip(lines, cuts, strict=True):
        at = cut.get(gutter, 0)
        split += [_part(line, 0, at), _part(line, at, len(line.words))] if at else [line]
    return split


def _gaps(line: RawLine) -> list[int]:
    """The words after a gap that may be that between two columns."""
    return [at for at in range(1, len(line.words)) if line.words[at].x0 - line.words[at - 1].x1 > _GAP * line.size]


def _between_prose(line: RawLine, gaps: Sequence[int]) -> Iterator[int]:
    """The gaps with words on both sides, as no row of a table has."""
    edges = [0, *gaps, len(line.words)]
    prose = [_reads_as_prose(line.words[start:end]) for start, end in pairwise(edges)]
    return (at for at, before, after in zip(gaps, prose[:-1], prose[1:], strict=True) if before and after)


def _reads_as_prose(words: Sequence[RawWord]) -> bool:
    return sum(word.text.strip(".,;:()").isalpha() for word in words) >= max(_PROSE_WORDS - 1, 0.6 * len(words))


def _inside(line: RawLine, index: int) -> range:
    """The places inside the gap before a word."""
    return range(int(line.words[index - 1].x1 / _BIN) + 1, int(line.words[index].x0 / _BIN) + 1)


def _part(line: RawLine, first: int, last: int) -> RawLine:
    words = line.words[first:last]
    broken = line.broken and last == len(line.words)
    narrower = _letter_width(words) / max(0.1, _letter_width(line.words))
    size = round(line.size * narrower, 1) if abs(narrower - 1) > _OTHER_SIZE else line.size  # a sidebar has a size of its own
    return line._replace(words=words, box=(words[0].x0, line.box[1], words[-1].x1, line.box[3]), broken=broken, size=size)


def _letter_width(words: Sequence[RawWord]) -> float:
    return sum(word.x1 - word.x0 for word in words) / max(1, sum(len(word.text) for word in words))


def _join_cells(lines: Sequence[RawLine]) -> list[RawLine]:
    """Joins consecutive short pieces at the same height, such as the cells of a table, to one line."""
    joined: list[RawLine] = []
    for line in lines:
        before = joined[-1] if joined else None
        if before and _same_row(before, line):
            box = (before.box[0], min(before.box[1], line.box[1]), line.box[2], max(before.box[3], line.box[3]))
            joined[-1] = before._replace(words=before.words + line.words, box=box, broken=line.broken)
        else:
            joined.append(line)
    return joined


def _same_row(before: RawLine, line: RawLine) -> bool:
    if before.broken or line.box[0] < before.box[2] - 1 or abs(before.size - line.size) > 0.3 * line.size:
        return False
    common = min(before.box[3], line.box[3]) - max(before.box[1], line.box[1])
    short = len(line.words) < _PROSE_WORDS + 2 or len(before.words) < _PROSE_WORDS + 2
    return short and common > _OVERLAP * min(before.box[3] - before.box[1], line.box[3] - line.box[1])
