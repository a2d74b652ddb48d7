"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

import re
from collections.abc import Sequence
from typing import Any

from methodlens.facts import Device, Fact, devices, located
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of

_TRAINING = re.compile(r"\b(?:train|fine-?\s?tun|learn)", re.IGNORECASE)
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_MOST_PAGES = 5


def reported(question: Question, paper: Paper, chosen: Sequence[CandidateSentence], facts: dict[str, Any]) -> str:
    """What the facts say where there are any, then the paper's own words."""
    pages = [page_of(paper, candidate.start) for candidate in chosen]
    quotes = [f"“{' '.join(candidate.text.split())}” (p. {page})" for candidate, page in zip(chosen, pages, strict=True)]
    opening, used = _opening(question, [candidate.text for candidate in chosen], facts)
    if opening:
        where = _listed(sorted({pages[index] for index in used}))
        return f"{opening} (p. {where}). The paper says: {quotes[0]}."
    return f"The paper says: {quotes[0]}." + "".join(f" It also says: {quote}." for quote in quotes[1:])


def not_reported(question: Question, hits: Sequence[Hit]) -> str:
    what = question.title.lower() if question.title else "an answer to this question"
    pages = sorted(dict.fromkeys(hit.passage.page for hit in hits))[:_MOST_PAGES]
    if not pages:
        return f"The paper does not report {what}; no passage comes near it."
    near = f"the closest passages are on page{'s' if len(pages) > 1 else ''} {_listed(pages)}"
    return f"The paper does not report {what}; {near}."


def _opening(question: Question, quotes: Sequence[str], facts: dict[str, Any]) -> tuple[str, set[int]]:
    """A sentence made of the facts, and the quotes they stand in."""
    everywhere = set(range(len(quotes)))
    if facts.get("hardware"):
        return _hardware(quotes, facts), everywhere
    kind = "code" if facts.get("code_urls") else "data" if facts.get("data_urls") else ""
    if kind:
        verb = "is" if kind == "code" else "are"
        return f"The {kind} {verb} to be found at {_listed(facts[f'{kind}_urls'])}", everywhere
    found = located([key for key in question.facts if key in _PHRASES], quotes)
    parts = [part for key in question.facts if (part := _part(key, [fact for fact in found if fact.key == key], quotes))]
    sentence = ("; " if any(" and " in part for part in parts) else ", ").join(parts)
    return sentence[:1].upper() + sentence[1:], {fact.quote for fact in found}


_PHRASES = {
    "formats": ("data form: {}", "data forms: {}"),
    "annotation": ("annotation: {}", "annotation: {}"),
    "tools": ("with {}", "with {}"),
    "augmentations": ("augmentation: {}", "augmentation: {}"),
    "datasets": ("the dataset is {}", "the datasets are {}"),
    "split": ("split: {}", "split: {}"),
    "split_counts": ("{}", "{}"),
    "cross_validation_folds": ("{} folds of cross-validation", ""),
    "architectures": ("the architecture is {}", "the architectures are {}"),
    "learning_rate": ("learning rate {}", "learning rates {}"),
    "batch_size": ("batch size {}", "batch sizes {}"),
    "epochs": ("{} epochs", "{} epochs"),
    "iterations": ("{} iterations", "{} iterations"),
    "momentum": ("momentum {}", "momentum {}"),
    "weight_decay": ("weight decay {}", "weight decay {}"),
    "dropout": ("dropout {}", "dropout {}"),
    "loss": ("loss {}", "losses {}"),
    "optimizer": ("optimiser {}", "optimisers {}"),
    "optimizers": ("the optimiser is {}", "the optimisers are {}"),
    "regularization": ("regularisation: {}", "regularisation: {}"),
    "frameworks": ("it was built with {}", "it was built with {}"),
    "metrics": ("the metric is {}", "the metrics are {}"),
    "seeds": ("the random seed is {}", "the random seeds are {}"),
    "repeats": ("training was repeated {} times", ""),
    "tasks": ("the task is {}", "the tasks are {}"),
    "platforms": ("the platform is {}", "the platforms are {}"),
}
"""How one value, and how several of a key are put into words."""
_ROLES = {"train": "training", "validation": "validation", "test": "test"}
_SPOKEN = re.compile(r"[a-z][a-z -]+")  # a common noun of ours claims no name: "classification" for "to classify"


def _part(key: str, facts: Sequence[Fact], quotes: Sequence[str]) -> str:
    if key == "split":
        shares = {role: share for fact in facts for role, share in fact.value.items() if role in _ROLES}
        said = [f"{100 * share:g}% {_ROLES[role]}" for role, share in shares.items() if _prints(100 * share, quotes)]
        return f"split: {_listed(said)}" if said else ""
    if key == "split_counts":
        counts = {role: count for fact in facts for role, count in fact.value.items() if role in _ROLES}
        return _listed([f"{count} for {_ROLES[role]}" for role, count in counts.items() if _prints(count, quotes)] or [""])
    if key in ("cross_validation_folds", "repeats"):
        facts = sorted(facts, key=lambda fact: -fact.value)[:1]
    values = list(dict.fromkeys(map(_said, facts)))
    return _PHRASES[key][len(values) > 1].format(_listed(values)) if values else ""


def _said(fact: Fact) -> str:
    """As the quote prints it; a common noun in our own spelling, so that a verb becomes the name of the task."""
    if fact.key == "frameworks" and fact.value["version"]:
        return f"{fact.printed} {fact.value['version']}"
    if isinstance(fact.value, str) and _SPOKEN.fullmatch(fact.value):
        return fact.value
    return fact.printed or str(fact.value)


def _prints(number: float, quotes: Sequence[str]) -> bool:
    """A ratio of 8:1:1 is a share that no quote prints: it stays a fact and is not put into words."""
    whole = f"{number:.10g}"
    return any(re.search(rf"(?<![\d.,]){whole}(?![\d.,]*\d)", re.sub(r"(?<=\d),(?=\d{3})", "", quote)) for quote in quotes)


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
