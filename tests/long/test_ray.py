"""A Ray cluster of two nodes on loopback, with authentication: same cells as the local engine, whatever is killed."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.nodes import Nodes, nodes
from benchmarks.processes import all_processes, below
from benchmarks.synthetic import fill
from methodlens.ledger.calls import Outcome
from methodlens.ledger.store import Ledger
from tests.engine.serving import honest, write_settings
from tests.long import postgres
from tests.long.killing import kill_repeatedly
from tests.long.test_kill import look
from tests.loopback import chat_server
from tests.papers.raw_pdf import bomb, one_page

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]  # Ray itself causes warnings

ROOT = Path(__file__).parent.parent.parent
QUESTIONS = "Which hardware was the model trained on?\nWhich optimizer was used?\nIs the code available?\n"
PAPERS = 40


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty papers, and one that crashes its worker."""
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
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return errors


def exported(out: Path, *more: str) -> list[dict[str, Any]]:
    """Every cell, without times."""
    command = [sys.executable, "-m", "methodlens.cli.app", "export", "--format", "jsonl", "--out", str(out), *more]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [{**json.loads(line), "seconds": None} for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def local_cells(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    out = tmp_path_factory.mktemp("here")
    finish(start(papers, out))
    return exported(out)


def test_a_killed_node_and_a_crashing_paper_lose_and_duplicate_no_cell(
    papers: Path, tmp_path: Path, cluster: Nodes, local_cells: list[dict[str, Any]]
) -> None:
    process = start(papers, tmp_path, "--engine", "ray", "--address", cluster.address)
    assert process.stderr
    for line in process.stderr:
        if (progress := re.search(r"(\d+)/\d+ papers read", line)) and 3 <= int(progress[1]) < PAPERS - 5:
            cluster.kill()
            break
    else:
        pytest.fail("the run ended before a node could be killed")
    finish(process)
    cells = exported(tmp_path)
    assert cells == local_cells
    assert len(cells) == (PAPERS + 1) * 3
    unreadable = {cell["paper"] for cell in cells if cell["status"] == "unreadable"}
    assert unreadable == {"0000/poison.pdf"}
    finish(start(papers, tmp_path, "--engine", "ray", "--address", cluster.address))
    assert exported(tmp_path) == local_cells


def test_a_driver_killed_20_times_loses_no_cell_and_repeats_only_unfinished_calls(tmp_path: Path, cluster: Nodes) -> None:
    ray = ("--engine", "ray", "--address", cluster.address)  # a start takes seconds on Ray, so fewer kills than elsewhere
    kill_repeatedly(tmp_path, partial(look, tmp_path / "out" / "ledger.sqlite"), kills=20, questions=10, options=ray)


def test_ray_works_with_a_ledger_on_postgresql(
    papers: Path, tmp_path: Path, cluster: Nodes, local_cells: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres.server() as server:
        monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)
        where = ("--ledger", server.new_database("corpus"))
        finish(start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address, *where))
        assert exported(tmp_path / "out", *where) == local_cells


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Six papers, to which a test may add more."""
    fill(tmp_path / "few" / "papers", 6)
    (tmp_path / "few" / "questions.txt").write_text(QUESTIONS)
    return tmp_path / "few"


@contextmanager
def killing_workers_at(path: Path, cluster: Nodes) -> Iterator[set[int]]:
    """Kills every worker of the cluster that opens this file, and yields the set of killed pids."""
    killed: set[int] = set()
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.005):
            for process in below([cluster.pid], all_processes()):
                if process.name.startswith("ray::") and str(path) in opened_by(process.pid):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.add(process.pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def opened_by(pid: int) -> set[str]:
    try:
        return {os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")}
    except OSError:
        return set()


def test_a_paper_that_always_kills_its_worker_is_given_up_and_affects_no_other_paper(
    few: Path, tmp_path: Path, cluster: Nodes, local_cells: list[dict[str, Any]]
) -> None:
    deadly = few / "papers" / "0000" / "deadly.pdf"
    deadly.write_bytes(b"%PDF-1.7")
    os.truncate(deadly, 290 << 20)  # a sparse file: slow to read, without using disk space
    with killing_workers_at(deadly, cluster) as killed:
        finish(start(few, tmp_path / "out", "--engine", "ray", "--address", cluster.address))
    cells = exported(tmp_path / "out")
    lost = [cell for cell in cells if cell["paper"] == "0000/deadly.pdf"]
    names = {cell["paper"] for cell in cells} - {"0000/deadly.pdf"}
    assert len(killed) == 6
    assert [cell["status"] for cell in lost] == ["unreadable"] * 3
    assert len(names) == 6
    assert [cell for cell in cells if cell["paper"] in names] == [cell for cell in local_cells if cell["paper"] in names]


def test_only_the_driver_asks_language_models_and_never_twice(
    few: Path, tmp_path: Path, cluster: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FERN_KEY", "canary")
    with chat_server(honest) as fern:
        table = {"base_url": fern.url, "key_variable": "FERN_KEY", "concurrency": 2}
        readers = ("--reader", "embedded", "--reader", "chat:fern", "--settings", write_settings(tmp_path / "s.toml", fern=table))
        ray = ("--engine", "ray", "--address", cluster.address)
        finish(start(few, tmp_path / "far", *ray, *readers))
        asked = len(fern.requests)  # a question without any passage causes no request
        assert 6 < asked <= 6 * 3
        assert {headers["authorization"] for headers in fern.headers} == {"Bearer canary"}
        finish(start(few, tmp_path / "far", *ray, *readers))
        assert len(fern.requests) == asked
        finish(start(few, tmp_path / "near", *readers))
        assert len(fern.requests) == 2 * asked
    assert exported(tmp_path / "far") == exported(tmp_path / "near")
    with Ledger.at(tmp_path / "far") as ledger:
        calls = Counter((call.reader, call.outcome) for call in ledger.calls())
    assert set(calls) == {("embedded", Outcome.ANSWERED), ("chat:fern", Outcome.ANSWERED)}
    assert set(calls.values()) == {6 * 3}


def test_a_wrong_cluster_token_is_an_error_in_one_line(
    papers: Path, tmp_path: Path, cluster: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
    _refused(start(papers, tmp_path, "--engine", "ray", "--address", cluster.address), "token")


def test_nodes_without_methodlens_are_an_error_in_one_line(papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shadow = tmp_path / "path" / "methodlens"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("")
    with nodes(1, PYTHONPATH=str(shadow.parent)) as cluster:
        for name, value in cluster.environ.items():
            monkeypatch.setenv(name, value)
        process = start(papers, tmp_path / "out", "--engine", "ray", "--address", cluster.address)
        _refused(process, "install methodlens .* on every node")


@pytest.fixture
def home() -> Iterator[Path]:
    """A temporary home folder whose name is short enough for Ray's sockets. All processes that use it are killed at the end."""
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        yield Path(folder)
        mark = f"HOME={folder}\0".encode()
        for pid in all_processes():
            with suppress(OSError):
                if mark in Path(f"/proc/{pid}/environ").read_bytes():
                    os.kill(pid, signal.SIGKILL)


@contextmanager
def _first_killed(name: str, home: Path) -> Iterator[list[int]]:
    """Kills the first process of this home folder with `name` in its command line: its pid, as soon as it is dead."""
    killed: list[int] = []
    done = threading.Event()
    mark = f"HOME={home}\0".encode()

    def watch() -> None:
        while not killed and not done.wait(0.02):
            for process in all_processes().values():
                with suppress(OSError):
                    if name in process.name and mark in Path(f"/proc/{process.pid}/environ").read_bytes():
                        os.kill(process.pid, signal.SIGKILL)
                        killed.append(process.pid)
                        break

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield killed
    finally:
        done.set()
        watcher.join()


def _client_server_logs(home: Path) -> str:
    return "".join(f"\n{log.name}:\n{log.read_text()[-2000:]}" for log in home.rglob("ray_client_server*.err"))


def test_the_cluster_commands_in_the_documentation_work_also_with_ray_client(few: Path, home: Path, tmp_path: Path) -> None:
    for port in (6379, 10001):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                pytest.skip(f"port {port} is taken")
    guide = (ROOT / "docs" / "how-to" / "many-papers.md").read_text()
    commands = re.search(r"```sh\n(export RAY_AUTH_MODE.*?)```", guide, re.DOTALL)
    assert commands
    script = commands[1].replace("FIRST", "127.0.0.1").replace("/shared/papers", str(few / "papers"))
    assert script.count("ray start") == 2
    script += "methodlens export --format jsonl --out review > review.jsonl\n"
    if find_spec("grpc"):
        client = f"--address ray://127.0.0.1:10001 --out client --questions {few / 'questions.txt'} --no-pages"
        script += f"methodlens run {few / 'papers'} --engine ray {client}\n"
    environ = os.environ | {
        "HOME": str(home),
        "RAY_TMPDIR": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    with _first_killed("specific-server", home) as killed:
        done = subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + _client_server_logs(home)
    assert len(killed) == bool(find_spec("grpc"))
    assert oct((home / ".ray" / "auth_token").stat().st_mode)[-3:] == "600"
    assert {json.loads(line)["status"] for line in (tmp_path / "review.jsonl").read_text().splitlines()} >= {"reported"}
    if find_spec("grpc"):
        finish(start(few, tmp_path / "here", "--set", "retrieval.ranking=learned"))
        assert exported(tmp_path / "client") == exported(tmp_path / "here")


def _refused(process: "subprocess.Popen[str]", message: str) -> None:
    _, errors = process.communicate()
    assert process.returncode == 2, errors
    assert "Traceback" not in errors
    assert re.search(f"methodlens: .*{message}", errors), errors
