"""What a repository depends on: one reader per kind of file, each giving requirements with their lines."""

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from methodlens.code.install_commands import docker_file
from methodlens.code.packages import NOT_PACKAGES, Requirement, normalised, parse_requirement
from methodlens.code.sources import Source

Reader = Callable[[Source], list[Requirement]]
_REQUIREMENTS = re.compile(r"(?:.*[_.-])?(?:requirements?|reqs?|constraints)(?:[_.-].*)?\.(?:txt|in|pip)", re.I)
_ENVIRONMENT = re.compile(r"(?:.*[_.-])?(?:conda|environment|env)[\w.-]*\.ya?ml", re.I)
_CONDA = re.compile(
    r"\s*-\s+[\"']?(?:[\w-]+::)?([A-Za-z0-9][\w.-]*)\s*((?:==?|>=|<=|>|<|~=|!=)?)\s*([\w.*<>=,!+-]*)[\"']?\s*(?:#.*)?$"
)
_INCLUDE = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+([\w./-]{1,200})")
_LOCKED = re.compile(r'^(name|version)\s*=\s*"([^"]{1,100})"')
_DEBIAN = re.compile(r"^(Imports|Depends|Suggests|LinkingTo):\s*(.*)$")


def reader_of(source: Source) -> Reader | None:
    """The reader of a dependency file; None for other files."""
    name = source.path.name
    if reader := _BY_NAME.get(name.lower()):
        return reader
    folder = source.path.parent.name.lower()
    if _REQUIREMENTS.fullmatch(name) or (folder in ("requirements", "reqs") and name.endswith(".txt")):
        return requirements_file
    if _ENVIRONMENT.fullmatch(name) and re.search(r"^dependencies\s*:", source.text, re.M):
        return conda_file
    if name.lower().startswith(("dockerfile", "containerfile")) or name.lower().endswith((".dockerfile", "dockerfile")):
        return docker_file
    return None


def is_lock(source: Source) -> bool:
    return source.path.name.lower() in (
        "pipfile.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "renv.lock",
        "manifest.toml",
        "conda-lock.yml",
    )


def included(source: Source) -> list[str]:
    """The files that a requirements file includes, as paths from the root."""
    names = (match[1] for line in source.lines if (match := _INCLUDE.match(line)))
    parts = ([*source.path.parent.parts, *name.split("/")] for name in names)
    resolved: list[str] = []
    for each in parts:
        path: list[str] = []
        for part in each:
            if part == ".." and path:
                path.pop()
            elif part not in (".", ".."):
                path.append(part)
        resolved.append("/".join(path))
    return resolved


def requirements_file(source: Source) -> list[Requirement]:
    found: list[Requirement] = []
    for number, line in enumerate(source.lines, 1):
        text = line.strip()
        editable = re.match(r"(?:-e|--editable)[\s=]+(\S+)", text)
        if editable and "://" in editable[1]:
            text = editable[1]
        if text and not text.startswith(("#", "-", ".", "/")) and (requirement := parse_requirement(text, number)):
            found.append(requirement)
    return found


def pyproject_file(source: Source) -> list[Requirement]:
    tables = _toml(source)
    project, tool = _table(tables.get("project")), _table(tables.get("tool"))
    texts: list[str] = [*_strings(project.get("dependencies"))]
    for group in (*_table(project.get("optional-dependencies")).values(), *_table(tables.get("dependency-groups")).values()):
        texts += _strings(group)
    found = [each for text in texts if (each := parse_requirement(text, _line_with(source, text)))]
    poetry = _table(tool.get("poetry"))
    groups = [_table(group).get("dependencies") for group in _table(poetry.get("group")).values()]
    for table in (poetry.get("dependencies"), poetry.get("dev-dependencies"), *groups):
        found += _keyed(source, _table(table))
    return [each for each in found if normalised(each.name) not in NOT_PACKAGES]


def pipfile(source: Source) -> list[Requirement]:
    tables = _toml(source)
    return [*_keyed(source, _table(tables.get("packages"))), *_keyed(source, _table(tables.get("dev-packages")))]


def julia_project(source: Source) -> list[Requirement]:
    tables = _toml(source)
    allowed = _table(tables.get("compat"))
    return [
        Requirement(name, _line_with(source, name), "", str(allowed.get(name, "")))
        for name in _table(tables.get("deps"))
        if not tables.get("manifest_format")
    ]


def julia_manifest(source: Source) -> list[Requirement]:
    tables = _toml(source)
    entries = _table(tables.get("deps")) if "manifest_format" in tables else tables
    versions = {
        name: rows[0].get("version", "")
        for name, rows in entries.items()
        if isinstance(rows, list) and rows and isinstance(rows[0], dict)
    }
    return [Requirement(name, _line_with(source, name), str(version)) for name, version in versions.items()]


