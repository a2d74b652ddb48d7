"""A cell of the wide table: its status, a short answer, and the values of its facts."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from methodlens.records import Answer, Row, Status
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.verdict_matrix import status_label
from methodlens.text.printable import one_line

LONGEST = 160
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])")
_PAGES = re.compile(r"\s*\(pp?\. [\d, –]{1,40}\)")
_COMPUTED = "derived"  # estimates by methodlens, which no paper states

FactValues = list[str | int | float]


class WideCell(Struct, frozen=True, array_like=True):
    status: Status
    text: str
    facts: Mapping[str, FactValues]
    """By key; a value is a number, or a text such as the name of a device."""


def wide_cell(row: Row) -> WideCell:
    """With the words of the person who decided, else the facts, else the first sentence of the answer."""
    status, answer = row.cell.verdict.status, row.cell.answer
    if status not in (Status.REPORTED, Status.WITHHELD):
        return WideCell(status, status_label(status), {})
    own_words = row.final is not None and row.final.own_answer
    text = shortened(answer.text) if own_words else short_answer(answer)
    if status is Status.WITHHELD:  # spreadsheets and copies have no colours
        text = f"{status_label(status)}: {text}" if text else ""
    return WideCell(status, text or status_label(status), fact_values(answer.facts))


def short_answer(answer: Answer) -> str:
    """The facts, else the first sentence of the answer.

    >>> short_answer(Answer("Long.", facts={"learning_rate": 0.001, "batch_size": 32}))
    'learning rate 0.001; batch size 32'
    >>> short_answer(Answer("Frames were cropped (p. 3). They were scaled."))
    'Frames were cropped.'
    """
    shown = [(key, facts) for key, facts in shown_facts(answer.facts) if key != _COMPUTED]
    labelled = len(shown) > 1
    parts = []
    for key, facts in shown:
        values = ", ".join(f"{value} ({detail})" if detail else value for value, detail in facts)
        parts.append(f"{fact_label(key)} {values}" if labelled else values)
    return shortened("; ".join(parts) or _PAGES.sub("", _SENTENCE.split(answer.text.strip(), maxsplit=1)[0]))


def shortened(text: str) -> str:
    """One line of at most `LONGEST` characters, cut at a space."""
    line = one_line(text).strip()
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def fact_values(facts: Mapping[str, Any]) -> dict[str, FactValues]:
    """Numbers as numbers, things by their names; without what methodlens computed from other facts.

    >>> fact_values({"epochs": 80, "hardware": [{"name": "Kestrel K9", "count": 2}], "split": {"train": 0.8, "test": 0.2}})
    {'epochs': [80], 'hardware': ['Kestrel K9'], 'split': ['train 0.8, test 0.2']}
    """
    listed = {key: value if isinstance(value, list | tuple) else [value] for key, value in facts.items() if key != _COMPUTED}
    known = {key: [_value(value) for value in values if value is not None] for key, values in listed.items()}
    return {key: values for key, values in known.items() if values}


def _value(value: Any) -> str | int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        named = {name: part for name, part in value.items() if part is not None}
        return one_line(str(named.get("name") or ", ".join(f"{name.replace('_', ' ')} {part}" for name, part in named.items())))
    return one_line(str(value))
