"""A settings file in the current folder names servers only after `methodlens allow`."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES


def test_a_received_folder_sends_nothing_until_its_settings_are_allowed(
    methodlens: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    table = '[readers.fern]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\nkey_variable = "HOME"\n'
    (tmp_path / "methodlens.toml").write_text(table)
    ask = ["ask", EXAMPLES / "papers" / "rented-cpu.pdf", "CQ20"]
    assert "if you trust it, run 'methodlens allow'" in one_line(methodlens(*ask))
    allowed = methodlens("allow")
    assert allowed.out.strip() == "readers.fern -> http://127.0.0.1:1/v1, with the key in HOME"
    assert methodlens(*ask).code == 0


def test_a_file_that_is_missing_is_one_line(methodlens: Call, tmp_path: Path) -> None:
    assert "does not exist" in one_line(methodlens("allow", tmp_path / "nothing.toml"))
