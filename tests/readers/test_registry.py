"""Readers by name: the built-in ones, and those of installed packages."""

from pathlib import Path

import pytest

from methodlens.errors import InputError, ReaderError
from methodlens.readers import configured, create
from methodlens.records import Paper, Question
from methodlens.settings import ChatServer, Settings

PLUGIN = """
from methodlens.records import Answer, ReaderInfo

class Echo:
    def __init__(self, argument=""):
        if argument == "bad":
            raise ValueError("bad is not a voice")
        self.info = ReaderInfo(f"echo:{argument}" if argument else "echo", "echo-1", f"echo-{argument}", deterministic=True)

    def read(self, question, paper, context):
        return Answer(question.text)

class Nameless(Echo):
    pass
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with entry points in the group `methodlens.readers`."""
    package = tmp_path / "some_readers-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: some-readers\nVersion: 1.0\n")
    points = {
        "echo": "some_readers:Echo",
        "nameless": "some_readers:Nameless",
        "gone": "no_such_module:X",
        "chat": "some_readers:Echo",
    }
    (package / "entry_points.txt").write_text("\n".join(["[methodlens.readers]", *(f"{n} = {p}" for n, p in points.items())]))
    (tmp_path / "some_readers.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "fingerprint"), [("echo", "echo-"), ("echo:loud", "echo-loud"), ("echo:a:b", "echo-a:b")])
def test_a_reader_of_an_installed_package_is_created_with_its_argument(name: str, fingerprint: str) -> None:
    reader = create(name, Settings(), {})
    assert (reader.info.name, reader.info.fingerprint) == (name, fingerprint)
    assert reader.read(Question("CQ1", "Which ferns?"), Paper("", ""), ()).text == "Which ferns?"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["fern", "fern:echo", "chat", "llama", "embedded:x", ":echo", ""])
def test_an_unknown_reader_is_refused_with_the_built_in_configured_and_installed_ones(name: str) -> None:
    settings = Settings(readers={"moss": ChatServer(base_url="http://a/v1", model="m")})
    with pytest.raises(ReaderError, match=r"use embedded, chat:moss, echo, gone, nameless, chat:PRESET/MODEL"):
        create(name, settings, {})


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("echo:bad", "bad is not a voice"),
        ("nameless", "has no ReaderInfo with that name"),
        ("gone", "some-readers cannot be loaded"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_refused_in_one_line(name: str, problem: str) -> None:
    with pytest.raises((ReaderError, InputError), match=problem) as caught:
        create(name, Settings(), {})
    assert caught.value.fix
    assert "\n" not in str(caught.value)


def test_configured_readers_are_listed_by_their_full_names() -> None:
    tables = {"moss": ChatServer(base_url="http://a/v1", model="m"), "fern": ChatServer(gguf="fern.gguf")}
    assert configured(Settings(readers=tables)) == ["chat:moss", "llama:fern"]
