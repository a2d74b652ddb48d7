"""Thousands of synthetic papers: short, all different, one in fifty hostile. Nothing in them is real.

    python -m benchmarks.synthetic FOLDER 1000

The same number gives the same paper, so a larger folder holds the smaller one.
"""

import random
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tests.papers.raw_pdf import FONT, bomb, deflated, one_page, raw_pdf, shown

_HOSTILE_EVERY = 50
_PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>"
_THINGS = "gulls moths ferns lichens otters mussels beetles voles herons newts".split()
_PLACES = "harbour estuary moor orchard quarry meadow island fen dune reservoir".split()
_MODELS = "ResNet-50 U-Net EfficientNet-B0 ViT-B/16 YOLOv5 DenseNet-121 LSTM MobileNetV2".split()
_CARDS = ["NVIDIA Tesla V100", "NVIDIA RTX 3090", "NVIDIA A100", "NVIDIA GTX 1080 Ti", "Intel Xeon Gold 6130"]
_TOOLS = "PyTorch 1.13,TensorFlow 2.9,Keras 2.4,JAX 0.4,MXNet 1.8".split(",")
TELLING = (
    "We trained a {model} to tell {thing} apart on pictures from the {place}.",
    "The model was trained on {count} {card} cards with 32 GB of memory for {hours} hours.",
    "We used the Adam optimizer with a learning rate of 0.00{count} and a batch size of {batch}.",
    "All code was written in {tool} and is available at https://example.org/{thing}/{number}.",
    "The data were split into {batch}% for training and the rest for validation and testing.",
    "Images were augmented with random flips, rotations of up to {hours} degrees and colour jitter.",
    "The {model} reached an F1 score of 0.{batch} and an accuracy of 0.9{count} on the test set.",
    "Dropout of 0.{count} and early stopping after {hours} epochs were used against overfitting.",
    "The random seed was set to {number} in every experiment.",
    "Pictures of {thing} were labelled by {count} biologists of the {place} station.",
)
FILLING = (
    "The {place} has been visited by {thing} every spring since the station was built.",
    "Weather was recorded {count} times a day, and the tide was noted beside it.",
    "Earlier counts of {thing} at the {place} differ by about {batch} percent from year to year.",
    "Volunteers walked a path of {hours} kilometres around the {place} each morning.",
    "It is not known why {thing} prefer the northern shore of the {place} in autumn.",
    "We thank the {count} people who carried the equipment through the {place}.",
)
_PARTS = ("Abstract", "1 Introduction", "2 Materials and methods", "3 Results", "4 Discussion", "Data availability")


def paper(number: int) -> bytes:
    dice = random.Random(number)
    if number % _HOSTILE_EVERY == _HOSTILE_EVERY - 1:
        return _hostile(dice)
    pages = [_page(dice, list(lines)) for lines in _pages(dice, number)]
    kids = b" ".join(b"%d 0 R" % (4 + 2 * index) for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        FONT,
    ]
    for index, content in enumerate(pages):
        objects += [_PAGE % (5 + 2 * index), deflated(content)]
    return raw_pdf(*objects)


def _pages(dice: random.Random, number: int) -> Iterator[list[str]]:
    """Two to four pages of lines; each paper leaves out some of what it should report."""
    told = [line for line in TELLING if dice.random() < 0.7]
    for page in range(dice.randint(2, 4)):
        lines = (
            [f"A model that counts {dice.choice(_THINGS)} at the {dice.choice(_PLACES)}, part {number}", ""] if page == 0 else []
        )
        for part in _PARTS[page::2]:
            lines += ["", part, ""]
            lines += [
                filled(dice, dice.choice(told or FILLING) if dice.random() < 0.4 else dice.choice(FILLING)) for _ in range(9)
            ]
        yield lines


def filled(dice: random.Random, line: str) -> str:
    return line.format(
        model=dice.choice(_MODELS),
        thing=dice.choice(_THINGS),
        place=dice.choice(_PLACES),
        card=dice.choice(_CARDS),
        tool=dice.choice(_TOOLS),
        count=dice.randint(2, 8),
        batch=dice.randint(10, 90),
        hours=dice.randint(3, 60),
        number=dice.randint(1, 9999),
    )


def _page(dice: random.Random, lines: list[str]) -> bytes:
    """In one column, or in two with shorter lines."""
    if dice.random() < 0.5:
        return shown(lines, y=790)
    broken = [piece for line in lines for piece in _wrapped(line, 42)]
    half = (len(broken) + 1) // 2
    return shown(broken[:half], y=790) + b" " + shown(broken[half:], x=320, y=790)


def _wrapped(line: str, width: int) -> Iterator[str]:
    while len(line) > width and " " in line[:width]:
        cut = line.rindex(" ", 0, width)
        yield line[:cut]
        line = line[cut + 1 :]
    yield line


def _hostile(dice: random.Random) -> bytes:
    whole = one_page(deflated(shown()))
    return dice.choice(
        (
            lambda: whole[: len(whole) // 2],
            lambda: b"<!doctype html><title>Sign in</title>",
            lambda: b"%PDF-1.7\n" + dice.randbytes(3000),
            lambda: one_page(deflated(b"")),  # an empty page
            lambda: one_page(_bomb(), trailer=b"/ID [<%s>]" % dice.randbytes(8).hex().encode()),
        )
    )()


@lru_cache
def _bomb() -> bytes:
    return bomb(b"BT /F 11 Tf 40 500 Td (gulls) Tj ET ", 3000)  # megabytes: more than a child may use


def fill(folder: Path, count: int) -> None:
    """Writes the papers 1 to `count`, a thousand per folder; existing ones are kept."""
    for number in range(count):
        path = folder / f"{number // 1000:04d}" / f"{number:07d}.pdf"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(paper(number))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]))
