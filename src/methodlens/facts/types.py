"""What a fact type is: how its values are read from quotes, merged for the export, and put into words.

    DEPTH = FactType(
        key="depth_m",
        label="depth",
        unit="m",
        extract=from_each_quote(lambda quote: [float(match[1]) for match in re.finditer(r"(\\d+) m deep", quote)]),
        merge=one_or_list,
        phrase=("the depth is {} m", "the depths are {} m"),
    )

`facts/catalog.py` lists the built-in types; other packages add theirs through the entry-point group `methodlens.fact_types`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from methodlens.records import FactConfidence, Paper


def value_text(value: Any) -> str:
    """A value as a key of `fact_confidence`: the name of a thing, a number in its shortest form.

    >>> value_text({"name": "PyTorch", "version": "1.8"}), value_text(0.001), value_text("Adam")
    ('PyTorch', '0.001', 'Adam')
    """
    if isinstance(value, Mapping):
        return str(value["name"]) if "name" in value else ", ".join(f"{key} {value_text(part)}" for key, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


DOUBTFUL = 0.7
"""Values with less confidence are shown as doubtful. Of names in annotated papers that no rule was written from, about half of
those below are right, and nine of ten above 0.9; but the totals on these papers helped to choose the rules and this number."""
LEAST_CONFIDENCE = 0.4
"""Names with less confidence are left out: they are wrong more often than right."""


class Fact(Struct, frozen=True):
    """A value, the index of the quote it was read from, and its spelling there where that is known."""

    value: Any
    quote: int
    printed: str = ""
    confidence: float = 0.8
    """How likely the value is right, from 0 to 1."""


class Findings(Struct, frozen=True):
    """What a few quotes say: `facts` one by one, `values` merged as the export shows them, both by key; and the `confidence` of
    each value by key and `value_text`."""

    quotes: tuple[str, ...]
    facts: Mapping[str, Sequence[Fact]]
    values: Mapping[str, Any]
    confidence: FactConfidence = {}


Extractor = Callable[[Sequence[str]], Sequence[Fact]]


class PaperFacts(Struct, frozen=True):
    """An extractor for the quotes of one paper, which knows what the whole paper says; and the sentences of the paper that have
    such values: start, end and the kind of the section. With `context_first`, they only fill the room that the good sentences
    of the context leave."""

    extract: Extractor
    places: tuple[tuple[int, int, str], ...] = ()
    context_first: bool = False


Phrase = str | tuple[str, str] | Callable[[Findings], str] | None


def as_list(values: Sequence[Any]) -> Any:
    return list(values)


def one_or_list(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def first_or_none(values: Sequence[Any]) -> Any:
    return values[0] if values else None


def merged_tables(values: Sequence[Mapping[str, Any]]) -> Any:
    """Of entries with the same name the first counts."""
    table: dict[str, Any] = {}
    for value in values:
        table = {**value, **table}
    return table


class FactType(Struct, frozen=True, kw_only=True):
    """One kind of fact. Only `key` and `extract` are required; everything that depends on the key is said here."""

    key: str
    """Its name in question sets and exports."""
    extract: Extractor
    """From quotes to facts. `from_each_quote` and `from_all_quotes` make one from a function of a text."""
    merge: Callable[[Sequence[Any]], Any] = as_list
    """From the values of all quotes to the exported value."""
    phrase: Phrase = None
    """The clause of an answer: "dropout {}", a singular and a plural, or a function; None leaves the fact to the quotes."""
    opening: str = ""
    """What comes before the phrases of all types that share it: "the authors used", then "a batch size of 32", "100 epochs"."""
    label: str = ""
    """For people; by default the key with spaces."""
    unit: str = ""
    priority: int = 0
    """The higher one decides and comes first where a question has several; equal ones keep the order of the catalog."""
    revision: int = 0
    """Raise it when the same quotes can give another result: the questions that use the type are then asked again."""
    export_empty: bool = False
    """Export the merged value even if nothing was found."""
    opens_alone: bool = False
    """The phrase is a whole sentence: where it applies, no other fact is put into words."""
    decisive: bool = False
    """As the deciding fact of a question, its presence counts in the verdict, and only sentences that have it are quoted."""
    required: bool = False
    """As the deciding fact of a question: without it, the paper does not report an answer."""
    cited: bool = False
    """It may be in a footnote or reference that a sentence cites, and needs no sign of the question in that sentence."""
    specific: bool = False
    """As the deciding fact of a question: its values speak for themselves, in sentences without a sign of the question too."""
    in_abstract: bool = False
    """As the deciding fact of a question: title and abstract may name it, so they are considered wherever they rank."""
    in_title: bool = False
    """As the deciding fact of a question: the title is quoted as well, since it names what the values are about."""
    from_others: bool = False
    """Other people's values count if the authors use them, as with public data sets."""
    in_paper: Callable[[Paper], PaperFacts] | None = None
    """How to read the quotes of one paper, knowing what the whole paper says."""
    first_quote_only: bool = False
    """As the deciding fact of a question: further quotes are not chosen for the values they add, since almost any would."""
    in_many_places: bool = False
    """As the deciding fact of a question: papers spread its values over many sentences, so more are quoted if each adds some."""
    training_only: bool = False
    """As the deciding fact of a question about training: sentences on the model in use do not count."""

    def __post_init__(self) -> None:
        if not self.label:
            force_setattr(self, "label", self.key.replace("_", " "))

    def clause(self, findings: Findings) -> str:
        """The facts of this type in words; empty if there are none."""
        facts = findings.facts.get(self.key)
        if not facts or self.phrase is None:
            return ""
        if callable(self.phrase):
            return self.phrase(findings)
        singular, plural = (self.phrase, self.phrase) if isinstance(self.phrase, str) else self.phrase
        spellings = list(dict.fromkeys(with_abbreviation(fact, findings.quotes) for fact in facts))
        return (plural if len(spellings) > 1 else singular).format(listing(spellings))


