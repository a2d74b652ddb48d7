"""Settings from methodlens.toml, METHODLENS_* environment variables and flags; later sources override earlier ones.

Keys and passwords are not settings: `key_variable` names the environment variable that holds the key.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from methodlens.allowed_files import is_allowed, key_variables, outward_settings
from methodlens.errors import SettingsError

DEFAULT_FILE = Path("methodlens.toml")
_SECRETS = frozenset({"key", "api_key", "apikey", "token", "api_token", "secret", "password", "authorization", "bearer"})
_SET = "--set"
_SECTIONS = ("papers", "reading", "retrieval", "evaluation", "vote", "report")

_PositiveFloat = Annotated[float, Meta(gt=0)]
_PositiveInt = Annotated[int, Meta(gt=0)]
_Count = Annotated[int, Meta(ge=0)]


class PaperLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits per paper. A paper beyond them gets the status `timeout`, `crashed` or `too_big`."""

    timeout_s: _PositiveFloat = 30.0
    memory_mb: _PositiveInt = 2048
    max_pages: _PositiveInt = 2000
    max_file_mb: int = 300
    ocr_timeout_s: float = 900.0
    """OCR takes seconds per page and has separate limits."""
    ocr_memory_mb: int = 4096


class ReadingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How papers are parsed. Part of the parser's fingerprint, because it changes the text."""

    hidden_text: Literal["leave_out", "keep"] = "leave_out"
    """Invisible text is always flagged; readers get it only with `keep`."""
    ocr: Literal["auto", "off"] = "auto"
    """`auto`: use OCR for pages without legible text if the extra `ocr` is installed."""


class EmbeddingServer(Struct, frozen=True, forbid_unknown_fields=True):
    """[retrieval.embeddings]: an OpenAI-compatible embeddings server."""

    base_url: str
    model: str
    key_variable: str = ""
    timeout_s: float = 60.0


class RetrievalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    passage_chars: _PositiveInt = 400
    shown_chars: _PositiveInt = 4000
    """How much of the ranking a reader is given."""
    kept_chars: int = 8000
    """How much of the ranking is stored with a cell, so that reviewers see what the reader was not given."""
    ranking: str = "learned"
    """`learned`, `plain` (all signals, hand-set weights), `lexical` (BM25 only), or the name of a plugin."""
    vectors: str = ""
    """A model2vec folder to use instead of the built-in vectors."""
    expand: bool = True
    """Give your own questions the query and fact types of a shipped question that asks the same."""
    embeddings: EmbeddingServer | None = None


class EvaluationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The words that annotators use as labels (case and surrounding spaces are ignored), and the bootstrap."""

    yes: tuple[str, ...] = ("yes", "y", "1", "true", "reported", "x")
    no: tuple[str, ...] = ("no", "n", "0", "false", "not reported", "not_reported")
    unsure: tuple[str, ...] = ("unsure", "unclear", "?", "withheld", "maybe")
    blank: tuple[str, ...] = ("", "-", "na", "n/a", "nan", "none", "null")
    """Words that mean "no label"."""
    resamples: int = 1000
    """Bootstrap resamples of papers for confidence intervals; 0 for none."""
    seed: int = 7


class VoteSettings(Struct, frozen=True, forbid_unknown_fields=True):
    rule: str = "majority"
    """`majority`, `unanimous`, `2-of-3`, `weighted:READER=2`, or a plugin's rule. See docs/how-to/votes-and-repeats.md."""


class ReportSettings(Struct, frozen=True, forbid_unknown_fields=True):
    papers_per_file: _PositiveInt = 500
    """Reports of more papers are split into several files, which browsers can open."""


class ChatServer(Struct, frozen=True, forbid_unknown_fields=True):
    """[readers.NAME]: a language model, used with --reader chat:NAME, or llama:NAME if it has `gguf`."""

    model: str = ""
    preset: str = ""
    """A server in readers/presets.toml, which sets base_url, key_variable, schema and concurrency."""
    base_url: str = ""
    gguf: str = ""
    """A model file to run in this process; needs the extra `local`."""
    key_variable: str = ""
    """The environment variable that holds the API key."""
    prompt: str = "strict"
    """`strict`, `seeds`, or the path of a prompt file."""
    schema: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    """How JSON is requested. `auto`: the preset's way, or json_schema until the server refuses it."""
    context: Literal["passages", "paper"] = "passages"
    context_tokens: _Count = 0
    """Approximate context size; 0 means retrieval.shown_chars, or 100,000 tokens with context = "paper"."""
    max_tokens: _PositiveInt = 800
    tokens_field: str = "max_tokens"
    """The server's name for max_tokens."""
    temperature: float = 0.0
    stream: bool = False
    timeout_s: _PositiveFloat = 120.0
    """For a whole request."""
    attempts: _PositiveInt = 4
    longest_wait_s: float = 60.0
    """Maximum pause between attempts, whatever Retry-After says."""
    concurrency: _Count = 0
    """Concurrent calls; 0 means the preset's number, or 1."""
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    price_in: float | None = None
    """Per million tokens, in the currency of your choice."""
    price_out: float | None = None
    watts: float | None = None
    """Power drawn while answering, for an energy estimate."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    out: str = "methodlens-out"
    ledger: str = ""
    """URL of a PostgreSQL database for the ledger; empty means a SQLite file in `out`."""
    ledger_password_variable: str = ""
    """The environment variable that holds the database password; by default PGPASSWORD or ~/.pgpass is used."""
    ledger_lease_s: _PositiveFloat = 30.0
    """On a shared ledger, seconds after which the papers of a silent process are given to others."""
    workers: int = 0
    """Papers processed in parallel; 0 means one per core."""
    judge: Literal["rules", "model"] = "rules"
    """`model`: a second call decides whether a language model's answer gives what was asked, as in the published study."""
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
    """Without `path`, ./methodlens.toml is read if it exists. Flags that are None are ignored."""
    file = read_file(path) if path else _read_default(environ)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    name = str(path or DEFAULT_FILE)
    _refuse_keys(file, name)
    _refuse_keys({"readers": given.get("readers")}, _SET)
    tree: dict[str, Any] = {}
    settings, problem = Settings(), ""
    for source, layer in ((name, file), ("environment", _from_environment(environ)), ("command line", given)):
        _overlay(tree, layer)
        try:
            # not strict: environment variables are strings, so "30" must be accepted as a number
            settings, problem = msgspec.convert(tree, Settings, strict=False), ""
        except msgspec.ValidationError as err:  # a later source may correct it
            problem = problem or f"{source}: {_describe(err)}"
    if problem:
        raise SettingsError(problem, "see docs/reference/settings.md")
    _check(settings)
    return settings


