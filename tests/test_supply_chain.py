"""What is installed: the lock file and the bill of materials."""

import json
import re
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


def test_the_lock_file_has_a_version_and_a_hash_for_every_requirement_and_no_address() -> None:
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    locked = dict(line.split(" ", 1)[0].split("==") for line in lines)
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[^ ]+ --hash=sha256:[0-9a-f]{64}", line)] == []
    assert "://" not in text
    extras = PROJECT["optional-dependencies"]
    wanted = [
        *PROJECT["dependencies"],
        *(line for name in ("dev", "docs", "examples", "frames", "pdf", "web") for line in extras[name]),
    ]
    for requirement in map(Requirement, wanted):
        if requirement.name != "methodlens":
            version_locked = locked.get(canonicalize_name(requirement.name), "none")
            assert version_locked != "none", f"{requirement}: run `make lock`"
            assert requirement.specifier.contains(version_locked), f"{requirement}: run `make lock`"
