"""Write requirements-dev.lock: the exact version and hash of everything that development and CI install.

    python scripts/lock.py

Run it with the Python version of CI (3.11) on Linux x86-64: pip resolves for the system it runs on, and the hashes are those of
the files that it chose. Nothing is installed. To install from the lock file:

    pip install --require-hashes -r requirements-dev.lock && pip install --no-deps --editable .
"""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-dev.lock"


def resolved(requirement: str) -> list[dict[str, Any]]:
    """What pip would install into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        subprocess.run([*command, "--editable", requirement], cwd=ROOT, check=True)  # noqa: S603 - pip of this interpreter
        packages: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
        return packages


def lines(packages: list[dict[str, Any]]) -> list[str]:
    """A line per package, without the address that it comes from: mirrors have the same files."""
    locked: list[str] = []
    for package in packages:
        name, info = canonicalize_name(package["metadata"]["name"]), package["download_info"]
        if "archive_info" in info:  # not methodlens itself, which is a folder
            locked.append(f"{name}=={package['metadata']['version']} --hash=sha256:{info['archive_info']['hashes']['sha256']}")
    return sorted(locked)


def main() -> None:
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version().rpartition('.')[0]}"
    header = f"# Made by `make lock` on {system}: see scripts/lock.py.\n"
    locked = lines(resolved(".[dev]"))
    LOCK.write_text(header + "".join(f"{line}\n" for line in locked), encoding="utf-8")
    print(f"{len(locked)} packages in {LOCK.name}")


if __name__ == "__main__":
    main()
