"""Checks of a model file before it is loaded. tests/long runs a real model."""

import sys
from pathlib import Path

import pytest

from methodlens.errors import ReaderError
from methodlens.readers import create
from methodlens.settings import ChatServer, Settings


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ReaderError, match=r"needs the extra 'local': pip install 'methodlens\[local\]'"):
        create(f"llama:{tmp_path / 'm.gguf'}", Settings(), {})


def test_a_missing_file_and_a_file_that_is_not_a_model_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", sys)  # any module: the file is checked first
    with pytest.raises(ReaderError, match=r"cannot be read .* gguf = "):
        create(f"llama:{tmp_path / 'm.gguf'}", Settings(), {})
    (tmp_path / "m.gguf").write_bytes(b"PK\x03\x04 a zip file")
    with pytest.raises(ReaderError, match="not a GGUF file"):
        create(f"llama:{tmp_path / 'm.gguf'}", Settings(), {})


def test_a_model_is_identified_by_its_content_not_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", sys)
    for name, data in {"a": b"GGUF one", "b": b"GGUF one", "c": b"GGUF two"}.items():
        (tmp_path / f"{name}.gguf").write_bytes(data)
    table = Settings(readers={"mine": ChatServer(model="m", gguf=str(tmp_path / "a.gguf"))})
    again = Settings(readers={"mine": ChatServer(model="m", gguf=str(tmp_path / "b.gguf"))})
    other = Settings(readers={"mine": ChatServer(model="m", gguf=str(tmp_path / "c.gguf"))})
    first, same, third = (create("llama:mine", settings, {}) for settings in (table, again, other))
    assert first.info.fingerprint == same.info.fingerprint != third.info.fingerprint
    assert "sha256:" in first.info.model
