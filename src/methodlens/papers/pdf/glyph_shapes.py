"""Letters that are drawn as something else than they claim to be. Runs only inside the worker process.

A font's ToUnicode map, its encoding or its outlines can make a file say one thing and show another. What is drawn is judged by
the ink of each letter: in every Latin font an 'h' rises above an 'n', a 'p' falls below it, and 'a', 'c' and 'e' do neither.
Words that break these rules are not the words on the page. Capitals are all of one height, so they are judged by their widths.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.papers.pdf.glyphs import Column, Glyphs, View
from methodlens.papers.pdf.objects import EMPTY
from methodlens.papers.raw_page import UNMAPPED

OTHER_GLYPHS = "drawn as other characters"

_LOW, _HIGH, _DEEP, _NO_RULE = 1, 2, 3, 4  # as high as an 'x'; as high as an 'h'; below the line, as a 'g'; not compared
_LETTERS = ((_LOW, "acemnorsuvwxz"), (_HIGH, "bdhklABCDEFGHIKLMNOPRSTUVWXYZ"), (_DEEP, "gpqy"), (_NO_RULE, "0123456789"))
_CAPITAL_WIDTHS = (667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
                   722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611)  # fmt: skip
_STEP = 0.06  # of the height of a font: letters of one kind differ by less, of two kinds by more
_NO_INK = 0.1  # of the height of a font: the ink of any letter is larger
_MIN_BROKEN, _BROKEN_SHARE = 2, 0.25  # comparisons of a word that fail
_MIN_BROKEN_IN_RUN = 5  # comparisons that fail in a run of words: fewer may be a formula
_MIN_CAPITALS, _MIN_SIMILARITY = 40, 0.35  # letters; the correlation of their widths with the usual ones
_BRIDGE = 4  # words between two wrong ones are wrong too: a short word may break no rule by chance
_DOUBLE = 8  # bytes

_ink_box = fast_call(raw.FPDFText_GetCharBox)


def _by_code(letters: tuple[tuple[int, str], ...]) -> NDArray[np.int8]:
    kinds = np.zeros(0x80, np.int8)
    for kind, chars in letters:
        kinds[[ord(char) for char in chars]] = kind
    return kinds


_KIND = _by_code(_LETTERS)
_MAY_HAVE_RULE = np.array([code > 0x7F or chr(code).isalnum() for code in range(0x81)])
_WIDTH = np.zeros(0x80)
_WIDTH[ord("A") : ord("Z") + 1] = _WIDTH[ord("a") : ord("z") + 1] = _CAPITAL_WIDTHS


class _Letters(NamedTuple):
    """Letters with a rule, and digits, as columns. `word` counts the words of the page; `ink` is the box of what is drawn."""

    codes: NDArray[np.uint32]
    word: NDArray[np.intp]
    boxes: Column
    ink: Column


def drawn_otherwise(glyphs: Glyphs, ink: Column) -> Iterator[tuple[int, str]]:
    """The characters of words that are drawn without ink or as other words, with the reason. `ink` is the result of `ink_of`."""
    codes = np.where(glyphs.codes >= UNMAPPED, glyphs.codes - UNMAPPED, glyphs.codes)
    at = np.flatnonzero((_KIND[np.minimum(codes, len(_KIND) - 1)] > 0) & glyphs.drawn)
    if not at.size:
        return
    words = np.cumsum(~glyphs.drawn, dtype=np.intp)
    letters = _Letters(codes[at], words[at], glyphs.boxes[at], ink[at])
    for wrong, why in ((_empty_words(letters), EMPTY), (_wrong_words(letters), OTHER_GLYPHS)):
        if wrong.any():
            inside = np.isin(words, np.flatnonzero(wrong)) & glyphs.drawn
            yield from ((number, why) for number in glyphs.numbers[inside].tolist())


def ink_of(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs) -> Column:
    """The box of what is drawn for each letter and digit: x0, top, x1, bottom on the displayed page; zeros for other glyphs."""
    boxes = np.zeros((len(glyphs.numbers), 4))
    at = np.flatnonzero(_MAY_HAVE_RULE[np.minimum(glyphs.codes, len(_MAY_HAVE_RULE) - 1)] & glyphs.drawn)
    if at.size:
        boxes[at] = View(page).boxes(_ink(textpage, glyphs.numbers[at]))
    return boxes


def _ink(textpage: pdfium.PdfTextPage, numbers: NDArray[np.int64]) -> Column:
    """Rows of left, top, right, bottom in PDF coordinates."""
    edges = np.zeros((len(numbers), 4))  # PDFium's order: left, right, bottom, top
    start, end = edges.ctypes.data, edges.ctypes.data + edges.nbytes
    addresses = [range(start + _DOUBLE * edge, end, 4 * _DOUBLE) for edge in range(4)]
    for _ in map(_ink_box, repeat(address(textpage.raw)), numbers.tolist(), *addresses):
        pass
    return np.nan_to_num(edges[:, [0, 3, 1, 2]])


def _empty_words(letters: _Letters) -> NDArray[np.bool_]:
    """Whether no letter of a word has any ink, by the number of the word."""
    _, top, _, bottom = letters.boxes.T
    left, high, right, low = letters.ink.T
    inked = np.maximum(low - high, right - left) >= _NO_INK * (bottom - top)
    empty: NDArray[np.bool_] = np.bincount(letters.word) > 0
    empty[letters.word[inked]] = False
    return empty


def _wrong_words(letters: _Letters) -> NDArray[np.bool_]:
    """Whether the letters of a word contradict each other, by the number of the word."""
    kinds, boxes, ink, word = _KIND[letters.codes], letters.boxes, letters.ink, letters.word
    size = np.maximum(boxes[:, 3] - boxes[:, 1], 0.01)
    first, second = kinds[:-1], kinds[1:]
    compared = (word[1:] == word[:-1]) & (first < _NO_RULE) & (second < _NO_RULE) & (boxes[1:, 0] > boxes[:-1, 0])
    compared &= np.all(abs(boxes[1:, [1, 3]] - boxes[:-1, [1, 3]]) < 0.02, axis=1)  # one line, one font, one size
    higher, lower = _steps((boxes[:, 3] - ink[:, 1]) / size), _steps((ink[:, 3] - boxes[:, 3]) / size)
    tops_differ = higher != (second == _HIGH).astype(np.int8) - (first == _HIGH)
    tops_differ &= (first == second) | (first == _HIGH) | (second == _HIGH)  # an italic 'p' may rise a little above an 'e'
    feet_differ = lower != (second == _DEEP).astype(np.int8) - (first == _DEEP)
    words = int(word[-1]) + 1

    def count(pairs: NDArray[np.bool_]) -> NDArray[np.intp]:
        return np.bincount(word[1:][pairs & compared], minlength=words)

    failed = count(tops_differ | feet_differ)
    small = letters.codes[:-1] >= ord("a")
    every, uneven = count(compared), count(small & ((higher != 0) | (lower != 0)))
    wrong = (failed >= _MIN_BROKEN) & (failed >= _BROKEN_SHARE * every) & (uneven > 0)
    even = (every > 0) & (uneven == 0) & ((failed > 0) | (count(small) == 0))  # capitals, or drawn as capitals
    return _runs(wrong, _unlike_capitals(letters, even), failed)


def _steps(heights: Column) -> NDArray[np.int8]:
    """1 where a letter is clearly higher than the one before it, -1 where it is lower."""
    change = heights[1:] - heights[:-1]
    return (change > _STEP).astype(np.int8) - (change < -_STEP)


def _unlike_capitals(letters: _Letters, even: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Runs of words drawn in letters of one height whose widths are not those of capitals."""
    wrong = np.zeros(len(even), bool)
    at = np.flatnonzero(even[letters.word] & (_WIDTH[np.minimum(letters.codes, len(_WIDTH) - 1)] > 0))
    for run in np.split(at, np.flatnonzero(np.diff(letters.word[at]) > 1) + 1):
        if len(run) < _MIN_CAPITALS:
            continue
        drawn = letters.ink[run, 2] - letters.ink[run, 0]
        usual = _WIDTH[letters.codes[run]]
        if drawn.std() > 0.1 * drawn.mean() and usual.std() and np.corrcoef(drawn, usual)[0, 1] < _MIN_SIMILARITY:
            wrong[letters.word[run]] = True
    return wrong


def _runs(wrong: NDArray[np.bool_], capitals: NDArray[np.bool_], failed: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The wrong words, those between them, and those next to them in which a comparison fails."""
    at = np.flatnonzero(wrong | capitals)
    kept = np.zeros(len(wrong), bool)
    for run in np.split(at, np.flatnonzero(np.diff(at) > _BRIDGE) + 1):
        if failed[run].sum() < _MIN_BROKEN_IN_RUN and not capitals[run].any():
            continue
        first, last = int(run[0]), int(run[-1])
        while first and failed[first - 1]:
            first -= 1
        while last + 1 < len(failed) and failed[last + 1]:
            last += 1
        kept[first : last + 1] = True
    return kept
