"""Findings about dependencies: one per file, and one per framework with its version."""

import re

from methodlens.code.dependency_files import is_lock, reader_of, requirements_file
from methodlens.code.packages import Requirement, framework_of, packages
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

PINNED, DECLARED, IMPORTED, DOCUMENTED = "pinned", "declared", "imported", "documented"
_MOSTLY = 0.8
_FROM = re.compile(r"\s*FROM\s+(?:--platform=\S+\s+)?([\w./-]{1,200}?)(?::([\w.-]{1,100}))?(?:@sha256:\w+)?(?:\s|$)", re.I)


def dependency_findings(source: Source) -> list[Finding]:
    """Empty if the file declares no dependencies."""
    reader = reader_of(source)
    if reader is None:
        return []
    requirements = reader(source)
    images = (
        [finding for number, line in enumerate(source.lines, 1) if (finding := _image(source, number, line))]
        if "FROM" in source.text and reader.__name__ == "docker_file"
        else []
    )
    if not requirements and not images:
        return []
    summary = [_summary(source, requirements)] if requirements else []
    return [*summary, *images, *framework_findings(source, requirements)]


def included_findings(source: Source) -> list[Finding]:
    """Of a file that a requirements file includes, whatever its name."""
    requirements = requirements_file(source)
    return [_summary(source, requirements), *framework_findings(source, requirements)] if requirements else []


def framework_findings(source: Source, requirements: list[Requirement], *, kind: str = DECLARED) -> list[Finding]:
    """The frameworks among the requirements, each once."""
    findings: dict[str, Finding] = {}
    for requirement in requirements:
        name = framework_of(requirement.name)
        if name and name not in findings:
            value = {"name": name, "version": requirement.version or None}
            open_version = bool(requirement.allowed) and not requirement.version
            note = f"{requirement.name}{requirement.allowed} allows several versions" if open_version else ""
            how = PINNED if requirement.version else kind
            findings[name] = source.finding(Topic.DEPENDENCY, requirement.line, "frameworks", value, note=note, kind=how)
    return list(findings.values())


def _summary(source: Source, requirements: list[Requirement]) -> Finding:
    exact = sum(bool(requirement.version) for requirement in requirements)
    pinned = is_lock(source) or exact >= _MOSTLY * len(requirements)
    count = len(requirements)
    note = f"{count} package{'s' if count != 1 else ''}, {exact} with an exact version"
    return source.finding(Topic.DEPENDENCY, requirements[0].line, note=note, kind=PINNED if pinned else DECLARED)


def _image(source: Source, number: int, line: str) -> Finding | None:
    match = _FROM.match(line)
    if match is None:
        return None
    name = packages()["images"].get(match[1].removeprefix("docker.io/"), "")
    tag = match[2] or ""
    version = re.match(r"v?(\d+\.\d+(?:\.\d+)?)", tag)
    kind = PINNED if version else DECLARED
    if not name:
        return source.finding(Topic.DEPENDENCY, number, kind=kind, note="image")
    known = version[1] if version and not match[1].startswith("nvcr.io") else None
    return source.finding(Topic.DEPENDENCY, number, "frameworks", {"name": name, "version": known}, kind=kind, note="image")
