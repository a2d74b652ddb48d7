"""The page where the paper itself starts (after a repository's cover sheet), its printed rows, and its title."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Box

_ACCENTS = {
    "´": "\u0301", "¨": "\u0308", "˜": "\u0303", "ˆ": "\u0302", "˚": "\u030a", "¸": "\u0327", "ˇ": "\u030c", "˝": "\u030b",
    "˙": "\u0307", "¯": "\u0304", "˘": "\u0306", "˛": "\u0328",
}  # fmt: skip
_ACCENT = re.compile(rf"(\w?)(\s?)([{''.join(_ACCENTS)}])(\w?)")
_HYPHENS = str.maketrans({"‐": "-", "‑": "-", "\u00ad": "-", "\u200b": None, "\ufeff": None, "\u00a0": " "})
_COVER = re.compile(
    r"researchgate\.net/publication|stats, and author profiles|jstor\.org/stable|jstor is a not-for-profit"
    r"|hal is a multi-?disciplinary|hal id:|accepted manuscript|unedited manuscript"
    r"|citation for published version|take down policy|take-?down notice"
    r"|this is an? (?:\S+ ){0,4}version of|this version is available|open research online|(?:institutional|research) repository"
    r"|downloaded from the .{0,40}repository|suggested citation|terms of use of this (?:work|document)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(?:open access|free access|original|research|review|contributed|regular|full|short|technical|conference|brief|invited|"
    r"methods?|application|technology|software|data|survey|case|rapid)\s*)*"
    r"(?:articles?|papers?|report|communication|letter|letters|note|study|reviews?|manuscript|access|application|methods?|preprint)",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(
    r"contents lists available|journal homepage|sciencedirect|www\.|https?:|doi[:.]|\bissn\b|©|\bvol(?:ume)?\b\.? ?\d|arxiv:|"
    r"^(?:the )?(?:\w+ ){0,3}(?:journal|transactions|annals|proceedings|letters|bulletin) (?:of|on|in|for)\b|"
    r"\b(?:journal|proceedings)$|noname manuscript|inserted by the editor|^received\b|^accepted\b|^published\b|"
    r"all rights reserved|\bsee profile\b|peer.review|@",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?:universit|universid|department|institut|laborator|faculty|college of)", re.IGNORECASE)
_BODY = re.compile(
    r"\W*(?:[\dIVX]{1,3}[.\s|]+)?(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|introduction|keywords|key words|index terms)\b", re.I
)
_MAX_LINES = 600  # a drawing may hold thousands of tiny ones
_MARKS = "*∗⁎†‡§¶"


class TextRow(NamedTuple):
    """Text printed side by side in one size: one line of a title, or of a list of authors."""

    words: tuple[RawWord, ...]
    box: Box
    size: float
    broken: bool
    bold: bool
    font: str = ""

    @property
    def text(self) -> str:
        return tidy(" ".join(word.text for word in self.words))


class TitlePage(NamedTuple):
    """`title_box` is None if the title comes from another page."""

    page: RawPage
    title: str
    title_box: Box | None


def find_title_page(pages: Sequence[RawPage], stated: str, text: str) -> TitlePage | None:
    """The paper's own first page and its title.

    `stated` is the title in the document's info dictionary; `text` shows how the paper hyphenates words.
    """
    early = [page for page in pages[:4] if page.lines]
    if not early:
        return None
    first, following = early[0], early[1:3]
    title, box = _title(first, stated, text)
    if not following or not _COVER.search(_joined(first)):
        return TitlePage(first, title, box)
    cover = letters(_joined(first))
    for page in following:
        page_title, page_box = _title(page, stated, text)
        if page_title and letters(page_title) in cover:
            return TitlePage(page, page_title, page_box)
    for page in following:
        if title and letters(title) in letters(_joined(page)):
            return TitlePage(page, title, None)
    page_title, page_box = _title(following[0], stated, text)
    return TitlePage(following[0], page_title, page_box) if page_title else TitlePage(first, title, box)


def rows(page: RawPage) -> list[TextRow]:
    """The rows of a page from top to bottom. Parts of one row in different fonts are joined."""
    levels: list[list[RawLine]] = []
    upright = (line for line in page.lines if line.upright and line.words)
    for line in sorted(upright, key=lambda line: line.box[1])[:_MAX_LINES]:
        for lines in reversed(levels[-8:]):
            if _same_level(lines[0], line):
                lines.append(line)
                break
        else:
            levels.append([line])
    joined: list[TextRow] = []
    for lines in levels:
        start = len(joined)
        for line in sorted(lines, key=lambda line: line.box[0]):
            if len(joined) > start and _continues(joined[-1], line):
                joined[-1] = _join(joined[-1], line)
            else:
                joined.append(TextRow(line.words, line.box, line.size, line.broken, line.bold, line.font))
    return sorted(joined, key=lambda row: (row.box[1], row.box[0]))


def starts_body(row: str) -> bool:
    return bool(_BODY.match(row))


def letters(text: str) -> str:
    """Letters and digits without case or accents, to compare two titles by."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if char.isalnum())


