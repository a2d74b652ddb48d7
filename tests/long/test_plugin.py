"""The example plugin, installed by pip: the same cells in one process, with child processes and on Ray."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.nodes import nodes
from benchmarks.synthetic import fill
from tests.conftest import EXAMPLES

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]  # Ray itself causes warnings

PAPERS = 14  # enough for child processes
READERS = ("--reader", "gulls", "--reader", "gulls:1", "--reader", "embedded", "--vote", "any-reader")
ENGINES: Mapping[str, tuple[str, ...]] = {
    "one process": ("--workers", "1"),
    "children": ("--workers", "2"),
    "ray": ("--engine", "ray", "--address", "local", "--workers", "2"),
}
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'methodlens[ray]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip installed the plugin into."""
    folder = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "plugin"  # a copy: a build writes into its folder
    shutil.copytree(EXAMPLES / "plugin", source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--target", folder, source], check=True)
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PDFs, and a paper in the plugin's own format."""
    folder = tmp_path_factory.mktemp("corpus")
    fill(folder, PAPERS)
    (folder / "harbour.txt").write_text("Gulls of a small harbour\n\nVolunteers walked 12 km around the harbour each morning.\n")
    return folder


def methodlens(site: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(site)})


def cells(site: Path, corpus: Path, out: Path, *options: str) -> list[dict[str, Any]]:
    """Every cell of a new run, without times."""
    done = methodlens(site, "run", corpus, "--questions", "gulls", *READERS, *options, "--out", out, "--no-pages")
    assert done.returncode == 0, done.stderr
    exported = methodlens(site, "export", "--out", out)
    return [{**json.loads(line), "seconds": None} for line in exported.stdout.splitlines()]


@pytest.fixture(scope="module")
def local_cells(site: Path, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return cells(site, corpus, tmp_path_factory.mktemp("local"), *ENGINES["one process"])


def test_every_part_of_the_plugin_is_used(local_cells: list[dict[str, Any]]) -> None:
    assert len(local_cells) == (PAPERS + 1) * 2 * 5  # questions; readers, the vote and the final word
    assert {cell["model"] for cell in local_cells if cell["reader"] == "vote"} == {"any-reader"}
    facts = {(cell["paper"], cell["reader"]): cell["facts"] for cell in local_cells if cell["question"] == "G1"}
    assert facts["harbour.txt", "gulls"] == facts["harbour.txt", "embedded"] == {"walk_km": 12}
    assert sum("walk_km" in found for found in facts.values()) > PAPERS


@pytest.mark.parametrize("engine", ["children", pytest.param("ray", marks=needs_ray)])
def test_cells_are_the_same_under_every_engine(
    site: Path, corpus: Path, tmp_path: Path, local_cells: list[dict[str, Any]], engine: str
) -> None:
    assert cells(site, corpus, tmp_path, *ENGINES[engine]) == local_cells


@needs_ray
def test_a_node_with_another_revision_of_a_fact_type_is_refused(
    site: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "site"
    shutil.copytree(site, other, ignore=shutil.ignore_patterns("__pycache__"))
    module = other / "methodlens_gulls" / "field_work.py"
    module.write_text(module.read_text().replace('key="walk_km",', 'key="walk_km",\n    revision=7,'))
    with nodes(1, PYTHONPATH=str(other)) as cluster:
        for name, value in cluster.environ.items():
            monkeypatch.setenv(name, value)
        ray = ("--engine", "ray", "--address", cluster.address)
        done = methodlens(site, "run", corpus, "--questions", "gulls", *ray, "--out", tmp_path / "out", "--no-pages")
    assert done.returncode == 2, done.stderr
    assert re.search(r"methodlens: .* has fact types hardware@\d, walk_km@7, this machine hardware@\d, walk_km@0", done.stderr)
    assert not (tmp_path / "out").exists()
