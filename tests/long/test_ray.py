"""A Ray cluster of two nodes on loopback, with its authentication on: the same cells as this machine gives, whatever dies."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.nodes import Nodes, nodes
from benchmarks.synthetic import fill
from tests.long import postgres
from tests.papers.made import bomb, one_page

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]  # Ray warns about itself

QUESTIONS = "Which hardware was the model trained on?\nWhich optimizer was used?\nIs the code available?\n"
PAPERS = 40


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty papers, and one that would take its reader down."""
    folder = tmp_path_factory.mktemp("corpus")
    fill(folder / "papers", PAPERS)
    (folder / "papers" / "0000" / "poison.pdf").write_bytes(one_page(bomb(b"BT /F 11 Tf 40 500 Td (gulls) Tj ET ", 3000)))
    (folder / "questions.txt").write_text(QUESTIONS)
    return folder


@pytest.fixture(autouse=True)
def with_ray() -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'methodlens[ray]'")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    with nodes(2) as running:
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        yield running


def start(papers: Path, out: Path, *more: object) -> "subprocess.Popen[str]":
    options = ["--questions", papers / "questions.txt", "--out", out, "--set", "retrieval.ranking=lexical", *more]
    command = [sys.executable, "-m", "methodlens.cli.app", "run", papers / "papers", *options]
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> str:
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return said


def exported(out: Path, *more: str) -> list[dict[str, Any]]:
    """Every cell but for its times."""
    command = [sys.executable, "-m", "methodlens.cli.app", "export", "--format", "jsonl", "--out", str(out), *more]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [{**json.loads(line), "seconds": None} for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def from_here(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    out = tmp_path_factory.mktemp("here")
    finish(start(papers, out))
    return exported(out)


def test_a_node_killed_in_the_middle_loses_and_doubles_no_cell_and_poison_harms_no_other_paper(
    papers: Path, tmp_path: Path, cluster: Nodes, from_here: list[dict[str, Any]]
) -> None:
    process = start(papers, tmp_path, "--engine", "ray", "--address", cluster.address)
    assert process.stderr
    for line in process.stderr:
        if (found := re.search(r"(\d+)/\d+ papers read", line)) and 3 <= int(found[1]) < PAPERS - 5:
            cluster.kill()
            break
    else:
        pytest.fail("it was over before a node could be killed")
    finish(process)
    cells = exported(tmp_path)
    assert cells == from_here
    assert len(cells) == (PAPERS + 1) * 3
    unreadable = {cell["paper"] for cell in cells if cell["status"] == "unreadable"}
    assert unreadable == {"0000/poison.pdf"}
    finish(start(papers, tmp_path, "--engine", "ray", "--address", cluster.address))
    assert exported(tmp_path) == from_here


def test_the_ledger_may_be_postgresql(
    papers: Path, tmp_path: Path, cluster: Nodes, from_here: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres.server() as server:
        monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)
        where = ("--ledger", server.new_database("corpus"))
        finish(start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address, *where))
        assert exported(tmp_path / "out", *where) == from_here


def test_a_cluster_whose_token_one_has_not_is_one_line(
    papers: Path, tmp_path: Path, cluster: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
    _refused(start(papers, tmp_path, "--engine", "ray", "--address", cluster.address), "token")


def test_workers_without_our_package_are_one_line(papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shadow = tmp_path / "path" / "methodlens"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("")
    with nodes(1, PYTHONPATH=str(shadow.parent)) as cluster:
        for name, value in cluster.environ.items():
            monkeypatch.setenv(name, value)
        process = start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address)
        _refused(process, "install methodlens .* on every node")


def _refused(process: "subprocess.Popen[str]", said: str) -> None:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 2, errors
    assert "Traceback" not in errors
    assert re.search(f"methodlens: .*{said}", errors), errors
