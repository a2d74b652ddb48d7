"""Names of packages: what they are called in facts, and which version a requirement allows."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_EXACT = re.compile(r"\s*={2,3}\s*v?(\d[\w.+!*-]{0,40})\s*$")
_EGG = re.compile(r"#egg=([\w.-]{1,80})|/([\w.-]{1,80}?)(?:\.git)?(?:@[\w./-]{1,80})?(?:#.*)?$")

NOT_PACKAGES = frozenset("python pip setuptools wheel".split())
"""Named among the dependencies, but not what the code is made with."""


class Requirement(Struct, frozen=True):
    """A dependency as declared: `version` is the exact one, empty if several are allowed."""

    name: str
    line: int
    version: str = ""
    allowed: str = ""
    """What is allowed, as written, such as ">=1.7"."""


@cache
def packages() -> dict[str, Any]:
    return tomllib.loads((resources.files("methodlens.code") / "data" / "packages.toml").read_text(encoding="utf-8"))


def framework_of(package: str) -> str:
    """The name in facts of a package of machine learning; empty for other packages.

    >>> framework_of("torch"), framework_of("Segmentation_Models.PyTorch"), framework_of("requests")
    ('PyTorch', 'segmentation_models', '')
    """
    return str(packages()["frameworks"].get(normalised(package), ""))


def is_deep(framework: str) -> bool:
    return framework in packages()["deep"]["names"]


def normalised(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def parse_requirement(text: str, line: int) -> Requirement | None:
    """A requirement in the form of pip.

    >>> parse_requirement("torch==1.13.1+cu117 ; python_version > '3.7'  # GPU", 3)
    Requirement(name='torch', line=3, version='1.13.1', allowed='==1.13.1+cu117')
    """
    text = text[:400].split(" #")[0].strip()
    if text.startswith(("git+", "http://", "https://", "hg+", "svn+")):
        match = _EGG.search(text)
        pinned = re.search(r"@([0-9a-f]{7,40}|v?\d[\w.]*)(?:#|$)", text)
        return Requirement((match[1] or match[2]) if match else text, line, pinned[1] if pinned else "", text[:80])
    match = _NAME.match(text)
    if not match:
        return None
    rest = text[match.end() :].split(";")[0].split(" --hash")[0].rstrip(" \\")
    rest = re.sub(r"^\s*\[[^\]]{0,80}\]", "", rest).strip()
    if rest.startswith("@"):
        return Requirement(match[0], line, "", rest[:80])
    if rest and not rest.lstrip("( ").startswith(("=", "<", ">", "~", "!")):
        return None
    exact = _EXACT.match(rest.strip("() "))
    version = exact[1].split("+")[0] if exact and "*" not in exact[1] else ""
    return Requirement(match[0].rstrip(".-_"), line, version, rest)
