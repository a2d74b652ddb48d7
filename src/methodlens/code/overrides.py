"""Values that a command changes: the default says which command, and the command says which default."""

from collections.abc import Iterable

from msgspec.structs import replace

from methodlens.code.commands import RUNS
from methodlens.code.settings_found import CALL, COMMAND, CONFIG, DEFAULT, PARAMETER
from methodlens.facts.types import value_text
from methodlens.records.code import Finding

_NAMED = 3
_VALUES = 10


def with_overrides(findings: list[Finding]) -> list[Finding]:
    """Adds to each default or configured value the commands that give another one, and the reverse."""
    commanded = _by_fact(finding for finding in findings if finding.kind == COMMAND)
    defaults = _by_fact(finding for finding in findings if finding.kind in (DEFAULT, PARAMETER))
    scripts = frozenset(map(_script, (finding for finding in findings if finding.kind == COMMAND))) - {""}
    return [_with_note(finding, commanded, defaults, scripts) for finding in findings]


def _with_note(
    finding: Finding, commanded: dict[str, list[Finding]], defaults: dict[str, list[Finding]], scripts: frozenset[str]
) -> Finding:
    if not finding.fact:
        return finding
    if finding.kind in (DEFAULT, PARAMETER, CONFIG, CALL):
        others = [each for each in commanded.get(finding.fact, ()) if each.value != finding.value]
        may = "a command sets" if finding.kind in (DEFAULT, PARAMETER) else "a command may set"
        return _noted(finding, may, [each for each in others if _reaches(each, finding, scripts)])
    if finding.kind == COMMAND:
        others = [each for each in defaults.get(finding.fact, ()) if each.value != finding.value]
        return _noted(finding, "the default is", [each for each in others if _reaches(finding, each, scripts)])
    return finding


def _reaches(command: Finding, value: Finding, scripts: frozenset[str]) -> bool:
    """Not if the value is in another script, one that other commands run."""
    file = value.file.rpartition("/")[2]
    return file == _script(command) or file not in scripts


def _script(command: Finding) -> str:
    """The name of the file that a command runs; empty if its note does not say."""
    return command.note.removeprefix(RUNS).rpartition("/")[2] if command.note.startswith(RUNS) else ""


def _noted(finding: Finding, words: str, others: list[Finding]) -> Finding:
    if not others:
        return finding
    values = dict.fromkeys(f"{value_text(each.value)} ({each.file}:{each.line})" for each in others)
    listed = ", ".join(list(values)[:_NAMED]) + (f" and {len(values) - _NAMED} more" if len(values) > _NAMED else "")
    return replace(finding, note="; ".join(part for part in (finding.note, f"{words} {listed}") if part))


def _by_fact(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The first finding of each value, and of few values: with many, none of them says much."""
    groups: dict[str, dict[str, Finding]] = {}
    for finding in findings:
        values = groups.setdefault(finding.fact, {})
        if len(values) < _VALUES:
            values.setdefault(value_text(finding.value), finding)
    return {fact: list(values.values()) for fact, values in groups.items() if fact}
