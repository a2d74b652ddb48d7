"""methodlens code"""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from methodlens.cli import common
from methodlens.errors import InputError
from methodlens.records.code import Finding, Repository, RepositoryStatus, Topic

if TYPE_CHECKING:
    from methodlens.records.code import Check

_PER_TOPIC = 12


def command(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a clone, or an archive (.zip, .tar, .tar.gz, .tgz).")],
    at: Annotated[
        str,
        typer.Option(
            "--at",
            metavar="DATE|COMMIT",
            help="Read the last commit at or before this date (2023, 2023-05 or 2023-05-31), or this commit or tag."
            " Needs a clone with its history. [default: the commit that is checked out]",
        ),
    ] = "",
    topic: Annotated[
        list[str] | None,
        typer.Option("--topic", metavar="TOPIC", help="Only findings on this topic, all of them, such as seed. Repeatable."),
    ] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Read a code repository: what it sets, and what it lacks.

    Shows a completeness checklist (dependencies, training and evaluation code, models, README, seeds, data, licence, tests), then
    findings by topic, each with file, line and quote. A note says what may change a value, such as a command that overrides a
    default. Nothing of the repository is executed, and it is read under limits (the settings code.*).

    A clone is read as committed: what is not committed is left out.

    Exit code 2 if the repository cannot be read.

    Example: methodlens code path/to/clone --at 2023-05-31
    """
    topics = [_topic(name) for name in topic or ()]
    settings = common.settings_from(settings_file, change)
    from methodlens.code.reading import read_repository

    repository = read_repository(path, at=at, limits=settings.code)
    if repository.status is RepositoryStatus.MISSING:
        raise InputError(f"{path}: {repository.reason.partition(';')[0]}", "check the path")
    findings = [finding for finding in repository.findings if not topics or finding.topic in topics]
    if json:
        common.print_json(_as_json(repository, findings))
    else:
        _print(repository, findings, all_of_them=bool(topics))
    raise typer.Exit(0 if repository.status is RepositoryStatus.OK else 2)


def _topic(name: str) -> Topic:
    try:
        return Topic(name.strip().lower())
    except ValueError:
        raise InputError(f"there is no topic {name!r}", f"use one of {', '.join(Topic)}") from None


def _as_json(repository: Repository, findings: list[Finding]) -> dict[str, Any]:
    import msgspec

    table: dict[str, Any] = msgspec.to_builtins(repository)
    return {**table, "findings": msgspec.to_builtins(findings)}


def _print(repository: Repository, findings: list[Finding], *, all_of_them: bool) -> None:
    if repository.status is not RepositoryStatus.OK:
        typer.echo(f"{repository.location}: {repository.status}: {repository.reason}", err=True)
        return
    state = f", commit {repository.commit[:12]} of {repository.date[:10]}" if repository.commit else ""
    typer.echo(f"{repository.location}: {common.number(repository.files, 'file')} read{state}")
    if not all_of_them:
        typer.echo("\nChecklist")
        for check in repository.checks:
            typer.echo(f"  {'yes' if check.met else 'no ':<4} {check.item}{_shown(check)}")
    for topic, group in groupby(findings, key=lambda finding: finding.topic):
        _print_topic(topic, list(group), all_of_them=all_of_them)
    if not findings:
        typer.echo("\nNo findings.")
    if repository.skipped and not all_of_them:
        typer.echo("\nNot read")
        for line in repository.skipped:
            typer.echo(f"  {line}")


def _shown(check: "Check") -> str:
    return f"  ({_place(check.findings[0])})" if check.findings else ""


def _print_topic(topic: Topic, findings: list[Finding], *, all_of_them: bool) -> None:
    typer.echo(f"\n{topic.capitalize()}")
    shown = findings if all_of_them else _first_of_each(findings)[:_PER_TOPIC]
    for finding in shown:
        value = f"{finding.fact.replace('_', ' ')}: {_value(finding.value)}  " if finding.fact else ""
        typer.echo(f"  {value}{_place(finding)}{f' ({finding.kind})' if finding.kind else ''}")
        if finding.quote:
            typer.echo(f"      {finding.quote}")
        if finding.note:
            typer.echo(f"      note: {finding.note}")
    if len(findings) > len(shown):
        typer.echo(f"  and {len(findings) - len(shown):,} more: add --topic {topic}")


def _first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """A value that several files set is shown once."""
    seen: dict[str, Finding] = {}
    for finding in findings:
        key = f"{finding.fact}={finding.value}" if finding.fact else f"{finding.file}:{finding.line}"
        seen.setdefault(key, finding)
    return list(seen.values())


def _place(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}" if finding.quote else finding.file


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for key, part in value.items() if part is not None and key in ("name", "version")) or ", ".join(
            f"{key} {part}" for key, part in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