def locked_toml(source: Source) -> list[Requirement]:
    """poetry.lock and uv.lock, line by line: they are long."""
    found: list[Requirement] = []
    name, at = "", 0
    for number, line in enumerate(source.lines, 1):
        if line.startswith("[["):
            name = ""
        elif match := _LOCKED.match(line):
            if match[1] == "name":
                name, at = match[2], number
            elif name:
                found.append(Requirement(name, at, match[2]))
                name = ""
    return found


def pipfile_lock(source: Source) -> list[Requirement]:
    return [
        Requirement(name, _line_with(source, f'"{name}"'), str(_table(about).get("version", "")).lstrip("="))
        for name, about in _table(_json(source).get("default")).items()
    ]


def renv_lock(source: Source) -> list[Requirement]:
    return [
        Requirement(name, _line_with(source, f'"{name}"'), str(_table(about).get("Version", "")))
        for name, about in _table(_json(source).get("Packages")).items()
    ]


def r_description(source: Source) -> list[Requirement]:
    found: list[Requirement] = []
    inside = False
    if not re.search(r"^Package:", source.text, re.M):
        return []
    for number, line in enumerate(source.lines, 1):
        match = _DEBIAN.match(line)
        inside = bool(match) or (inside and line.startswith((" ", "\t")))
        if inside:
            for part in (match[2] if match else line).split(","):
                words = part.replace("(", " ").replace(")", " ").split()
                if words and words[0] != "R" and re.fullmatch(r"[\w.]+", words[0]):
                    exact = words[2] if len(words) > 2 and words[1] == "==" else ""
                    found.append(Requirement(words[0], number, exact, " ".join(words[1:])))
    return found


def conda_file(source: Source) -> list[Requirement]:
    found: list[Requirement] = []
    inside, pip = False, False
    for number, line in enumerate(source.lines, 1):
        if re.match(r"\S", line) and not line.startswith(("-", "#")):
            inside, pip = line.startswith("dependencies"), False
            continue
        if re.match(r"\s*-\s*pip\s*:", line):
            pip = True
        elif inside and pip and (match := re.match(r"\s*-\s+[\"']?([^\"'#]+)", line)):
            requirement = parse_requirement(match[1], number)
            found += [requirement] if requirement else []
        elif inside and (match := _CONDA.match(line)) and match[1] not in NOT_PACKAGES:
            version = match[3].split("=")[0] if match[2] in ("=", "==") and "*" not in match[3] else ""
            found.append(Requirement(match[1], number, version.split("+")[0], match[2] + match[3]))
    return found


def setup_cfg(source: Source) -> list[Requirement]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(source.text)
    except configparser.Error:
        return []
    texts = parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        texts += [line for _, value in parser.items("options.extras_require") for line in value.splitlines()]
    return _parsed(source, texts)


def setup_py(source: Source) -> list[Requirement]:
    """The literals of install_requires and extras_require, also by way of a variable; nothing is executed."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    assigned = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found: list[Requirement] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("install_requires", "extras_require", "requires"):
            value = assigned.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            for part in ast.walk(value) if value is not None else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    requirement = parse_requirement(part.value, part.lineno)
                    found += [requirement] if requirement else []
    return found


def _keyed(source: Source, table: dict[str, Any]) -> list[Requirement]:
    """`torch = "1.9.0"` and `torch = {version = "^1.9"}`, where poetry takes a bare version for an exact one."""
    found: list[Requirement] = []
    for name, about in table.items():
        if normalised(name) in NOT_PACKAGES:
            continue
        allowed = about if isinstance(about, str) else str(_table(about).get("version", ""))
        exact = re.fullmatch(r"={0,3}\s*(\d[\w.]*)", allowed)
        found.append(Requirement(name, _line_with(source, name), exact[1] if exact else "", allowed))
    return found


def _parsed(source: Source, texts: Iterable[str]) -> list[Requirement]:
    stripped = (text.strip() for text in texts)
    return [each for text in stripped if text and (each := parse_requirement(text, _line_with(source, text)))]


def _line_with(source: Source, text: str) -> int:
    at = source.text.find(text)
    return source.line_of(at) if at >= 0 else 1


def _toml(source: Source) -> dict[str, Any]:
    try:
        return tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _json(source: Source) -> dict[str, Any]:
    try:
        return _table(json.loads(source.text))
    except (ValueError, RecursionError):
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


_BY_NAME: dict[str, Reader] = {
    "pyproject.toml": pyproject_file,
    "setup.py": setup_py,
    "setup.cfg": setup_cfg,
    "pipfile": pipfile,
    "pipfile.lock": pipfile_lock,
    "poetry.lock": locked_toml,
    "uv.lock": locked_toml,
    "pdm.lock": locked_toml,
    "renv.lock": renv_lock,
    "description": r_description,
    "project.toml": julia_project,
    "manifest.toml": julia_manifest,
}
