"""The facts of an answer in words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from methodlens.facts import Findings, types_of
from methodlens.facts.numbers import in_words
from methodlens.facts.types import Fact, listing, spelling
from methodlens.readers.embedded.word_use import stems
from methodlens.records import Question

_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_DURATION = re.compile(
    r"\b(?:\d[\d.]{0,6}|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|few)"
    r" ?(?:hours?|hrs?|h|days?|weeks?|minutes?)\b"
)
_ENDING = re.compile(r"(?:s|es?|ed|d|i|in|ing|er|r|n|on|al?|ly?|a?t|a?ti)?")
_LEAST_PREFIX = 4  # letters that "zoom" and "zooming" must share
_SPELLED_OUT = 12  # numbers up to here may be printed in words
_COMPLETE = frozenset({"code_urls", "data_urls", "code_hosts"})  # answers by themselves
_LEAVES_OPEN = "data_hosts"  # that data are "on Zenodo" does not say which


class FactPhrase(Struct, frozen=True):
    """The values of one type in words."""

    text: str
    opening: str
    """Phrases with the same opening share a sentence. Empty if the text is a sentence."""
    values: frozenset[str]
    """The stems of the values."""
    alone: bool
    """It is the only one, and better than a sentence of the paper that says the same."""
    complete: bool
    """Nothing else needs to be said."""

    def is_in(self, sentence: str) -> bool:
        """Whether a sentence has all the values; numbers must be of the same thing."""
        words = stems(sentence)
        named = [word for word in stems(self.text) if not word[0].isdigit()]
        same_thing = any(not value[0].isdigit() for value in self.values) or any(_has(words, word) for word in named)
        return same_thing and all(_has(words, value) for value in self.values)

    def is_repeated_by(self, sentence: str) -> bool:
        """Whether a sentence says only what this one says better."""
        adds_time = bool(_DURATION.search(sentence)) and not _DURATION.search(self.text)
        words, names = stems(sentence), [value for value in self.values if not value[0].isdigit()]
        has_names = bool(names) and all(_has(words, name) for name in names)
        return self.alone and (has_names or self.is_in(sentence)) and not adds_time


def fact_phrases(question: Question, findings: Findings) -> list[FactPhrase]:
    types = [(each, clause) for each in types_of(question) if (clause := each.clause(findings))]
    alone = [(each, clause) for each, clause in types if each.opens_alone][:1]
    return [
        FactPhrase(
            clause,
            each.opening,
            # a sentence about one type may have numbers of others: memory, hours
            stems(
                " ".join(
                    [*(_value(fact, clause) for fact in findings.facts[each.key]), *(_NUMBER.findall(clause) if alone else ())]
                )
            ),
            alone=bool(alone) and each.key != _LEAVES_OPEN,
            complete=each.key in _COMPLETE,
        )
        for each, clause in alone or types
    ]


def fact_sentences(phrases: Iterable[FactPhrase]) -> list[str]:
    written: list[str] = []
    for opening, group in groupby(phrases, key=lambda phrase: phrase.opening or phrase.text):
        rows = list(group)
        written.append(f"{opening} {_series([row.text for row in rows])}" if rows[0].opening else rows[0].text)
    return written


def _value(fact: Fact, phrase: str) -> str:
    if isinstance(fact.value, Mapping):
        name = fact.printed or str(fact.value.get("name", ""))
        # of "NVIDIA GeForce GTX 1070", papers often print only the last part
        return " ".join(word for word in name.split() if _NUMBER.search(word)) or name or " ".join(_NUMBER.findall(phrase))
    return spelling(fact)


def _has(words: frozenset[str], value: str) -> bool:
    """ "zooming" has "zoom", "epoch" has "epochs", and "five" has "5"."""
    if value.isdecimal():
        return value in words or (0 < int(value) <= _SPELLED_OUT and in_words(int(value))[:6] in words)
    short = value[:_LEAST_PREFIX]
    return value in words or any(word.startswith(short) and _is_inflected(value, word) for word in words)


def _is_inflected(one: str, other: str) -> bool:
    """ "zoom" and "zoomin", cut from "zooming"; but not "pond" and "pondx"."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and bool(_ENDING.fullmatch(long, len(short)))


def _series(phrases: Sequence[str]) -> str:
    """A list whose items may be lists themselves.

    >>> _series(["a batch size of 32", "10, 20 and 30 epochs", "Adam"])
    'a batch size of 32; 10, 20 and 30 epochs; and Adam'
    """
    if len(phrases) > 1 and any(", " in phrase for phrase in phrases):
        return f"{'; '.join(phrases[:-1])}; and {phrases[-1]}"
    if len(phrases) > 1 and any(" and " in phrase for phrase in phrases):
        return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"
    return listing(phrases)
