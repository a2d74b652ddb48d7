"""Reads the settings: methodlens.toml, METHODLENS_* environment variables and flags; later sources override earlier ones."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from methodlens.allowed_files import is_allowed, key_variables, outward_settings
from methodlens.errors import SettingsError
from methodlens.settings import Settings

DEFAULT_FILE = Path("methodlens.toml")
_SECRETS = frozenset({"key", "api_key", "apikey", "token", "api_token", "secret", "password", "authorization", "bearer"})
_SET = "--set"
_REFERENCE = "see docs/reference/settings.md"
_SECTIONS = ("papers", "code", "reading", "retrieval", "evaluation", "vote", "cascade", "report", "study", "energy")


def load(
    path: Path | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, Any] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Settings:
    """Without `path`, ./methodlens.toml is read if it exists. Flags that are None are ignored. `defaults` come below all else."""
    file = read_file(path) if path else _read_default(environ)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    name = str(path or DEFAULT_FILE)
    _refuse_keys(file, name)
    _refuse_keys({"readers": given.get("readers")}, _SET)
    tree: dict[str, Any] = {}
    _overlay(tree, defaults or {})
    settings, problem = Settings(), None
    for source, layer in ((name, file), ("environment", _from_environment(environ)), (_SET, given)):
        _overlay(tree, layer)
        try:
            # not strict: environment variables are strings, so "30" must be accepted as a number
            settings, problem = msgspec.convert(tree, Settings, strict=False), None
        except msgspec.ValidationError as err:  # a later source may correct it
            problem = problem or _invalid(err, source)
    if problem:
        raise problem
    _check(settings)
    return settings


def _invalid(error: msgspec.ValidationError, source: str) -> SettingsError:
    message, _, place = str(error).partition(" - at `$.")
    key = place.rstrip("`")
    if unknown := re.search("unknown field `(.*)`", message):
        table = getattr(Settings(), key, None) if key else Settings()
        known = ", ".join(getattr(table, "__struct_fields__", ()))
        setting = f"{key}.{unknown[1]}" if key else unknown[1]
        return SettingsError(f"{source}: there is no setting {setting}", f"use one of: {known}" if known else _REFERENCE)
    return SettingsError(f"{source}: {key}: {message}" if key else f"{source}: {message}", _REFERENCE)


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
    if settings.cascade.low > settings.cascade.high:
        raise SettingsError("cascade.low is greater than cascade.high", "a probability between them is in doubt")
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
