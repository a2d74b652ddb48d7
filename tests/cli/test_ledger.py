"""methodlens ledger: damaged rows are listed, copies are complete, and invalid URLs are refused in one line."""

import sqlite3
from pathlib import Path

import pytest

from methodlens.ledger.store import Ledger
from tests.cli.conftest import Call, one_line
from tests.ledger.test_ledger import PAPER, RUN, fill, flip_a_byte

CANARY = "canary-77aa"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Ledger.at(tmp_path / "a", create=True) as ledger:
        fill(ledger)
    return tmp_path / "a"


def test_an_undamaged_ledger_passes_the_check(methodlens: Call, folder: Path) -> None:
    done = methodlens("ledger", "check", "--out", folder)
    assert (done.code, done.err) == (0, "")
    assert "6 rows" in done.out
    assert "no damage found" in done.out


@pytest.mark.parametrize("table", ["paper_texts", "answers", "run_papers", "runs"])
def test_a_flipped_byte_is_reported_with_the_fix(methodlens: Call, folder: Path, table: str) -> None:
    flip_a_byte(folder / "ledger.sqlite", table)
    done = methodlens("ledger", "check", "--out", folder)
    assert done.code == 1
    assert done.err.startswith(f"{table} ")
    assert "rerun 'methodlens run'" in done.err


def test_a_changed_status_and_a_missing_cell_are_detected_without_a_checksum(methodlens: Call, folder: Path) -> None:
    for change in ("UPDATE answers SET status = 'withheld'", "DELETE FROM answers"):
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            connection.execute(change)
        connection.close()
        assert methodlens("ledger", "check", "--out", folder).code == 1


def test_a_copy_is_complete_and_a_second_one_writes_nothing(methodlens: Call, folder: Path, tmp_path: Path) -> None:
    assert "6 rows copied" in methodlens("ledger", "copy", folder, tmp_path / "b").out
    assert "0 rows copied" in methodlens("ledger", "copy", folder, tmp_path / "b").out
    with Ledger.at(folder) as first, Ledger.at(tmp_path / "b") as second:
        assert first.runs() == second.runs() == [RUN]
        (entry,) = first.entries(RUN)
        assert list(second.entries(RUN)) == [entry]
        assert first.cells(RUN, *entry) == second.cells(RUN, *entry)
        assert second.paper(PAPER.sha256, PAPER.parser) == PAPER


def test_a_damaged_row_is_not_copied(methodlens: Call, folder: Path, tmp_path: Path) -> None:
    flip_a_byte(folder / "ledger.sqlite", "answers")
    done = methodlens("ledger", "copy", folder, tmp_path / "b")
    assert done.code == 1
    assert "5 rows copied" in done.out
    assert "1 damaged left out" in done.out


@pytest.mark.parametrize(
    "address",
    [
        "review",
        f"mysql://ann:{CANARY}@db/review",
        f"postgresql+psycopg://ann:{CANARY}@127.0.0.1:port/review",
        f"postgresql+psycopg//ann:{CANARY}@db/review",
    ],
)
def test_an_invalid_ledger_url_is_refused_without_showing_its_password(methodlens: Call, tmp_path: Path, address: str) -> None:
    line = one_line(methodlens("export", "--ledger", address, "--out", tmp_path))
    assert "postgresql+psycopg://USER@HOST/DATABASE" in line
    assert CANARY not in line


def test_an_unencoded_at_sign_in_the_password_shows_no_part_of_it(methodlens: Call, tmp_path: Path) -> None:
    line = one_line(methodlens("export", "--ledger", f"postgresql://ann:tulip@{CANARY}@127.0.0.1:1/review", "--out", tmp_path))
    assert "%40" in line
    assert CANARY not in line
    assert "tulip" not in line


def test_a_password_in_the_settings_is_refused_and_not_shown(methodlens: Call, tmp_path: Path) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text(f'ledger = "postgresql+psycopg://ann:{CANARY}@db/review"\n')
    line = one_line(methodlens("export", "--settings", settings))
    assert "PGPASSWORD" in line
    assert CANARY not in line
