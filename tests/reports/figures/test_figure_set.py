"""The figures of a fictional corpus: what they show, what they say, and what is skipped."""

import re
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from methodlens.ledger.store import Run
from methodlens.records import Question, Row, Source, SourceKind
from methodlens.reports.figures.corpus_counts import MOST_LINES, CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped
from methodlens.reports.figures.figure_set import NAMES, build_figures, captions
from methodlens.reports.figures.periods import Period
from methodlens.reports.figures.png_file import png, unprintable
from methodlens.reports.figures.proportions import Share
from methodlens.reports.figures.style import COLUMN, PAGE, attributes
from methodlens.reports.figures.svg_file import svg
from methodlens.reports.figures.text_width import fitted, text_width, wrapped
from methodlens.reports.figures.trends import Panel, panel_plot
from methodlens.reports.figures.verdict_map import paper_labels
from methodlens.reports.statistics.shapes import Plot, text
from tests.reports.conftest import HOSTILE
from tests.reports.figures.conftest import NO, QUESTIONS, UNSURE, YES, cell, paper, rows_of

_BEFORE = {"start": 0, "middle": 0.5, "end": 1}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(counts: CorpusCounts, run: Run) -> dict[str, Figure]:
    return {figure.name: figure for figure in build_figures(counts, run) if isinstance(figure, Figure)}


def skipped(counts: CorpusCounts, run: Run) -> dict[str, str]:
    return {figure.name: figure.reason for figure in build_figures(counts, run) if isinstance(figure, Skipped)}


def test_a_reviewed_corpus_of_several_years_has_all_figures_but_those_without_facts(corpus: CorpusCounts, run: Run) -> None:
    assert set(NAMES) - set(drawn(corpus, run)) == {"metrics"}
    assert skipped(corpus, run) == {"metrics": "no paper names a metric"}


def test_every_caption_names_the_run_n_and_the_method(corpus: CorpusCounts, run: Run) -> None:
    figures = drawn(corpus, run)
    for figure in figures.values():
        assert "run 01234567, question set dl-methods (3 questions), methodlens " in figure.caption
        assert "n = 40 papers;" in figure.caption
        assert "replaced by people's decisions where there are any (90 of 120 cells)" in figure.caption
    for name, method in {
        "shares": "Wilson",
        "trends": "Cochran-Armitage",
        "frameworks": "Wilson",
        "coreporting": "phi coefficient",
        "calibration": "Brier score",
        "agreement": "Cohen's kappa",
    }.items():
        assert method in figures[name].caption


def test_captions_say_which_papers_are_left_out(run: Run) -> None:
    counts = CorpusCounts(QUESTIONS, 4)
    counts.add(rows_of(paper(1), (YES, NO, NO)))
    counts.add(rows_of(paper(2, duplicate_of="p1.pdf"), (YES, NO, NO)))
    counts.add(rows_of(paper(3, flags=("no_dl",)), (YES, NO, NO)))
    note = "n = 1 paper of 4 found (left out: 1 not read yet, 1 duplicates, 1 without deep learning); verdicts of the reader"
    assert note in drawn(counts, run)["shares"].caption


def test_an_empty_run_has_no_figures_and_every_reason_is_said(run: Run) -> None:
    counts = CorpusCounts(QUESTIONS, 0)
    assert list(skipped(counts, run)) == list(NAMES)
    text = captions(build_figures(counts, run))
    assert "- trends: no paper has a year of publication" in text
    assert "- calibration: 20 reviewed cells with a reader's probability are needed, there are 0" in text


def test_agreement_needs_two_raters_and_both_verdicts(run: Run) -> None:
    counts = CorpusCounts(QUESTIONS, 2)
    counts.add(rows_of(paper(1), (YES, YES, YES)))
    assert skipped(counts, run)["agreement"].startswith("no two readers or people decided the same cells")
    counts.add(rows_of(paper(2), (YES, YES, YES), second=YES))
    assert skipped(counts, run)["agreement"] == "all decisions are the same, so kappa is undefined"


