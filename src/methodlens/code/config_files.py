"""Settings in configuration files: YAML, JSON, TOML, INI, gin and prototxt, with their lines. No value is constructed."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from methodlens.code import designs, names
from methodlens.code.settings_found import CONFIG, number, setting
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

_MAX_EVENTS = 60_000
_DEEPEST = 60
_BRACKET = re.compile(r"[\[\]{}]")
_DASHES = re.compile(r"(?:[-?:] ){60}")
_ASSIGNED = re.compile(
    r"""^\s*(?:-\s+)?["']?([A-Za-z_][\w.\- ]{0,60}?)["']?\s*[:=]\s*["']?([^"'{}\[\],;#]{1,80}?)["']?\s*,?\s*(?:[#;].*)?$"""
)
_INLINE_JSON = re.compile(r'"([A-Za-z_][\w.\-]{0,60})"\s*:\s*(?:"([^"]{0,80})"|(-?\d[\w.+-]{0,30})|(true|false|null|\{|\[))')
_LISTED = re.compile(r"\[([^\[\]{}]{0,200})\]")
_LONGEST_LINE = 20_000


def config_findings(source: Source) -> list[Finding]:
    """Empty for files that are no configuration."""
    reader = _READERS.get(source.path.suffix.lower())
    if reader is None:
        return []
    findings = [found for line, name, value in reader(source) if (found := setting(source, line, name, value, kind=CONFIG))]
    return [*findings, *_named_after(source, findings), *_solver(source)]


def _named_after(source: Source, findings: list[Finding]) -> Iterator[Finding]:
    """`configs/unet_small.yaml`: a configuration of settings may be named after its model."""
    if any(finding.topic is Topic.HYPERPARAMETER for finding in findings):
        for name in designs.architectures_in(source.path.stem):
            yield source.finding(Topic.ARCHITECTURE, 1, "architectures", name, note="by the name of the file", kind=CONFIG)


def _yaml(source: Source) -> Iterator[tuple[int, str, Any]]:
    """Keys with scalar values or flat lists, from the parser's events: an alias stays an alias, whatever it refers to."""
    if _too_nested(source.text):
        return _lines(source)
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    pairs: list[tuple[int, str, Any]] = []
    try:
        stack: list[_Level] = []
        for count, event in enumerate(yaml.parse(source.text, Loader=loader)):
            if count > _MAX_EVENTS:
                break
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                stack.append(_Level(isinstance(event, yaml.MappingStartEvent), _opened(stack)))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                level = stack.pop()
                if level.items and level.name:
                    pairs.append((*level.name, level.items))
                    if stack and stack[-1].name and names.is_list_of_shares(names.plain(stack[-1].name[1])):
                        pairs.append((level.name[0], stack[-1].name[1], level.items))  # split: {random: [0.8, 0.2]}
                if stack:
                    stack[-1].key = None
            elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent) and stack:
                value = event.value if isinstance(event, yaml.ScalarEvent) else None
                pairs += stack[-1].scalar(event.start_mark.line + 1, value)
    except (yaml.YAMLError, ValueError, RecursionError):
        return iter([*pairs, *_lines(source)])
    return iter(pairs)


def _too_nested(text: str) -> bool:
    """libyaml takes quadratic time on nested brackets and dashes."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth > _DEEPEST:
            return True
    return bool(_DASHES.search(text))


class _Level:
    """An open mapping or list of a YAML file."""

    def __init__(self, mapping: bool, name: tuple[int, str] | None) -> None:
        self.mapping, self.name = mapping, name
        self.key: tuple[int, str] | None = None
        self.items: list[Any] = []

    def scalar(self, line: int, value: str | None) -> list[tuple[int, str, Any]]:
        if not self.mapping:
            if value is not None and len(self.items) < 50:
                self.items.append(number(value))
            return []
        if self.key is None:
            self.key = (line, value or "")
            return []
        (at, name), self.key = self.key, None
        if self.name and name.lower() in ("value", "default"):  # epochs: {description: ..., value: 20}
            name = self.name[1]
        return [] if value is None else [(at, name, value)]


def _opened(stack: list[_Level]) -> tuple[int, str] | None:
    return stack[-1].key if stack and stack[-1].mapping else None


def _json(source: Source) -> Iterator[tuple[int, str, Any]]:
    """Line by line, so that comments, templates and broken files are read as well."""
    for at, line in enumerate(source.lines, 1):
        if len(line) <= _LONGEST_LINE:
            for match in _INLINE_JSON.finditer(line):
                value = match[2] if match[2] is not None else match[3]
                if value is None and match[4] == "[" and (listed := _LISTED.match(line, match.end() - 1)):
                    yield at, match[1], [number(each.strip(" \"'")) for each in listed[1].split(",")]
                elif value is not None:
                    yield at, match[1], value


def _lines(source: Source) -> Iterator[tuple[int, str, Any]]:
    """`name = value` and `name: value`, one per line."""
    for at, line in enumerate(source.lines, 1):
        if len(line) <= 300 and (match := _ASSIGNED.match(line)):
            yield at, match[1], match[2].strip()


def _solver(source: Source) -> list[Finding]:
    """A solver of Caffe and a network of Darknet are trained without further code."""
    if source.path.suffix == ".prototxt" and re.search(r"^base_lr\s*:", source.text, re.M):
        line = next((at for at, text in enumerate(source.lines, 1) if text.startswith("base_lr")), 1)
        return [source.finding(Topic.TRAINING, line, kind=CONFIG)]
    return []


_READERS: dict[str, Callable[[Source], Iterator[tuple[int, str, Any]]]] = {
    ".yaml": _yaml,
    ".yml": _yaml,
    ".json": _json,
    ".jsonc": _json,
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".config", ".gin", ".prototxt", ".properties", ".env"), _lines),
}
