"""The documentation matches the code, and its links work."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

from methodlens.facts.catalog import BUILT_IN
from methodlens.settings import ChatServer, EmbeddingServer, Settings

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"


def test_the_command_line_reference_matches_the_help_texts() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "cli_docs.py", "--check"], check=True)


def test_the_pages_of_the_checklists_match_the_question_sets() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "checklist_docs.py", "--check"], check=True)


def test_every_setting_is_documented() -> None:
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    keys = {*_keys(Settings), *_keys(EmbeddingServer, "retrieval.embeddings."), *_keys(ChatServer)}
    assert sorted(key for key in keys - {"readers", "retrieval.embeddings"} if f"`{key}`" not in page) == []


def test_every_fact_is_documented() -> None:
    page = (REFERENCE / "facts.md").read_text(encoding="utf-8")
    assert [fact_type.key for fact_type in BUILT_IN if f"`{fact_type.key}`" not in page] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "training/README.md", "examples/papers/README.md", "examples/plugin/README.md"]
)
def test_relative_links_lead_to_files(name: str) -> None:
    page = ROOT / name
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_documents_named_in_code_exist() -> None:
    files = [path for folder in ("src", "tests", "benchmarks", "training", "scripts") for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in files for name in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8"))}
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_files_named_in_the_documentation_exist() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    path = r"\b(?:src/methodlens|tests|benchmarks|training|scripts)/[\w/-]+\.(?:py|toml|json)\b"
    named = {name for page in pages for name in re.findall(path, page.read_text(encoding="utf-8"))}
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


@pytest.mark.long
def test_the_site_builds_without_dead_links(tmp_path: Path) -> None:
    pytest.importorskip("material")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0, done.stderr


def test_help_imports_nothing_heavy() -> None:
    heavy = "numpy bm25s sqlalchemy httpx pypdfium2 rich.table"
    code = f"import sys; import methodlens.cli.app; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def _keys(settings: type[Struct], prefix: str = "") -> Iterator[str]:
    for field in fields(settings):
        section = isinstance(field.type, type) and issubclass(field.type, Struct)
        yield from _keys(field.type, f"{field.name}.") if section else [f"{prefix}{field.encode_name}"]


def test_every_promise_of_the_security_page_names_tests_that_exist() -> None:
    page = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/.]+)`", page))
    assert len(named) > 20
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
