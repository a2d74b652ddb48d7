"""Names from data files, and where a text mentions them.

Names are compared by letters and digits alone, so "ResNet-50", "ResNet50", "Res Net 50" and a "Res-Net50" broken over two lines
are the same. The longest name wins, so "AdamW" is not "Adam" and "balanced accuracy" is not "accuracy".
"""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens.facts.negation import is_negated
from methodlens.facts.variant_numbers import further_numbers, layers
from methodlens.text import sentences

OTHER_MEANING = "other"
"""The kind of entries that are never facts: longer names in which a listed one means something else ("mixed precision")."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[+&²]")
# what a name may contain: spaces, hyphens and what line breaks make of them, an apostrophe, the dot of "fast.ai"
_GAP = re.compile(r"[\s\-‐‑‒–—−_'’\u00ad\ufffe\x02]{0,3}|[./@^()](?!\s)")
_LONGEST = 9  # tokens in a name
_OPENING = 3
_LONGEST_SUFFIX = 8  # characters
_AND = frozenset(("and", "or", "&"))
_AUTHORS = re.compile(r",?\s+et\s+al\b|\s+(?:and|&)\s+[A-Z]\w+,?\s*[(\[]?(?:19|20)\d\d")
_SIZE = re.compile(r"[\s‐‑–_-]{0,3}(?P<size>tiny|mini|small|medium|base|x{0,2}large|(?:un)?cased)\b", re.I)

_SEPARATE = re.compile(rf"{_SIZE.pattern}|\d[\s‐‑–_-]+\d\d|^[A-Z]{{3}}[‐‑–_-]", re.I)  # "V2-50", "CNN-F"; but "v2" for "v 2"


class GazetteerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """`name` is its spelling in facts, and an alias unless `exact` has it. `architectures.toml` explains the fields."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    suffix: str = ""
    joint: str = "-"
    stem: str = ""
    needs: tuple[str, ...] = ()
    common: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """The aliases that are not case-sensitive."""
        return self.aliases if self.name in self.exact else (self.name, *self.aliases)


class Mention(Struct, frozen=True):
    """A name in a text; `text[start:end]` is its spelling there."""

    name: str
    kind: str
    start: int
    end: int
    bare: bool = True
    """Without the number of a variant: "ResNet", not "ResNet-50"."""
    variant_of: str = ""
    """The name without that number."""
    common: bool = False
    """Also an ordinary word, such as "rotation"."""
    shortened: bool = False
    """Only its number is printed: "34" of "ResNet-18/34"."""
    confidence: float = 0.9
    """How likely it is what it looks like, from 0 to 1."""


class _Token(Struct, frozen=True, gc=False):
    key: str
    start: int
    end: int
    opens: bool
    """It does not continue a word."""
    joins: bool
    """It can belong to the same name as the token before."""


