"""A Ray cluster of two nodes on loopback, with its authentication on: the same cells as this machine gives, whatever dies."""

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def cluster() -> Iterator[Any]:
    with _cluster() as running:
        yield running


class _cluster:  # noqa: N801 - used as a function
    """A head with one core; nodes are added by the test. Its token is known to this process and its children only."""

    def __init__(self, **environ: str) -> None:
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
        self._environ = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        } | environ
        self._patch = pytest.MonkeyPatch()

    def __enter__(self) -> Any:
        for name, value in self._environ.items():
            self._patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        return self._cluster

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()
        self._patch.undo()


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
    papers: Path, tmp_path: Path, cluster: Any, from_here: list[dict[str, Any]]
) -> None:
    victim = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    process = start(papers, tmp_path, "--engine", "ray", "--address", cluster.address)
    assert process.stderr
    for line in process.stderr:
        if (found := re.search(r"(\d+)/\d+ papers read", line)) and 3 <= int(found[1]) < PAPERS - 5:
            cluster.remove_node(victim, allow_graceful=False)
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


def test_the_ledger_may_be_postgresql(papers: Path, tmp_path: Path, cluster: Any, from_here: list[dict[str, Any]]) -> None:
    with postgres.running(tmp_path) as server:
        where = ("--ledger", server.full_url)
        finish(start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address, *where))
        assert exported(tmp_path / "out", *where) == from_here


def test_a_cluster_whose_token_one_has_not_is_one_line(
    papers: Path, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
    _refused(start(papers, tmp_path, "--engine", "ray", "--address", cluster.address), "token")


def test_workers_without_our_package_are_one_line(papers: Path, tmp_path: Path) -> None:
    shadow = tmp_path / "path" / "methodlens"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("")
    before = os.environ.get("PYTHONPATH", "")
    with _cluster(PYTHONPATH=str(shadow.parent)) as cluster, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", before)
        process = start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address)
        _refused(process, "install methodlens .* on every node")


def _refused(process: "subprocess.Popen[str]", said: str) -> None:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 2, errors
    assert "Traceback" not in errors
    assert re.search(f"methodlens: .*{said}", errors), errors
