"""Packages that commands install: in Dockerfiles, scripts and READMEs."""

import re
from collections.abc import Iterator

from methodlens.code.packages import NOT_PACKAGES, Requirement, normalised, parse_requirement
from methodlens.code.sources import Source

_TAKES_A_VALUE = frozenset(
    """-r -c -f -i -n --index-url --extra-index-url --find-links --name --requirement -p -t --channel -e --editable""".split()
)


def docker_file(source: Source) -> list[Requirement]:
    return [requirement for number, line in logical_lines(source) for requirement in installed(line, number)]


def installed(command: str, line: int) -> Iterator[Requirement]:
    """The packages that `pip install` and `conda install` name in a command.

    >>> [each.name + " " + each.version for each in installed("RUN pip install torch==1.9.0 'tqdm>=4' -r requirements.txt", 1)]
    ['torch 1.9.0', 'tqdm ']
    """
    for match in re.finditer(r"\b(pip3?|conda|mamba|micromamba|poetry|uv pip|uv)\s+(?:install|add)\s+([^|&;`]{1,2000})", command):
        skip = False
        for word in match[2].split():
            if skip or word.startswith("-"):
                skip = not skip and word in _TAKES_A_VALUE
                continue
            text = word.strip("\"'")
            if match[1] in ("conda", "mamba", "micromamba"):
                text = re.sub(r"^[\w-]+::", "", re.sub(r"(?<![=<>!~])=(?!=)", "==", text))
                text = re.sub(r"(==[^=]+)=[^=]+$", r"\1", text)
            requirement = parse_requirement(text, line) if re.match(r"[A-Za-z]", text) and "/" not in text.split("@")[0] else None
            if requirement and normalised(requirement.name) not in NOT_PACKAGES:
                yield requirement


def logical_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Lines of a script with those that a backslash continues, and the number of the first."""
    held, first = "", 0
    for number, line in enumerate(source.lines, 1):
        first = first or number
        if line.rstrip().endswith("\\") and len(held) < 20_000:
            held += line.rstrip()[:-1] + " "
            continue
        yield first, held + line
        held, first = "", 0
    if held:
        yield first, held
