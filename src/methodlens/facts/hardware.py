"""The machines that a text says were used: full names, kinds, counts and memory; and the RAM."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from methodlens.facts.device_use import is_excluded, is_thanked_for, is_used, only_serves, only_stores
from methodlens.facts.gazetteer import Mention, data_file
from methodlens.facts.memory import card_memory, system_memory
from methodlens.facts.numbers import NUMBER, as_number, in_words
from methodlens.facts.types import FactType, Findings, first_or_none, from_all_quotes, listing, optional

Number = TypeVar("Number", int, float)
NOT_NAMED = "(model not named)"
"""Ends the name of a device of which the paper names only the kind: "GPU (model not named)"."""
# one character for one, so that positions stay the same
_PLAIN = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("×∗", "x"), **dict.fromkeys("™®©\xa0", " ")})
_UNNAMED = re.compile(
    r"(?<![A-Za-z_])(?<![A-Za-z]-)(?P<kind>GPU|CPU|TPU|graphics cards?|"
    r"graphic(?:s|al) processing unit)(?:s|'s)?\b",
    re.I,
)
_IN_FULL = re.compile(r"\bprocessing\sunits?\s?\($", re.I)
_NOT_A_DEVICE = re.compile(
    r"s?[\s-]{0,3}(?:nodes?|servers?|cores?|hours?|days?|time|memory|ram|cluster|threads?|-based|accelerat\w+|utili[sz]ation|"
    r"usage|load|computing|computation|environment|mode|version|"
    r"implementation|resources?|power|instance|specification|support|enabled|kernels?|bandwidth|architectures?|capacity|cache)\b",
    re.I,
)
_BEFORE = re.compile(
    rf"(?<![\w.,/-])(?P<count>{NUMBER}|an?|the|our)(?!\d)[\s-]*(?:x|\*)?\s*"
    r"(?:(?:units?|pieces?|cards?|copies) of\s+|of\s+(?:the\s+)?)?"
    r"(?:\d+\s*-?GB\s+)?(?:(?:nvidia|geforce|tesla|google|intel|amd|parallel|identical|different|dedicated|high-end|remaining|"
    r"separate|gpus?|modern|server-grade)\s+){0,4}$",
    re.I,
)
_AFTER = re.compile(
    r"^\s*(?:gpus?|cpus?|tpus?|processors?|graphics cards?|cards?)?\s*\(?\s*"
    r"(?:[x*]\s*(?P<count>\d{1,3})\b|(?P<count2>\d{1,3})\s*x\b(?!\s*\d))",
    re.I,
)
_GAP = re.compile(r"[\s,(-]{0,3}(?:\d{1,3}\s?GB\)?\s?)?", re.I)
_PLURAL = re.compile(r"s\b|\s{0,2}(?:gpus|cpus|tpus|cards|processors|graphics\scards|cluster|nodes|pods)\b", re.I)
_TRAINING = re.compile(r"\b(?:train|fine-?\s?tun|learn)", re.I)


class Device(Struct, frozen=True):
    """`name` is the full name of what is `printed`: "NVIDIA Quadro RTX 8000" for "RTX8000"."""

    name: str
    kind: str
    count: int | None = None
    memory_gb: float | None = None
    printed: str = ""


class _Pattern(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    kind: str
    pattern: str
    requires: str = ""
    unless: str = ""
    fallback: bool = False
    small: bool = False


def hardware(text: str) -> list[dict[str, Any]]:
    """
    >>> hardware("We trained on 2 x Titan RTX for 14 hours.")
    [{'name': 'NVIDIA TITAN RTX', 'kind': 'GPU', 'count': 2, 'memory_gb': None}]
    """
    return [{"name": d.name, "kind": d.kind, "count": d.count, "memory_gb": d.memory_gb} for d in devices(text)]


@lru_cache(maxsize=512)
def devices(text: str) -> tuple[Device, ...]:
    """The machines that the text says were used, each once, with the largest count and memory given anywhere."""
    plain = text.translate(_PLAIN)
    mentions = _same_spelling(_named(plain))
    merged: dict[str, Device] = {}
    for mention in mentions:
        known = merged.get(mention.name)
        count = _largest(known.count if known else None, _count(plain, mention))
        memory = _largest(known.memory_gb if known else None, _memory(plain, mention))
        printed = known.printed if known else " ".join(text[mention.start : mention.end].split())
        merged[mention.name] = Device(mention.name, mention.kind, count=count, memory_gb=memory, printed=printed)
    return _with_unnamed(plain, merged, mentions)


def _same_spelling(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """ "V100" in one sentence and "Tesla V100" in another are one card."""
    full = {mention.name: mention.name for mention in mentions}
    for name in full:
        words = name.split()
        longer = [other for other in full if words[-1] == other.split()[-1] and set(words) < set(other.split())]
        full[name] = max(longer, key=len, default=name)
    return tuple(msgspec.structs.replace(mention, name=full[mention.name]) for mention in mentions)


def ram_gb(text: str) -> float | None:
    """The computer's memory, not the graphics card's: "16GB RAM * 8" is 128."""
    plain = text.translate(_PLAIN)
    return system_memory(plain, [(each.start, each.end) for each in _named(plain) if each.kind == "GPU"])


@lru_cache(maxsize=512)
def _named(plain: str) -> tuple[Mention, ...]:
    mentions: list[Mention] = []
    lowered = plain.lower()
    for entry, pattern in _gazetteer():
        if not any(word in lowered for word in entry.requires.split("|")):  # far cheaper than the pattern
            continue
        if entry.unless and any(mention.name.startswith(entry.unless) for mention in mentions):
            continue
        if entry.fallback and any(mention.kind in ("GPU", "CPU", "TPU", "cloud") for mention in mentions):
            continue
        for match in pattern.finditer(plain):
            overlaps = any(match.start() < other.end and other.start < match.end() for other in mentions)
            if match.end() == match.start() or overlaps:
                continue
            if (entry.kind == "cloud" and only_stores(plain, match.start())) or (
                entry.small and only_serves(plain, match.start())
            ):
                continue
            if not is_excluded(plain, match.start(), match.end(), generic=entry.fallback):
                mentions.append(Mention(_written(entry.name, match), entry.kind, match.start(), match.end()))
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _written(name: str, match: re.Match[str]) -> str:
    spelling = data_file("hardware")["spelling"]
    groups = {key.rstrip("23"): value for key, value in match.groupdict().items() if value}
    if "{" in name:
        parts = {key: " ".join(spelling.get(word.lower(), word) for word in value.split()) for key, value in groups.items()}
        parts = {key: spelling.get(value.lower(), value) for key, value in parts.items()}
        if "generation" in name and "generation" not in parts:
            name = name.split(" (")[0]
        name = re.sub(r"\{(\w+)\}", lambda group: parts.get(group[1], ""), name)
    words = re.sub(r"\bA-(?=\d)", "A", " ".join(name.split()).strip(" -"))  # "RTX A-6000"
    words = re.sub(r"(?<=\d)-\s(?=\d)", "-", words)  # a name that was broken at the end of a line: "E5- 2620"
    return re.sub(r"\b([khmpvtab]\d+[a-z]?)\b", lambda model: model[1].upper(), words) if words.startswith("NVIDIA") else words


def _count(plain: str, mention: Mention) -> int | None:
    after = _AFTER.match(plain[mention.end : mention.end + 40])
    if after:
        return int(after["count"] or after["count2"])
    before = _BEFORE.search(plain, max(0, mention.start - 60), mention.start)
    if before and before["count"].lower() in ("the", "our"):  # "the Titan RTX" is one, "the Titan RTX GPUs" are not
        return None if _PLURAL.match(plain, mention.end) or mention.kind == "cloud" else 1
    return int(as_number(before["count"])) if before else None


def _memory(plain: str, mention: Mention) -> float | None:
    return card_memory(plain, mention.start, mention.end) if mention.kind in ("GPU", "TPU") else None


def _with_unnamed(plain: str, named: dict[str, Device], mentions: tuple[Mention, ...]) -> tuple[Device, ...]:
    """ "three GPUs" gives the count of the one GPU that is named; if none is, it is a device without a model."""
    counts: dict[str, int | None] = {}
    memories: dict[str, float | None] = {}
    for match in _UNNAMED.finditer(plain):
        if _IN_FULL.search(plain, max(0, match.start() - 40), match.start()):  # "graphics processing unit (GPU)" is one mention
            continue
        if _is_named(plain, mentions, match.start()) or _NOT_A_DEVICE.match(plain, match.end("kind")):
            continue
        if is_excluded(plain, match.start(), match.end(), generic=True):
            continue
        kind = match["kind"].upper() if len(match["kind"]) == 3 else "GPU"
        count = _count(plain, Mention("", kind, match.start(), match.end()))
        if (count or 0) > 1 or is_used(plain, match.start()):
            counts[kind] = _largest(counts.get(kind), count)
            memory = card_memory(plain, match.start(), match.end()) if kind != "CPU" else None
            memories[kind] = _largest(memories.get(kind), memory)
    devices = dict(named)
    for kind, count in counts.items():
        of_kind = [device for device in named.values() if device.kind == kind]
        if len(of_kind) == 1 and count and _is_only_thanked_for(plain, of_kind[0], mentions):
            del devices[of_kind[0].name]
            of_kind = []
        if len(of_kind) == 1:
            only = of_kind[0]
            devices[only.name] = msgspec.structs.replace(only, count=_largest(only.count, count))
        elif not of_kind and (kind != "CPU" or _is_main(devices, count)):
            devices[kind] = Device(f"{kind} {NOT_NAMED}", kind, count=count, memory_gb=memories[kind], printed=kind)
    return tuple(devices.values())


def _is_only_thanked_for(plain: str, device: Device, mentions: tuple[Mention, ...]) -> bool:
    """A cluster without a name, in the acknowledgements."""
    places = [mention.start for mention in mentions if mention.name == device.name]
    return device.name.endswith("cluster") and all(is_thanked_for(plain, at) for at in places)


def _is_named(plain: str, mentions: tuple[Mention, ...], at: int) -> bool:
    """The word at this position is a part of a name, or follows one: "Titan RTX 24 GB GPUs"."""
    last = next((mention for mention in reversed(mentions) if mention.start <= at), None)
    return last is not None and (at < last.end or bool(_GAP.fullmatch(plain, last.end, at)))


def _is_main(devices: Mapping[str, Device], count: int | None) -> bool:
    """An unnamed CPU does the work if nothing else is named, or if CPUs are counted and the rest is a provider."""
    kinds = {device.kind for device in devices.values()}
    return not kinds or (kinds <= {"cloud", "other"} and count is not None)


def _largest(one: Number | None, other: Number | None) -> Number | None:
    return max((value for value in (one, other) if value), default=None)


@cache
def _gazetteer() -> list[tuple[_Pattern, re.Pattern[str]]]:
    entries = msgspec.convert(data_file("hardware")["device"], list[_Pattern])
    # bounded by anything but letters and digits: a name may follow a bracket, a dash, or the "8x" of its count
    return [(entry, re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\dx))(?:{entry.pattern})(?![A-Za-z0-9])", re.I)) for entry in entries]


def _phrase(findings: Findings) -> str:
    """Only numbers that a quote prints: "3 days" is 72 h in a table, in words it is left to the quote."""
    text = "\n".join(findings.quotes)
    named = listing(_with_article(_in_words(device, text), text) for device in devices(text))
    sentence = f"Training used {named}" if _TRAINING.search(text) else f"The hardware is {named}"
    ram, hours = findings.values.get("ram_gb"), findings.values.get("training_time_h")
    if ram and re.search(rf"(?<![\d.]){ram:g}\s*-?GB", text, re.I):
        sentence += f", with {ram:g} GB of memory"
    if isinstance(hours, (int, float)) and re.search(rf"(?<![\d.]){hours:g}\s*-?h", text, re.I):
        sentence += f", and took {hours:g} h"
    return sentence


def _with_article(name: str, text: str) -> str:
    """ "an NVIDIA K80 GPU" where the paper says "an", "one" or "a single": without that, there may be several."""
    before = re.search(rf"\b(an?|one|single)\s+(?:\w+\s+){{0,3}}?{re.escape(name.split()[0])}", text, re.I)
    kind_of_machine = name.split()[-1].islower()  # "GPU cluster", "laptop"
    counted = name[0].isdigit() or re.fullmatch(NUMBER, name.split()[0], re.I)
    if not (before or kind_of_machine) or counted or name.endswith("s"):
        return name
    article = "an" if re.match(r"[AEIOaeio]|NV|[FHLMNRSXfhlmnrsx](?=[A-Z\d])", name) else "a"
    return f"{article} {name}"


def _in_words(device: Device, text: str) -> str:
    name, count = device.printed, device.count or 0
    kind = device.kind if device.kind in ("GPU", "CPU", "TPU") and device.kind not in name.upper() else ""
    plural = "s" if count > 1 and not name.endswith("s") and (kind or name in ("GPU", "CPU", "TPU")) else ""
    digits = re.search(rf"(?<!\d){count}(?!\d)", text)  # digits where the paper has digits
    number = "" if count < 2 else str(count) if digits else in_words(count)
    return f"{number} {name} {kind}".strip().replace("  ", " ") + plural


HARDWARE = FactType(
    key="hardware",
    extract=from_all_quotes(hardware, same=lambda one, other: one["name"] == other["name"]),
    phrase=_phrase,
    priority=30,
    export_empty=True,
    opens_alone=True,
    decisive=True,
    training_only=True,
    revision=2,
)
RAM = FactType(
    key="ram_gb",
    label="RAM",
    unit="GB",
    extract=from_all_quotes(optional(ram_gb)),
    merge=first_or_none,
    export_empty=True,
    revision=2,
)
