"""What is installed: the lock file and the bill of materials."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_bill_of_materials_lists_every_dependency_with_its_version_and_no_path(tmp_path: Path) -> None:
    path = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "scripts" / "sbom.py", "--extra", "web", "--to", path], check=True)
    text = path.read_text(encoding="utf-8")
    bill = json.loads(text)
    listed = {component["name"]: component["version"] for component in bill["components"]}
    wanted = [canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]]
    assert {name: listed.get(name) for name in wanted} == {name: version(name) for name in wanted}
    assert "fastapi" in listed
    assert "ruff" not in listed
    refs = {component["bom-ref"] for component in (*bill["components"], bill["metadata"]["component"])}
    assert {each["ref"] for each in bill["dependencies"]} == refs
    assert str(ROOT) not in text
    assert sys.prefix not in text
