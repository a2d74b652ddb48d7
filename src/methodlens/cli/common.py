"""Shared by the commands: options, settings, the Lens, and printing."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from methodlens.errors import InputError, SettingsError
from methodlens.settings import Settings
from methodlens.settings_sources import load as load_settings

if TYPE_CHECKING:
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.store import Ledger
    from methodlens.lens import Lens

DEFAULT_SET = "dl-methods"
_PASSWORD = re.compile(r"://[^/@]*:[^/@]+@|[?&]password=")

SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", metavar="FILE", help="TOML settings. [default: ./methodlens.toml if it exists]"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a setting, such as papers.timeout_s=60. Repeatable."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder of the run: its ledger and reports. [default: methodlens-out]"),
]
LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        help="Ledger in PostgreSQL, such as postgresql+psycopg://ann@db/review; put the password in PGPASSWORD or ~/.pgpass."
        " [default: a file in --out]",
    ),
]
Readers = Annotated[
    list[str] | None,
    typer.Option(
        "--reader",
        metavar="NAME",
        help="'embedded' (default), 'chat:NAME' for [readers.NAME] in the settings, 'chat:PRESET/MODEL' such as"
        " chat:ollama/qwen2.5, 'llama:FILE.gguf', the name of a plugin, or 'cascade:embedded>chat:NAME', which asks a reader only"
        " where the one before it is in doubt. Repeatable.",
    ),
]
_PAPERS = "Papers or folders, which are searched recursively. URLs such as s3://... need the extra 'cloud'."
Papers = Annotated[list[str], typer.Argument(metavar="PAPERS", help=_PAPERS)]
OptionalPapers = Annotated[list[str] | None, typer.Argument(metavar="PAPERS", help=_PAPERS)]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Papers processed in parallel. [default: one per core]", min=1)
]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="local|ray", help="Process papers on this machine or on a Ray cluster.")
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="WHERE",
        help="Ray cluster: 'auto' (the one this machine belongs to), HOST:6379, ray://HOST:10001, or 'local' to start one."
        " [default: auto]",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="COST",
        help="Stop calling models at this cost per invocation; needs prices in the settings. [default: no limit]",
        min=0,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", metavar="N", help="Stop calling models at this many tokens per invocation. [default: no limit]", min=0
    ),
]
Questions = Annotated[
    str,
    typer.Option(
        "--questions", metavar="FILE|SET", help="A shipped set, a TOML file, or a text file with one question per line."
    ),
]
_VOTE = "How to combine verdicts: majority, unanimous, 2-of-3, weighted:embedded=2,chat:a=1, or a plugin's rule."
Vote = Annotated[str, typer.Option("--vote", metavar="RULE", help=f"{_VOTE} [default: the setting vote.rule]")]
OtherVote = Annotated[str, typer.Option("--vote", metavar="RULE", help=f"{_VOTE} [default: the rule of the run]")]
ReaderName = Annotated[
    str,
    typer.Option(
        "--reader",
        metavar="NAME",
        help="The reader: 'embedded', 'chat:NAME', 'chat:PRESET/MODEL', 'llama:FILE', 'cascade:A>B' or a plugin.",
    ),
]
OnlyReaders = Annotated[
    list[str] | None,
    typer.Option("--reader", metavar="NAME", help="Only this reader, or 'vote'. Repeatable. [default: all]"),
]
RunId = Annotated[
    str, typer.Option("--run", metavar="ID", help="The run, by the first characters of its id. [default: the latest]")
]
Pages = Annotated[bool, typer.Option("--pages/--no-pages", help="Include images of the quoted pages, with the quotes boxed.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop if any label cannot be used.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def settings_from(
    path: Path | None,
    changes: Sequence[str] | None = None,
    *,
    out: Path | None = None,
    ledger: str | None = None,
    options: Mapping[str, object] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Settings:
    """`options` are command-line options that set a setting, by its key. They override `changes`.

    `defaults` replace the built-in ones.
    """
    flags: dict[str, Any] = {"out": str(out) if out else None, "ledger": ledger}
    given = (f"{key}={value}" for key, value in (options or {}).items() if value)
    for change in (*(changes or ()), *given):
        key, equals, value = change.partition("=")
        if not equals or not key:
            raise SettingsError(f"--set {change!r} is not KEY=VALUE", "use, for example, --set papers.timeout_s=60")
        tree = flags
        *parents, last = key.strip().split(".")
        for parent in parents:
            if not isinstance(tree := tree.setdefault(parent, {}), dict):
                raise SettingsError(f"--set {change}: {parent} is not a table", "see docs/reference/settings.md")
        tree[last] = value
    return load_settings(path, flags=flags, defaults=defaults)


def lens_from(settings: Settings, readers: Sequence[str] | None = None, questions: str = DEFAULT_SET) -> "Lens":
    """Use it as a context manager: it closes its readers."""
    from methodlens.lens import Lens
    from methodlens.lens_parts import DEFAULT_READER

    return Lens(readers or [DEFAULT_READER], questions, settings=settings)


def name_servers(lens: "Lens") -> None:
    """Say which servers will get passages of the papers, before the first one does."""
    for info in (reader.info for reader in lens.readers):
        if info.server and not is_this_machine(info.server):
            typer.echo(f"{info.name} sends passages of the papers to {info.server}", err=True)


def is_this_machine(host: str) -> bool:
    return host in _THIS_MACHINE


def open_ledger(settings: Settings, *, create: bool = False, ping: bool = False) -> "Ledger":
    """As `Lens.open_ledger`, with a warning if the command line shows a password."""
    ledger = lens_from(settings).open_ledger(create=create, ping=ping)
    if _PASSWORD.search(settings.ledger) and any(settings.ledger in word for word in sys.argv):
        typer.echo("other users of this machine can see the password on the command line: use PGPASSWORD instead", err=True)
    return ledger


def record_action(ledger: "Ledger", action: "Action", detail: str) -> None:
    """Add to the audit trail what the user of the command line did."""
    import getpass

    from methodlens.ledger import audit_trail

    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number without a name
        user = "somebody"
    audit_trail.record(ledger, f"{user} (command line)", action, detail)


_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(choices: type[Choice], word: str, flag: str) -> Choice:
    """The choice with that name. Typer could do this, but --help would have to import the enumeration."""
    try:
        return choices(word)
    except ValueError as err:
        raise InputError(f"{flag}: there is no {word!r}", f"use one of: {', '.join(choices)}") from err


def echo_lines(lines: Iterable[str], *, err: bool = False) -> None:
    for line in lines:
        typer.echo(line, err=err)


def print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def fail(message: str) -> int:
    """Print one line on stderr; return the exit code."""
    print(f"methodlens: {' '.join(message.split())}", file=sys.stderr)
    return 2


def number(count: int, noun: str, plural: str = "") -> str:
    """'1 paper' or '2 papers'"""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def counts(numbers: Mapping[Any, int]) -> str:
    """'3 ok, 1 no_text'"""
    return ", ".join(f"{count} {name}" for name, count in sorted(numbers.items(), key=lambda item: -item[1])) or "none"
