"""From the files of a repository to findings and the completeness checklist."""

import hashlib
import re
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from methodlens.code.checklist import checklist
from methodlens.code.commands import RepositoryNames, command_findings, joined_lines
from methodlens.code.config_files import config_findings
from methodlens.code.dependencies import IMPORTED, dependency_findings, included_findings
from methodlens.code.dependency_files import included, reader_of
from methodlens.code.file_kinds import is_text_name
from methodlens.code.links import BACKBONE, RELEASED, is_backbone_address
from methodlens.code.other_languages import SUFFIXES, other_findings
from methodlens.code.overrides import with_overrides
from methodlens.code.ownership import own_entries, submodule_paths
from methodlens.code.project_files import in_tests, is_unit_test, named_findings, shipped_findings
from methodlens.code.python_code import python_findings
from methodlens.code.python_parsing import notebook_code
from methodlens.code.readme import is_readme, readme_findings
from methodlens.code.scaling import accumulations, with_scaling
from methodlens.code.scripts import is_script, script_findings
from methodlens.code.skipped import Skipped
from methodlens.code.sources import Source, decode
from methodlens.code.trees import Entry, Tree, TreeTooBig
from methodlens.records.code import Finding, Repository, Topic
from methodlens.settings import CodeLimits

_PER_TOPIC = 400
_PROSE = frozenset((".md", ".rst", ".txt"))
_NOTEBOOK = 8  # notebooks hold images: they may be this many times larger
_ENTRY_POINT = re.compile(r"^[\s\"'\[]*([A-Za-z][\w.-]{1,60})[\"']?\s*=\s*[\"']?\s*[\w.]{1,100}:\w", re.M)
_LISTED_ENTRY_POINT = re.compile(r"[\"']([A-Za-z][\w.-]{1,60})\s*=\s*[\w.]{1,100}:\w+[\"']")  # several in one line of setup.py
_SCRIPTS = re.compile(r"\bscripts\s*=\s*\[([^\[\]]{1,600})\]")
_QUOTED = re.compile(r"[\"']([\w./-]{2,100})[\"']")
_OWN_ADDRESS = re.compile(
    r"^\s*[\"']?(?:url|homepage|repository|source|source code|home-page)[\"']?\s*[=:]\s*[\"']?https?://(github\.com/[\w.-]{1,80}/[\w.-]{1,80})",
    re.I | re.M,
)
_SECONDARY = re.compile(
    r"(?:^|/)(?:docs?|examples?|benchmarks?|demos?|tutorials?|scripts?/debug|legacy|old|archive|deprecated|baselines?)/", re.I
)


def analyse(tree: Tree, limits: CodeLimits, skipped: Skipped) -> Repository:
    """Raises TreeTooBig or OSError."""
    entries = own_entries(tree.entries, skipped, submodules=_submodules(tree))
    reading = _Reading(tree, limits, skipped, entries)
    findings = reading.findings()
    return Repository(
        "",
        "",
        content_sha256=reading.digest.hexdigest(),
        files=len(reading.wanted),
        skipped=skipped.lines(),
        findings=tuple(findings),
        checks=checklist(findings),
    )