class Gazetteer:
    """One data file, indexed. If the file has `topic` words, a name that is also an ordinary word counts only in a sentence with
    one of them, or with a name that is not ordinary."""

    def __init__(self, entries: tuple[GazetteerEntry, ...], topic: tuple[str, ...] = ()) -> None:
        self.entries = entries
        self._topic = re.compile("|".join(map(re.escape, topic)), re.I)
        self._by_key: dict[str, list[tuple[GazetteerEntry, str]]] = {}
        self._words: dict[str, int] = {}
        for entry in entries:
            for alias in entry.spellings:
                for key in _inflected(squeezed(alias).lower()):
                    self._by_key.setdefault(key, []).append((entry, ""))
            for alias in entry.exact:
                for form in _inflected(squeezed(alias)):
                    self._by_key.setdefault(form.lower(), []).insert(0, (entry, form))
                    self._words[form] = len(alias.split())
        self._beginnings = {key[:size] for key in self._by_key for size in range(1, len(key) + 1)}
        numbered = [entry for entry in entries if entry.suffix]
        self._suffixes = {
            entry.name: re.compile(rf"[\s\-‐‑–_]{{0,2}}({entry.suffix})(?![^\W_]|\.\d)", re.I) for entry in numbered
        }
        # most words begin no name: the whole word, or three letters where a suffix may follow, rule that out quickly
        self._stems = {squeezed(alias).lower() for entry in numbered for alias in (*entry.spellings, *entry.exact)}
        self._stem_openings = {stem[:_OPENING] for stem in self._stems}
        self._first_words = {
            form
            for entry in entries
            for alias in (*entry.spellings, *entry.exact)
            for form in _inflected(_TOKEN.findall(alias)[0].lower())
        }

    def may_begin(self, word: str) -> bool:
        """Whether a name may begin with this word, perhaps one that ends with it: a quick check that rules most words out."""
        match = _TOKEN.match(word)
        key = match[0].lower() if match else ""
        return key in self._first_words or any(key[:size] in self._stems for size in range(_OPENING, len(key)))

    def mentions(self, text: str) -> list[Mention]:
        """In order, without overlaps and without negated names."""
        tokens, beginnings, openings = _tokens(text), self._beginnings, self._stem_openings
        names: list[Mention] = []
        spent = -1
        for index in [
            at for at, (key, opens) in enumerate(_keys(text)) if opens and (key in beginnings or key[:_OPENING] in openings)
        ]:
            if index > spent:
                here, spent = self._at(text, tokens, index)
                names += [mention for mention in here if not is_negated(text, mention.start, mention.end)]
        return [mention for mention in self._on_topic(text, names) if mention.kind != OTHER_MEANING]

    def _on_topic(self, text: str, names: list[Mention]) -> list[Mention]:
        if not self._topic.pattern or not any(mention.common for mention in names):
            return names
        spans = sentences(text)

        def on_topic(mention: Mention) -> bool:
            start, end = next((span for span in spans if span[0] <= mention.start < span[1]), (0, len(text)))
            if self._topic.search(text, start, end):
                return True
            special = (other for other in names if not other.common and other.kind != OTHER_MEANING)
            return any(start <= other.start < end for other in special)

        return [mention for mention in names if not mention.common or on_topic(mention)]

    def _at(self, text: str, tokens: tuple[_Token, ...], index: int) -> tuple[list[Mention], int]:
        """The longest name that begins with this token, and its last token. Two names may share a noun."""
        names: list[Mention] = []
        last = index
        key = ""
        for at in range(index, min(index + _LONGEST, len(tokens))):
            if at > index and not tokens[at].joins:
                break
            key += tokens[at].key
            if key not in self._beginnings:
                return self._grown(text, tokens, index, at, key) if not names else self._closed(tokens, names, last)
            if (entry := self._entry(key, text[tokens[index].start : tokens[at].end], text)) and (
                mentions := self._read(text, entry, tokens[index].start, tokens[at].end)
            ):
                names, last = mentions, at
        if names:
            return self._closed(tokens, names, last)
        return self._shared(text, tokens, index), index

    def _closed(self, tokens: tuple[_Token, ...], names: list[Mention], last: int) -> tuple[list[Mention], int]:
        """A suffix may cover further tokens."""
        end = max(mention.end for mention in names)
        while last + 1 < len(tokens) and tokens[last + 1].start < end:
            last += 1
        return names, last

    def _grown(self, text: str, tokens: tuple[_Token, ...], index: int, at: int, key: str) -> tuple[list[Mention], int]:
        """ "YOLOv5", "EfficientNetB1": a suffix without a separator."""
        possible = range(len(key) - 1, max(2, len(key) - _LONGEST_SUFFIX), -1) if key[:_OPENING] in self._stem_openings else ()
        for size in possible:
            if key[:size] in self._stems:
                start, end = tokens[index].start, _end(tokens, index, size)
                entry = self._entry(key[:size], text[start:end], text)
                if entry and entry.suffix and (names := self._read(text, entry, start, end)):
                    return self._closed(tokens, names, at)
        return self._shared(text, tokens, index), index

    def _shared(self, text: str, tokens: tuple[_Token, ...], index: int) -> list[Mention]:
        """ "horizontal and vertical flips": the first adjective names a flip as well."""
        if index + 3 < len(tokens) and tokens[index + 1].key in _AND:
            first, second, noun = tokens[index], tokens[index + 2], tokens[index + 3]
            both = second.key + noun.key in self._by_key and second.joins and noun.joins
            if both and (entry := self._entry(first.key + noun.key, "", text)):
                return [Mention(entry.name, entry.kind, first.start, noun.end, common=entry.common)]
        return []

    def _entry(self, key: str, printed: str, text: str) -> GazetteerEntry | None:
        for entry, exact in self._by_key.get(key, ()):
            # spaced letters ("T E R" in a heading) are not an acronym
            if exact and (exact != squeezed(printed) or len(printed.split()) > self._words[exact]):
                continue
            if not entry.needs or any(word in text.lower() for word in entry.needs):
                return entry
        return None

    def _read(self, text: str, entry: GazetteerEntry, start: int, end: int) -> list[Mention]:
        if _AUTHORS.match(text, end) or text.count("(", start, end) > text.count(")", start, end + 1):
            return []  # "F(1, 33)" is not F1
        if entry.name in self._suffixes:
            if match := self._suffixes[entry.name].match(text, end):
                name = _with_suffix(entry, match[1])
                first = Mention(name, entry.kind, start, match.end(1), bare=False, variant_of=entry.name, common=entry.common)
                return [
                    first,
                    *(
                        replace(first, name=_with_suffix(entry, number), end=last, shortened=True)
                        for number, last in further_numbers(text, first.end, entry.suffix)
                    ),
                ]
            depths = [number for number in layers(text, start, end) if re.fullmatch(entry.suffix, number)]
            if depths:
                return [
                    Mention(_with_suffix(entry, number), entry.kind, start, end, bare=False, variant_of=entry.name)
                    for number in depths
                ]
        if text[end : end + 1].isalnum():
            return []
        return [Mention(entry.name, entry.kind, start, end, common=entry.common)]


