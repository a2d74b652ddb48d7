"""Degree signs that a font calls a letter. Runs only inside the worker process.

Fonts of the years before 2012 often have the degree sign in the place of a letter, so that the file says "20u". Taken for a word
that is drawn as another, the number would be lost.
"""

import numpy as np

from methodlens.papers.pdf.glyphs import Column, Glyphs

_SMALL, _ROUND = 0.55, 1.25  # of the height of the digit before it; width by height, or height by width


def with_degree_signs(glyphs: Glyphs, ink: Column) -> Glyphs:
    """The same glyphs, with ° for a letter after a digit that is drawn as a small round mark, level with its head. `ink` is the
    box of each glyph's ink."""
    letter, digit = _among(glyphs, "a", "z"), _among(glyphs, "0", "9")
    at = 1 + np.flatnonzero(letter[1:] & digit[:-1] & glyphs.drawn[1:] & glyphs.drawn[:-1])
    if not at.size:
        return glyphs
    across, down = ink[at, 2] - ink[at, 0], ink[at, 3] - ink[at, 1]
    before = ink[at - 1, 3] - ink[at - 1, 1]
    round_ = (down > 0) & (across < _ROUND * down) & (down < _ROUND * across)
    raised = (
        (down < _SMALL * before) & (ink[at, 3] < ink[at - 1, 3] - 0.4 * before) & (ink[at, 1] < ink[at - 1, 1] + 0.2 * before)
    )
    same_type = np.abs(glyphs.boxes[at, 3] - glyphs.boxes[at - 1, 3]) < 0.1 * before  # a superscript has a smaller box
    signs = at[round_ & raised & same_type]
    if not signs.size:
        return glyphs
    text = list(glyphs.text)
    for index in signs.tolist():
        text[index] = "°"
    return Glyphs(glyphs.numbers, "".join(text), glyphs.boxes)


def _among(glyphs: Glyphs, first: str, last: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return (glyphs.codes >= ord(first)) & (glyphs.codes <= ord(last))
