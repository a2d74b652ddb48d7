"""The ledger on PostgreSQL: same results as on SQLite, several drivers at once, and safe when the server is killed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import column, insert, text
from sqlalchemy import table as sql_table

from benchmarks.synthetic import fill
from methodlens.ledger.backends import database_engine, database_url
from methodlens.ledger.migrations import STEPS
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger
from methodlens.ledger.upkeep import check
from tests.cli.conftest import Call, methodlens, one_line  # noqa: F401
from tests.conftest import EXAMPLES
from tests.engine.serving import honest, write_settings
from tests.ledger.test_ledger import CELL, ENTRY, NAMES, PAPER, RUN
from tests.ledger.test_old_ledgers import check_views, exported, lines_of_0_1_0, write_old_ledger
from tests.long.killing import kill_repeatedly
from tests.long.postgres import PASSWORD, Server, server
from tests.loopback import chat_server
from tests.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("password")]
PAPERS = EXAMPLES / "papers"
READABLE, QUESTIONS = 4, 28  # one of the five papers is unreadable
READ_CELLS = "SELECT count(*) FROM answers WHERE status <> 'unreadable'"
SHORT_LEASE = ("--set", "ledger_lease_s=3")  # only where a driver or server is killed: a busy driver may renew late


def start(url: str, out: Path, *more: object, papers: Path = PAPERS) -> "subprocess.Popen[str]":
    run = ["run", papers, "--workers", 1, "--out", out, "--ledger", url, *more]
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, run)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code and stderr."""
    _, errors = process.communicate()
    return process.returncode, errors


