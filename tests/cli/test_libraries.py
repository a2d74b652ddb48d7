"""run --zotero and mcp: what the command line refuses."""

from pathlib import Path

import pytest

from methodlens.cli import mcp
from tests.cli.conftest import Call, one_line


def test_a_run_needs_either_papers_or_a_library(methodlens: Call, tmp_path: Path) -> None:
    assert "name either PAPERS or a library with --zotero" in one_line(methodlens("run"))
    assert "name either PAPERS or a library" in one_line(methodlens("run", tmp_path, "--zotero", tmp_path))


def test_a_folder_that_is_no_library_is_named_with_the_fix(methodlens: Call, tmp_path: Path) -> None:
    assert "is not a Zotero library: name Zotero's data folder" in one_line(methodlens("run", "--zotero", tmp_path))


def test_without_the_sdk_the_message_names_the_extra(methodlens: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    assert "pip install 'methodlens[mcp]'" in one_line(methodlens("mcp", tmp_path))


def test_a_server_without_papers_is_refused(methodlens: Call, tmp_path: Path) -> None:
    assert "there are no papers to serve" in one_line(methodlens("mcp", "--out", tmp_path / "none"))
    assert not (tmp_path / "none").exists()
