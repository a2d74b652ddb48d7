"""A setting, wherever it is made: its name and value become a finding with the fact that a paper would report."""

import math
import re
from collections.abc import Callable
from typing import Any

from methodlens.code import designs, names
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

DEFAULT, CONFIG, CALL, COMMAND = "default", "config", "call", "command"
PARAMETER = "parameter"
"""The default of a parameter of a function or class, which callers may override."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,3})?")
_TOPICS = {
    "loss": Topic.LOSS,
    "optimizers": Topic.OPTIMIZER,
    "seeds": Topic.SEED,
    "architectures": Topic.ARCHITECTURE,
    "cross_validation_folds": Topic.SPLIT,
    "dropout": Topic.REGULARIZATION,
    "weight_decay": Topic.REGULARIZATION,
}
_RANGES = {  # what a value of this name can be; others mean something else, such as "-1 for all"
    "learning_rate": (1e-10, 100.0),
    "batch_size": (1, 1_000_000),
    "epochs": (1, 1_000_000),
    "iterations": (50, 1_000_000_000),  # fewer are those of a warm-up or a search
    "momentum": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 1.0),
    "seeds": (0, 2**63),
    "repeats": (2, 10_000),
    "cross_validation_folds": (2, 100),
}
_WHOLE = frozenset(("batch_size", "epochs", "iterations", "seeds", "repeats", "cross_validation_folds"))
_OFF_AT_ZERO = frozenset(("momentum", "weight_decay", "dropout"))
_NAMED: dict[str, Callable[[str], str]] = {
    "loss": names.loss,
    "optimizers": names.optimizer,
    "architectures": designs.architecture,
}


def setting(source: Source, line: int, name: str, value: Any, *, kind: str, note: str = "") -> Finding | None:
    """None if the name or the value says nothing that a paper would report."""
    name = names.plain(name)
    value = number(value)
    if names.is_kept_share(name):
        value = round(1 - value, 9) if isinstance(value, float) and 0 < value <= 1 else None
    fact = names.fact_of(name)
    if fact:
        checked = _checked(fact, value, kind)
        if checked is None:
            return None
        topic, relative = _TOPICS.get(fact, Topic.HYPERPARAMETER), names.is_relative(name)
        return source.finding(topic, line, fact, checked, note=note, kind=kind, relative=relative)
    if part := names.share_of(name):
        share = value / 100 if isinstance(value, int) and 1 < value < 100 and "perc" in name else value
        if isinstance(share, float) and 0 < share < 1:
            return source.finding(Topic.SPLIT, line, "split", {part: round(share, 4)}, note=note, kind=kind)
        return None
    if kind == CONFIG and names.names_a_class(name) and isinstance(value, str) and (found := _named_class(source, line, value)):
        return found
    if names.is_list_of_shares(name) and (shares := _split(name, value)):
        return source.finding(Topic.SPLIT, line, "split", shares, note=note, kind=kind)
    about = names.topic_of(name)
    if not about or value in (None, "", 0, False, "none", "None") or isinstance(value, dict):
        return None
    return source.finding(Topic(about), line, note=note, kind=kind)


def _named_class(source: Source, line: int, value: str) -> Finding | None:
    """`type: AdamW`, `_target_: torch.nn.BCELoss`: an optimiser, a loss or a model by the name of its class."""
    last = value.rpartition(".")[2]
    if last[:1].isupper() and (optimizer := names.optimizer(last)):
        return source.finding(Topic.OPTIMIZER, line, "optimizers", optimizer, kind=CONFIG)
    if loss := names.symbol("losses", last):
        return source.finding(Topic.LOSS, line, "loss", loss, kind=CONFIG)
    architecture = designs.architecture(last)
    return source.finding(Topic.ARCHITECTURE, line, "architectures", architecture, kind=CONFIG) if architecture else None


def _split(name: str, shares: Any) -> dict[str, float]:
    """`split_sizes = [0.8, 0.1, 0.1]`, in the usual order; empty if the numbers are no shares of a whole."""
    if not isinstance(shares, list) or len(shares) not in (2, 3) or not all(isinstance(each, int | float) for each in shares):
        return {}
    total = sum(shares)
    if not 0 <= min(shares) <= max(shares) <= 100 or not any(math.isclose(total, whole, rel_tol=1e-6) for whole in (1, 100)):
        return {}
    last = "validation" if "val" in name and "test" not in name else "test"
    parts = ("train", last) if len(shares) == 2 else ("train", "validation", "test")
    return {part: round(share / total, 4) for part, share in zip(parts, shares, strict=True) if share}


def number(value: Any) -> Any:
    """A number for a string that is one, else the value as it is.

    >>> number("1e-3"), number("32"), number("adam")
    (0.001, 32, 'adam')
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        text = value.strip()
        return float(text) if any(mark in text for mark in ".eE") else int(text)
    return value


def _checked(fact: str, value: Any, kind: str) -> Any:
    """The value of a fact in the shape of the export; None if it is not one."""
    if fact in _NAMED:
        return (_NAMED[fact](value) or None) if isinstance(value, str) else None
    if fact == "seeds" and isinstance(value, list) and value and all(_is_whole(each) for each in value):
        return value if len(value) > 1 else value[0]
    if isinstance(value, list) and len(value) == 1:  # an option that may be given several times
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low, high = _RANGES[fact]
    if not low <= value <= high or (fact in _WHOLE and value != int(value)):
        return None
    if value == 0 and fact in _OFF_AT_ZERO and kind != COMMAND:
        return None
    return int(value) if fact in _WHOLE else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
