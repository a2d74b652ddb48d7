"""Addresses that a PDF links to without printing them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from methodlens.facts import extract
from methodlens.papers import WorkerPool
from methodlens.records import Paper, PaperStatus

FILLER = [
    "Snails cross the garden at night, when nobody counts them.",
    "A camera above the path saw each animal twice in the rain.",
    "We compare its counts with those of two patient gardeners.",
    "The network was asked to find the shells in the pictures.",
] * 4
CODE = "https://github.com/pond/snail-counts"


def linked(folder: Path, pool: WorkerPool, line: str, links: Sequence[tuple[str, str]]) -> Paper:
    """A paper with this line, of which each text links to its address."""
    path = folder / "linked.pdf"
    canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
    for index, text in enumerate([*FILLER, line]):
        canvas.drawString(40, 560 - 14 * index, text)
    for text, address in links:
        left = 40 + canvas.stringWidth(line[: line.index(text)])
        bottom = 560 - 14 * len(FILLER)
        canvas.linkURL(address, (left, bottom - 3, left + canvas.stringWidth(text), bottom + 10))
    canvas.showPage()
    canvas.save()
    paper = pool.parse(path)
    assert paper.status is PaperStatus.OK
    return paper


def test_the_address_under_a_word_is_read_after_it(tmp_path: Path, pool: WorkerPool) -> None:
    line = "The code of the counter is available on GitHub."
    text = linked(tmp_path, pool, line, [("GitHub", CODE)]).text
    assert f"The code of the counter is available on GitHub ({CODE})." in text
    assert extract(["code_urls"], [f"The code of the counter is available on GitHub ({CODE})."]) == {"code_urls": [CODE]}


def test_an_address_that_is_printed_is_not_repeated(tmp_path: Path, pool: WorkerPool) -> None:
    text = linked(tmp_path, pool, f"The code is at {CODE} for everyone.", [(CODE, CODE)]).text
    assert text.count(CODE) == 1


def test_an_address_that_a_line_end_breaks_is_put_right(tmp_path: Path, pool: WorkerPool) -> None:
    path = tmp_path / "broken.pdf"
    canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
    first, second = "Our code is at https://github.com/pond/snail", "counts, and it is free for everyone who likes snails."
    for index, text in enumerate([*FILLER, first, second]):
        canvas.drawString(40, 560 - 14 * index, text)
    left, bottom = 40 + canvas.stringWidth("Our code is at "), 560 - 14 * len(FILLER)
    canvas.linkURL(CODE, (left, bottom - 3, 40 + canvas.stringWidth(first), bottom + 9))
    canvas.linkURL(CODE, (40, bottom - 17, 40 + canvas.stringWidth("counts,"), bottom - 5))
    canvas.save()
    assert f"Our code is at {CODE}, and it is free" in " ".join(pool.parse(path).text.split())


def test_the_button_of_a_publisher_is_left_alone(tmp_path: Path, pool: WorkerPool) -> None:
    text = linked(tmp_path, pool, "Data of the snails. Download file", [("Download file", "https://pond.example/a.zip")]).text
    assert "https://pond.example/a.zip" not in text


def test_two_links_of_a_line_keep_their_words(tmp_path: Path, pool: WorkerPool) -> None:
    line = "Find the code here, and the pictures of shells in this archive."
    links = [("here", CODE), ("this archive", "https://zenodo.org/records/123456")]
    text = linked(tmp_path, pool, line, links).text
    assert f"the code here ({CODE}), and the pictures of shells in this archive (https://zenodo.org/records/123456)." in text


@pytest.mark.parametrize(
    "address",
    [
        "https://orcid.org/0000-0001-2345-6789",
        "https://www.mdpi.com/article/10.9999/snails",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://pond.example/" + "a" * 300,
        "mailto:ann@pond.example",
    ],
)
def test_links_to_articles_people_and_scripts_are_left_out(tmp_path: Path, pool: WorkerPool, address: str) -> None:
    text = linked(tmp_path, pool, "The data were counted by Ann Marsh.", [("Ann Marsh", address)]).text
    assert "The data were counted by Ann Marsh." in text


def test_a_web_site_without_a_word_on_code_or_data_is_left_out(tmp_path: Path, pool: WorkerPool) -> None:
    text = linked(tmp_path, pool, "We thank the Pond Society for tea.", [("Pond Society", "https://pond.example/about")]).text
    assert "We thank the Pond Society for tea." in text
