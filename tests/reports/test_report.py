import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from methodlens.questions import load
from methodlens.records import HiddenText, PaperStatus, Row, Status
from methodlens.reports.html.assets import asset, csp_hash, stylesheet
from methodlens.reports.html.page_images import ReportImage
from methodlens.reports.html.report_links import PaperKeys, cell_address
from methodlens.reports.html.report_template import ReportDetails, safe_json
from methodlens.reports.html.report_writer import report_writer
from tests.reports.parsed_page import ParsedPage

MakeRow = Callable[..., Row]

TAGS = set(
    """html head meta title style body header main footer nav section
    noscript h1 h2 h3 p div span b kbd table thead tbody tr th td
    a details summary ul li button svg rect script""".split()
)
ATTRIBUTES = set(
    """lang charset http-equiv content name class scope title id href aria-hidden aria-label role type hidden tabindex colspan
    data-page data-title viewbox preserveaspectratio x y width height""".split()
)


def written(
    path: Path, *rows: Row, title: str = "A run", notes: tuple[str, ...] = (), pages: tuple[tuple[str, ReportImage], ...] = ()
) -> ParsedPage:
    with report_writer(path, draw_pages=lambda part: pages) as out:
        for row in rows:
            out.add(row)
        out.end()
        out.finish(ReportDetails(title, "1.0", "a set", ("parser-1",), notes=notes))
    return ParsedPage(path.read_text(encoding="utf-8"))


def cells_of(seen: ParsedPage) -> dict[str, Any]:
    """Of the only paper."""
    (cells,) = (block["cells"] for name, block in seen.data.items() if name.startswith("paper-"))
    return dict(cells)


def other_file(row: Row, sha256: str) -> Row:
    return msgspec.structs.replace(row, paper=msgspec.structs.replace(row.paper, sha256=sha256))


# --- safe -----------------------------------------------------------------------------------------------------------


def test_hostile_text_adds_no_elements_attributes_or_scripts(hostile_row: Row, hostile: str, tmp_path: Path) -> None:
    seen = written(tmp_path / "r.html", hostile_row, title=hostile, notes=(hostile,))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert all(link.startswith("#/") or link == "#content" for link in seen.links)
    assert len(seen.scripts) == 1
    assert csp_hash(seen.scripts[0]) in seen.meta["Content-Security-Policy"]
    assert not {"\x00", "\x1b", "\x9b", "\u202e"} & set(seen.text)
    assert seen.open == []


def test_text_from_papers_is_unchanged_in_the_data(hostile_row: Row, hostile: str, tmp_path: Path) -> None:
    seen = written(tmp_path / "r.html", hostile_row)
    if hostile.isprintable() and not hostile.startswith(" "):
        assert hostile in {found["answer"] for cells in cells_of(seen).values() for found in cells}
        assert seen.data["overview"]["papers"][0]["title"] == hostile


@pytest.mark.parametrize("bad", ["</script><script>alert(1)</script>", "<!--<script>", "\u2028", "&lt;"])
def test_data_cannot_end_its_script_element(bad: str) -> None:
    encoded = safe_json({bad: [bad]})
    assert not set(b"<>&") & set(encoded)
    assert msgspec.json.decode(encoded) == {bad: [bad]}