def test_a_recalibrated_question_is_not_checked_against_the_decisions_it_was_fitted_to(run: Run) -> None:
    reviewed = Source(SourceKind.PERSON, ("ann",))
    counts = CorpusCounts(QUESTIONS, 12)
    for number in range(12):
        rows = rows_of(paper(number), (YES, NO if number % 2 else YES, NO), source=reviewed, second=YES if number % 3 else NO)
        refitted = replace(rows[0].question, calibrated_on=30)
        counts.add([replace(row, question=refitted) if row.question.id == refitted.id else row for row in rows])
    figures = drawn(counts, run)
    assert sum(int(row[3] or 0) for row in figures["calibration"].table.rows) == 24  # of 36
    assert "recalibrated on these decisions: CQ12." in figures["calibration"].caption
    assert "because of recalibration (CQ12)" in figures["agreement"].caption


def test_trends_need_two_periods(run: Run) -> None:
    counts = CorpusCounts(QUESTIONS, 12)
    for number in range(6):
        counts.add(rows_of(paper(number, year=2021), (YES, YES, NO)))
    assert skipped(counts, run)["trends"] == "only one year (2021)"
    assert drawn(counts, run)["frameworks"].table.rows == [("PyTorch", "all", 6, 6, 1.0, pytest.approx(0.6097, abs=1e-4), 1.0)]
    counts.add(rows_of(paper(7, year=2022), (YES, YES, NO)))
    assert skipped(counts, run)["trends"].startswith("too few papers: two periods of at least 5 papers are needed")


def test_a_trend_is_found_where_there_is_one(corpus: CorpusCounts, run: Run) -> None:
    trends = drawn(corpus, run)["trends"]
    p_values = {row[0]: row[-1] for row in trends.table.rows}
    assert p_values["CQ12"] is None  # reported everywhere
    assert p_values["CQ19"] == 1
    assert isinstance(p := p_values["CQ20"], float)
    assert p < 0.001
    assert "p < 0.001" in {shape.text for shape in trends.plot.shapes}


def test_small_shares_have_a_scale_of_their_own() -> None:
    spans = [Period(2020, 2020), Period(2021, 2021)]
    for share, top in ((Share(10, 500), "20%"), (Share(100, 500), "50%"), (Share(400, 500), "100%")):
        labels = [shape.text for shape in panel_plot("t", [Panel("p", [share, share])], spans).shapes if shape.text.endswith("%")]
        assert labels[-1] == top


def test_the_matrix_shows_each_paper_until_there_are_too_many(corpus: CorpusCounts, run: Run) -> None:
    small = drawn(corpus, run)["matrix"]
    assert [len(small.table.rows), small.table.head[3:]] == [40, ("CQ12", "CQ19", "CQ20")]
    for number in range(40, MOST_LINES + 1):
        corpus.add(rows_of(paper(number), (YES, UNSURE, NO)))
    large = drawn(corpus, run)["matrix"]
    assert large.table.head[:2] == ("questions_reported", "papers")
    assert sum(int(row[1] or 0) for row in large.table.rows) == MOST_LINES + 1


def test_papers_are_labelled_by_author_and_year_and_labels_differ() -> None:
    moreau = paper(1, authors=("Ada Moreau", "Bo Lind"), year=2021)
    assert paper_labels([moreau, moreau, paper(2, authors=("Lind, Bo",), year=2020), paper(3)]) == [
        "Moreau 2021a",
        "Moreau 2021b",
        "Lind 2020",
        "p3",
    ]


def test_figures_have_the_width_of_one_or_two_columns_and_fit_a_page(corpus: CorpusCounts, run: Run) -> None:
    for figure in drawn(corpus, run).values():
        assert figure.plot.width in (pytest.approx(COLUMN), pytest.approx(PAGE))
        assert figure.plot.height < 680  # 240 mm
        for shape in figure.plot.shapes:
            for name, limit in (("x", figure.plot.width), ("x2", figure.plot.width), ("y", figure.plot.height)):
                assert 0 <= float(shape.attributes.get(name, 0)) <= limit + 0.1, shape


