"""BibTeX as reference managers write it: entries with their fields as plain text. Forgiving where the meaning is clear."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

from methodlens.errors import InputError

_START = re.compile(r"@\s*([A-Za-z]+)\s*([{(])")
_BLANK = re.compile(r"(?:\s+|%[^\n]*(?:\n|$))*")
_NAME = re.compile(r"[^\s,={}()\"#%@]+")
_KEY = {"}": re.compile(r"[^,={}\"\n]*"), ")": re.compile(r"[^,={}\"\n)]*")}
_BRACE = re.compile(r"[{}]")
_BRACE_OR_QUOTE = re.compile(r'[{}"]')
_COMBINING = dict(
    zip(
        "\"'`^~=.ucvHkrdb",
        "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u0327\u030c\u030b\u0328\u030a\u0323\u0331",
        strict=True,
    )
)
_ACCENT = re.compile(r"\\(?:([\"'`^~=.])|([ucvHkrdb])(?=[\s{\\]))\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\?([^\W\d_]))")
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "i",
    "j": "j", "dh": "ð", "th": "þ", "textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘",
    "textasciitilde": "~", "textbackslash": "\\", "backslash": "\\", "textunderscore": "_", "ldots": "…", "dots": "…",
}  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s*|\\([&%$#_{}:;,\\/ -])")


class BibEntry(NamedTuple):
    """`fields` has lower-case names; the values are as written, LaTeX and all: see `plain`."""

    kind: str
    key: str
    fields: Mapping[str, str]
    line: int


def parse(text: str, source: str) -> list[BibEntry]:
    """Every entry of a .bib file. Raises InputError with `source` and the line when one cannot be read."""
    reader = _Reader(text, source)
    found: list[BibEntry] = []
    started = False
    at = 0
    while match := _START.search(text, at):
        started = True
        reader.at = match.end()
        kind = match[1].lower()
        if kind in ("comment", "preamble"):
            reader.skip()
        elif entry := reader.entry(kind, match.start(), closing="}" if match[2] == "{" else ")"):
            found.append(entry)
        at = reader.at
    if not started and any(line.strip() and not line.lstrip().startswith("%") for line in text.splitlines()):
        raise InputError(f"{source}:1: there is no BibTeX entry in it", "export it again as BibTeX, or take the file away")
    return found


def plain(value: str) -> str:
    """LaTeX as text: {\\"o} is ö, \\'e is é, braces and commands go.

    >>> plain("{G}{\\\\\\"o}del \\\\& Erd{\\\\H o}s")
    'Gödel & Erdős'
    """
    value = _ACCENT.sub(_accented, value)
    value = _COMMAND.sub(lambda match: _letter(match[1]) if match[1] else match[2], value.replace("~", " "))
    value = value.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    return unicodedata.normalize("NFC", " ".join(re.sub(r"[{}$]", "", value).split()))


def people(value: str) -> tuple[str, ...]:
    """The names of an author field: split at an 'and' outside braces, given name first."""
    names: list[str] = []
    depth, start = 0, 0
    for match in re.finditer(r"[{}]|(?<!\S)and(?!\S)", value):
        if match[0] == "and":
            if not depth:
                names.append(value[start : match.start()])
                start = match.end()
        else:
            depth = depth + 1 if match[0] == "{" else max(depth - 1, 0)
    names.append(value[start:])
    turned = (given_first(plain(name)) if not _one_group(name) else plain(name) for name in names)
    return tuple(name for name in turned if name and name.lower() not in ("others", "et al."))


def given_first(name: str) -> str:
    """'Lovelace, Ada' is 'Ada Lovelace'; 'King, Jr., Martin' is 'Martin King Jr.'."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    return " ".join((parts[-1], *parts[:-1])) if len(parts) > 1 else "".join(parts)


def _one_group(name: str) -> bool:
    """{Barnes, Noble and Co.} is one name as it stands."""
    name = name.strip()
    return name.startswith("{") and name.find("}") == len(name) - 1


def _letter(command: str) -> str:
    """\\ss is ß and \\beta is β; a command that only sets the font is nothing."""
    size = "SMALL" if command.islower() else "CAPITAL"
    return _LETTERS.get(command) or _named(f"GREEK {size} LETTER {command.upper()}")


def _named(name: str) -> str:
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return ""


def _accented(match: re.Match[str]) -> str:
    letter = match[3] or match[4]
    return unicodedata.normalize("NFC", letter + _COMBINING[match[1] or match[2]])


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.at = 0
        self.ends = [match.start() for match in re.finditer("\n", text)]
        self.macros: dict[str, str] = {}

    def entry(self, kind: str, start: int, *, closing: str) -> BibEntry | None:
        line = self.line(start)
        key = ""
        fields: dict[str, str] = {}
        if kind != "string":
            self.blank()
            match = _KEY[closing].match(self.text, self.at)
            if match and self.text[match.end() : match.end() + 1] != "=":  # without a key, the first field follows at once
                key, self.at = match[0].strip(), match.end()
        while True:
            self.blank()
            while self.text[self.at : self.at + 1] == ",":
                self.at += 1
                self.blank()
            char = self.text[self.at : self.at + 1]
            if char == closing:
                self.at += 1
                break
            name = _NAME.match(self.text, self.at)
            if not name:
                raise self.error(
                    start, f"the entry {key or '@' + kind!r} is never closed" if not char else f"{char!r} where a field should be"
                )
            self.at = name.end()
            self.blank()
            if self.text[self.at : self.at + 1] != "=":
                raise self.error(name.start(), f"the field {name[0]!r} has no '='")
            self.at += 1
            fields.setdefault(name[0].lower(), self.value(name[0]))
        if kind == "string":
            self.macros.update(fields)
            return None
        return BibEntry(kind, key, fields, line)

    def value(self, name: str) -> str:
        """{...}, "...", a number or a macro, and any of these joined by #."""
        parts: list[str] = []
        while True:
            self.blank()
            char = self.text[self.at : self.at + 1]
            if char in ("{", '"') and char:
                parts.append(self.quoted(name, char))
            elif word := _NAME.match(self.text, self.at):
                self.at = word.end()
                parts.append(self.macros.get(word[0].lower(), word[0]))
            else:
                raise self.error(self.at, f"the field {name!r} has no value")
            self.blank()
            if self.text[self.at : self.at + 1] != "#":
                return "".join(parts)
            self.at += 1

    def quoted(self, name: str, opening: str) -> str:
        start, depth = self.at, 0
        pattern = _BRACE if opening == "{" else _BRACE_OR_QUOTE
        at = self.at + 1
        while match := pattern.search(self.text, at):
            at = match.end()
            if match[0] == "{":
                depth += 1
            elif depth and match[0] == "}":
                depth -= 1
            elif not depth and match[0] == ("}" if opening == "{" else '"'):
                self.at = at
                return self.text[start + 1 : at - 1]
        raise self.error(start, f"the value of {name!r} is never closed")

    def skip(self) -> None:
        """Over a comment: to its closing brace, or only past its opening when it has none."""
        depth, at = 1, self.at
        while depth and (match := _BRACE.search(self.text, at)):
            depth += 1 if match[0] == "{" else -1
            at = match.end()
        self.at = at if not depth else self.at

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def line(self, at: int) -> int:
        return bisect_left(self.ends, at) + 1

    def error(self, at: int, problem: str) -> InputError:
        return InputError(f"{self.source}:{self.line(at)}: {problem}", "mend the entry there, or export the file again")
