"""Votes and repeats."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES
from tests.loopback import chat_reply, chat_server

PAPER = EXAMPLES / "papers" / "everything-reported.pdf"
ANSWER = "All models were trained on one server with 4 NVIDIA A100 GPUs."


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("Which hardware was used to train the models?\n")
    return path


def readers(**urls: str) -> list[str]:
    options = []
    for name, url in urls.items():
        settings = {"base_url": url, "model": "tiny", "prompt": "seeds"}
        options += [part for key, value in settings.items() for part in ("--set", f"readers.{name}.{key}={value}")]
        options += ["--reader", f"chat:{name}"]
    return options


def exported(methodlens: Call, out: Path, *arguments: object) -> list[dict[str, Any]]:
    outcome = methodlens("export", "--out", out, *arguments)
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_the_rule_is_stored_with_its_run_and_export_can_apply_another(methodlens: Call, tmp_path: Path, questions: Path) -> None:
    out = tmp_path / "out"
    with chat_server(chat_reply(ANSWER)) as yes, chat_server(chat_reply("I don't know.")) as no:
        asked = readers(a=yes.url, b=no.url, c=no.url)
        assert methodlens("run", PAPER, "--questions", questions, "--vote", "1-of-3", *asked, "--out", out).code == 0
    (row,) = exported(methodlens, out, "--reader", "vote")
    assert (row["status"], row["model"]) == ("reported", "1-of-3")
    assert row["votes"] == {"chat:a": "reported", "chat:b": "not_reported", "chat:c": "not_reported"}
    assert f"chat:a (reported): {ANSWER}" in row["answer"]
    assert "4 NVIDIA A100 GPUs" in row["evidence"][0]["quote"]
    statuses = {
        "majority": "not_reported",
        "unanimous": "withheld",
        "weighted:chat:a=2": "withheld",
        "weighted:chat:a=3": "reported",
    }
    for rule, status in statuses.items():
        (row,) = exported(methodlens, out, "--reader", "vote", "--vote", rule)
        assert (rule, row["status"]) == (rule, status)


def test_the_rule_can_be_a_setting(methodlens: Call, tmp_path: Path, questions: Path) -> None:
    settings = tmp_path / "methodlens.toml"
    settings.write_text('[vote]\nrule = "unanimous"\n')
    with chat_server(chat_reply(ANSWER)) as yes, chat_server(chat_reply("I don't know.")) as no:
        asked = readers(a=yes.url, b=no.url, c=no.url)
        methodlens("run", PAPER, "--questions", questions, "--settings", settings, *asked, "--out", tmp_path / "out")
    (row,) = exported(methodlens, tmp_path / "out", "--reader", "vote")
    assert (row["status"], row["model"]) == ("withheld", "unanimous")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("most", "unknown voting rule"),
        ("5-of-3", "never be reached"),
        ("2-of-3", "there are 2"),
        ("weighted:x=2", "unknown readers: x"),
    ],
)
def test_an_invalid_rule_is_refused_in_one_line_before_anything_is_asked(
    methodlens: Call, tmp_path: Path, questions: Path, rule: str, message: str
) -> None:
    with chat_server(chat_reply(ANSWER)) as server:
        asked = ["--reader", "embedded", *readers(a=server.url)]
        outcome = methodlens("run", PAPER, "--questions", questions, "--vote", rule, *asked, "--out", tmp_path / "out")
        assert server.requests == []
    assert message in one_line(outcome)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_repeats_leave_the_export_unchanged_and_report_stability(methodlens: Call, tmp_path: Path, questions: Path) -> None:
    out = tmp_path / "out"
    with chat_server(chat_reply(ANSWER)) as server:
        asked = ["--questions", questions, "--reader", "embedded", *readers(a=server.url), "--out", out]
        methodlens("run", PAPER, *asked)
        before = exported(methodlens, out)
        outcome = methodlens("run", PAPER, *asked, "--repeat", 3)
        assert len(server.requests) == 3
        again = json.loads(methodlens("run", PAPER, *asked, "--repeat", 3, "--json").out)
        assert len(server.requests) == 3
    assert exported(methodlens, out) == before
    assert "embedded: deterministic, asked once" in outcome.out
    assert "chat:a: 1 cells, 3 pairs of answers: same verdicts 100%, quotes 100%, words 100%" in outcome.out
    assert [result["asked"] for result in again["stability"]] == [1, 3]
    assert "same verdicts 100%" in (out / "report.html").read_text(encoding="utf-8")
    everything = exported(methodlens, out, "--repeats")
    assert [row["reader"] for row in everything] == ["embedded", "chat:a", "chat:a#2", "chat:a#3", "vote", "final"]
    assert [row["reader"] for row in exported(methodlens, out, "--repeats", "--reader", "chat:a#2")] == ["chat:a#2"]


def test_speculation_is_kept_apart_from_the_answer(methodlens: Call, tmp_path: Path, questions: Path) -> None:
    with chat_server(chat_reply("The hardware is not mentioned, but it was probably a GPU.")) as server:
        methodlens("run", PAPER, "--questions", questions, *readers(a=server.url), "--out", tmp_path / "out")
    (row,) = exported(methodlens, tmp_path / "out")
    assert (row["status"], row["answer"]) == ("not_reported", "The hardware is not mentioned.")
    assert row["speculation"] == "it was probably a GPU."
