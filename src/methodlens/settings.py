"""methodlens.toml, then METHODLENS_* variables, then flags -> one frozen Settings, parsed once and handed down.

Secrets are never settings: a reader names the environment variable that holds its key.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from methodlens.errors import SettingsError

DEFAULT_FILE = Path("methodlens.toml")
_SECRETS = frozenset({"key", "api_key", "apikey", "token", "api_token", "secret", "password", "authorization", "bearer"})
_SECTIONS = ("papers", "reading", "retrieval", "evaluation", "vote", "report")


class PaperLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """What one paper may cost before it is given up with a status."""

    timeout_s: float = 30.0
    memory_mb: int = 2048
    max_pages: int = 2000
    max_file_mb: int = 300
    ocr_timeout_s: float = 900.0
    """Reading pictures takes seconds a page, so it has limits of its own."""
    ocr_memory_mb: int = 4096


class ReadingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a paper is read; part of the parser's fingerprint, since it changes the text."""

    hidden_text: Literal["leave_out", "keep"] = "leave_out"
    """Text nobody sees on the page is always flagged; readers see it only with `keep`."""
    ocr: Literal["auto", "off"] = "auto"
    """`auto`: pages without legible text are read by OCR where the extra `ocr` is installed."""


class EmbeddingServer(Struct, frozen=True, forbid_unknown_fields=True):
    """An OpenAI-compatible embeddings server: [retrieval.embeddings] in methodlens.toml."""

    base_url: str
    model: str
    api_key_env: str = field(default="", name="key_variable")
    timeout_s: float = 60.0


class RetrievalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    passage_chars: int = 400
    shown_chars: int = 4000
    """How much a reader is given."""
    kept_chars: int = 8000
    """How much of the ranking is kept with a cell, so that a person sees what came next."""
    ranking: str = "learned"
    """`plain`: all signals with weights set by hand; `lexical`: BM25 alone; or the retriever of a plugin."""
    vectors: str = ""
    """A model2vec folder in place of the vectors that come with methodlens."""
    expand: bool = True
    """A question of one's own gets what is known of a shipped one that asks the same."""
    embeddings: EmbeddingServer | None = None


class EvaluationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How measuring is done, and the words people write for a label; case and surrounding blanks do not matter."""

    yes: tuple[str, ...] = ("yes", "y", "1", "true", "reported", "x")
    no: tuple[str, ...] = ("no", "n", "0", "false", "not reported", "not_reported")
    unsure: tuple[str, ...] = ("unsure", "unclear", "?", "withheld", "maybe")
    blank: tuple[str, ...] = ("", "-", "na", "n/a", "nan", "none", "null")
    """No label was given."""
    resamples: int = 1000
    """Of papers, for confidence intervals; 0 gives none."""
    seed: int = 7


class VoteSettings(Struct, frozen=True, forbid_unknown_fields=True):
    rule: str = "majority"
    """majority, unanimous, 2-of-3, weighted:READER=2. See docs/how-to/votes-and-repeats.md."""


class ReportSettings(Struct, frozen=True, forbid_unknown_fields=True):
    papers_per_file: int = 500
    """A report of more papers is split into several files, so that a browser can open each."""


class ChatServer(Struct, frozen=True, forbid_unknown_fields=True):
    """A language model: [readers.NAME] in methodlens.toml, asked with --reader chat:NAME, or llama:NAME for a GGUF file."""

    model: str = ""
    preset: str = ""
    """A server of readers/presets.toml: it brings base_url, key_variable, schema and concurrency."""
    base_url: str = ""
    gguf: str = ""
    """A model file of your own, run in this process with the extra `local`."""
    key_variable: str = ""
    """The name of the variable that holds the key."""
    prompt: str = "strict"
    """`strict`, `seeds`, or the path of your own."""
    schema: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    """How JSON is asked for; `auto`: as the preset says, else json_schema until the server refuses it."""
    context: Literal["passages", "paper"] = "passages"
    context_tokens: int = 0
    """About how much the model is shown; 0: retrieval.shown_chars, or with `paper` 100,000."""
    max_tokens: int = 800
    tokens_field: str = "max_tokens"
    """What the server calls max_tokens."""
    temperature: float = 0.0
    stream: bool = False
    timeout_s: float = 120.0
    """For the whole of one request."""
    attempts: int = 4
    longest_wait_s: float = 60.0
    """A server may ask us to wait; not longer than that."""
    concurrency: int = 0
    """Calls at once; 0: as the preset says, else 1."""
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    price_in: float | None = None
    """For a million tokens, in any currency, as are all costs then."""
    price_out: float | None = None
    watts: float | None = None
    """Power drawn while it answers, for an estimate of energy."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    out: str = "methodlens-out"
    ledger: str = ""
    """The URL of a PostgreSQL database to keep the ledger in; empty: a SQLite file in `out`."""
    ledger_password_variable: str = ""
    """The name of the variable that holds the database's password; without it PGPASSWORD or ~/.pgpass has it."""
    ledger_lease_s: float = 30.0
    """On a shared ledger, how long a driver that fell silent keeps its papers from the others."""
    workers: int = 0
    """Papers done at once; 0 means one a core."""
    judge: Literal["rules", "model"] = "rules"
    """`model`: a second call decides whether a language model's answer gives what was asked, as in the published pipeline."""
    papers: PaperLimits = field(default_factory=PaperLimits)
    reading: ReadingSettings = field(default_factory=ReadingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    vote: VoteSettings = field(default_factory=VoteSettings)
    report: ReportSettings = field(default_factory=ReportSettings)
    readers: Mapping[str, ChatServer] = field(default_factory=dict)

    @property
    def worker_count(self) -> int:
        return self.workers if self.workers > 0 else os.cpu_count() or 1


def load(
    path: Path | None = None, *, environ: Mapping[str, str] = os.environ, flags: Mapping[str, Any] | None = None
) -> Settings:
    """`path` must exist when given; ./methodlens.toml is read when it is there. `flags` with None values are left out."""
    tree = _read(path) if path else _read(DEFAULT_FILE) if DEFAULT_FILE.is_file() else {}
    source = str(path or DEFAULT_FILE)
    _refuse_keys(tree, source)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    _refuse_keys({"readers": given.get("readers")}, "--set")
    _overlay(tree, _from_environment(environ))
    _overlay(tree, given)
    try:
        # strict=False: variables are strings, and "30" is a number where a number is wanted
        settings = msgspec.convert(tree, Settings, strict=False)
    except msgspec.ValidationError as err:
        raise SettingsError(f"{source}: {err}", "see docs/reference/settings.md for the keys and their defaults") from err
    _check(settings)
    return settings


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as err:
        raise SettingsError(f"{path} is not there", "name an existing file with --settings, or leave the flag out") from err
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as err:
        raise SettingsError(f"{path} cannot be read ({err})", "it must be TOML in UTF-8") from err


def _refuse_keys(tree: Mapping[str, Any], source: str) -> None:
    """Secrets are read from the environment or the keyring: files are shared, and command lines are seen by everybody."""
    if re.search(r"://[^/@:]*:[^@?]*@|[?&]password=", str(tree.get("ledger", ""))):
        raise SettingsError(
            f"{source}: ledger holds a password", "take it out, and export PGPASSWORD=... or add a line to ~/.pgpass"
        )
    tables = tree.get("readers")
    for name, table in tables.items() if isinstance(tables, Mapping) else ():
        for key in table if isinstance(table, Mapping) else ():
            if key.lower() in _SECRETS:
                variable = f"{re.sub('[^A-Z0-9]', '_', str(name).upper())}_KEY"
                raise SettingsError(
                    f"{source}: readers.{name}.{key}: a key is no setting",
                    f'take it out, export {variable}=..., and write key_variable = "{variable}"',
                )


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """METHODLENS_OUT, METHODLENS_WORKERS, METHODLENS_PAPERS_TIMEOUT_S, METHODLENS_RETRIEVAL_SHOWN_CHARS, ..."""
    tree: dict[str, Any] = {}
    for name, value in environ.items():
        key = name.removeprefix("METHODLENS_").lower()
        if name == key.upper() or not name.startswith("METHODLENS_"):
            continue
        section = next((s for s in _SECTIONS if key.startswith(s + "_")), None)
        if section:
            tree.setdefault(section, {})[key.removeprefix(section + "_")] = value
        else:
            tree[key] = value
    return tree


def _overlay(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, Mapping) and isinstance(below.get(key), dict):
            _overlay(below[key], value)
        else:
            below[key] = value


def _check(settings: Settings) -> None:
    positive = {
        "ledger_lease_s": settings.ledger_lease_s,
        "papers.timeout_s": settings.papers.timeout_s,
        "papers.memory_mb": settings.papers.memory_mb,
        "papers.max_pages": settings.papers.max_pages,
        "retrieval.passage_chars": settings.retrieval.passage_chars,
        "retrieval.shown_chars": settings.retrieval.shown_chars,
        "report.papers_per_file": settings.report.papers_per_file,
    }
    for name, value in positive.items():
        if value <= 0:
            raise SettingsError(f"{name} is {value}", "it must be more than 0")
    if not re.fullmatch(r"\w*", settings.ledger_password_variable, re.ASCII):
        raise SettingsError("ledger_password_variable is not the name of a variable", "write its name, not the password")
    if settings.retrieval.embeddings and settings.retrieval.vectors:
        raise SettingsError("retrieval.vectors and retrieval.embeddings are both set", "keep one of them")
    if settings.retrieval.embeddings:
        _check_server("retrieval.embeddings", settings.retrieval.embeddings.base_url, settings.retrieval.embeddings.api_key_env)
    for name, server in settings.readers.items():
        if not (server.base_url or server.preset or server.gguf):
            raise SettingsError(f"readers.{name} names no server and no file", "give it a preset, a base_url or a gguf")
        if server.base_url:
            _check_server(f"readers.{name}", server.base_url, server.key_variable)
        if min(server.max_tokens, server.attempts, server.timeout_s) <= 0 or min(server.concurrency, server.context_tokens) < 0:
            raise SettingsError(
                f"readers.{name} has a number that cannot be meant",
                "max_tokens, attempts and timeout_s are more than 0, concurrency and context_tokens 0 or more",
            )


def _check_server(name: str, base_url: str, key_variable: str) -> None:
    if not base_url.startswith(("http://", "https://")):
        raise SettingsError(f"{name}.base_url is {base_url!r}", "it must begin with http:// or https://")
    if "@" in base_url.partition("//")[2].partition("/")[0]:
        raise SettingsError(
            f"{name}.base_url holds a password", "take it out; name the variable that holds the key in key_variable"
        )
    if not re.fullmatch(r"\w*", key_variable, re.ASCII):
        raise SettingsError(
            f"{name}.key_variable is not the name of a variable", 'write its name, not the key: key_variable = "MY_KEY"'
        )
