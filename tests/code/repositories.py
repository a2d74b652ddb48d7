"""Small repositories for the tests, read in this process."""

import warnings
from collections.abc import Mapping
from pathlib import Path

from methodlens.code.analysis import analyse
from methodlens.code.skipped import Skipped
from methodlens.code.trees import open_tree
from methodlens.records.code import CheckItem, Finding, Repository, Topic
from methodlens.settings import CodeLimits

EXAMPLES = Path(__file__).parents[2] / "examples" / "code"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, files: Mapping[str, str], limits: CodeLimits = CodeLimits()) -> Repository:  # noqa: B008 - frozen
    """As the child does, without starting one."""
    skipped = Skipped()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # reading code must not warn about it
        return analyse(open_tree(write(folder, files), limits, skipped), limits, skipped)


def values(repository: Repository, fact: str) -> list[object]:
    return [finding.value for finding in repository.findings if finding.fact == fact]


def on(repository: Repository, topic: Topic) -> list[Finding]:
    return [finding for finding in repository.findings if finding.topic is topic]


def met(repository: Repository) -> set[CheckItem]:
    return {check.item for check in repository.checks if check.met}