def optional(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """For functions of a text that give one value, or None or {} if there is none."""
    return lambda text: [value] if (value := read(text)) not in (None, {}) else []


def from_each_quote(read: Callable[[str], Iterable[Any]]) -> Extractor:
    """An extractor that reads each quote by itself."""
    return lambda quotes: [Fact(value, index) for index, quote in enumerate(quotes) for value in read(quote)]


def from_all_quotes(read: Callable[[str], Iterable[Any]], same: Callable[[Any, Any], bool] = eq) -> Extractor:
    """An extractor that reads all quotes as one text: "three GPUs" in one of them counts the GPU that another names.

    A value belongs to the first quote that has the `same` value by itself. `read` is called again for that: cache it.
    """

    def extract(quotes: Sequence[str]) -> list[Fact]:
        def has(quote: str, value: Any) -> bool:
            return any(same(value, other) for other in read(quote))

        values = read("\n".join(quotes))
        return [Fact(value, next((at for at, quote in enumerate(quotes) if has(quote, value)), 0)) for value in values]

    return extract


def with_abbreviation(fact: Fact, quotes: Sequence[str]) -> str:
    """The spelling of a name, with the abbreviation that its quote prints after it: "root mean squared error (RMSE)"."""
    name = spelling(fact)
    if not fact.printed or len(name) < _LONG_NAME:
        return name
    words = r"\s+".join(map(re.escape, fact.printed.split()))
    match = re.search(rf"{words}s?\s\(([A-Z][A-Za-z0-9-]{{1,8}})\)", quotes[fact.quote])
    return f"{name} ({match[1]})" if match and match[1] not in name else name


_LONG_NAME = 8  # characters from which a name is abbreviated
_COMMON_NOUN = re.compile(r"[a-z][a-z -]+")


def spelling(fact: Fact) -> str:
    """As the quote prints it; common nouns in the catalog's spelling, so that "to classify" becomes "classification"."""
    if isinstance(fact.value, str) and _COMMON_NOUN.fullmatch(fact.value):
        return fact.value
    printed = _plain_number(fact.printed) if isinstance(fact.value, int | float) else fact.printed
    return printed or str(fact.value)


def _plain_number(printed: str) -> str:
    """A number without what the line or the formula around it adds.

    >>> _plain_number("3 · 10^−4}"), _plain_number("389, 998"), _plain_number("(0.9"), _plain_number("five")
    ('3·10^−4', '389,998', '0.9', 'five')
    """
    number = re.sub(r"(?<=\d)\s*([·×])\s*(?=\d)", r"\1", printed.strip("{}[]();:, "))
    return re.sub(r"(?<=\d), (?=\d{3}(?!\d))", ",", number)


def listing(items: Iterable[object]) -> str:
    """
    >>> listing([1, 2, 3]), listing(["one"]), listing([])
    ('1, 2 and 3', 'one', '')
    """
    texts = list(map(str, items))
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else "".join(texts)
