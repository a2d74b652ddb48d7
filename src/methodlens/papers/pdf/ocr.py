"""Recognises the text of page images with RapidOCR, whose models are in its wheel: nothing is downloaded.

Runs inside the worker process and needs the extra `ocr`. Heavy imports happen at the first page.
"""

import importlib
import math
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Box

if TYPE_CHECKING:  # the parent process calls `available` and never loads PDFium
    import pypdfium2 as pdfium

_DPI = 200
_MAX_PIXELS = 12_000_000
_MAX_RATIO = 20  # of a page's sides: RapidOCR cannot scale a thinner strip
_DETECTION_SIDE = 1600  # lines are detected on a smaller image: half the memory, the same lines
_MIN_SCORE = 0.5
_LINE_MARGIN, _MAX_LINE_PIXELS = 0.15, 4000  # of the height of a line; the width of its image
_PROSE_WORDS = 4
_MIN_LINES = 4  # of prose on each side of a gutter
_SAME_SIZE = 0.15  # the height of a box depends a little on its letters
_SAME_TITLE = 0.2  # more for a line of a title without descenders
_TYPE_SIZE = 1.05  # relative to the height of a box, which has no space above and below its letters


def available() -> str | None:
    """The engine and its version, such as "rapidocr-3.10.0"; None without the extra `ocr`."""
    try:
        if find_spec("rapidocr") is None or find_spec("onnxruntime") is None:
            return None
        return f"rapidocr-{version('rapidocr')}"
    except PackageNotFoundError:
        return None


def read_page(page: "pdfium.PdfPage", number: int) -> RawPage:
    """The printed lines in reading order. Ignores the text layer of the page."""
    width, height = page.get_size()
    scale = min(_DPI / 72, math.sqrt(_MAX_PIXELS / max(width * height, 1)))
    bitmap = page.render(scale=scale)
    image = bitmap.to_numpy().copy()
    bitmap.close()
    # the image is rounded up to whole pixels
    across, down = width / image.shape[1], height / image.shape[0]
    if min(image.shape[:2]) * _MAX_RATIO < max(image.shape[:2]):
        return RawPage(number, width, height, [])
    lines = [line for parts in _recognised(_recognise(image)) if (line := _line(*parts, across, down))]
    return RawPage(number, width, height, in_order(_even_sizes(lines)))


def read_line(page: "pdfium.PdfPage", box: Box, *, pixels: int) -> tuple[str, float]:
    """The text printed in a box that holds one line, rendered so many pixels high, and how sure the engine is (0 to 1)."""
    width, height = page.get_size()
    x0, top, x1, bottom = max(0.0, box[0]), max(0.0, box[1]), min(width, box[2]), min(height, box[3])
    if x1 - x0 < 1 or bottom - top < 1:
        return "", 0.0
    margin = _LINE_MARGIN * (bottom - top)
    sides = (x0 - margin, height - bottom - margin / 2, width - x1 - margin, top - margin / 2)
    left, below, right, above = (max(0.0, side) for side in sides)
    bitmap = page.render(scale=min(pixels / (bottom - top), _MAX_LINE_PIXELS / (x1 - x0)), crop=(left, below, right, above))
    result = _recognise(bitmap.to_numpy().copy(), use_det=False, use_cls=False, use_rec=True)
    bitmap.close()
    texts, scores = getattr(result, "txts", None), getattr(result, "scores", None)
    return (texts[0], float(scores[0])) if texts and scores else ("", 0.0)


def _recognise(image: Any, **steps: bool) -> Any:
    try:
        return _engine()(image, **steps)
    except Exception as err:
        if "bad_alloc" in str(err):  # how ONNX Runtime reports it
            raise MemoryError from err
        raise


@cache
def _engine() -> Any:
    rapidocr: Any = importlib.import_module("rapidocr")
    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": _MIN_SCORE,
            "Global.max_side_len": 5000,
            "Global.use_cls": False,  # it sometimes turns an upright line upside down, and that line is lost
            "Global.return_word_box": True,
            "Global.return_single_char_box": True,
            "Det.model_path": _model(models, "det"),
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTION_SIDE,
            "Rec.model_path": _model(models, "rec"),
            "Rec.rec_batch_num": 1,  # a batch is as wide as its longest line: slower, with more memory
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,  # there is already one worker per core
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _model(folder: Path, task: str) -> str:
    """Given as a path, because RapidOCR would download a missing model."""
    models = sorted(folder.glob(f"*_{task}_*.onnx"))
    if not models:
        raise FileNotFoundError(f"rapidocr has no {task} model in {folder}; install methodlens[ocr] again")
    return str(models[0])


def _recognised(result: Any) -> list[tuple[str, Any, Any]]:
    """Text, corners and characters of each line; RapidOCR omits characters that it could not place."""
    texts = getattr(result, "txts", None)
    if texts is None or result.boxes is None:
        return []
    chars = result.word_results if len(result.word_results) == len(texts) else [()] * len(texts)
    return list(zip(texts, result.boxes, chars, strict=True))