def wait_while_running(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    wait_until(lambda: condition() or process.poll() is not None)
    assert process.poll() is None, process.communicate()


def count(postgres: Server, database: str, query: str) -> int:
    """0 until the tables are created."""
    try:
        return int(postgres.query(query, database)[0][0])
    except Exception:
        return 0


def without_times(exported: str) -> list[dict[str, Any]]:
    return [{**json.loads(line), "seconds": None} for line in exported.splitlines()]


def stored(postgres: Server, database: str) -> dict[str, str]:
    return dict(postgres.query("SELECT cell_key, checksum FROM answers WHERE status <> 'unreadable'", database))


def test_both_databases_give_the_same_export_except_for_times(postgres: Server, methodlens: Call, tmp_path: Path) -> None:  # noqa: F811
    url = postgres.new_database("same")
    assert methodlens("run", PAPERS, "--out", tmp_path / "a").code == 0
    assert methodlens("run", PAPERS, "--out", tmp_path / "b", "--ledger", url).code == 0
    there = methodlens("export", "--out", tmp_path / "b", "--ledger", url).out
    assert without_times(methodlens("export", "--out", tmp_path / "a").out) == without_times(there)
    assert not (tmp_path / "b" / "ledger.sqlite").exists()
    again = methodlens("run", PAPERS, "--out", tmp_path / "b", "--ledger", url)
    assert "0 asked, 112 kept from before" in again.out
    copied = methodlens("ledger", "copy", url, tmp_path / "c")
    assert copied.code == 0, copied
    assert methodlens("export", "--out", tmp_path / "c").out == there
    assert methodlens("ledger", "copy", url, tmp_path / "c").out.startswith("0 rows copied")
    back = postgres.new_database("back")
    assert methodlens("ledger", "copy", tmp_path / "c", back).code == 0
    assert methodlens("export", "--ledger", back, "--out", tmp_path / "d").out == there


def test_two_drivers_at_once_ask_each_cell_once(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database("two")
    questions = tmp_path / "questions.txt"
    questions.write_text("".join(f"Which hardware of kind {kind} trained the model?\n" for kind in range(6)))
    with chat_server(honest) as fern:
        settings = write_settings(tmp_path / "s.toml", fern={"base_url": fern.url, "concurrency": 2})
        more = ("--settings", settings, "--questions", questions, "--reader", "embedded", "--reader", "chat:fern")
        drivers = [start(url, tmp_path / name, *more) for name in "ab"]
        assert [ended(driver)[0] for driver in drivers] == [0, 0]
        assert len(fern.requests) == READABLE * 6
    assert count(postgres, "two", "SELECT count(*) FROM calls") == READABLE * 6 * 2
    assert count(postgres, "two", "SELECT count(DISTINCT cell_key) FROM calls") == READABLE * 6 * 2
    assert count(postgres, "two", "SELECT count(*) FROM run_cells") == (READABLE + 1) * 6 * 2
    assert count(postgres, "two", "SELECT count(*) FROM claims WHERE done_at IS NULL") == 0


def test_two_drivers_with_child_processes_ask_each_cell_once(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database("families")
    fill(tmp_path / "papers", 30)
    (tmp_path / "questions.txt").write_text("Which hardware was the model trained on?\nWhich optimizer was used?\n")
    more = ("--questions", tmp_path / "questions.txt", "--workers", 2)
    drivers = [start(url, tmp_path / name, *more, papers=tmp_path / "papers") for name in "ab"]
    results = [ended(driver) for driver in drivers]
    assert [code for code, _ in results] == [0, 0], results
    calls = "SELECT count(*), count(DISTINCT cell_key) FROM calls"
    assert postgres.query(calls, "families") == [(60, 60)]
    assert count(postgres, "families", "SELECT count(*) FROM run_cells") == 60
    assert count(postgres, "families", "SELECT count(*) FROM claims WHERE done_at IS NULL") == 0


def test_the_papers_of_a_killed_driver_are_taken_over_when_its_leases_expire(postgres: Server, tmp_path: Path) -> None:
    url, papers, many = postgres.new_database("orphan"), tmp_path / "papers", 20
    fill(papers, many)  # so many that it cannot end before the kill
    killed = start(url, tmp_path / "a", *SHORT_LEASE, papers=papers)
    claimed = "SELECT count(*) FROM claims WHERE done_at IS NULL"
    wait_while_running(lambda: count(postgres, "orphan", READ_CELLS) > 3 and count(postgres, "orphan", claimed) > 0, killed)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    before = stored(postgres, "orphan")
    assert len(before) < many * QUESTIONS
    assert ended(start(url, tmp_path / "b", *SHORT_LEASE, papers=papers))[0] == 0
    assert before.items() <= stored(postgres, "orphan").items()
    assert len(stored(postgres, "orphan")) == many * QUESTIONS
    assert count(postgres, "orphan", "SELECT count(*) FROM calls") == many * QUESTIONS


def test_a_killed_server_loses_no_stored_cell(methodlens: Call, tmp_path: Path) -> None:  # noqa: F811
    with server() as postgres:
        url = postgres.new_database("killed")
        running = start(url, tmp_path / "a", *SHORT_LEASE)
        wait_while_running(lambda: count(postgres, "killed", READ_CELLS) > 3, running)
        before = stored(postgres, "killed")
        postgres.kill()
        code, errors = ended(running)
        (line,) = [line for line in errors.splitlines() if line.startswith("methodlens: ")]
        assert code == 2
        assert "start the server" in line
        assert "Traceback" not in errors
        refused = one_line(methodlens("export", "--ledger", url, "--out", tmp_path / "a"))
        assert "start the server" in refused
        postgres.start()
        assert before.items() <= stored(postgres, "killed").items()
        assert ended(start(url, tmp_path / "a", *SHORT_LEASE))[0] == 0
        assert before.items() <= stored(postgres, "killed").items()
        assert len(stored(postgres, "killed")) == READABLE * QUESTIONS
        assert methodlens("ledger", "check", "--ledger", url).code == 0


def test_100_kills_of_the_driver_and_4_of_the_server_lose_no_cell_and_repeat_only_unfinished_calls(
    tmp_path: Path,
) -> None:
    with server() as postgres:
        url = postgres.new_database("kills")

        def look(query: str) -> list[tuple[Any, ...]]:
            try:
                return postgres.query(query, "kills")
            except Exception:  # the tables are not created yet
                return []

        def kill_the_server_sometimes(kills: int) -> None:
            if kills % 25 == 24:
                postgres.kill()
                postgres.start()

        options = ("--ledger", url, "--set", "ledger_lease_s=1")
        kill_repeatedly(tmp_path, look, kills=100, questions=40, options=options, each_time=kill_the_server_sometimes)


def test_a_full_disk_is_reported_in_one_line_and_the_run_resumes_when_there_is_space(
    postgres: Server,
    methodlens: Call,  # noqa: F811
    tmp_path: Path,
) -> None:
    with postgres.small_disk("small", megabytes=16) as disk:
        postgres.query("CREATE DATABASE full_disk TABLESPACE small")
        here = ("--out", tmp_path / "a", "--ledger", postgres.url("full_disk"))
        assert methodlens("run", PAPERS / "rented-cpu.pdf", *here).code == 0
        before = stored(postgres, "full_disk")
        assert before
        with postgres.filled(disk):
            full = methodlens("run", PAPERS, *here)
            assert (full.code, "Traceback" in full.err) == (2, False)
            last = full.err.strip().splitlines()[-1]
            assert "has no space" in last
            assert "rerun to resume" in last
        assert before.items() <= stored(postgres, "full_disk").items()
        assert methodlens("run", PAPERS, *here).code == 0
        assert before.items() <= stored(postgres, "full_disk").items()
        assert len(stored(postgres, "full_disk")) == READABLE * QUESTIONS
        assert methodlens("ledger", "check", *here).code == 0


def test_corrupt_rows_are_listed_and_replaced_by_the_next_run(postgres: Server, methodlens: Call, tmp_path: Path) -> None:  # noqa: F811
    url = postgres.new_database("flipped")
    here = ("--out", tmp_path / "a", "--ledger", url)
    assert methodlens("run", PAPERS, *here).code == 0
    change, flip = "SET body = overlay(body placing '~' from 40 for 1)", "SET body = set_byte(body, 40, get_byte(body, 40) # 1)"
    postgres.query(
        f"UPDATE answers {change} WHERE cell_key = (SELECT min(cell_key) FROM answers WHERE status = 'reported')", "flipped"
    )
    postgres.query(f"UPDATE paper_texts {flip} WHERE sha256 = (SELECT min(sha256) FROM paper_texts)", "flipped")
    checked = methodlens("ledger", "check", *here)
    assert checked.code == 1
    assert [line.split()[0] for line in checked.err.splitlines() if "checksum" in line] == ["paper_texts", "answers"]
    assert "rerun 'methodlens run'" in checked.err
    assert methodlens("run", PAPERS, *here).code == 0
    assert methodlens("ledger", "check", *here).code == 0


def test_a_ledger_that_0_1_0_wrote_is_upgraded_without_loss_and_plain_sql_reads_it(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database("old")
    copy_to_postgres(write_old_ledger(tmp_path), url)
    for _ in range(2):
        with Ledger.on(url) as ledger:
            assert exported(ledger) == list(lines_of_0_1_0())
            assert list(check(ledger)) == []
            assert (len(ledger.annotations()), len(list(ledger.calls()))) == (1, 3)
    check_views(lambda query: postgres.query(query, "old"))
    assert dict(postgres.query("SELECT jsonb_typeof(authors), count(*) FROM papers GROUP BY 1", "old")).keys() == {"array"}


def copy_to_postgres(path: Path, url: str) -> None:
    """The rows of an old SQLite ledger in a database with the schema of the same version."""
    engine = database_engine(database_url(url))
    with sqlite3.connect(path) as source, engine.begin() as target:
        source.row_factory = sqlite3.Row
        versions = source.execute("SELECT version FROM schema_version").fetchall()
        for step in STEPS[: len(versions)]:
            step(target)
        target.execute(text("CREATE TABLE schema_version (version integer PRIMARY KEY)"))
        for (table,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in map(dict, source.execute(f"SELECT * FROM {table}")):
                values = {name: bool(value) if name == "estimated" else value for name, value in row.items()}
                target.execute(insert(sql_table(table, *map(column, values))).values(values))
    source.close()
    engine.dispose()


def test_views_can_be_read_whatever_characters_a_reader_wrote(postgres: Server) -> None:
    url = postgres.new_database("characters")
    with Ledger.on(url, create=True) as ledger:
        ledger.begin(RUN, NAMES)
        strange = replace(CELL, answer=replace(CELL.answer, raw="a zero: \x00, a letter beyond the first plane: \U0001d4d0"))
        ledger.keep_result(RUN.id, result_of(ENTRY, PAPER, [strange]))
        (stored_cell,) = ledger.cells(RUN, ENTRY, PAPER.parser)
        assert stored_cell.answer.raw == strange.answer.raw.replace("\x00", "\ufffd")
    assert postgres.query("SELECT question, answer, p_reported FROM cells", "characters") == [("Q1", "On a barge.", 0.9)]


def test_a_bad_address_is_one_line_with_the_fix_and_writes_nothing(
    postgres: Server,
    methodlens: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = postgres.new_database("bad")
    nobody = "postgresql://ann:canary-in-url@127.0.0.1:1/x"

    def error(address: str, *more: object) -> str:
        line = one_line(methodlens("run", PAPERS, "--ledger", address, "--out", tmp_path / "o", *more))
        assert "canary" not in line
        return line

    assert "start the server" in error(nobody)
    assert "createdb" in error(postgres.url("nowhere"))
    assert "correct what follows the ?" in error(f"{url}?bogus=1")
    assert "there is no ledger" in one_line(methodlens("export", "--ledger", url))
    monkeypatch.setenv("PGPASSWORD", "canary-wrong")
    assert "PGPASSWORD" in error(url)
    monkeypatch.delenv("PGPASSWORD")
    assert "PGPASSWORD" in error(url)
    monkeypatch.setenv("REVIEW_DB", PASSWORD)
    named = methodlens("run", PAPERS, "--ledger", url, "--out", tmp_path / "o", "--set", "ledger_password_variable=REVIEW_DB")
    assert named.code == 0
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    postgres.query("INSERT INTO schema_version (version) VALUES (99)", "bad")
    assert "upgrade methodlens" in error(url)
    other = postgres.new_database("other")
    postgres.query("CREATE TABLE papers (id int)", "other")
    assert "use a separate database" in error(other)
    assert postgres.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", "other") == [(1,)]


def test_a_password_in_the_url_causes_a_warning(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD")
    url = postgres.new_database("warned").replace("@", f":{PASSWORD}@")
    code, errors = ended(start(url, tmp_path, "--questions", "dl-methods"))
    assert code == 0
    assert "use PGPASSWORD instead" in errors
    assert PASSWORD not in errors


def test_the_password_appears_nowhere(
    postgres: Server,
    methodlens: Call,  # noqa: F811
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.delenv("PGPASSWORD")
    url = postgres.new_database("canary")
    monkeypatch.setenv("METHODLENS_LEDGER", url.replace("@", f":{PASSWORD}@"))
    running = subprocess.Popen(
        [sys.executable, "-m", "methodlens.cli.app", "run", str(PAPERS), "--out", str(tmp_path / "o")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    listed = ""
    while running.poll() is None:
        listed += subprocess.run(["ps", "-ww", "-eo", "args"], check=True, capture_output=True, text=True).stdout
        time.sleep(0.3)
    seen = [methodlens(*words, "--out", tmp_path / "o") for words in (("export",), ("doctor",), ("ledger", "check"))]
    assert [each.code for each in seen] == [0, 0, 0]
    texts = [running.communicate()[0], listed, caplog.text, *(text for each in seen for text in (each.out, each.err))]
    assert "methodlens.cli.app" in listed
    assert not any(PASSWORD in text for text in texts)
    files = [path for path in (tmp_path / "o").rglob("*") if path.is_file()]
    assert files
    assert not any(PASSWORD.encode() in path.read_bytes() for path in files)
    assert not any(PASSWORD in str(row) for row in postgres.query("SELECT * FROM runs", "canary"))
