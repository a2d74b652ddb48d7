"""Write how often papers report each topic, and topics of further fields, into the list of topics.

    python -m training.topic_rates [--without-new]

`training/topics/rates_*.tsv` are three raters' estimates for the topics of the general list, `new_topics_*.toml` further topics
with the estimates of one rater each. The raters saw names and words of topics only: no label, no paper, no figure of ours.
Nothing here reads labels either. Rates are pooled as the mean of the raters' log odds; further topics are only checked and freed
of doubles:

- an `asked` word that the general list has already stays there, and one that cannot match (stop words, three words) is left out;
- a single `asked` word that more than one in a hundred questions of the shipped checklists has would fire on anything: left out;
- two further topics with more than two fifths of their `asked` words in common, or with some and the same name, become one.
"""

import argparse
import csv
import math
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from methodlens.questions import load
from methodlens.relevance.paper_kind import KINDS
from methodlens.text import words
from methodlens.text.stems import stem

FROM = Path(__file__).parent / "topics"
TO = Path(__file__).parent.parent / "src" / "methodlens" / "relevance" / "data" / "topics.toml"
CHECKLISTS = ("claim", "dome", "model-cards", "neurips", "odmap", "prisma-2020", "reforms", "tripod-ai")
"""Questions without labels; the built-in ones and those of the benchmark are not among them."""
_MOST_QUESTIONS = 0.01  # the share of unlabelled questions that a single word may be in
_SAME = 0.4  # the share of the shorter list of words from which on two topics are one
_SUREST = 99.5  # percent


class ListedTopic(Struct, frozen=True):
    group: str
    name: str
    asked: tuple[str, ...]
    said: tuple[str, ...]
    rates: tuple[tuple[float, ...], ...] = ()
    """In percent, per rater: one per kind of paper."""

    def line(self) -> str:
        pooled = (pool([rater[place] for rater in self.rates]) for place in range(len(KINDS)))
        often = ", ".join(f"{kind} = {rate:.3g}" for kind, rate in zip(KINDS, pooled, strict=True))
        return f'{self.name} = {{ asked = "{", ".join(self.asked)}", said = "{", ".join(self.said)}", {often} }}'


def pool(rates: Sequence[float]) -> float:
    """The mean in log odds, in percent. Nobody is surer than 99.5%.

    >>> round(pool([50.0, 50.0])), round(pool([1.0, 99.0])), round(pool([0.0]), 1)
    (50, 50, 0.5)
    """
    limited = [min(_SUREST, max(100 - _SUREST, rate)) / 100 for rate in rates]
    return 100 / (1 + math.exp(-fmean(math.log(rate / (1 - rate)) for rate in limited)))


def read_topics(tree: Mapping[str, Any]) -> list[ListedTopic]:
    """The topics of a file; `rates` as far as it has them."""
    return [
        ListedTopic(group, name, _entries(lists["asked"]), _entries(lists["said"]), _rates(lists))
        for group, topics in tree.items()
        for name, lists in topics.items()
    ]


def _entries(listed: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.strip() for entry in listed.split(",")))


def _rates(row: Mapping[str, Any]) -> tuple[tuple[float, ...], ...]:
    return (tuple(float(row[kind]) for kind in KINDS),) if KINDS[0] in row else ()


def rated(topics: Iterable[ListedTopic], folder: Path = FROM) -> list[ListedTopic]:
    """The topics of the general list, with the raters' estimates; others are left out."""
    tables = [
        {row["topic"]: _rates(row) for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")}
        for path in sorted(folder.glob("rates_*.tsv"))
    ]
    known = (topic for topic in topics if topic.name in tables[0])
    return [replace(topic, rates=tuple(rate for table in tables for rate in table[topic.name])) for topic in known]


def further(general: Sequence[ListedTopic], folder: Path = FROM) -> list[ListedTopic]:
    """The topics of further fields, checked and without doubles."""
    read = [
        topic
        for path in sorted(folder.glob("new_topics_*.toml"))
        for topic in read_topics(tomllib.loads(path.read_text(encoding="utf-8")))
    ]
    taken = {_stems(entry) for topic in general for entry in topic.asked} | set(_too_common())
    checked = [replace(topic, asked=_usable(topic.asked, taken), said=_usable(topic.said, frozenset())) for topic in read]
    merged: list[ListedTopic] = []
    for topic in (topic for topic in checked if topic.asked):
        place = next((place for place, other in enumerate(merged) if _are_one(topic, other)), None)
        if place is None:
            is_new = all(topic.name != other.name for other in (*general, *merged))
            merged.append(topic if is_new else replace(topic, name=f"{topic.name}_{topic.group}"))
        else:
            merged[place] = _united(merged[place], topic)
    return merged


def _usable(entries: Iterable[str], taken: Iterable[frozenset[str]]) -> tuple[str, ...]:
    left_out = set(taken)
    return tuple(entry for entry in entries if can_match(entry) and _stems(entry) not in left_out)


def can_match(entry: str) -> bool:
    """
    >>> can_match("sample size"), can_match("per class"), can_match("size of sample")
    (True, False, False)
    """
    parts = entry.split()
    return len(parts) <= 2 and all(words(part) for part in parts)


def _stems(entry: str) -> frozenset[str]:
    return frozenset(stem(words(part)[0]) for part in entry.split() if words(part))


def _too_common() -> Iterator[frozenset[str]]:
    questions = [question.text for name in CHECKLISTS for question in load(name).questions]
    counts = Counter(found for text in questions for found in {stem(word) for word in words(text)})
    return (frozenset((word,)) for word, count in counts.items() if count > _MOST_QUESTIONS * len(questions))


def _are_one(topic: ListedTopic, other: ListedTopic) -> bool:
    asked, others = ({_stems(entry) for entry in each.asked} for each in (topic, other))
    common = len(asked & others)
    return common > _SAME * min(len(asked), len(others)) or (common > 0 and topic.name == other.name)


def _united(topic: ListedTopic, other: ListedTopic) -> ListedTopic:
    asked, said = (tuple(dict.fromkeys((*one, *two))) for one, two in ((topic.asked, other.asked), (topic.said, other.said)))
    return replace(topic, asked=asked, said=said, rates=(*topic.rates, *other.rates))


def written(header: str, topics: Iterable[ListedTopic]) -> str:
    groups: dict[str, list[str]] = {}
    for topic in topics:
        groups.setdefault(topic.group, []).append(topic.line())
    return header + "".join(f"\n[{group}]\n" + "".join(f"{line}\n" for line in lines) for group, lines in groups.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--without-new", action="store_true", help="leave out the topics of further fields")
    args = parser.parse_args()
    text = TO.read_text(encoding="utf-8")
    header = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    general = rated(read_topics(tomllib.loads(text)))
    new = [] if args.without_new else further(general)
    TO.write_text(written(header, [*general, *new]), encoding="utf-8")
    print(f"{len(general)} topics of the general list and {len(new)} of further fields written to {TO}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
