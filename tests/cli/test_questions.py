"""methodlens questions: list, show, new, check, try."""

import json
from pathlib import Path

from tests.cli.conftest import Call, one_line

PAPER = Path(__file__).parents[2] / "examples" / "papers" / "everything-reported.pdf"


def test_the_list_shows_the_source_the_licence_the_number_of_items_and_whether_a_set_is_calibrated(methodlens: Call) -> None:
    out = methodlens("questions", "list").out
    assert "prisma-2020: PRISMA 2020: systematic reviews (42 questions, not calibrated)" in out
    assert "dl-methods: Deep-learning methods (28 questions, calibrated)" in out
    assert "doi:10.1136/bmj.n71" in out
    by_name = {found["name"]: found for found in json.loads(methodlens("questions", "list", "--json").out)}
    assert by_name["tripod-ai"]["questions"] == 52
    assert by_name["tripod-ai"]["calibrated"] is False
    assert "CC BY 4.0" in by_name["tripod-ai"]["licence"]


def test_a_set_can_be_shown_without_the_word_show(methodlens: Call) -> None:
    assert methodlens("questions", "neurips").out == methodlens("questions", "show", "neurips").out
    assert "NeurIPS-16" in methodlens("questions", "neurips").out


def test_new_writes_a_set_that_check_and_show_accept(methodlens: Call, tmp_path: Path) -> None:
    plain = tmp_path / "reefs.txt"
    plain.write_text("# Reefs\nWhich lens was mounted?\nHow deep is the lagoon?\n")
    assert methodlens("questions", "new", plain).code == 0
    assert methodlens("questions", "check", tmp_path / "reefs.toml").code == 0
    assert "reefs-2" in methodlens("questions", "show", tmp_path / "reefs.toml").out
    assert "--force" in one_line(methodlens("questions", "new", plain))
    assert methodlens("questions", "new", plain, "--force").code == 0


def test_check_names_the_line_and_the_fix_and_exits_with_1(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "reefs.toml").write_text(
        '[[question]]\nid = "R1"\ntext = "How deep is the lagoon?"\n\n[[question]]\nid = "R2"\ntext = "how deep is the lagoon"\n'
    )
    outcome = methodlens("questions", "check", tmp_path / "reefs.toml")
    assert outcome.code == 1
    assert "line 5 (R2): duplicate: asks the same as line 1 (R1)" in outcome.out
    assert "fix: remove one of the two" in outcome.out


def test_bad_toml_is_refused_in_one_line_with_its_line(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "reefs.toml").write_text('[[question]]\nid = "R1"\ntext = "How deep?\n')
    for command in ("check", "show"):
        assert "line 3" in one_line(methodlens("questions", command, tmp_path / "reefs.toml"))
    assert "did you mean 'examples'?" in one_line(_with("exampels = []", methodlens, tmp_path))


def _with(line: str, methodlens: Call, folder: Path):  # type: ignore[no-untyped-def]
    (folder / "reefs.toml").write_text(f'[[question]]\nid = "R1"\ntext = "How deep?"\n{line}\n')
    return methodlens("questions", "check", folder / "reefs.toml")


def test_try_shows_the_ranks_with_and_without_the_examples(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[[question]]\nid = "R1"\ntext = "How did the authors proceed?"\n'
        'examples = ["The windows were split into parts for training, validation and testing."]\n'
    )
    (tried,) = json.loads(methodlens("questions", "try", tmp_path / "mine.toml", PAPER, "--json").out)
    best = tried["passages"][0]
    assert best["rank"] == 1
    assert best["rank_without"] is None or best["rank_without"] > 1
    assert "split" in best["passage"]["text"]
    assert "without examples" in methodlens("questions", "try", tmp_path / "mine.toml", PAPER).out
    assert "R1" in one_line(methodlens("questions", "try", tmp_path / "mine.toml", PAPER, "--question", "R9"))
