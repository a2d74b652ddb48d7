"""Author names printed below a title. A list that is only partly understood is dropped: no names are better than wrong ones."""

import re
from collections.abc import Sequence
from itertools import pairwise

from methodlens.papers.metadata.title_page import TextRow, starts_body, tidy
from methodlens.records import Box

_MARK = r"[\d*∗⁎†‡§¶‖✉♦♣★⋆^]"
_AFTER_NAME = re.compile(rf"(?:\s*\(?{_MARK}\S*)+")  # 'Smith1,2', 'Smith 1, 2', 'Smith*', 'Smith1Y*'
_BREAK = re.compile(r"\s*(?:[,;·•|]|\s&\s|\band\b|\bet\b(?! al)|\bund\b)\s*")
_GAP = " ; "  # inserted where names are separated only by white space
_ORCID = re.compile(r"\b(?:iD|ID|ORCID)\b|\bhttps?://\S+|\[?\bORCID:?\s*\S*")
_HONOUR = re.compile(r"^(?:by|authors?:|dr\.?|prof\.?|professor|mr\.?|mrs\.?|ms\.?)\s+", re.IGNORECASE)
_DEGREE = re.compile(
    r"(?:ph\.?\s?d|m\.?\s?d|m\.?\s?sc|b\.?\s?sc|m\.?\s?a|m\.?\s?s|b\.?\s?s|d\.?\s?phil|mph|mba|dvm|rn|frcp|"
    r"(?:senior |student |life )?(?:member|fellow)|ieee)\.?",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
_PARTICLE = frozenset(
    "de da do dos das del della di du la le van von der den ter ten zu zum al el bin ibn ben af av y e i".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:[.'’´-]+[^\W\d_]+)*\.?")
_PLACE = re.compile(
    r"\b(?:universit\w*|universid\w*|departa?ment\w*|dept|institut\w*|laborator\w*|labs?|school|faculty|faculdade|college|cent(?:er|re|ro)|"
    r"academy|hospital|clinic|division|group|research|museum|foundation|ministry|agency|council|society|association|company|"
    r"inc|ltd|llc|gmbh|corporation|corp|campus|engineering|sciences?|technolog\w*|computer|informatics|intelligence|learning|"
    r"street|road|avenue|box|usa|uk|uae|china|india|germany|france|spain|italy|sweden|norway|japan|korea|brazil|canada|australia|"
    r"email|e-mail|corresponding|received|published|accepted|journal|conference|proceedings|abstract|article|paper|"
    r"volume|issue|preprint|version|open access|the|of|for|with|using|from|on|in|member|contribut\w+)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"^(?:received|accepted|published|revised|\(?preprint|submitted|draft|conference paper|article|review)\b", re.IGNORECASE
)
_LETTERED = re.compile(r"^([a-h])[\s,]*(?=[A-Z])")


def printed_authors(printed: Sequence[TextRow], title: Box, text: str) -> tuple[str, ...]:
    """The names between the title and the abstract or addresses, without footnote marks and degrees."""
    below = [row for row in printed if row.box[1] >= title[3] - 0.4 * row.size and row.box[3] > title[3]]
    end = min((row.box[1] - 0.5 * row.size for row in below if starts_body(row.text)), default=float("inf"))
    below = [row for row in below if row.box[1] < end and any(char.isalpha() for char in row.text)][:40]
    while below and _ASIDE.match(below[0].text):
        below.pop(0)
    if not below:
        return ()
    block = [row for row in below if abs(row.size - below[0].size) <= 0.12 * below[0].size]
    first_row = [row for row in block if abs(row.box[3] - block[0].box[3]) < 0.5 * row.size]
    in_columns = len(first_row) > 1 and all(len(split_names(_spaced(row)) or ()) == 1 for row in first_row)
    names = _columns(block) if in_columns else _lines(block)
    return _without_address_letters(names or _with_addresses(block), below, text)


def split_names(text: str) -> tuple[str, ...] | None:
    """The names in a list, without marks and degrees; None if the text is not a list of names.

    >>> split_names("Ada Lovelace1,2, C. Babbage* and Mary Somerville, PhD")
    ('Ada Lovelace', 'C. Babbage', 'Mary Somerville')
    """
    names: list[str] = []
    for piece in _pieces(text):
        if _SUFFIX.fullmatch(piece) and names:
            names[-1] += f" {piece}"
        elif not is_name(piece):
            return None
        else:
            names.append(piece)
    return tuple(names) or None


def is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 6 or len(text) > 50 or _PLACE.search(text):
        return False
    if any(not _WORD.fullmatch(word) for word in words) or words[-1].lower() in _PARTICLE - {"e", "i", "y"}:
        return False
    proper = [word for word in words if word.lower() not in _PARTICLE]
    return (
        all(word[0].isupper() for word in proper) and sum(len(word.rstrip(".")) > 1 for word in proper) >= 1 and len(proper) >= 2
    )


def _pieces(text: str) -> list[str]:
    text = _AFTER_NAME.sub(_GAP, _ORCID.sub(_GAP, text))
    pieces = (re.sub(r"(?<=\w{4})\.$", "", piece.strip(" ?:()[]").lstrip(". ")) for piece in _BREAK.split(text))
    bare = (re.sub(r"\s+[a-h]$", "", _HONOUR.sub("", piece)) for piece in pieces)  # 'Smith a', and the 'b' of 'Smith a,b'
    return [piece for piece in bare if len(piece) > 1 and not _DEGREE.fullmatch(piece)]


def _spaced(row: TextRow) -> str:
    """The row's text, with a separator where two names are far apart."""
    parts = [row.words[0].text]
    for before, word in pairwise(row.words):
        parts += [_GAP.strip(), word.text] if word.x0 - before.x1 > 1.2 * row.size else [word.text]
    return tidy(" ".join(parts))


def _lines(block: Sequence[TextRow]) -> tuple[str, ...]:
    """One list over one or more rows, up to the first row that is not made of names."""
    names: tuple[str, ...] = ()
    so_far, last = "", block[0]
    for row in block:
        if row.box[1] - last.box[3] > 1.2 * row.size:
            break
        longer = split_names(f"{so_far} {_spaced(row)}")
        if longer is None or (so_far and len(longer) <= len(names)):
            break
        names, so_far, last = longer, f"{so_far} {_spaced(row)}", row
    return names


def _columns(block: Sequence[TextRow]) -> tuple[str, ...]:
    """Authors side by side, each above an address: the first row of a column, and each row after a vertical gap."""
    authors: list[str] = []
    for index, row in enumerate(block):
        above = [r for r in block[:index] if min(r.box[2], row.box[2]) > max(r.box[0], row.box[0]) and r.box[3] <= row.box[1] + 2]
        if above and row.box[1] - max(r.box[3] for r in above) < 0.8 * row.size:
            continue
        names = split_names(_spaced(row))
        if names is None or len(names) != 1:
            return ()
        authors.append(names[0])
    return tuple(authors)


def _with_addresses(block: Sequence[TextRow]) -> tuple[str, ...]:
    """Rows such as 'Ada Lovelace, Institute of Engines, London', where wrapped addresses are indented."""
    names: list[str] = []
    for row in block:
        if abs(row.box[0] - block[0].box[0]) > 3:
            continue
        pieces = _pieces(_spaced(row))
        place = next((index for index, piece in enumerate(pieces) if _PLACE.search(piece)), 0)
        if not place or not all(is_name(piece) for piece in pieces[:place]):
            break
        names += pieces[:place]
    return tuple(names)


def _without_address_letters(names: tuple[str, ...], below: Sequence[TextRow], text: str) -> tuple[str, ...]:
    """Removes letters that refer to addresses: 'Lovelacea' where there is an address 'a Institute of Engines'."""
    marks = {match[1] for row in below if (match := _LETTERED.match(row.text))}
    if not any(name[-1] in marks for name in names):
        return names
    every, clean = all(name[-1] in marks for name in names), tidy(text)
    return tuple(_without_letter(name, clean, marked=every) if name[-1] in marks else name for name in names)


def _without_letter(name: str, text: str, *, marked: bool) -> str:
    """Keeps or drops the last letter as the rest of the paper spells the name, else by whether all names end in such a letter."""
    whole, short = _count(name, text), _count(name[:-1], text)
    return name[:-1] if (short and whole <= 1) or (marked and (short or whole <= 1)) else name


def _count(name: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(name.split()[-1])}\b", text))
