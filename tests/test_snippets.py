"""The Python in the documentation runs as it is printed."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import EXAMPLES

ROOT = EXAMPLES.parent
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader of the docs would be: with a.pdf, papers/ and labels.csv."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "papers" / "everything-reported.pdf", tmp_path / "a.pdf")
    (tmp_path / "papers").mkdir()
    shutil.copy(EXAMPLES / "papers" / "rented-cpu.pdf", tmp_path / "papers")
    (tmp_path / "labels.csv").write_text("paper,question,label\nrented-cpu.pdf,CQ20,yes\nrented-cpu.pdf,CQ28,no\n")
    return tmp_path


def blocks(path: Path) -> list[str]:
    return _BLOCK.findall(path.read_text(encoding="utf-8"))


def run(blocks: list[str], names: dict[str, Any]) -> dict[str, Any]:
    for block in blocks:
        exec(compile(block, "snippet", "exec"), names)
    return names


@pytest.mark.long
def test_the_page_on_python_runs_from_top_to_bottom(folder: Path) -> None:
    names = run(blocks(ROOT / "docs" / "python.md"), {})
    assert names["answer"].status.value == "reported"
    assert {cell["reader"] for cell in names["both"].cells} == {"embedded", "seeds", "vote", "final"}
    assert (folder / "cells.parquet").is_file()


def test_the_example_of_the_readme_runs(folder: Path) -> None:
    readers = [block for block in blocks(ROOT / "docs" / "python.md") if "class SeedReader" in block]
    names = run([blocks(ROOT / "docs" / "python.md")[0], *readers], {})
    shutil.rmtree(folder / "seeds")
    done = run(blocks(ROOT / "README.md"), {"MyReader": names["SeedReader"]})
    assert {cell["reader"] for cell in done["run"].cells} == {"embedded", "seeds", "vote", "final"}
    embedded = next(scores for scores in done["run"].evaluate("labels.csv").readers if scores.reader == "embedded")
    assert embedded.overall.figures["kappa"].value == 1.0


def test_the_example_plugin_of_the_guide_runs(folder: Path) -> None:
    names = run(blocks(ROOT / "docs" / "how-to" / "plugins.md"), {})
    answer = names["ml"].Lens(readers=[names["SeedReader"]()]).ask("a.pdf", "CQ24")
    assert answer.status.value == "reported"
    assert [fact.value for fact in names["DEPTH"].extract(["The pond is 3 m deep."])] == [3.0]
