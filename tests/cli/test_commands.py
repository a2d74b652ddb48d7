"""The commands on the shipped examples, as a new user would try them."""

import csv
import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.synthetic import fill
from tests.cli.conftest import Call
from tests.conftest import EXAMPLES
from tests.loopback import chat_reply, chat_server

PAPERS = EXAMPLES / "papers"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, answered once for the tests that only read."""
    folder = tmp_path_factory.mktemp("examples") / "out"
    command = [sys.executable, "-m", "methodlens.cli.app", "run", str(PAPERS), "--out", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert str(folder / "report.html") in done.stdout
    return folder


def cells(methodlens: Call, out: Path) -> dict[tuple[str, str], dict[str, object]]:
    lines = methodlens("export", "--out", out).out.splitlines()
    rows = [json.loads(line) for line in lines]
    return {(row["paper"], row["question"]): row for row in rows}


def test_every_paper_and_question_is_in_the_export(methodlens: Call, out: Path) -> None:
    assert len(cells(methodlens, out)) == 5 * 28


def test_reported_hardware_is_quoted_with_its_page(methodlens: Call, out: Path) -> None:
    cell = cells(methodlens, out)["everything-reported.pdf", "CQ20"]
    assert cell["status"] == "reported"
    assert "A100" in str(cell["answer"])
    assert "EPYC 7543" in json.dumps(cell["evidence"])
    assert '"boxes"' in json.dumps(cell["evidence"])
    assert {"name": "NVIDIA A100", "kind": "GPU", "count": 4, "memory_gb": 40} in cell["facts"]["hardware"]  # type: ignore[index]


def test_gpus_of_cited_work_do_not_count_as_reported(methodlens: Call, out: Path) -> None:
    cell = cells(methodlens, out)["silent-on-hardware.pdf", "CQ20"]
    assert cell["status"] == "not_reported"
    assert cell["evidence"] == []


def test_a_rented_machine_is_named_and_no_gpu_is_claimed(methodlens: Call, out: Path) -> None:
    cell = cells(methodlens, out)["rented-cpu.pdf", "CQ20"]
    assert cell["status"] == "reported"
    assert "m5.2xlarge" in str(cell["answer"])
    assert "GPU" not in json.dumps([cell["answer"], cell["facts"]])


def test_a_scanned_paper_has_the_status_no_text_and_no_reader_is_asked(methodlens: Call, out: Path) -> None:
    rows = [cell for (paper, _), cell in cells(methodlens, out).items() if paper == "scanned.pdf"]
    assert {row["status"] for row in rows} == {"unreadable"}
    assert {row["paper_status"] for row in rows} == {"no_text"}
    assert all(row["reported"] is None and not row["answer"] for row in rows)


def test_a_paper_without_deep_learning_reports_no_training_hardware_or_optimiser(methodlens: Call, out: Path) -> None:
    statuses = cells(methodlens, out)
    assert [statuses["no-deep-learning.pdf", f"CQ{n}"]["status"] for n in (15, 20)] == ["not_reported"] * 2
    assert statuses["no-deep-learning.pdf", "CQ13"]["status"] != "reported"  # nearly every paper on deep learning reports these


def test_a_second_run_asks_nothing_again(methodlens: Call, out: Path) -> None:
    again = methodlens("run", PAPERS, "--out", out, "--json")
    assert again.code == 0
    printed = json.loads(again.out)
    assert (printed["summary"]["asked"], printed["summary"]["kept"]) == (0, 4 * 28)
    assert printed["seconds"] > printed["summary"]["seconds"]  # the first includes planning and the report


def test_every_export_format_is_written(methodlens: Call, out: Path, tmp_path: Path) -> None:
    for kind, name in (("csv", "cells.csv"), ("jsonl", "cells.jsonl"), ("xlsx", "cells.xlsx"), ("transcripts", "transcripts")):
        assert methodlens("export", "--format", kind, "--out", out, "--to", tmp_path / name).code == 0
        assert (tmp_path / name).exists()
    assert len(list((tmp_path / "transcripts" / "embedded").glob("Publication_*_CQ*.txt"))) == 4 * 28


def test_an_export_counts_the_lines_of_its_table(methodlens: Call, out: Path, tmp_path: Path) -> None:
    def exported(table: str) -> str:
        return methodlens("export", "--format", "csv", "--table", table, "--out", out, "--to", tmp_path / "t.csv").err

    assert exported("answers").startswith("140 cells written")
    facts = exported("facts")
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        assert facts.startswith(f"{len(list(csv.reader(file))) - 1} facts written")
    assert exported("verdicts").startswith("5 lines of verdicts written")


def test_methodlens_runs_as_a_module_and_completes_commands() -> None:
    module = [sys.executable, "-m", "methodlens"]
    assert subprocess.run([*module, "--version"], capture_output=True, text=True).stdout.startswith("methodlens ")
    environment = os.environ | {"_METHODLENS_COMPLETE": "complete_bash", "COMP_WORDS": "methodlens se", "COMP_CWORD": "1"}
    script = [sys.executable, "-c", "import sys; sys.argv[0] = 'methodlens'; from methodlens.cli.app import main; main()"]
    completed = subprocess.run(script, capture_output=True, text=True, env=environment)
    assert completed.stdout.split() == ["search", "serve"]


def test_exported_transcripts_replay_to_the_same_verdict(methodlens: Call, out: Path, tmp_path: Path) -> None:
    methodlens("export", "--format", "transcripts", "--out", out, "--to", tmp_path)
    path = tmp_path / "embedded" / "Publication_everything-reported_CQ20.txt"
    (replayed,) = json.loads(methodlens("replay", path, "--json").out)
    assert replayed["now"]["status"] == replayed["before"]["status"] == "reported"
    assert "A100" in replayed["now"]["answer"]


def test_the_example_transcripts_are_answered_correctly(methodlens: Call) -> None:
    outcome = methodlens("replay", *sorted((EXAMPLES / "transcripts").glob("*.txt")), "--json")
    replays = {Path(replayed["file"]).stem.split("_")[1]: replayed for replayed in json.loads(outcome.out)}
    hardware = {
        name: {(item["name"], item["count"]) for item in replayed["now"]["facts"].get("hardware", [])}
        for name, replayed in replays.items()
    }
    assert {("NVIDIA RTX A5000", 4), ("Intel Xeon Silver 4314", 2)} <= hardware["gpus-cpus-ram"]
    assert ("NVIDIA Tesla P100", 5) in hardware["one-gpu-then-several"]
    assert ("NVIDIA Tesla T4", 12) in hardware["cluster-hours"]
    assert replays["cluster-hours"]["now"]["facts"]["training_time_h"] == 57
    assert "Reference" not in replays["cluster-hours"]["before"]["answer"]
    assert replays["silent"]["now"]["status"] == replays["silent"]["before"]["status"] == "not_reported"
    assert "n2-standard-8" in replays["rented-cpu"]["now"]["answer"]
    assert not any("GPU" in name or kind == "GPU" for name, kind in hardware["rented-cpu"])


def test_ask_answers_with_a_quote_and_its_page(methodlens: Call) -> None:
    outcome = methodlens("ask", PAPERS / "everything-reported.pdf", "Which GPUs were used for training?")
    assert outcome.code == 0
    assert "A100" in outcome.out
    assert "p. 2: “" in outcome.out


def test_ask_prints_not_reported(methodlens: Call) -> None:
    outcome = methodlens("ask", PAPERS / "silent-on-hardware.pdf", "CQ20")
    assert outcome.out.startswith("Not reported")


def test_show_raw_prints_the_raw_text_page_by_page(methodlens: Call) -> None:
    text = methodlens("show", PAPERS / "rented-cpu.pdf", "--raw").out
    assert text.count("\f") == 1
    second = methodlens("show", PAPERS / "rented-cpu.pdf", "--raw", "--page", 2).out
    assert second.strip() == text.split("\f")[1].strip()
    assert json.loads(methodlens("show", PAPERS / "rented-cpu.pdf", "--raw", "--json").out)["text"].strip() == text.strip()


def test_show_gives_title_status_sections_and_passages(methodlens: Call) -> None:
    text = methodlens("show", PAPERS / "rented-cpu.pdf").out
    assert "status:  ok" in text
    assert "introduction" in text
    shown = json.loads(methodlens("show", PAPERS / "rented-cpu.pdf", "--json").out)
    assert shown["pages"] == 2
    assert len(shown["passages"]) > 10


def test_questions_lists_the_sets_and_the_questions_of_one(methodlens: Call) -> None:
    assert "dl-methods" in methodlens("questions").out
    listed = json.loads(methodlens("questions", "dl-methods", "--json").out)["questions"]
    assert [question["id"] for question in listed] == [f"CQ{n}" for n in range(1, 29)]
    assert listed[19]["text"] == "Which hardware resources are used for training the deep learning model (e.g., GPUs, TPUs)?"


def test_a_dry_run_shows_the_plan_and_writes_nothing(methodlens: Call, tmp_path: Path) -> None:
    outcome = methodlens("run", PAPERS, "--dry-run", "--out", tmp_path / "out")
    assert "5 papers x 28 questions x 1 reader = 140 cells" in outcome.out
    assert not (tmp_path / "out").exists()


def test_doctor_lists_every_dependency_and_every_extra(methodlens: Call, tmp_path: Path) -> None:
    checked = {finding["what"] for finding in json.loads(methodlens("doctor", "--out", tmp_path, "--json").out)}
    metadata = importlib.metadata.metadata("methodlens")
    dependencies = {re.split(r"[^\w.-]", each)[0] for each in metadata.get_all("Requires-Dist") or () if "extra ==" not in each}
    extras = {f"[{name}]" for name in metadata.get_all("Provides-Extra") or () if name != "dev"}
    assert len(dependencies) >= 13
    assert dependencies | extras <= checked


def test_doctor_finds_no_problem_here_and_names_a_missing_key(methodlens: Call, tmp_path: Path) -> None:
    assert methodlens("doctor", "--out", tmp_path).code == 0
    wrong = [
        "--set",
        "readers.x.base_url=http://127.0.0.1:9",
        "--set",
        "readers.x.model=m",
        "--set",
        "readers.x.key_variable=NO_SUCH_KEY",
    ]
    outcome = methodlens("doctor", "--out", tmp_path, *wrong)
    assert outcome.code == 1
    assert "NO_SUCH_KEY" in outcome.out


def test_a_chat_server_and_the_embedded_reader_are_voted_on(methodlens: Call, tmp_path: Path) -> None:
    with chat_server(chat_reply("I don't know.")) as server:
        chat = [
            word for key in ("model=tiny", "prompt=seeds", f"base_url={server.url}") for word in ("--set", f"readers.local.{key}")
        ]
        paper = PAPERS / "silent-on-hardware.pdf"
        outcome = methodlens("run", paper, "--reader", "embedded", "--reader", "chat:local", "--out", tmp_path, *chat)
        assert outcome.code == 0
        assert len(server.requests) == 28
    rows = [json.loads(line) for line in methodlens("export", "--out", tmp_path, "--reader", "vote").out.splitlines()]
    hardware = next(row for row in rows if row["question"] == "CQ20")
    assert hardware["status"] == "not_reported"
    assert hardware["votes"] == {"embedded": "not_reported", "chat:local": "not_reported"}


@pytest.mark.long
def test_an_unreachable_chat_server_fails_its_cells_with_exit_code_1(methodlens: Call, tmp_path: Path) -> None:
    chat = ["--set", "readers.local.base_url=http://127.0.0.1:9/v1", "--set", "readers.local.model=tiny"]
    questions = tmp_path / "questions.txt"
    questions.write_text("Where do gulls sleep?\n")
    paper = PAPERS / "rented-cpu.pdf"
    outcome = methodlens("run", paper, "--questions", questions, "--reader", "chat:local", "--out", tmp_path / "out", *chat)
    assert outcome.code == 1
    assert "1 failed" in outcome.out


def test_a_closed_pipe_is_not_an_error(out: Path) -> None:
    export = f"{sys.executable} -m methodlens.cli.app export --out {out} | head -c 100"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", export], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""


def test_an_interrupted_run_can_be_resumed(methodlens: Call, tmp_path: Path) -> None:
    fill(tmp_path / "papers", 20)  # enough to be still running when the signal arrives
    (tmp_path / "questions.txt").write_text("Which hardware was the model trained on?\nWhich optimizer was used?\n")
    asked = ["--questions", str(tmp_path / "questions.txt"), "--workers", "1", "--no-pages"]
    run = ["run", str(tmp_path / "papers"), "--out", str(tmp_path / "out"), *asked]
    command = [sys.executable, "-m", "methodlens.cli.app", *run]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()  # the first line of progress: it is running
    process.send_signal(signal.SIGINT)
    messages = process.stderr.read()
    assert process.wait() == 130, messages
    assert messages.strip().splitlines()[-1].startswith("methodlens: interrupted")
    process.stderr.close()
    assert methodlens(*run).code == 0
