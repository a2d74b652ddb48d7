"""Own questions for a number that only a table states."""

import pytest
from msgspec.structs import replace

from methodlens import retrieval
from methodlens.papers import from_text, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.general.table_values import rows_with_number, tables_may_state
from methodlens.records import Answer, Paper, Question, Table, TableRow
from methodlens.relevance.understanding import understand
from methodlens.settings import RetrievalSettings

_ROWS = ("Accuracy, ponds 0.91 0.74", "Accuracy, streams 0.88 0.70", "Kappa 0.80 0.61")
_BY_MODEL = ("NewtNet 0.81 3.1", "Ours 0.93 1.2", "ToadNet 0.79 2.2")


def paper_with(
    header: tuple[str, ...], lines: tuple[str, ...], sentence: str = "We report accuracy for ponds, with 95% intervals."
) -> Paper:
    paper = from_text(("Newts on film", "Methods", "Newts were filmed for 12 nights.", "Results", sentence, "\n".join(lines)))
    rows = []
    for line in lines:
        start = paper.text.index(line)
        name, *values = line.rsplit(" ", len(header) - 1)
        rows.append(TableRow(start, start + len(line), (name, *values)))
    return replace(paper, tables=(Table("Table 1", rows[0].start, rows[-1].end, 1, header, tuple(rows)),))


def ask(text: str, paper: Paper) -> Answer:
    question = Question("mine", text)
    return EmbeddedReader().read(question, paper, retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(question))


def test_a_number_that_only_a_table_states_is_answered_with_its_rows() -> None:
    answer = ask("What was the best accuracy?", paper_with(("Measure", "Network", "Baseline"), _ROWS))
    assert (answer.p_reported or 0) >= 0.6
    assert "Accuracy, ponds: 0.91 (Network), 0.74 (Baseline); Accuracy, streams: 0.88" in answer.text
    assert "Kappa" not in answer.text
    assert [quote.quote for quote in answer.evidence] == [answer.text.split(" (p. ")[0].removesuffix(".")]


def test_a_sentence_that_states_the_number_comes_before_the_table() -> None:
    stated = "On held-out ponds our network reached an accuracy of 0.91."
    answer = ask("What was the best accuracy?", paper_with(("Measure", "Network", "Baseline"), _ROWS, stated))
    assert answer.evidence[0].quote == stated


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What accuracy was reached?", ["Table 1. Ours – Accuracy: 0.93; Error: 1.2"]),
        ("What depth does the network have?", []),
        ("Which cameras were used?", []),
    ],
)
def test_under_a_column_only_the_authors_own_row_answers(question: str, rows: list[str]) -> None:
    paper = paper_with(("Model", "Accuracy", "Error"), _BY_MODEL)
    hits = retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(Question("mine", question))
    assert [row.text for row in rows_with_number(understand(question), paper, hits)] == rows


@pytest.mark.parametrize(
    ("question", "lines", "expected"),
    [
        ("How many parameters does the model have?", ["Network #Params Error", "NewtNet 3,413 1.2"], True),
        (
            "How many parameters does the model have?",
            ["Table 2. Parameters and error of each network", "NewtNet 3,413 1.2"],
            True,
        ),
        ("How many parameters does the model have?", ["Network #Params Error", "It was slow."], False),
        ("How many parameters does the model have?", ["The parameters of the 12 newts were measured twice."], False),
        ("What learning rate was used?", ["Network Error rate", "NewtNet 1.2"], False),
        ("Which networks were compared?", ["Network #Params Error", "NewtNet 3,413 1.2"], False),
    ],
)
def test_loose_lines_of_a_table_may_state_the_number(question: str, lines: list[str], expected: bool) -> None:
    assert tables_may_state(understand(question), from_text(("Newts",)), lines) is expected


def test_a_number_in_a_table_that_names_it_is_withheld_and_not_denied() -> None:
    paper = paper_with(
        ("Model", "Params (M)", "Error"), _BY_MODEL[:1] + _BY_MODEL[2:], "Newts were told from toads by their tails."
    )
    answer = ask("How many parameters does the model have?", paper)
    assert 0.4 <= (answer.p_reported or 0) < 0.6
    assert "does not clearly answer" in answer.text