def _line(text: str, corners: Any, chars: Any, across: float, down: float) -> RawLine | None:
    xs, ys = [float(x) * across for x, _ in corners], [float(y) * down for _, y in corners]
    box = (min(xs), min(ys), max(xs), max(ys))
    printed = text.split()
    if not printed:
        return None
    upright = box[3] - box[1] < 1.5 * (box[2] - box[0]) or len("".join(printed)) == 1
    spans = _char_spans(chars, across) if [char[0] for char in chars] == list("".join(printed)) else _equal_spans(text, box)
    words: list[RawWord] = []
    for word in printed:
        word_spans, spans = spans[: len(word)], spans[len(word) :]
        left, right = min(x0 for x0, _ in word_spans), max(x1 for _, x1 in word_spans)
        words.append(RawWord(word, max(left, box[0]), min(right, box[2])))
    # along the sides of the rotated box: on a skewed scan, the upright box around it is too high
    edges = [math.dist((xs[i], ys[i]), (xs[j], ys[j])) for i, j in (((0, 3), (1, 2)) if upright else ((0, 1), (3, 2)))]
    return RawLine(tuple(words), box, _TYPE_SIZE * sum(edges) / 2, upright=upright)


def _char_spans(chars: Any, across: float) -> list[tuple[float, float]]:
    return [(min(x for x, _ in corners) * across, max(x for x, _ in corners) * across) for _, _, corners in chars]


def _equal_spans(text: str, box: Box) -> list[tuple[float, float]]:
    """The characters with equal widths. Spaces take room, but are left out."""
    step = (box[2] - box[0]) / len(text)
    return [(box[0] + i * step, box[0] + (i + 1) * step) for i, char in enumerate(text) if not char.isspace()]


def _even_sizes(lines: Sequence[RawLine]) -> list[RawLine]:
    """Gives lines of similar height one size: the median, or for larger lines (titles) the highest of those close to it."""
    upright = sorted((line.size for line in lines if line.upright), reverse=True)
    if not upright:
        return list(lines)
    usual = median(upright)
    tops: list[float] = []
    for size in upright:
        if size > (1 + _SAME_SIZE) * usual and (not tops or size < (1 - _SAME_TITLE) * tops[-1]):
            tops.append(size)

    def even(size: float) -> float:
        if abs(size - usual) <= _SAME_SIZE * usual:
            return round(usual, 1)
        near = [top for top in tops if (1 - _SAME_TITLE) * top <= size <= top]
        return round(near[0] if size > usual and near else size, 1)

    return [line._replace(size=even(line.size)) for line in lines]


# --- reading order --------------------------------------------------------------------------------------------------


def in_order(lines: Sequence[RawLine]) -> list[RawLine]:
    """From top to bottom; with two columns, the left one first, between one full-width line and the next."""
    gutter = find_gutter(lines)
    if gutter is None:
        return _by_rows(lines)
    ordered: list[RawLine] = []
    left: list[RawLine] = []
    right: list[RawLine] = []
    for line in sorted(lines, key=_centre):
        if _crosses(line, gutter):
            ordered += [*_by_rows(left), *_by_rows(right), line]
            left, right = [], []
        else:
            (left if (line.box[0] + line.box[2]) / 2 < gutter else right).append(line)
    return [*ordered, *_by_rows(left), *_by_rows(right)]


def find_gutter(lines: Sequence[RawLine]) -> float | None:
    """The x position that the fewest lines cross, with prose on both sides; None if there is one column."""
    prose = [line for line in lines if line.upright and len(line.words) >= _PROSE_WORDS]
    if len(prose) < 2 * _MIN_LINES:
        return None
    start, end = min(line.box[0] for line in prose), max(line.box[2] for line in prose)
    best: list[float] = []
    fewest = len(prose) // 2
    for step in range(25, 76):
        x = start + (end - start) * step / 100
        crossing = sum(_crosses(line, x) for line in prose)
        before = sum(line.box[2] <= x + _slack(line) for line in prose)
        if crossing > fewest or min(before, len(prose) - crossing - before) < _MIN_LINES:
            continue
        best = [*best, x] if crossing == fewest else [x]
        fewest = crossing
    return median(best) if best else None


def _slack(line: RawLine) -> float:
    return 0.5 * line.size


def _crosses(line: RawLine, x: float) -> bool:
    return line.box[0] < x - _slack(line) and line.box[2] > x + _slack(line)


def _centre(line: RawLine) -> float:
    return (line.box[1] + line.box[3]) / 2


def _by_rows(lines: Sequence[RawLine]) -> list[RawLine]:
    """From the top; lines side by side, such as the cells of a table, from the left."""
    rows: list[list[RawLine]] = []
    for line in sorted(lines, key=_centre):
        if rows and line.upright and _centre(line) - _centre(rows[-1][0]) < 0.4 * min(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]