def test_many_questions_fit_a_page(run: Run) -> None:
    questions = [Question(f"Q{number}", f"How many gulls of kind {number} were ringed, and by whom?") for number in range(90)]
    counts = CorpusCounts(questions, 20)
    for number in range(20):
        statuses = (YES if (index + number) % 3 else NO for index in range(90))
        cells = [
            replace(cell(QUESTIONS[0], "embedded", status), question=each.id)
            for each, status in zip(questions, statuses, strict=True)
        ]
        entry = paper(number, year=2010 + number // 5)
        counts.add([Row(entry, each, answered) for each, answered in zip(questions, cells, strict=True)])
    figures = drawn(counts, replace(run, questions=tuple(questions)))
    assert {name: figure.plot.height < 680 for name, figure in figures.items()} == dict.fromkeys(figures, True)
    assert "The 44 questions with the strongest trends are shown." in figures["trends"].caption
    assert len(figures["trends"].table.rows) == 90 * 4


def test_svg_files_are_xml_with_their_caption_and_no_text_leaves_the_figure(corpus: CorpusCounts, run: Run) -> None:
    for figure in drawn(corpus, run).values():
        root = ElementTree.fromstring(svg(figure.plot, description=figure.caption))
        assert root.findtext(f"{SVG}desc") == figure.caption
        assert root.get("width") in ("85.0mm", "170.0mm")
        for shape in figure.plot.shapes:
            if shape.tag == "text" and "transform" not in shape.attributes:
                width = text_width(
                    shape.text, float(attributes(shape)["font-size"]), bold=shape.attributes.get("class") == "bold"
                )
                start = float(shape.attributes["x"]) - width * _BEFORE[str(shape.attributes["text-anchor"])]
                assert -0.5 <= start <= figure.plot.width - width + 0.5, shape.text


def test_png_files_say_how_large_they_are(corpus: CorpusCounts, run: Run) -> None:
    image = png(drawn(corpus, run)["shares"].plot, dpi=100)
    assert image.startswith(b"\x89PNG")
    assert int.from_bytes(image[16:20], "big") == pytest.approx(170 / 25.4 * 100, abs=1)
    assert b"pHYs" + (3937).to_bytes(4, "big") in image


def test_letters_that_a_png_cannot_show_are_reported(corpus: CorpusCounts) -> None:
    def plot(words: str) -> Plot:
        return Plot("t", 50, 20, [text(2, 10, words, "start")])

    assert not unprintable(plot("Sørensen Lučić ﬁne?"))
    assert unprintable(plot("山"))
    assert png(plot("山"), dpi=72) == png(plot("?"), dpi=72)


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_text(hostile: str, run: Run) -> None:
    question = Question("Q1", hostile, title=hostile)
    entry = paper(1, year=2020, title=hostile, authors=(hostile,))
    counts = CorpusCounts([question], 1)
    counts.add([Row(replace(entry, name=hostile), question, replace(cell(QUESTIONS[0], hostile, YES), question="Q1"))])
    figures = drawn(counts, replace(run, questions=(question,), readers=(hostile,), question_set=hostile))
    for name in ("shares", "matrix", "flow", "architectures"):
        root = ElementTree.fromstring(svg(figures[name].plot, description=figures[name].caption))
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= set(
            "svg title desc rect line circle text path polygon".split()
        )
    assert png(figures["shares"].plot, dpi=20).startswith(b"\x89PNG")
    assert not re.search(r"(?<!\\)[<*_`]", re.sub(r"\*\*Figure \d\.\*\*", "", captions(list(figures.values()))))


def test_text_is_shortened_or_wrapped_to_its_width() -> None:
    assert fitted("Training hardware", 200) == "Training hardware"
    short = fitted("Training hardware", 40)
    assert short.endswith("…")
    assert text_width(short) <= 40
    assert wrapped("one two three", text_width("one two") + 1) == ["one two", "three"]
