"""Cut a text into chunks of at most so many characters, at paragraphs if possible, else at lines, else at spaces.

This is how the published study cut its papers (LangChain's RecursiveCharacterTextSplitter), for runs that repeat it.
"""

from collections.abc import Iterator, Sequence

Span = tuple[int, int]
_SEPARATORS = ("\n\n", "\n", " ", "")


def chunk_spans(text: str, *, size: int, overlap: int = 0) -> Iterator[Span]:
    """The spans of the chunks, without surrounding white space. A chunk repeats at most `overlap` characters of the last one."""
    for start, end in _chunks(text, (0, len(text)), _SEPARATORS, size=size, overlap=min(overlap, size - 1)):
        chunk = text[start:end]
        first, last = start + len(chunk) - len(chunk.lstrip()), end - (len(chunk) - len(chunk.rstrip()))
        if first < last:
            yield first, last


def _chunks(text: str, span: Span, separators: Sequence[str], *, size: int, overlap: int) -> Iterator[Span]:
    start, end = span
    at = next(n for n, separator in enumerate(separators) if not separator or text.find(separator, start, end) >= 0)
    short: list[Span] = []
    for piece in _pieces(text, span, separators[at]):
        if piece[1] - piece[0] < size or not separators[at]:
            short.append(piece)
            continue
        yield from _merge(short, size=size, overlap=overlap)
        short = []
        yield from _chunks(text, piece, separators[at + 1 :], size=size, overlap=overlap)
    yield from _merge(short, size=size, overlap=overlap)


def _pieces(text: str, span: Span, separator: str) -> Iterator[Span]:
    """Each piece but the first begins with the separator; without a separator, each character is a piece."""
    start, end = span
    while start < end:
        after = start + len(separator) if text.startswith(separator, start) else start
        found = text.find(separator, after, end) if separator else start + 1
        stop = found if 0 <= found < end else end
        yield start, stop
        start = stop


def _merge(pieces: Sequence[Span], *, size: int, overlap: int) -> Iterator[Span]:
    """Neighbouring pieces joined up to `size`; the next chunk starts with the last pieces, up to `overlap`."""
    if not pieces:
        return
    first = 0
    for index, (start, end) in enumerate(pieces):
        if end - pieces[first][0] <= size:
            continue
        yield pieces[first][0], start
        while first < index and (start - pieces[first][0] > overlap or end - pieces[first][0] > size):
            first += 1
    yield pieces[first][0], pieces[-1][1]
