"""Figures that the paper does not print but that follow from what it does, each with its assumption."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct

from methodlens.facts.hardware import hardware
from methodlens.facts.times import training_hours
from methodlens.facts.types import FactType, from_all_quotes


class _Power(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    watts: float


def derived(devices: Sequence[Mapping[str, Any]], hours: float | None) -> list[dict[str, Any]]:
    """GPU-hours and energy, only when one kind of GPU, its count and one training time are all printed.

    >>> [one["value"] for one in derived([{"name": "NVIDIA V100", "kind": "GPU", "count": 2}], 10)]
    [20.0, 6.0]
    """
    gpus = [device for device in devices if device["kind"] == "GPU"]
    if len(gpus) != 1 or not gpus[0]["count"] or not hours:
        return []  # with two kinds of GPU, or several times, nobody knows which ran how long
    name, count = str(gpus[0]["name"]), int(gpus[0]["count"])
    found = [_figure("GPU-hours", count * hours, "h", f"{count} x {hours:g} h, every GPU busy all the time")]
    if watts := _watts(name):
        used = f"{count} x {watts:g} W (the maker's board power of {name}) x {hours:g} h, full load, GPUs only, no cooling"
        found.append(_figure("energy estimate", count * watts * hours / 1000, "kWh", used))
    return found


def _figure(name: str, value: float, unit: str, assumption: str) -> dict[str, Any]:
    return {"name": name, "value": float(f"{value:.3g}"), "unit": unit, "assumption": assumption}


def _watts(name: str) -> float | None:
    return next((watts for pattern, watts in _powers() if pattern.search(name)), None)


@cache
def _powers() -> list[tuple[re.Pattern[str], float]]:
    text = (resources.files("methodlens.facts") / "data" / "power.toml").read_text(encoding="utf-8")
    entries = msgspec.convert(tomllib.loads(text)["entries"], list[_Power])
    return [(re.compile(entry.pattern, re.I), entry.watts) for entry in entries]


DERIVED = FactType(key="derived", extract=from_all_quotes(lambda text: derived(hardware(text), training_hours(text))))