def tidy(text: str) -> str:
    """One line; ligatures and hyphens are folded, and accents that TeX draws separately are put back on their letters."""
    if text.isascii() and text.isprintable():  # nearly every line
        return " ".join(text.split())
    text = "".join(unicodedata.normalize("NFKC", char) if "ﬀ" <= char <= "ﬆ" else char for char in text.translate(_HYPHENS))
    text = _ACCENT.sub(_accented, "".join(char if char.isprintable() else " " for char in text))
    return " ".join(text.split())


def _accented(match: re.Match[str]) -> str:
    before, blank, accent, after = match.groups()
    mark = _ACCENTS[accent]
    over = unicodedata.normalize("NFC", after.replace("ı", "i") + mark)
    if after and len(over) == 1:
        return f"{before}{blank}{over}"
    over = unicodedata.normalize("NFC", before + mark)
    if before and not blank and len(over) == 1:
        return over + after
    return f"{before}{blank if after else ''}{after}"


def _title(page: RawPage, stated: str, text: str) -> tuple[str, Box | None]:
    printed = rows(page)
    ends = [row.box[1] for row in printed if starts_body(row.text)]
    end = min([*ends, 0.62 * page.height])
    usual = _usual_size(page)
    best, best_score = None, 0.0
    whole, wanted = _joined(page)[:20_000], letters(stated)
    for run in _runs([row for row in printed if row.box[1] < end]):
        score = _score(run, usual, page.height, whole)
        words = letters(_sentence(run, text)) if score else ""
        if min(len(words), len(wanted)) > 12 and (words in wanted or wanted in words):
            score *= 1.6
        if score > best_score:
            best, best_score = run, score
    if best is None:
        return "", None
    box = (min(r.box[0] for r in best), best[0].box[1], max(r.box[2] for r in best), best[-1].box[3])
    title = _sentence(best, text).rstrip(_MARKS + " ")
    if letters(title) == wanted:  # the same words, without ligatures and line breaks
        title = tidy(stated)
    return title[:400], box


def _runs(printed: Sequence[TextRow]) -> list[list[TextRow]]:
    runs: list[list[TextRow]] = []
    for row in printed:
        for run in reversed(runs[-8:]):
            last = run[-1]
            if (
                abs(row.size - last.size) <= 0.06 * last.size
                and row.bold == last.bold
                and -0.6 * row.size < row.box[1] - last.box[3] < 0.9 * row.size
                and min(row.box[2], last.box[2]) > max(row.box[0], last.box[0])
            ):
                run.append(row)
                break
        else:
            runs.append([row])
    return [run for run in runs if len(run) <= 6]


def _score(run: Sequence[TextRow], usual: float, height: float, whole: str) -> float:
    text = " ".join(row.text for row in run)
    words = [word for word in text.split() if any(char.isalpha() for char in word)]
    if not words or len(words) > 45 or sum(map(len, words)) < 4 or _LABEL.fullmatch(text.strip(" :")):
        return 0.0
    score = run[0].size / usual * (1 - 0.25 * run[0].box[1] / height)
    score *= {1: 0.35, 2: 0.6, 3: 0.85}.get(len(words), 1.0)
    if run[0].bold:
        score *= 1.1
    if _MASTHEAD.search(text) or _names_a_journal(text, whole):
        score *= 0.4
    if _ADDRESS.search(text) or re.search(r"[^\W\d]\d+(?:,\d+)*\s*[,;·]", text):  # an address; names with their marks
        score *= 0.6
    return score


def _names_a_journal(text: str, whole: str) -> bool:
    """A journal's name is repeated on the page with its volume or year: 'Plant Letters 12 (2019) 1-9'."""
    return len(text) < 80 and bool(
        re.search(re.escape(text) + r",?\s*(?:\(?(?:19|20)\d\d\b|\d+\s*[(:,]|vol)", whole, re.IGNORECASE)
    )


def _sentence(run: Sequence[TextRow], text: str) -> str:
    joined = run[0].text
    for before, row in pairwise(run):
        if before.broken or joined.endswith("-"):
            joined = joined.rstrip("-")
            left, right = re.search(r"\w*$", joined), re.match(r"\w*", row.text)
            word = (left[0] if left else "") + (right[0] if right else "")
            joined += ("" if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) else "-") + row.text
        else:
            joined += " " + row.text
    return joined


def _usual_size(page: RawPage) -> float:
    sizes: Counter[float] = Counter()
    for line in page.lines:
        sizes[line.size] += sum(len(word.text) for word in line.words)
    return max(sizes.most_common(1)[0][0], 1.0)


def _joined(page: RawPage) -> str:
    return tidy(" ".join(line.text for line in page.lines[:2000]))


def _same_level(first: RawLine, line: RawLine) -> bool:
    overlap = min(first.box[3], line.box[3]) - max(first.box[1], line.box[1])
    return overlap > 0.6 * min(first.size, line.size) and abs(first.size - line.size) <= 0.08 * first.size


def _continues(row: TextRow, line: RawLine) -> bool:
    widest = 3.0 if line.words[0].text[0] in ",;·&" else 1.5  # there may be icons between authors' names
    return -0.5 * row.size < line.box[0] - row.box[2] < widest * row.size


def _join(row: TextRow, line: RawLine) -> TextRow:
    words = tuple(sorted((*row.words, *line.words), key=lambda word: word.x0))
    a, b = row.box, line.box
    box = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
    broken = line.broken if b[2] >= a[2] else row.broken
    return TextRow(words, box, row.size, broken, row.bold, row.font)
