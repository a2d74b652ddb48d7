"""What several commands share: options, settings, readers, and how things are printed."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from methodlens.errors import InputError, SettingsError
from methodlens.settings import Settings
from methodlens.settings import load as load_settings

if TYPE_CHECKING:
    from rich.console import Console

    from methodlens.ledger.ledger import Ledger
    from methodlens.questions import QuestionSet
    from methodlens.records import Evidence, Paper, Question
    from methodlens.seams import Reader, Retriever

DEFAULT_SET = "dl-methods"
_PASSWORD = re.compile(r"://[^/@]*:[^/@]+@|[?&]password=")

SettingsFile = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="Settings in TOML. [default: ./methodlens.toml if there is one]")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting, e.g. --set papers.timeout_s=60. May be repeated."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="The folder of a run: its ledger and reports. [default: methodlens-out]"),
]
LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        help="A PostgreSQL database for the ledger, e.g. postgresql+psycopg://ann@db/review; password in PGPASSWORD or ~/.pgpass."
        " [default: a file in --out]",
    ),
]
Readers = Annotated[
    list[str] | None,
    typer.Option(
        "--reader",
        metavar="NAME",
        help="'embedded' (default), 'chat:NAME' for [readers.NAME] in the settings,"
        " 'chat:PRESET/MODEL' such as chat:ollama/qwen2.5, or 'llama:FILE.gguf'. May be repeated.",
    ),
]
Papers = Annotated[
    list[str],
    typer.Argument(
        metavar="PAPERS", help="PDFs, or folders: every PDF below them is read. With the extra 'cloud' URLs too: s3://..."
    ),
]
Workers = Annotated[int | None, typer.Option(help="Papers done at once. [default: one a core]", min=1)]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="local|ray", help="Where papers are done: on this machine, or on a Ray cluster.")
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="WHERE",
        help="The Ray cluster: 'auto' (the one this machine is in), HOST:6379, ray://HOST:10001, or 'local' for one of its own."
        " [default: auto]",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(help="Stop asking when the calls of this start have cost that much, by the prices in the settings.", min=0),
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Stop asking when the calls of this start have taken that many tokens.", min=0)
]
Questions = Annotated[
    str,
    typer.Option("--questions", metavar="FILE|SET", help="A shipped set, a TOML file, or a text file with one question a line."),
]
Vote = Annotated[
    str,
    typer.Option(
        "--vote",
        metavar="RULE",
        help="How readers' verdicts become one: majority, unanimous, 2-of-3, or weighted:embedded=2,chat:a=1.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]


def settings_from(
    path: Path | None, changes: Sequence[str] | None = None, *, out: Path | None = None, ledger: str | None = None
) -> Settings:
    flags: dict[str, Any] = {"out": str(out) if out else None, "ledger": ledger}
    for change in changes or ():
        key, equals, value = change.partition("=")
        if not equals or not key:
            raise SettingsError(f"--set {change!r} is not KEY=VALUE", "write for example --set papers.timeout_s=60")
        tree = flags
        *parents, last = key.strip().split(".")
        for parent in parents:
            tree = tree.setdefault(parent, {})
        tree[last] = value
    return load_settings(path, flags=flags)


def open_ledger(settings: Settings, *, create: bool = False, ping: bool = False) -> "Ledger":
    """The one that --ledger names, or the file in --out. `ping`: for who keeps it open for hours."""
    from methodlens.ledger.ledger import Ledger

    if not settings.ledger:
        return Ledger.at(Path(settings.out), create=create)
    password = os.environ.get(settings.ledger_password_variable)
    opened = Ledger.on(settings.ledger, password=password, create=create, lease_s=settings.ledger_lease_s, ping=ping)
    if _PASSWORD.search(settings.ledger) and any(settings.ledger in word for word in sys.argv):
        typer.echo("the password on the command line can be read by everybody on this machine: better set PGPASSWORD", err=True)
    return opened


def readers_from(names: Sequence[str] | None, settings: Settings) -> "list[Reader]":
    from methodlens.readers import EMBEDDED, create

    return [create(name, settings, os.environ) for name in names or [EMBEDDED]]


@contextmanager
def closing(readers: "Sequence[Reader]") -> Iterator[None]:
    """Hang up at the end, whatever happens."""
    from methodlens.seams import close_reader

    try:
        yield
    finally:
        for reader in readers:
            close_reader(reader)


def questions_from(spec: str, settings: Settings) -> "QuestionSet":
    """A set by name or file; bare questions with what is known of their like."""
    import msgspec

    from methodlens.engine.expand import understood
    from methodlens.questions import load

    found = load(spec)
    return msgspec.structs.replace(found, questions=understood(found.questions, settings.retrieval))


def question_from(text: str, spec: str, settings: Settings | None = None) -> "Question":
    """The question of the set with that id or text, or one of the user's own; that one bare unless settings are given."""
    from methodlens.engine.expand import understood
    from methodlens.questions import load
    from methodlens.records import Question

    if not text.strip():
        raise InputError("the question is empty", 'write it in quotes: methodlens ask paper.pdf "Which GPUs were used?"')
    for known in load(spec).questions:
        if text.strip().lower() in (known.id.lower(), known.text.strip().lower()):
            return known
    bare = Question(id="ask", text=text.strip())
    return understood([bare], settings.retrieval)[0] if settings else bare


def retriever_from(settings: Settings) -> "Retriever":
    from methodlens.retrieval import create

    return create(settings.retrieval, os.environ)


Choice = TypeVar("Choice", bound=StrEnum)


def one_of(choices: type[Choice], word: str, flag: str) -> Choice:
    """The choice of that name. (Not left to typer: the enumeration's module may be too heavy to load for --help.)"""
    try:
        return choices(word)
    except ValueError as err:
        raise InputError(f"{flag} {word!r} is unknown", f"it is one of: {', '.join(choices)}") from err


def only_paper(path: Path) -> Path:
    """The one PDF a command was given. What is not a PDF at all is an error here: there is nothing else to go on with."""
    from methodlens.papers import find

    if path.is_dir():
        raise InputError(f"{path} is a folder", "name one PDF; 'methodlens run' takes folders")
    (file,) = find([path])
    return file.path


def paper_from(path: Path, settings: Settings) -> "Paper":
    from methodlens.papers import WorkerPool

    with WorkerPool(1, settings.papers, settings.reading) as pool:
        return pool.parse(only_paper(path))


def console(*, stderr: bool = False, width_elsewhere: int | None = None) -> "Console":
    """`width_elsewhere` is for where there is no terminal to ask how wide it is."""
    from rich.console import Console

    screen = Console(stderr=stderr, highlight=False)
    if width_elsewhere and not screen.is_terminal:
        screen.width = width_elsewhere
    return screen


def print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def fail(message: str, *, code: int = 2) -> int:
    """One line on stderr; the exit code back."""
    print(f"methodlens: {' '.join(message.split())}", file=sys.stderr)
    return code


def evidence_lines(evidence: "Sequence[Evidence]") -> list[str]:
    return [f"  p. {', '.join(str(place.page) for place in quote.places) or '1'}: “{quote.quote}”" for quote in evidence]


def counts(numbers: Mapping[Any, int]) -> str:
    """'3 ok, 1 no_text'"""
    return ", ".join(f"{count} {name}" for name, count in sorted(numbers.items(), key=lambda item: -item[1])) or "none"