@cache
def gazetteer(name: str) -> Gazetteer:
    """
    >>> [mention.name for mention in gazetteer("optimizers").mentions("We chose AdamW, not SGD.")]
    ['AdamW']
    """
    data = data_file(name)
    return Gazetteer(msgspec.convert(data["entries"], tuple[GazetteerEntry, ...]), tuple(data.get("topic", ())))


@cache
def data_file(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("methodlens.facts") / "data" / f"{name}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1024)
def mentions(name: str, text: str) -> tuple[Mention, ...]:
    """Cached: a reader needs the facts of a sentence when it ranks, chooses and answers."""
    return tuple(gazetteer(name).mentions(text))


def squeezed(text: str) -> str:
    """The letters and digits of a name, with ligatures resolved."""
    return "".join(_TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    end = -1
    for match in _TOKEN.finditer(text):
        key = match[0].lower()
        joins = end >= 0 and bool(_GAP.fullmatch(text, end, match.start()))
        opens = match.start() != end or match[0] in "+&"
        tokens.append(_Token(key if key.isascii() else squeezed(key), match.start(), match.end(), opens, joins))
        end = match.end()
    return tuple(tokens)


@lru_cache(maxsize=256)
def _keys(text: str) -> tuple[tuple[str, bool], ...]:
    """The tokens in the form in which every gazetteer checks them first."""
    return tuple((token.key, token.opens) for token in _tokens(text))


def _inflected(key: str) -> list[str]:
    """A name and its plural."""
    if len(key) < 3 or not key[-1].isalpha():
        return [key]
    if key.endswith(("s", "x", "ch")):
        return [key, key + "es"] if key.lower() == key else [key]
    return [key, key[:-1] + "ies"] if key.endswith("y") else [key, key + "s"]


def _with_suffix(entry: GazetteerEntry, suffix: str) -> str:
    """ "BERT-large" for "BERT LARGE" and "BERT_large"."""
    suffix = _SIZE.sub(lambda match: "-" * (match.start() > 0) + match["size"].lower(), suffix.lstrip("@ "))
    inner = entry.joint if entry.joint == " " else "-" if suffix[0].isdigit() or _SEPARATE.search(suffix) else ""
    return (entry.stem or entry.name) + entry.joint + re.sub(r"[\s‐‑–_-]+", inner, suffix)


def _end(tokens: tuple[_Token, ...], index: int, size: int) -> int:
    """The position in the text after the first `size` characters of the tokens from `index` on."""
    while size > len(tokens[index].key):
        size -= len(tokens[index].key)
        index += 1
    return tokens[index].start + size
