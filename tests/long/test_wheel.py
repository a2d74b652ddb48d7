"""The wheel works in a fresh environment: it contains all data files."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent.parent


def test_the_wheel_in_a_fresh_environment_answers_the_examples(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("methodlens-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    subprocess.run([binaries / "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
    run: list[str | Path] = [binaries / "methodlens", "run", EXAMPLES / "papers", "--out", tmp_path / "out", "--json"]
    done = subprocess.run(run, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert json.loads(done.stdout)["summary"]["papers"] == {"ok": 4, "no_text": 1}
    replay: list[str | Path] = [binaries / "methodlens", "replay", *sorted((EXAMPLES / "transcripts").glob("*.txt")), "--json"]
    assert len(json.loads(subprocess.run(replay, check=True, capture_output=True, text=True, cwd=tmp_path).stdout)) == 5
    (tmp_path / "labels.csv").write_text("paper,Source Code,Dataset\nrented-cpu,no,yes\neverything-reported,yes,yes\n")
    measure: list[str | Path] = [binaries / "methodlens", "evaluate", "--gold", "labels.csv", "--mapping", "study-categories"]
    measured = subprocess.run([*measure, "--out", tmp_path / "out", "--json"], check=True, capture_output=True, cwd=tmp_path)
    assert json.loads(measured.stdout)["evaluation"]["asked"] == 4
    assert (tmp_path / "out" / "agreement.html").read_text().count("<svg") >= 2