def _describe(error: msgspec.ValidationError) -> str:
    message, _, key = str(error).partition(" - at `$.")
    return f"{key.rstrip('`')}: {message}" if key else message


def _read_default(environ: Mapping[str, str]) -> dict[str, Any]:
    """./methodlens.toml, if there is one. It may name servers only if the user has allowed it: see `allowed_files`."""
    file = read_file(DEFAULT_FILE) if DEFAULT_FILE.is_file() else {}
    outward = list(outward_settings(file))
    if outward and not is_allowed(DEFAULT_FILE, environ):
        raise SettingsError(
            f"{DEFAULT_FILE} is not allowed to name servers yet ({'; '.join(outward)})",
            "if you trust it, run 'methodlens allow', or pass it with --settings",
        )
    if strange := [name for name in key_variables(file) if not name.upper().endswith("_API_KEY")]:
        raise SettingsError(
            f"{DEFAULT_FILE} wants to send the variable {strange[0]}, whose name does not end in _API_KEY",
            "rename the variable if it holds a key, or pass the file with --settings",
        )
    return file


def read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as err:
        raise SettingsError(f"{path} does not exist", "choose an existing file with --settings, or omit it") from err
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as err:
        raise SettingsError(f"{path} cannot be read ({err})", "it must be TOML in UTF-8") from err


def _refuse_keys(tree: Mapping[str, Any], source: str) -> None:
    """Files are shared and command lines are visible to other users, so keys come from the environment or the keyring."""
    if re.search(r"://[^/@:]*:[^@?]*@|[?&]password=", str(tree.get("ledger", ""))):
        raise SettingsError(
            f"{source}: passwords do not belong in the ledger URL", "remove the password; export PGPASSWORD=... or use ~/.pgpass"
        )
    tables = tree.get("readers")
    for name, table in tables.items() if isinstance(tables, Mapping) else ():
        for key in table if isinstance(table, Mapping) else ():
            if key.lower() in _SECRETS:
                variable = f"{re.sub('[^A-Z0-9]', '_', str(name).upper())}_KEY"
                place = "on the command line" if source == _SET else "in the settings file"
                raise SettingsError(
                    f"{source}: readers.{name}.{key}: API keys do not belong {place}",
                    f'remove it, export {variable}=..., and set key_variable = "{variable}"',
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
    if not re.fullmatch(r"\w*", settings.ledger_password_variable, re.ASCII):
        raise SettingsError("ledger_password_variable is not a variable name", "use the variable's name, not the password")
    if settings.retrieval.embeddings and settings.retrieval.vectors:
        raise SettingsError("retrieval.vectors and retrieval.embeddings are both set", "remove one of them")
    if server := settings.retrieval.embeddings:
        _check_server("retrieval.embeddings", server.base_url, server.key_variable)
    for name, model in settings.readers.items():
        if not (model.base_url or model.preset or model.gguf):
            raise SettingsError(f"readers.{name} has no server or model file", "set preset, base_url or gguf")
        if model.base_url:
            _check_server(f"readers.{name}", model.base_url, model.key_variable)


def _check_server(name: str, base_url: str, key_variable: str) -> None:
    if not base_url.startswith(("http://", "https://")):
        raise SettingsError(f"{name}.base_url is {base_url!r}", "it must start with http:// or https://")
    if "@" in base_url.partition("//")[2].partition("/")[0]:
        raise SettingsError(f"{name}.base_url contains a password", "remove it, and set key_variable")
    if not re.fullmatch(r"\w*", key_variable, re.ASCII):
        raise SettingsError(f"{name}.key_variable is not a variable name", 'use the name, not the key: key_variable = "MY_KEY"')
