"""Author names printed below a title. A list that is only partly understood is dropped: no names are better than wrong ones."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from methodlens.papers.metadata.title_page import TextRow, starts_body, tidy
from methodlens.records import Box

_MARK = r"(?:\d|[^\w\s.,;:'’´`‘&()\[\]|/@·•‐-–—-])"  # a digit, or any symbol: journals have marks of their own
_AFTER_NAME = re.compile(rf"(?:\s*\(?{_MARK}\S*)+")  # 'Smith1,2', 'Smith 1, 2', 'Smith*', 'Smith1Y*'
_BREAK = re.compile(r"\s*(?:[,;·•|/&]|\s[–—-]\s|\b(?:and|AND|und|with)\b|\bet\b(?! al))\s*")
_GAP = " ; "  # inserted where names are separated only by white space
_EMAIL = re.compile(r"[(<\[{]?[^\s@]{1,80}@[^\s@]{1,80}|\{[^}]{1,200}\}\s?@?\S*")
_ORCID = re.compile(r"\[?\bORCID:?\s*(?:iD\b)?|\b(?:iD|ID)\b|\bhttps?://\S+|\b\d{4}(?:-\d{3}[\dX]){3,4}\b")
_NATIVE = re.compile(r"\s?[(（][^()（）A-Za-z\d]{1,20}[)）]")  # the name again in its own script: 'Ming Li (李明)'
_HONOUR = re.compile(r"^(?:by|authors?:?|dr\.?|prof\.?|professor|mr\.?|mrs\.?|ms\.?)\s+", re.IGNORECASE)
_DEGREE = re.compile(
    r"(?:(?:ph\.?\s?d|m\.?\s?d|m\.?\s?sc|b\.?\s?sc|m\.?\s?a|m\.?\s?s|b\.?\s?s|b\.?\s?a|d\.?\s?phil|dr\.? ?\w{2,4}|mph|mba|dvm|rn|"
    r"m\.?\s?eng|b\.?\s?eng|d\.?\s?sc|pharm\.?\s?d|frcpc?|frcs|facs|mbbs|mbchb|bds|dds|phdc?|student member|"
    r"(?:senior |student |life |graduate )?(?:member|fellow)|ieee|acm)\.?\s?)+",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:on behalf of|for) the .*|.*\b(?:consortium|collaborat\w+|investigators|study group|working group|team)\b.*", re.I
)
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
_PARTICLE = frozenset(
    "de da do dos das del della dello degli dal dalla di du des la le les lo van von vom der den het ter ten zu zum zur al el "
    "ul ur bin ibn ben bint abu af av y e i".split()
)
_WORD = re.compile(r"['’]?[^\W\d_]+(?:[.'’´‘`-]+[^\W\d_]+)*\.?")
_PLACE = re.compile(
    r"\b(?:universit\w*|universid\w*|universit[äé]t?|departa?ment\w*|dept|institut\w*|istituto|laborator\w*|labs?|school|faculty|"
    r"facultad|faculdade|college|cent(?:er|re|ro)|centrum|academy|hospital|clinic\w*|division|unit|group|research|museum|foundation|"
    r"ministry|agency|council|society|association|company|inc|ltd|llc|gmbh|corporation|corp|campus|engineering|sciences?|scientific|"
    r"technolog\w*|computer|informatics|intelligence|learning|medicine|biology|physics|mathematics|statistics|"
    r"street|road|avenue|boulevard|p\.?o|usa|uk|uae|china|india|germany|france|spain|italy|sweden|norway|denmark|finland|japan|korea|"
    r"brazil|canada|australia|netherlands|switzerland|austria|belgium|poland|russia|mexico|taiwan|singapore|hong kong|new york|"
    r"united (?:states|kingdom)|south africa|new zealand|republic|province|"
    r"email|e-mail|corresponding|correspondence|received|published|accepted|revised|journal|conference|proceedings|abstract|article|"
    r"paper|papers|original|editorial|communicat\w+|editor\w*|edited|reviewed|keywords|introduction|"
    r"volume|issue|preprint|version|open access|the|of|for|using|from|member|contribut\w+)\b",
    re.IGNORECASE,
)
_FUNCTION = re.compile(r"\b(?:on|in|to|by|an|is|are|with|as|at|ON|IN|TO|BY|WITH)\b")
_ASIDE = re.compile(
    r"^(?:received|accepted|published|revised|\(?preprint|submitted|draft|conference paper|article|review|short title|running)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"(?:[,;&|]|\band)\s*$")
_MAX_SKIPPED = 4  # rows between the title and the authors: a subtitle, a label, a date
_LETTERED = re.compile(r"^([a-h])[\s,]*(?=[A-Z])")


def printed_authors(printed: Sequence[TextRow], title: Box, text: str) -> tuple[str, ...]:
    """The names between the title and the abstract or addresses, without footnote marks and degrees."""
    below = [row for row in printed if row.box[1] >= title[3] - 0.4 * row.size and row.box[3] > title[3]]
    end = min((row.box[1] - 0.5 * row.size for row in below if starts_body(row.text)), default=float("inf"))
    below = [row for row in below if row.box[1] < end and any(char.isalpha() for char in row.text)][:60]
    marks = {match[1] for row in below if (match := _LETTERED.match(row.text))}
    for index, row in enumerate(_that_may_name(below)):
        if index > _MAX_SKIPPED or (index and _PLACE.search(row.text)):
            break
        block = [r for r in below if abs(r.size - row.size) <= 0.12 * row.size and r.box[3] > row.box[1]]
        if names := _names(sorted(block, key=lambda r: (round(r.box[1] / row.size), r.box[0])), row):
            return _without_address_letters(names, marks, text)
    return ()


def _that_may_name(below: Sequence[TextRow]) -> list[TextRow]:
    """Without the marks that are printed in small type above a row, and dates."""
    return [row for row in below if sum(map(str.isalpha, row.text)) > 3 and not _ASIDE.match(row.text)]


def _names(block: Sequence[TextRow], first: TextRow) -> tuple[str, ...]:
    """The names in a block that starts with this row: side by side, one list, or one above the other."""
    level = [row for row in block if abs(row.box[3] - first.box[3]) < 0.5 * row.size]
    in_columns = len(level) > 1 and sum(len(split_names(_spaced(row)) or ()) == 1 for row in level) == len(level)
    if in_columns:
        return _columns(block)
    names, used = _lines(block)
    if not names:
        return _with_addresses(block)
    return names + _further_down(block, first, used)


def split_names(text: str) -> tuple[str, ...] | None:
    """The names in a list, without marks and degrees; None if the text is not a list of names.

    >>> split_names("Ada Lovelace1,2, C. Babbage* and Mary Somerville, PhD")
    ('Ada Lovelace', 'C. Babbage', 'Mary Somerville')
    """
    names: list[str] = []
    strange = 0
    for piece in _pieces(text):
        if _SUFFIX.fullmatch(piece) and names:
            names[-1] += f" {piece}"
        elif is_name(piece):
            names.append(piece)
        elif not _MORE.fullmatch(piece):
            strange += 1
            if _PLACE.search(piece) or 4 * strange > len(names) + 2 or len(piece.split()) > 2:
                return None
    if strange and 4 * strange > len(names):  # a name of one word, or one that the text layer has damaged
        return None
    return tuple(names) or None


def is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 7 or len(text) > 60 or _PLACE.search(text) or _FUNCTION.search(text):
        return False
    if any(not _WORD.fullmatch(word) for word in words) or words[-1] in _PARTICLE:
        return False
    proper = [word for word in words if word not in _PARTICLE]
    return (
        all(word[0].isupper() or word[1:2] in "'’" or word[0] in "'’" for word in proper)
        and any(len(word.rstrip(".")) > 1 for word in proper)
        and len(proper) >= 2
    )


def _pieces(text: str) -> list[str]:
    text = _NATIVE.sub("", text)
    text = _AFTER_NAME.sub(_GAP, _ORCID.sub(_GAP, _EMAIL.sub(_GAP, text)))
    pieces = (re.sub(r"(?<=\w{4})\.$", "", piece.strip(" ?:()[]").lstrip(". ")) for piece in _BREAK.split(text))
    bare = (re.sub(r"\s+[a-h]$", "", _HONOUR.sub("", piece)) for piece in pieces)  # 'Smith a', and the 'b' of 'Smith a,b'
    return [piece for piece in bare if len(piece) > 1 and not _DEGREE.fullmatch(piece)]


def _spaced(row: TextRow) -> str:
    """The row's text, with a separator where two names are far apart."""
    parts = [row.words[0].unmarked]
    for before, word in pairwise(row.words):
        parts += [_GAP.strip(), word.unmarked] if word.x0 - before.x1 > 1.2 * row.size else [word.unmarked]
    return tidy(" ".join(parts))


