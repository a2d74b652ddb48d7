"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

import re
from collections.abc import Sequence
from typing import Any

from methodlens.facts import Device, devices
from methodlens.readers.embedded.candidates import Candidate
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of

_TRAINING = re.compile(r"\b(?:train|fine-?\s?tun|learn)", re.IGNORECASE)
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_MOST_PAGES = 5


def reported(question: Question, paper: Paper, chosen: Sequence[Candidate], facts: dict[str, Any]) -> str:
    """What the facts say where there are any, then the paper's own words."""
    quotes = [f"“{' '.join(candidate.text.split())}” (p. {page_of(paper, candidate.start)})" for candidate in chosen]
    opening = _opening(question, [candidate.text for candidate in chosen], facts)
    if opening:
        pages = _listed(sorted({page_of(paper, candidate.start) for candidate in chosen}))
        return f"{opening} (p. {pages}). The paper says: {quotes[0]}."
    return f"The paper says: {quotes[0]}." + "".join(f" It also says: {quote}." for quote in quotes[1:])


def not_reported(question: Question, hits: Sequence[Hit]) -> str:
    what = question.title.lower() if question.title else "an answer to this question"
    pages = sorted(dict.fromkeys(hit.passage.page for hit in hits if hit.shown))[:_MOST_PAGES]
    if not pages:
        return f"The paper does not report {what}; no passage comes near it."
    near = f"the closest passages are on page{'s' if len(pages) > 1 else ''} {_listed(pages)}"
    return f"The paper does not report {what}; {near}."


def _opening(question: Question, quotes: Sequence[str], facts: dict[str, Any]) -> str:
    if facts.get("hardware"):
        return _hardware(quotes, facts)
    kind = "code" if facts.get("code_urls") else "data" if facts.get("data_urls") else ""
    if kind:
        verb = "is" if kind == "code" else "are"
        return f"The {kind} {verb} to be found at {_listed(facts[f'{kind}_urls'])}"
    return ""


def _hardware(quotes: Sequence[str], facts: dict[str, Any]) -> str:
    text = "\n".join(quotes)
    named = _listed([_device(device, text) for device in devices(text)])
    opening = f"Training ran on {named}" if _TRAINING.search(text) else f"The hardware named is {named}"
    ram, hours = facts.get("ram_gb"), facts.get("training_time_h")
    if ram and re.search(rf"(?<![\d.]){ram:g}\s*-?GB", text, re.IGNORECASE):
        opening += f", with {ram:g} GB of memory"
    # "3 days" is 72 h to a table; in words it stays what the paper prints, in the quote
    if hours and re.search(rf"(?<![\d.]){hours:g}\s*-?h", text, re.IGNORECASE):
        opening += f", and took {hours:g} h"
    return opening


def _device(device: Device, text: str) -> str:
    name = device.printed
    kind = device.kind if device.kind in ("GPU", "CPU", "TPU") and device.kind not in name.upper() else ""
    many = device.count is not None and device.count > 1
    plural = "s" if many and not name.endswith("s") and (kind or name in ("GPU", "CPU", "TPU")) else ""
    return f"{_count(device.count or 0, text) if many else ''} {name} {kind}".strip().replace("  ", " ") + plural


def _count(count: int, text: str) -> str:
    """In digits if the paper has digits, else in words."""
    in_digits = re.search(rf"(?<!\d){count}(?!\d)", text)
    return str(count) if in_digits or count > len(_WORDS) else _WORDS[count - 1]


def _listed(items: Sequence[object]) -> str:
    texts = [str(item) for item in items]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
