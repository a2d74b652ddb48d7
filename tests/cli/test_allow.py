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
    table = '[readers.fern]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\nkey_variable = "FERN_API_KEY"\n'
    (tmp_path / "methodlens.toml").write_text(table)
    ask = ["ask", EXAMPLES / "papers" / "rented-cpu.pdf", "CQ20"]
    assert "if you trust it, run 'methodlens allow'" in one_line(methodlens(*ask))
    allowed = methodlens("allow")
    assert allowed.out.strip() == "readers.fern -> http://127.0.0.1:1/v1, with the key in FERN_API_KEY"
    assert methodlens(*ask).code == 0
    (tmp_path / "methodlens.toml").write_text(table.replace("FERN_API_KEY", "HOME"))
    methodlens("allow")
    assert "wants to send the variable HOME" in one_line(methodlens(*ask))


def test_a_server_that_gets_passages_is_named_first(methodlens: Call, tmp_path: Path) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text('[readers.fern]\nbase_url = "http://server.invalid/v1"\nmodel = "m"\nattempts = 1\n')
    asked = methodlens("ask", EXAMPLES / "papers" / "rented-cpu.pdf", "CQ20", "--reader", "chat:fern", "--settings", settings)
    assert asked.err.startswith("chat:fern sends passages of the papers to server.invalid\n")


def test_a_file_that_is_missing_is_one_line(methodlens: Call, tmp_path: Path) -> None:
    assert "does not exist" in one_line(methodlens("allow", tmp_path / "nothing.toml"))
