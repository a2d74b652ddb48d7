"""Pages that are pictures, read by RapidOCR: its models are in its wheel, and nothing is fetched. Runs inside the worker.

Needs the extra `ocr`. Heavy imports happen with the first page, so asking whether it is there costs nothing.
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

if TYPE_CHECKING:  # the parent asks whether OCR is there, and never loads PDFium
    import pypdfium2 as pdfium

_DPI = 200
_MAX_PIXELS = 12_000_000
_MAX_RATIO = 20  # a strip thinner than this is no page, and RapidOCR cannot scale it
_DETECTION_SIDE = 1600  # lines are found on a smaller picture than they are read from: half the memory, the same lines
_SURE = 0.5
_PROSE_WORDS = 4
_FEWEST = 4  # prose lines on each side of a gutter
_SAME_SIZE = 0.15  # boxes are a little higher or lower with the letters they hold
_SAME_TITLE = 0.2  # a line of a title without a letter that hangs below is lower still
_TYPE_SIZE = 1.05  # of a box, which leaves out the room above and below its letters


def available() -> str | None:
    """What the text depends on, such as "rapidocr-3.10.0"; None without the extra `ocr`."""
    try:
        if find_spec("rapidocr") is None or find_spec("onnxruntime") is None:
            return None
        return f"rapidocr-{version('rapidocr')}"
    except PackageNotFoundError:
        return None


def read_page(page: "pdfium.PdfPage", number: int) -> RawPage:
    """The lines printed on the page, in reading order. Whatever text layer it has is not looked at."""
    width, height = page.get_size()
    scale = min(_DPI / 72, math.sqrt(_MAX_PIXELS / max(width * height, 1)))
    bitmap = page.render(scale=scale)
    picture = bitmap.to_numpy().copy()
    bitmap.close()
    # the picture is rounded up to whole pixels
    across, down = width / picture.shape[1], height / picture.shape[0]
    if min(picture.shape[:2]) * _MAX_RATIO < max(picture.shape[:2]):
        return RawPage(number, width, height, [])
    lines = [line for found in _found(_recognise(picture)) if (line := _line(*found, across, down))]
    return RawPage(number, width, height, in_order(_even_sizes(lines)))


def _recognise(picture: Any) -> Any:
    try:
        return _engine()(picture)
    except Exception as err:
        if "bad_alloc" in str(err):  # ONNX Runtime's words for it
            raise MemoryError from err
        raise


@cache
def _engine() -> Any:
    rapidocr: Any = importlib.import_module("rapidocr")
    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": _SURE,
            "Global.max_side_len": 5000,
            "Global.use_cls": False,  # it turns an upright line upside down now and then, and that line is lost
            "Global.return_word_box": True,
            "Global.return_single_char_box": True,
            "Det.model_path": _model(models, "det"),
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTION_SIDE,
            "Rec.model_path": _model(models, "rec"),
            "Rec.rec_batch_num": 1,  # a batch is as wide as its longest line: slower, and more memory
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,  # the workers themselves fill the cores
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _model(folder: Path, task: str) -> str:
    """Named outright, since RapidOCR would otherwise fetch one that it misses."""
    found = sorted(folder.glob(f"*_{task}_*.onnx"))
    if not found:
        raise FileNotFoundError(f"rapidocr holds no {task} model in {folder}; install methodlens[ocr] anew")
    return str(found[0])


def _found(result: Any) -> list[tuple[str, Any, Any]]:
    """Text, corners and characters of each line; RapidOCR leaves characters out where it could not place them."""
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
    spans = _placed(chars, across) if [one[0] for one in chars] == list("".join(printed)) else _spread(text, box)
    words: list[RawWord] = []
    for word in printed:
        mine, spans = spans[: len(word)], spans[len(word) :]
        left, right = min(x0 for x0, _ in mine), max(x1 for _, x1 in mine)
        words.append(RawWord(word, max(left, box[0]), min(right, box[2])))
    # along the box's own sides: on a page scanned askew the upright box around it is higher than the type
    edges = [math.dist((xs[i], ys[i]), (xs[j], ys[j])) for i, j in (((0, 3), (1, 2)) if upright else ((0, 1), (3, 2)))]
    return RawLine(tuple(words), box, _TYPE_SIZE * sum(edges) / 2, upright=upright)


def _placed(chars: Any, across: float) -> list[tuple[float, float]]:
    return [(min(x for x, _ in corners) * across, max(x for x, _ in corners) * across) for _, _, corners in chars]


def _spread(text: str, box: Box) -> list[tuple[float, float]]:
    """Its characters as equally wide; the blanks between them take room, but are left out."""
    step = (box[2] - box[0]) / len(text)
    return [(box[0] + i * step, box[0] + (i + 1) * step) for i, char in enumerate(text) if not char.isspace()]


def _even_sizes(lines: Sequence[RawLine]) -> list[RawLine]:
    """Lines of about one height get one size: the usual one, and above it the highest of those close to it (titles)."""
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
    """One column from top to bottom; of two, the left one first, between one full-width line and the next."""
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
    """Where fewest lines cross, with prose on both sides; None where there is one column."""
    prose = [line for line in lines if line.upright and len(line.words) >= _PROSE_WORDS]
    if len(prose) < 2 * _FEWEST:
        return None
    start, end = min(line.box[0] for line in prose), max(line.box[2] for line in prose)
    best: list[float] = []
    fewest = len(prose) // 2
    for step in range(25, 76):
        x = start + (end - start) * step / 100
        crossing = sum(_crosses(line, x) for line in prose)
        before = sum(line.box[2] <= x + _slack(line) for line in prose)
        if crossing > fewest or min(before, len(prose) - crossing - before) < _FEWEST:
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
    """From the top; what stands side by side, as the cells of a table do, from the left."""
    rows: list[list[RawLine]] = []
    for line in sorted(lines, key=_centre):
        if rows and line.upright and _centre(line) - _centre(rows[-1][0]) < 0.4 * min(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]
