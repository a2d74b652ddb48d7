"""The documents say what is so."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_on_the_command_line_is_what_help_says() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "cli_docs.py", "--check"], check=True)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_help_loads_nothing_heavy() -> None:
    heavy = "numpy bm25s sqlalchemy httpx pypdfium2 rich.table"
    code = f"import sys; import methodlens.cli.app; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
