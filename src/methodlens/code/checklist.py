"""The completeness checklist: which items a repository meets, and the findings that show it.

Five items are those of the code completeness checklist for machine learning; docs/reference/code-checklist.md has them all.
"""

import re
from collections.abc import Callable, Sequence

from methodlens.code.commands import EVALUATION, RUN, TRAINING
from methodlens.code.dependencies import DECLARED, DOCUMENTED, PINNED
from methodlens.code.entry_points import ENTRY
from methodlens.code.links import RELEASED
from methodlens.code.settings_found import CALL, COMMAND, CONFIG, DEFAULT, PARAMETER
from methodlens.records.code import Check, CheckItem, Finding, Topic

_SHOWN = 5
_README = re.compile(
    r"(?:^|/)(?:readme|usage|reproduc|getting_started|train|evaluation|results|model_?zoo)[^/.]*(?:\.(?:md|rst|txt|markdown|mdx|org|adoc))?$",
    re.I,
)


def _dependencies(finding: Finding) -> bool:
    return finding.topic is Topic.DEPENDENCY and finding.kind in (DECLARED, PINNED, DOCUMENTED)


def _pinned(finding: Finding) -> bool:
    """A file whose packages have exact versions, or an image with the framework's version; not one framework among others."""
    return finding.topic is Topic.DEPENDENCY and finding.kind == PINNED and (not finding.fact) == (finding.note != "image")


def _training(finding: Finding) -> bool:
    return finding.topic is Topic.TRAINING and finding.kind != ENTRY


def _models(finding: Finding) -> bool:
    return finding.topic is Topic.WEIGHTS and finding.kind == RELEASED


def _readme_commands(finding: Finding) -> bool:
    runs = finding.topic is Topic.COMMAND and finding.kind in (TRAINING, EVALUATION, RUN)
    return runs and not finding.note and bool(_README.search(finding.file))


def _data_access(finding: Finding) -> bool:
    """A link, a download, or data in the repository; a path on somebody's disk is none."""
    return finding.topic is Topic.DATA and finding.kind not in (DEFAULT, PARAMETER, CONFIG, CALL, COMMAND)


def _tests(finding: Finding) -> bool:
    return finding.topic is Topic.TESTS and finding.kind != "ci"


def _of(topic: Topic) -> Callable[[Finding], bool]:
    return lambda finding: finding.topic is topic


_RULES: dict[CheckItem, Callable[[Finding], bool]] = {
    CheckItem.DEPENDENCIES: _dependencies,
    CheckItem.PINNED: _pinned,
    CheckItem.TRAINING_CODE: _training,
    CheckItem.EVALUATION_CODE: _of(Topic.EVALUATION),
    CheckItem.MODELS: _models,
    CheckItem.README_RESULTS: _of(Topic.RESULTS),
    CheckItem.README_COMMANDS: _readme_commands,
    CheckItem.SEEDS: _of(Topic.SEED),
    CheckItem.DATA_ACCESS: _data_access,
    CheckItem.LICENSE: _of(Topic.LICENSE),
    CheckItem.TESTS: _tests,
}


def checklist(findings: Sequence[Finding]) -> tuple[Check, ...]:
    """Every item, met or not; those nearest to the root show it."""
    checks = []
    for item, rule in _RULES.items():
        shown = sorted((finding for finding in findings if rule(finding)), key=lambda finding: finding.file.count("/"))
        checks.append(Check(item, bool(shown), tuple(shown[:_SHOWN])))
    return tuple(checks)
