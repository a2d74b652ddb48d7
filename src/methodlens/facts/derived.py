"""Figures that are not printed but follow from those that are, each with its assumption."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from methodlens.facts.gazetteer import data_file
from methodlens.facts.hardware import hardware
from methodlens.facts.times import training_hours
from methodlens.facts.types import FactType, from_all_quotes


class _Power(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    watts: float


def derived(devices: Sequence[Mapping[str, Any]], hours: float | None) -> list[dict[str, Any]]:
    """GPU-hours and energy, if one kind of GPU, its count and the training time are all printed.

    >>> [figure["value"] for figure in derived([{"name": "NVIDIA V100", "kind": "GPU", "count": 2}], 10)]
    [20.0, 6.0]
    """
    gpus = [device for device in devices if device["kind"] == "GPU"]
    if len(gpus) != 1 or not gpus[0]["count"] or not hours:
        return []  # with two kinds of GPU, it is unclear which ran how long
    name, count = str(gpus[0]["name"]), int(gpus[0]["count"])
    figures = [_figure("GPU-hours", count * hours, "h", f"{count} x {hours:g} h, every GPU busy all the time")]
    if watts := _watts(name):
        used = f"{count} x {watts:g} W (the maker's board power of {name}) x {hours:g} h, full load, GPUs only, no cooling"
        figures.append(_figure("energy estimate", count * watts * hours / 1000, "kWh", used))
    return figures


def _figure(name: str, value: float, unit: str, assumption: str) -> dict[str, Any]:
    return {"name": name, "value": float(f"{value:.3g}"), "unit": unit, "assumption": assumption}


def _watts(name: str) -> float | None:
    return next((watts for pattern, watts in _powers() if pattern.search(name)), None)


@cache
def _powers() -> list[tuple[re.Pattern[str], float]]:
    entries = msgspec.convert(data_file("power")["entries"], list[_Power])
    return [(re.compile(entry.pattern, re.I), entry.watts) for entry in entries]


DERIVED = FactType(key="derived", extract=from_all_quotes(lambda text: derived(hardware(text), training_hours(text))))
