from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from methodlens.records import PaperStatus, Row, Status
from methodlens.reports import html
from methodlens.reports.assets import asset

MakeRow = Callable[..., Row]

TAGS = set(
    """html head meta title style body main h1 h2 h3 p div span table thead tbody tr th td a details summary section
    blockquote bdi cite""".split()
)
ATTRIBUTES = {
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "scope",
    "title",
    "id",
    "href",
    "aria-hidden",
    "aria-label",
}
VOID = {"meta"}


class Seen(HTMLParser):
    """Everything in the page that could be active, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.ids: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "href":
                self.links.add(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data


def page(path: Path, *rows: Row, title: str = "A run", summary: tuple[str, ...] = ()) -> tuple[str, Seen]:
    assert html.write(iter(rows), path, title=title, summary=summary) == len(rows)
    text = path.read_text(encoding="utf-8")
    return text, Seen(text)


def test_hostile_text_is_text_and_nothing_else(hostile_row: Row, hostile: str, tmp_path: Path) -> None:
    _, seen = page(tmp_path / "r.html", hostile_row, title=hostile, summary=(hostile,))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert all(link.startswith("#") and link[1:] in seen.ids for link in seen.links)
    assert not {"\x00", "\x1b", "\x9b", "\u202e"} & set(seen.text)
    assert seen.open == []
    if hostile.isprintable():
        assert hostile in seen.text


def test_the_page_forbids_itself_everything_but_its_style(make_row: MakeRow, tmp_path: Path) -> None:
    text, _ = page(tmp_path / "r.html", make_row())
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'" in text
    assert "<script" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_an_answer_stands_with_its_quote_and_page(make_row: MakeRow, tmp_path: Path) -> None:
    _, seen = page(tmp_path / "r.html", make_row(), summary=("1 paper, 1 question",))
    for wanted in ("moths.pdf", "Two Kestrel K9 cards.", "for six hours. p. 8", "● reported", "1 paper, 1 question"):
        assert wanted in seen.text


def test_a_verdict_is_told_by_its_mark_and_word_not_by_colour_alone(make_row: MakeRow, tmp_path: Path) -> None:
    text, _ = page(tmp_path / "r.html", make_row(status=Status.WITHHELD))
    assert 'aria-label="withheld">?</a>' in text


def test_an_unreadable_paper_says_what_to_do(make_row: MakeRow, tmp_path: Path) -> None:
    row = make_row(status=Status.UNREADABLE, paper_status=PaperStatus.ENCRYPTED, paper_reason="save a copy without a password")
    _, seen = page(tmp_path / "r.html", row)
    assert "1 of 1 paper could not be read" in seen.text
    # Among the unreadable, among all papers, and where its answers would be
    assert seen.text.count("save a copy without a password") == 3
    assert all(link[1:] in seen.ids for link in seen.links)


def test_a_vote_is_shown_before_its_readers(make_row: MakeRow, tmp_path: Path) -> None:
    vote = make_row(reader="vote", votes={"embedded": Status.REPORTED, "chat:a": Status.FAILED})
    _, seen = page(tmp_path / "r.html", make_row(reader="embedded"), make_row(reader="chat:a", status=Status.FAILED), vote)
    assert seen.text.index("chat:a: failed") < seen.text.index("Two Kestrel K9 cards.")


def test_two_papers_of_one_name_stay_two(make_row: MakeRow, tmp_path: Path) -> None:
    import msgspec

    row = make_row()
    other = msgspec.structs.replace(row, paper=msgspec.structs.replace(row.paper, sha256="cd" * 32))
    _, seen = page(tmp_path / "r.html", row, other)
    assert {"p1", "p2"} <= set(seen.ids)
    assert len(seen.ids) == len(set(seen.ids))


def test_no_rows_still_make_a_page(tmp_path: Path) -> None:
    _, seen = page(tmp_path / "r.html")
    assert "0 papers" in seen.text


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_colour_in_light_and_dark(status: Status) -> None:
    style = asset("base.css")
    assert style.count(f"--{status.value}:") == 2
    assert f".{status.value} {{" in style
