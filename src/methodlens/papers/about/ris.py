"""RIS as reference managers write it: records of two-letter tags."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from methodlens.errors import InputError

_TAG = re.compile(r"([A-Z][A-Z0-9])\s{0,4}-(?:\s(.*))?$")


class RisEntry(NamedTuple):
    fields: Mapping[str, tuple[str, ...]]
    line: int

    def all(self, *tags: str) -> tuple[str, ...]:
        return tuple(value for tag in tags for value in self.fields.get(tag, ()) if value)

    def first(self, *tags: str) -> str:
        return next(iter(self.all(*tags)), "")


def parse(text: str, source: str) -> list[RisEntry]:
    """Every record of a .ris file. Raises InputError with `source` and the line when a line belongs to none."""
    found: list[RisEntry] = []
    fields: dict[str, list[str]] | None = None
    tag = ""
    start = stray = 0

    def finish() -> None:
        if fields is not None:
            found.append(RisEntry({name: tuple(values) for name, values in fields.items()}, start))

    for number, line in enumerate(text.split("\n"), 1):
        match = _TAG.match(line.strip())
        if match and match[1] == "TY":  # a record may lack its ER: the next one ends it
            finish()
            fields, tag, start = {}, "", number
        elif match and match[1] == "ER":
            finish()
            fields, tag = None, ""
        elif fields is None:
            if match:
                raise _outside(source, number, line)
            stray = stray or (number if line.strip() else 0)
        elif match:
            tag = match[1]
            fields.setdefault(tag, []).append((match[2] or "").strip())
        elif tag and line.strip():  # a long value goes on in the next line
            fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}".strip()
    finish()
    if stray and not found:  # what databases print above their records is no harm, nothing but that is
        raise _outside(source, stray, text.split("\n")[stray - 1])
    return found


def _outside(source: str, number: int, line: str) -> InputError:
    return InputError(
        f"{source}:{number}: {line.strip()[:40]!r} stands outside a record",
        "a RIS record starts with a line 'TY  - JOUR'; export the file again as RIS",
    )
