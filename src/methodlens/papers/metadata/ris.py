"""Records of a .ris file, parsed by rispy. A line outside a record is an error that names its line."""

import re
from itertools import pairwise
from urllib.parse import unquote

from methodlens.errors import InputError
from methodlens.papers.metadata.entries import Entry, Metadata, find_doi, find_year, given_name_first

_TAGS = "TY ID TI T1 CT AU A1 PY Y1 DA DO UR M3 L1 L2 L3 L4 LK".split()
_TAG = re.compile(r"^\s*([A-Z][A-Z0-9])\s{0,4}-(?:[^\S\n]|$)", re.MULTILINE)
_WRAPPED = re.compile(rf"\n(?!{_TAG.pattern.removeprefix('^')})\s*", re.MULTILINE)


def ris_entries(text: str, source: str) -> tuple[Entry, ...]:
    """Every record of a .ris file. Raises InputError with `source` and the line of text outside a record."""
    lines = text.split("\n")
    tags = [match[1] if (match := _TAG.match(line)) else "" for line in lines]
    starts = [number for number, tag in enumerate(tags) if tag == "TY"]
    # databases print notes above their records, which are skipped; text without any record is an error
    outside = [] if starts else [number for number, line in enumerate(lines) if line.strip()]
    outside += [number for number in range(starts[0] if starts else 0) if tags[number] not in ("", "ER")]
    entries: list[Entry] = []
    for start, following in pairwise([*starts, len(lines)]):
        end = next((number for number in range(start, following) if tags[number] == "ER"), following)  # some lack their ER
        outside += [number for number in range(end, following) if tags[number] not in ("", "ER")]
        entries.append(_entry("\n".join(lines[start:end]), f"{source}:{start + 1}"))
    if outside:
        number = min(outside)
        raise InputError(
            f"{source}:{number + 1}: {lines[number].strip()[:40]!r} is outside a record",
            "a RIS record starts with a line 'TY  - JOUR'; export the file again as RIS",
        )
    return tuple(entries)


def _entry(record: str, source: str) -> Entry:
    import rispy

    [fields] = rispy.loads(
        _TAG.sub(r"\1  - ", _WRAPPED.sub(" ", record)) + "\nER  - ",  # rispy knows neither other spacing nor wrapped lists
        mapping={tag: tag for tag in _TAGS},
        list_tags=_TAGS,
        delimiter_tags_mapping={},
        skip_unknown_tags=True,
    )

    def values(*tags: str) -> list[str]:
        return [value for tag in tags for value in fields.get(tag, ()) if value]

    def first(*tags: str) -> str:
        return next(iter(values(*tags)), "")

    metadata = Metadata(
        first("TI", "T1", "CT"),
        tuple(map(given_name_first, values("AU", "A1"))),
        find_year(first("PY", "Y1", "DA")),
        find_doi(" ".join(values("DO", "UR", "M3", "L3"))),
    )
    files = tuple(filter(None, map(_local_path, values("L1", "L2", "L4", "LK", "UR"))))
    return Entry(metadata, source, files, first("ID"))


def _local_path(link: str) -> str:
    """The path of a link to a local PDF; '' for a web address, whose last part may be any name."""
    scheme = re.match(r"([a-z-]{2,}):/*", link, re.IGNORECASE)
    if (scheme and scheme[1].lower() not in ("file", "internal-pdf")) or not link.lower().endswith(".pdf"):
        return ""
    return unquote("/" + link[scheme.end() :] if scheme else link).replace("\\", "/")