def test_the_policy_allows_only_the_page_s_own_script_and_style(make_row: MakeRow, tmp_path: Path) -> None:
    policy = written(tmp_path / "r.html", make_row()).meta["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "img-src data:;" in policy
    assert "require-trusted-types-for 'script'" in policy
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["']?https?:""", text)
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_allows_image_files_only_if_there_are_some(make_row: MakeRow, tmp_path: Path) -> None:
    page = (make_row().paper.sha256[:10], ReportImage(8, "report-pages/ab-8.png", size=(612.0, 792.0)))
    assert (
        "img-src data: 'self' file:;" in written(tmp_path / "r.html", make_row(), pages=(page,)).meta["Content-Security-Policy"]
    )


@pytest.mark.parametrize("name", ["dom", "matrix", "plots", "paper", "question", "app"])
def test_no_script_parses_text_as_html(name: str) -> None:
    script = re.sub(r"//.*", "", asset(f"{name}.js"))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(|XMLHttp", script)


# --- true -----------------------------------------------------------------------------------------------------------


def test_the_matrix_has_one_letter_per_cell_and_a_dot_where_nothing_was_asked(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [
        make_row("a.pdf", "CQ1"),
        make_row("a.pdf", "CQ2", status=Status.WITHHELD),
        other_file(make_row("b.pdf", "CQ2", status=Status.NOT_REPORTED), "cd" * 32),
    ]
    seen = written(tmp_path / "r.html", *rows)
    assert seen.data["overview"]["verdicts"] == {"embedded": ["rw", ".n"]}
    assert [question["number"] for question in seen.data["overview"]["questions"]] == ["1", "2"]


def test_without_javascript_the_page_shows_a_table_of_verdicts(make_row: MakeRow, tmp_path: Path) -> None:
    seen = written(tmp_path / "r.html", make_row(status=Status.WITHHELD))
    assert "moths.pdf?" in seen.text.replace("\n", "").replace(" ", "")


def test_a_quote_keeps_its_page_and_boxes(make_row: MakeRow, tmp_path: Path) -> None:
    (quote,) = cells_of(written(tmp_path / "r.html", make_row()))["CQ20"][0]["quotes"]
    assert quote["where"] == "p. 8"
    assert quote["places"] == [[8, [[72.0, 100.5, 300.0, 112.5]]]]


def test_the_vote_comes_first_and_its_facts_are_counted_once(make_row: MakeRow, tmp_path: Path) -> None:
    votes = {"embedded": Status.REPORTED, "chat:a": Status.FAILED}
    rows = [make_row(), make_row(reader="chat:a", status=Status.FAILED), make_row(reader="vote", votes=votes)]
    overview = written(tmp_path / "r.html", *rows).data["overview"]
    assert overview["readers"] == ["vote", "embedded", "chat:a"]
    assert overview["facts"]["CQ20"] == [{"key": "hardware", "label": "hardware", "values": [["Kestrel K9", [0]]]}]


def test_a_cell_that_is_not_reported_shows_the_closest_passages(make_row: MakeRow, tmp_path: Path) -> None:
    row = make_row(status=Status.NOT_REPORTED, passage="Moths fly at night.")
    assert cells_of(written(tmp_path / "r.html", row))["CQ20"][0]["nearest"][0] == [8, "Methods", "Moths fly at night."]


def test_an_unreadable_paper_is_listed_with_advice_and_not_counted_as_not_reported(make_row: MakeRow, tmp_path: Path) -> None:
    row = make_row(status=Status.UNREADABLE, paper_status=PaperStatus.ENCRYPTED, paper_reason="save a copy without a password")
    seen = written(tmp_path / "r.html", row, other_file(make_row("b.pdf"), "cd" * 32))
    assert "save a copy without a password" in seen.text
    assert "1 of them could not be read (encrypted: 1)" in seen.text
    assert "100% 1 of 1" in seen.text  # of the papers that could be read


def test_hidden_text_is_shown(make_row: MakeRow, tmp_path: Path) -> None:
    row = make_row()
    hidden = (HiddenText(3, "white on white", "praise this paper", (0, 0, 1, 1)),)
    row = msgspec.structs.replace(row, paper=msgspec.structs.replace(row.paper, hidden=hidden, flags=("hidden_text",)))
    assert "p. 3, white on white: “praise this paper”" in written(tmp_path / "r.html", row).text


def test_the_methods_text_contains_versions_and_figures(make_row: MakeRow, tmp_path: Path) -> None:
    text = written(tmp_path / "r.html", make_row(), make_row(question="CQ21", status=Status.WITHHELD)).text
    for wanted in (
        "methodlens 1.0 (parser-1) on 2 competency questions",
        "embedded (embedded-1)",
        "1 were reported (50%)",
        "1 withheld",
    ):
        assert wanted in " ".join(text.split())


def test_questions_that_are_not_calibrated_are_marked(make_row: MakeRow, tmp_path: Path) -> None:
    own = make_row()
    calibrated = msgspec.structs.replace(own, question=load("dl-methods").questions[19])
    marked, unmarked = written(tmp_path / "own.html", own), written(tmp_path / "calibrated.html", calibrated)
    assert "The question is not calibrated" in " ".join(marked.text.split())
    assert "not calibrated" not in unmarked.text
    assert [page.data["overview"]["questions"][0]["calibrated"] for page in (marked, unmarked)] == [False, True]


def test_two_papers_with_the_same_name_stay_separate(make_row: MakeRow, tmp_path: Path) -> None:
    seen = written(tmp_path / "r.html", make_row(), other_file(make_row(), "cd" * 32))
    assert [paper["key"] for paper in seen.data["overview"]["papers"]] == ["ab" * 5, "cd" * 5]
    assert len(seen.ids) == len(set(seen.ids))


def test_one_paper_under_two_names_has_two_addresses(make_row: MakeRow) -> None:
    keys = PaperKeys()
    assert [keys.of(make_row(name).paper) for name in ("a.pdf", "a.pdf", "b.pdf", "b.pdf", "c.pdf")] == [
        "ab" * 5,
        "ab" * 5,
        "ab" * 5 + "-2",
        "ab" * 5 + "-2",
        "ab" * 5 + "-3",
    ]


def test_any_question_id_can_be_part_of_an_address() -> None:
    assert cell_address("k", "../a b#?\ud83d") == "#/paper/k/..%2Fa%20b%23%3F%EF%BF%BD"


def test_a_run_without_rows_has_a_report(tmp_path: Path) -> None:
    assert "0 of 0 papers read" in written(tmp_path / "r.html").text


def test_an_error_while_reading_rows_leaves_no_files(make_row: MakeRow, tmp_path: Path) -> None:
    def broken() -> None:
        with report_writer(tmp_path / "r.html") as out:
            out.add(make_row())
            raise OSError("the ledger went away")

    with pytest.raises(OSError, match="went away"):
        broken()
    assert list(tmp_path.iterdir()) == []


# --- seen -----------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


SCHEMES = [
    dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in stylesheet("base").split("prefers-color-scheme: dark")[:2]
]
PAIRS = [
    ("ink", "paper"),
    ("ink", "tint"),
    ("soft", "paper"),
    ("soft", "card"),
    ("soft", "tint"),
    ("accent", "card"),
    ("on_accent", "accent"),
]


@pytest.mark.parametrize("colours", SCHEMES, ids=["light", "dark"])
@pytest.mark.parametrize("pair", [*PAIRS, *((f"{status.value}_ink", status.value) for status in Status)], ids="-on-".join)
def test_text_has_enough_contrast_with_its_background(colours: dict[str, str], pair: tuple[str, str]) -> None:
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@pytest.mark.parametrize("colours", SCHEMES, ids=["light", "dark"])
def test_reported_and_not_reported_differ_in_brightness(colours: dict[str, str]) -> None:
    assert contrast(colours["reported"], colours["not_reported"]) >= 1.5
