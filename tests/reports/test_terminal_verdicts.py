import io
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from methodlens.records import PaperStatus, Row, Status
from methodlens.reports.terminal import plain_lines, verdict_table
from methodlens.reports.verdict_matrix import matrix, question_labels

MakeRow = Callable[..., Row]


def shown(table: Table, *, encoding: str = "utf-8", width: int = 80) -> str:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, write_through=True) as out:
        Console(file=out, width=width, force_terminal=False).print(table)
        return raw.getvalue().decode(encoding)


def all_questions(make_row: MakeRow, paper: str = "moths.pdf") -> list[Row]:
    cycle = list(Status)[:4]
    return [make_row(paper, f"CQ{n}", status=cycle[n % 4]) for n in range(1, 29)]


def test_28_questions_fit_in_80_columns(make_row: MakeRow) -> None:
    text = shown(verdict_table(all_questions(make_row, "a rather long name of a paper about moths.pdf")))
    assert max(map(len, text.splitlines())) <= 80
    assert "○?!●○ ?!●○? !●○?! ●○?!● ○?!●○ ?!●" in text
    assert "12345 67890 12345 67890 12345 678" in text


def test_the_legend_explains_the_marks(make_row: MakeRow) -> None:
    assert "● reported  ○ not reported  ? withheld  ! failed" in shown(verdict_table(all_questions(make_row)))


def test_a_console_without_utf8_gets_ascii(make_row: MakeRow) -> None:
    text = shown(verdict_table(all_questions(make_row, "Käfer.pdf"), ascii_only=True), encoding="ascii")
    assert "o?!+o ?!+o? " in text
    assert plain_lines(all_questions(make_row, "Käfer.pdf"), ascii_only=True)[0].isascii()


def test_the_vote_replaces_its_readers(make_row: MakeRow) -> None:
    readers = [make_row(reader=reader) for reader in ("embedded", "chat:a")]
    vote = make_row(reader="vote", status=Status.NOT_REPORTED, votes={"embedded": Status.REPORTED})
    assert [(line.reader, line.statuses) for line in matrix([*readers, vote]).lines] == [("vote", (Status.NOT_REPORTED,))]
    assert [line.reader for line in matrix(readers).lines] == ["embedded", "chat:a"]


def test_a_question_that_was_not_asked_is_marked(make_row: MakeRow) -> None:
    lines = plain_lines([make_row("a.pdf", "CQ1"), make_row("a.pdf", "CQ2"), make_row("b.pdf", "CQ2")])
    assert lines[:2] == ["a.pdf (embedded): 2 reported  ●●", "b.pdf (embedded): 1 reported  ·●"]
    assert lines[2] == "marks: ● reported, · not asked"


def test_the_line_of_an_unreadable_paper_says_why(make_row: MakeRow) -> None:
    row = make_row(status=Status.UNREADABLE, paper_status=PaperStatus.NO_TEXT, paper_reason="it is a scan")
    assert plain_lines([row])[0] == "moths.pdf (embedded): unreadable, no text: it is a scan"


def test_questions_are_named_in_the_legend(make_row: MakeRow) -> None:
    rows = [make_row(question=name, question_title=title) for name, title in (("CQ4", "Moth traps"), ("CQ20", "Lamps"))]
    assert "4 Moth traps" in shown(verdict_table(rows))
    assert "20 Lamps" in shown(verdict_table(rows))
    assert plain_lines(rows)[-2:] == ["marks: ● reported", "questions: 4 Moth traps; 20 Lamps"]


def test_questions_without_numbers_and_titles_are_numbered_and_listed_by_id(make_row: MakeRow) -> None:
    rows = [make_row(question=name, question_title="") for name in ("hardware", "seeds")]
    assert question_labels([row.question for row in rows]) == ("1", "2")
    assert plain_lines(rows)[-1] == "questions: 1 hardware; 2 seeds"


def test_a_subset_of_questions_keeps_its_numbers(make_row: MakeRow) -> None:
    assert question_labels([make_row(question=name).question for name in ("CQ4", "CQ20")]) == ("4", "20")


def test_with_too_many_questions_only_the_counts_are_shown(make_row: MakeRow) -> None:
    text = shown(verdict_table([make_row(question=f"Q{n}") for n in range(60)]))
    assert "60 questions are too many" in text
    assert max(map(len, text.splitlines())) <= 80


def test_no_name_can_send_control_characters_to_the_terminal(hostile_row: Row, hostile: str) -> None:
    text = shown(verdict_table([hostile_row]), width=200)
    assert not {"\x00", "\x07", "\x1b", "\x9b", "\u202e"} & set(text)
    assert len(plain_lines([hostile_row])[0].splitlines()) == 1
    if hostile.startswith("[bold]"):
        assert "[bold]markup[/bold]" in text


def test_only_the_first_papers_are_shown_and_later_rows_are_not_read(make_row: MakeRow) -> None:
    def rows() -> Iterator[Row]:
        yield from (make_row(f"{number}.pdf") for number in range(4))
        raise AssertionError("read on")

    assert [line.split()[0] for line in plain_lines(rows(), most=3)][:-2] == ["0.pdf", "1.pdf", "2.pdf"]
    assert "2.pdf" in shown(verdict_table(rows(), most=3))