def _lines(block: Sequence[TextRow]) -> tuple[tuple[str, ...], int]:
    """One list over one or more rows, up to the first row that is not made of names; and how many rows it takes."""
    names: tuple[str, ...] = ()
    so_far, used = "", 0
    for index, row in enumerate(block):
        if index and row.box[1] - block[index - 1].box[3] > 1.6 * row.size:
            break
        spaced = _spaced(row)
        # a list goes on in the next row; where each row is a name, the end of the row separates them
        alone = bool(names) and split_names(spaced) is not None and split_names(so_far) == names and not _OPEN.search(so_far)
        one_per_row = len(names) == used or row.box[2] - row.box[0] < 0.5 * max(r.box[2] - r.box[0] for r in block)
        joined = f"{so_far}{_GAP if alone and one_per_row else ' '}{spaced}"
        longer = split_names(joined)
        if longer is None or (so_far and len(longer) <= len(names) and not _EMAIL.search(spaced)):
            break
        names, so_far, used = longer, joined, index + 1
    return names, used


def _further_down(block: Sequence[TextRow], first: TextRow, used: int) -> tuple[str, ...]:
    """Authors below the address of the first: rows in the same font as the first, where addresses have another."""
    rest = block[used:]
    alike = [row for row in rest if row.font == first.font and row.bold == first.bold and abs(row.size - first.size) < 0.4]
    names: list[str] = []
    for row in alike:
        found = split_names(_spaced(row))
        if found is None:
            return ()
        names += found
    return tuple(names)


def _columns(block: Sequence[TextRow]) -> tuple[str, ...]:
    """Authors side by side, each above an address: the first row of a column, and each row after a vertical gap
    or an e-mail address."""
    authors: list[str] = []
    style = (block[0].font, block[0].bold)
    for index, row in enumerate(block):
        above = [r for r in block[:index] if min(r.box[2], row.box[2]) > max(r.box[0], row.box[0]) and r.box[3] <= row.box[1] + 2]
        nearest = max(above, key=lambda r: r.box[3], default=None)
        if nearest and row.box[1] - nearest.box[3] < 0.8 * row.size and "@" not in nearest.text:
            continue
        names = split_names(_spaced(row))
        if names is None or len(names) != 1 or (row.font, row.bold) != style:
            if nearest:
                continue
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


def _without_address_letters(names: tuple[str, ...], marks: Collection[str], text: str) -> tuple[str, ...]:
    """Removes letters that refer to addresses: 'Lovelacea' where there is an address 'a Institute of Engines'."""
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
