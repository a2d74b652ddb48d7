"""Compares some lines of a paper with what OCR reads at their places. Runs inside the worker process; needs the extra `ocr`.

The sample is small, because a line takes as long as two pages of reading: lines with numbers or names, spread over the paper, and
lines in the fonts that are rarest in it. A word is false if OCR reads another one in its line, and again in an image of the word
alone. What OCR often confuses (l and 1, O and 0, accents, signs) never counts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

import pypdfium2 as pdfium

from methodlens.papers.pdf import ocr
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import HiddenText

READ_OTHERWISE = "read otherwise by OCR"

_LINES = 24  # per paper
_MIN_WORDS, _MIN_SIZE = 3, 5.0  # of a line; points
_MIN_LETTERS = 4  # of a word without digits
_SAME = 0.5  # share of the letters of a word that OCR must read
_SURE = 0.9  # the score of a reading that counts
_LINE_PIXELS, _WORD_PIXELS = 48, 72  # the height of an image
_NUMBER_OR_NAME = re.compile(r"\d|(?<=[a-z,] )[A-Z]")
_CONFUSED = str.maketrans("lI|!ijtOoQDSsBZzgqbG", "11111110000558229966")


def false_words(document: pdfium.PdfDocument, pages: Sequence[RawPage]) -> list[tuple[RawLine, RawWord, HiddenText]]:
    """The words of the sample that are printed as others."""
    found = []
    for page, lines in _sample(pages).items():
        image = document[page - 1]
        for line in lines:
            for word in _misread(image, line):
                box = (word.x0, line.box[1], word.x1, line.box[3])
                found.append((line, word, HiddenText(page, READ_OTHERWISE, word.text, box)))
        image.close()
    return found


def without(pages: Sequence[RawPage], false: Sequence[tuple[RawLine, RawWord, HiddenText]]) -> list[RawPage]:
    """The pages without these words."""
    gone = {id(word) for _, word, _ in false}
    changed = {id(line) for line, _, _ in false}

    def kept(line: RawLine) -> RawLine:
        return line._replace(words=tuple(word for word in line.words if id(word) not in gone))

    cut = [page._replace(lines=[kept(line) if id(line) in changed else line for line in page.lines]) for page in pages]
    return [page._replace(lines=[line for line in page.lines if line.words]) for page in cut]


def _sample(pages: Sequence[RawPage]) -> dict[int, list[RawLine]]:
    """By page. Always the same lines of the same paper."""
    lines = [(page.number, line) for page in pages for line in page.lines if _is_readable(line)]
    telling = [pair for pair in lines if _NUMBER_OR_NAME.search(pair[1].text)]
    uses = Counter(line.font for _, line in lines)
    mixed = [pair for pair in lines if pair[1].lead < len(pair[1].words)]  # a false word may have a font of its own
    rare = sorted((pair for pair in telling), key=lambda pair: uses[pair[1].font])
    chosen: dict[int, tuple[int, RawLine]] = {}
    for candidates in (_spread(telling, _LINES // 2), _spread(mixed, _LINES // 4), rare[: _LINES // 4]):
        chosen |= {id(pair[1]): pair for pair in candidates}
    by_page: dict[int, list[RawLine]] = {}
    for number, line in sorted(chosen.values(), key=lambda pair: pair[0]):
        by_page.setdefault(number, []).append(line)
    return by_page


def _is_readable(line: RawLine) -> bool:
    return line.upright and len(line.words) >= _MIN_WORDS and line.size >= _MIN_SIZE


def _spread(pairs: Sequence[tuple[int, RawLine]], count: int) -> list[tuple[int, RawLine]]:
    """So many of them at equal distances."""
    return [pairs[at * len(pairs) // count] for at in range(count)] if len(pairs) > count else list(pairs)


def _misread(page: pdfium.PdfPage, line: RawLine) -> Iterator[RawWord]:
    _, top, _, bottom = line.box
    text, score = ocr.read_line(page, line.box, pixels=_LINE_PIXELS)
    if score < _SURE:
        return
    for word, read in aligned(line.words, text):
        if differ(word.text, read):
            alone, score = ocr.read_line(page, (word.x0, top, word.x1, bottom), pixels=_WORD_PIXELS)
            if score >= _SURE and differ(word.text, alone):
                yield word


def aligned(words: Sequence[RawWord], read: str) -> Iterator[tuple[RawWord, str]]:
    """Each word with the part of what was read that stands at its place."""
    tokens = read.split()
    if len(tokens) == len(words):
        yield from zip(words, tokens, strict=True)
        return
    plain = [_plain(word.text) for word in words]
    line, seen = "".join(plain), _plain(read)
    opcodes = SequenceMatcher(None, line, seen, autojunk=False).get_opcodes()
    starts: Mapping[int, int] = {a + k: min(b + k, d) for _, a, c, b, d in opcodes for k in range(c - a)}
    at = 0
    for word, text in zip(words, plain, strict=True):
        end = at + len(text)
        if text:
            yield word, seen[starts[at] : starts.get(end, len(seen))]
        at = end


def differ(printed: str, read: str) -> bool:
    """Whether one is clearly not a misreading of the other: other digits, or other letters in most places."""
    given, seen = _plain(printed), _plain(read)
    if not given or not seen:
        return False
    if any(char.isdigit() for char in printed):
        return len(given) == len(seen) and any(
            one != other and one.isdigit() and other.isdigit() for one, other in zip(given, seen, strict=True)
        )
    if not given.isascii() or len(given) < _MIN_LETTERS or not 0.5 <= len(seen) / len(given) <= 2:
        return False
    blocks = SequenceMatcher(None, given, seen, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) < _SAME * len(given)


def _plain(text: str) -> str:
    """Letters and digits without case, accents and differences that OCR does not see."""
    letters = "".join(char for char in unicodedata.normalize("NFKD", text) if char.isalnum())
    return letters.translate(_CONFUSED).casefold()