class _Reading:
    """One pass over the files; README files and scripts come last, because their commands name the others."""

    def __init__(self, tree: Tree, limits: CodeLimits, skipped: Skipped, entries: list[Entry]) -> None:
        self._tree, self._limits, self._skipped, self._entries = tree, limits, skipped, entries
        self.digest = hashlib.sha256()
        self.wanted = _wanted(entries, limits, skipped)
        self._bytes = 0
        self._console_scripts: set[str] = set()
        self._included: set[str] = set()
        self._late: list[Source] = []
        self._own_addresses: set[str] = set()

    def findings(self) -> list[Finding]:
        findings = shipped_findings(self._entries)
        for entry in self.wanted:
            source = self._read(entry)
            if source is not None:
                findings += self._of_file(source)
        names = RepositoryNames([entry.name for entry in self._entries], frozenset(self._console_scripts))
        for source in self._late:
            findings += self._of_late_file(source, names)
        return _arranged(with_overrides(with_scaling(_deduplicated(map(self._own, findings)))))

    def _own(self, finding: Finding) -> Finding:
        """Weights at the project's own address are its own, however well known they are."""
        address = finding.note.lower()
        if finding.kind == BACKBONE and is_backbone_address(address) and any(own in address for own in self._own_addresses):
            return replace(finding, kind=RELEASED)
        return finding

    def _read(self, entry: Entry) -> Source | None:
        limit = _limit(entry, self._limits)
        data = self._tree.read(entry, limit + 1)
        if len(data) > limit:  # more than its header said
            self._skipped.add(f"larger than {self._limits.max_file_kb:,} kB", entry.name)
            return None
        self._bytes += len(data)
        if self._bytes > self._limits.max_total_mb << 20:
            raise TreeTooBig(f"it has more than {self._limits.max_total_mb} MB of text; raise code.max_total_mb")
        self.digest.update(entry.name.encode("utf-8", "replace") + b"\0" + hashlib.sha256(data).digest())
        if b"\0" in data[:1000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            self._skipped.add("not text", entry.name)
            return None
        return Source(entry.name, decode(data))

    def _of_file(self, source: Source) -> list[Finding]:
        suffix = source.path.suffix.lower()
        findings = named_findings(source)
        if is_unit_test(source.name, source.text):
            line = next((at for at, text in enumerate(source.lines, 1) if "def test" in text or "test_that" in text), 1)
            return [*findings, source.finding(Topic.TESTS, line)]
        if in_tests(source.name):
            return findings
        findings += accumulations(source) if source.path.suffix.lower() not in _PROSE else ()
        if reader_of(source):
            if source.path.name.lower() in ("setup.py", "setup.cfg", "pyproject.toml"):
                for written in (_ENTRY_POINT, _LISTED_ENTRY_POINT):
                    self._console_scripts.update(written.findall(source.text))
                for listed in _SCRIPTS.findall(source.text):
                    self._console_scripts.update(name.rpartition("/")[2] for name in _QUOTED.findall(listed))
                self._own_addresses.update(address.lower() for address in _OWN_ADDRESS.findall(source.text))
                if source.path.suffix == ".py":  # it may download weights while it installs
                    findings += [each for each in python_findings(source) if each.topic in (Topic.WEIGHTS, Topic.DATA)]
            self._included.update(included(source))
            return [*findings, *dependency_findings(source)]
        if is_readme(source) or is_script(source) or source.name in self._included:
            self._late.append(source)
        elif suffix in (".py", ".pyw", ".pyx"):
            findings += python_findings(source)
        elif suffix == ".ipynb":
            if code := notebook_code(source):
                findings += python_findings(code[0])
                self._late.append(code[1])
        elif suffix in SUFFIXES:
            findings += other_findings(source)
        elif suffix == ".txt":
            self._late.append(source) if len(source.text) < 20_000 else None
        elif not source.name.startswith("."):
            findings += config_findings(source)
        return findings

    def _of_late_file(self, source: Source, names: RepositoryNames) -> list[Finding]:
        if source.path.suffix == ".ipynb":
            return command_findings(source, joined_lines(source), names)
        if source.name in self._included:
            return included_findings(source)
        if is_readme(source):
            return readme_findings(source, names)
        return script_findings(source, names) if is_script(source) else []


def _limit(entry: Entry, limits: CodeLimits) -> int:
    return (limits.max_file_kb << 10) * (_NOTEBOOK if entry.name.endswith(".ipynb") else 1)


def _wanted(entries: list[Entry], limits: CodeLimits, skipped: Skipped) -> list[Entry]:
    wanted = [entry for entry in entries if is_text_name(entry.name)]
    if len(wanted) > limits.max_files:
        raise TreeTooBig(f"it has more than {limits.max_files:,} text files; raise code.max_files")
    small = [entry for entry in wanted if entry.size <= _limit(entry, limits)]
    for entry in wanted:
        if entry.size > _limit(entry, limits):
            skipped.add(f"larger than {limits.max_file_kb:,} kB", entry.name)
    return small


def _submodules(tree: Tree) -> frozenset[str]:
    entry = next((entry for entry in tree.entries if entry.name == ".gitmodules"), None)
    return submodule_paths(decode(tree.read(entry, 100_000))) if entry else frozenset()


def _deduplicated(findings: Iterable[Finding]) -> list[Finding]:
    """The same value in the same file counts once."""
    seen: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        if finding.fact:
            key = (finding.topic, finding.file, finding.fact, msgspec.json.encode(finding.value), finding.kind)
            seen.setdefault(key, finding)
        else:
            seen.setdefault((finding.topic, finding.file, finding.line, finding.kind, finding.note), finding)
    return list(seen.values())


def _arranged(findings: list[Finding]) -> list[Finding]:
    """By topic, own scripts before examples and documentation, near the root first; at most a few hundred per topic."""
    order = {topic: index for index, topic in enumerate(Topic)}

    def key(finding: Finding) -> tuple[object, ...]:
        rank = (finding.kind == IMPORTED, bool(_SECONDARY.search(finding.file)), finding.file.count("/"))
        return (order[finding.topic], *rank, finding.file, finding.line)

    counts = dict.fromkeys(Topic, 0)
    arranged: list[Finding] = []
    for finding in sorted(findings, key=key):  # type: ignore[arg-type, unused-ignore]
        counts[finding.topic] += 1
        if counts[finding.topic] <= _PER_TOPIC:
            arranged.append(finding)
    return arranged
