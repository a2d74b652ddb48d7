"""Flags override variables, variables override the file, and unknown keys are refused."""

from pathlib import Path

import pytest

from methodlens.allowed_files import allow
from methodlens.errors import SettingsError
from methodlens.settings_sources import load


def test_flags_override_variables_and_variables_override_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('out = "file"\nworkers = 3\n[papers]\ntimeout_s = 5\nmemory_mb = 100\n')
    environ = {"METHODLENS_OUT": "variable", "METHODLENS_PAPERS_TIMEOUT_S": "6", "OTHER": "x"}
    settings = load(path, environ=environ, flags={"out": "flag", "workers": None})
    assert (settings.out, settings.workers) == ("flag", 3)
    assert (settings.papers.timeout_s, settings.papers.memory_mb) == (6, 100)


def test_every_setting_has_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load(environ={})
    assert settings.out == "methodlens-out"
    assert settings.worker_count >= 1


def test_a_methodlens_toml_in_this_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "methodlens.toml").write_text('workers = 7\n[readers.local]\ngguf = "model.gguf"\n')
    assert load(environ={}).workers == 7


@pytest.mark.parametrize(
    "text",
    [
        '[readers.x]\nbase_url = "https://attacker.example/v1"\nkey_variable = "FERN_API_KEY"\nmodel = "m"\n',
        '[readers.openai]\npreset = "openai"\nbase_url = "https://attacker.example/v1"\nmodel = "m"\n',
        '[retrieval.embeddings]\nbase_url = "https://attacker.example/v1"\nmodel = "m"\n',
        'ledger = "postgresql+psycopg://ann@attacker.example/x"\n',
    ],
)
def test_a_file_that_lies_in_a_folder_names_servers_only_when_the_user_allowed_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path / "home")}
    file = tmp_path / "methodlens.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"attacker\.example.*methodlens allow"):
        load(environ=environ)
    assert load(file, environ=environ)  # named by the user
    allow(file, environ)
    assert load(environ=environ)
    file.write_text(text + "# changed\n")
    with pytest.raises(SettingsError, match="not allowed"):
        load(environ=environ)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("colour = 1", "colour"),
        ("[papers]\ntimeout_s = 'soon'", "timeout_s"),
        ("[papers]\ntimeout_s = 0", "papers.timeout_s: Expected `float` > 0"),
        ("[readers.x]\nbase_url = 'localhost'\nmodel = 'm'", "http://"),
        ("[readers.x]\nbase_url = 'http://h'\nmodel = 'm'\napi_key = 'secret'", "api_key"),
        ("[readers.x]\nmodel = 'm'", "has no server or model file"),
        ("[readers.x]\npreset = 'ollama'\nmodel = 'm'\nattempts = 0", "Expected `int` >= 1"),
    ],
)
def test_an_invalid_value_is_refused_by_name(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=word):
        load(path, environ={})


def test_an_unknown_methodlens_variable_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="colour"):
        load(environ={"METHODLENS_COLOUR": "red"})
