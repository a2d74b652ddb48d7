"""What a paper's repository says, as exports, report and review room show it. Its text is as untrusted as that of a paper."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from methodlens.code.comparison import place
from methodlens.records import Row
from methodlens.records.code import CheckItem, CodeCell, Finding, Outcome, Repository, RepositoryStatus
from methodlens.text.printable import encodable, one_line

CHECKLIST_COLUMNS = ("paper", "repository", "status", "reason", "commit", "date", "files", *(str(item) for item in CheckItem))
_SHOWN = 6
"""Findings of a cell that are shown at once."""
_COMMIT_CHARS = 10
_ORDER = (Outcome.DIFFERS, Outcome.OTHER, Outcome.AGREES, Outcome.CODE, Outcome.PAPER)


class ShownFinding(Struct, frozen=True):
    place: str
    quote: str
    note: str


class ShownCode(Struct, frozen=True):
    """A repository's part of a cell, as plain text: `comparison` has outcomes with sentences, differences first."""

    repository: str
    problem: str
    """Why it could not be read; empty if it was."""
    comparison: tuple[tuple[str, str], ...]
    findings: tuple[ShownFinding, ...]
    more: tuple[ShownFinding, ...]
    """Further findings, to be shown on request."""


class ShownCheck(Struct, frozen=True):
    item: str
    met: bool
    places: tuple[str, ...]


def shown_code(code: CodeCell) -> ShownCode:
    compared = sorted(code.comparison, key=lambda each: _ORDER.index(each.outcome))
    findings = [*dict.fromkeys(map(_shown, code.findings))]  # one line may have several values
    return ShownCode(
        repository_name(code.repository),
        problem(code.repository),
        tuple((str(each.outcome), one_line(each.sentence)) for each in compared),
        tuple(findings[:_SHOWN]),
        tuple(findings[_SHOWN:]),
    )


def _shown(finding: Finding) -> ShownFinding:
    return ShownFinding(one_line(place(finding)), one_line(finding.quote), one_line(finding.note))


def shown_checks(repository: Repository) -> tuple[ShownCheck, ...]:
    """The completeness checklist, each item with the first places that show it."""
    return tuple(
        ShownCheck(str(check.item), check.met, tuple(dict.fromkeys(one_line(place(each)) for each in check.findings))[:3])
        for check in repository.checks
    )


def repository_name(repository: Repository) -> str:
    """'clones/moths at 4f2a91c0d3, 2023-05-31'"""
    state = ", ".join(filter(None, (repository.commit[:_COMMIT_CHARS], repository.date[:10])))
    return one_line(f"{repository.location} at {state}" if state else repository.location)


def problem(repository: Repository) -> str:
    if repository.status is RepositoryStatus.OK:
        return ""
    return one_line(f"{repository.status.value.replace('_', ' ')}: {repository.reason}")


# --- exports ----------------------------------------------------------------------------------------------------------


def code_object(code: CodeCell) -> dict[str, Any]:
    """The `code` of the JSON export: dicts, lists, strings, numbers and None."""
    repository = code.repository
    exported: dict[str, Any] = {
        "repository": one_line(repository.location),
        "commit": repository.commit or None,
        "date": repository.date or None,
        "status": str(repository.status),
        "findings": [_finding_object(finding) for finding in code.findings],
        "comparison": [
            {
                "fact": each.fact,
                "outcome": str(each.outcome),
                "paper": list(each.paper),
                "code": [{**_finding_place(finding), "value": finding.value} for finding in each.code],
                "sentence": one_line(each.sentence),
            }
            for each in code.comparison
        ],
    }
    if repository.reason:
        exported["reason"] = one_line(repository.reason)
    plain: dict[str, Any] = encodable(msgspec.to_builtins(exported))
    return plain


def _finding_place(finding: Finding) -> dict[str, Any]:
    return {"file": one_line(finding.file), "line": finding.line}


def _finding_object(finding: Finding) -> dict[str, Any]:
    exported = {"topic": str(finding.topic), **_finding_place(finding), "quote": one_line(finding.quote)}
    if finding.fact:
        exported |= {"fact": finding.fact, "value": finding.value}
    return {**exported, "note": one_line(finding.note)} if finding.note else exported


def code_text(code: CodeCell) -> str:
    """For a cell of a table: the sentences of the comparison, or else the quotes."""
    if text := problem(code.repository):
        return f"code not read: {text}"
    shown = shown_code(code)
    sentences = [f"{outcome}: {sentence}" for outcome, sentence in shown.comparison]
    quotes = [f"“{finding.quote}” ({finding.place})" for finding in shown.findings]
    more = [f"and {len(shown.more)} more"] if shown.more else []
    return " | ".join(sentences or [*quotes, *more])


def checklist_lines(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    """One line per paper that has a repository, with the columns of CHECKLIST_COLUMNS."""
    yield CHECKLIST_COLUMNS
    for _, paper_rows in groupby(rows, key=lambda row: (row.paper.name, row.paper.sha256)):
        if (row := next(paper_rows)).code:
            yield checklist_line(row.paper.name, row.code.repository)


def checklist_line(paper: str, repository: Repository) -> tuple[str, ...]:
    met = {check.item: "yes" if check.met else "no" for check in repository.checks}
    return (
        paper,
        repository.location,
        str(repository.status),
        repository.reason,
        repository.commit,
        repository.date,
        str(repository.files),
        *(met.get(item, "") for item in CheckItem),
    )
