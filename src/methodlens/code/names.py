"""Names in code as the facts write them: of settings, optimisers, losses, metrics, architectures and the rest."""

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from methodlens.facts.gazetteer import gazetteer, mentions, squeezed

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORD = re.compile(r"_+|-+|\.+|\s+|(?<=[a-z])(?=[A-Z])")
_PART_RATE = re.compile(r"([a-z0-9_]{1,30})_(?:lr|learning_rate)|lr_([a-z0-9_]{1,30})")
_LONGEST = 80


@cache
def data(name: str) -> dict[str, Any]:
    """One of the files in code/data."""
    return tomllib.loads((resources.files("methodlens.code") / "data" / f"{name}.toml").read_text(encoding="utf-8"))


def symbol(table: str, name: str) -> str:
    """What a function or class is called in facts; empty if it is not in the table.

    >>> symbol("losses", "BCEWithLogitsLoss"), symbol("metrics", "f1_score"), symbol("losses", "print")
    ('binary cross-entropy', 'F1', '')
    """
    return str(data("symbols")[table].get(name, ""))


@cache
def listed(table: str) -> frozenset[str]:
    return frozenset(data("symbols")[table]["names"])


@lru_cache(maxsize=8192)
def plain(name: str) -> str:
    """The last part of a setting's name in lower case with "_" between words.

    >>> plain("--batch-size"), plain("SOLVER.BASE_LR"), plain("learningRate"), plain("max_epochs")
    ('batch_size', 'base_lr', 'learning_rate', 'max_epochs')
    """
    last = re.split(r"[./:]", name[:_LONGEST].strip().strip("-+"))[-1]
    return _HUMP.sub("_", last).replace("-", "_").replace(" ", "_").lower()


@cache
def _facts() -> dict[str, str]:
    return {name: fact for fact, names in data("settings")["facts"].items() for name in names}


@cache
def _shares() -> dict[str, str]:
    return {name: part for part, names in data("settings")["split"].items() for name in names}


@cache
def _topics() -> dict[str, str]:
    return {name: topic for topic, names in data("settings")["topics"].items() for name in names}


def fact_of(name: str) -> str:
    """The fact that a setting of this name (in its plain form) gives; empty if none.

    >>> fact_of("batch_size"), fact_of("generator_lr"), fact_of("min_lr")
    ('batch_size', 'learning_rate', '')
    """
    return _facts().get(name, "") or ("learning_rate" if _is_part_of_model(name) else _varied(name))


@lru_cache(maxsize=8192)
def _varied(name: str) -> str:
    """The fact of a setting whose name says what it is for: `num_epochs_small`, `embedding_dropout`, `batch_size_labelled`."""
    words = name.split("_")
    for at in range(1, len(words)):
        for known, rest in ((words[:at], words[at:]), (words[at:], words[:at])):
            fact = _facts().get("_".join(known), "")
            varies = fact in data("settings")["relative"]["varied"] and (len(known) > 1 or known[0] in ("dropout", "epochs"))
            if varies and len(rest) <= 2 and _other_words().isdisjoint(rest):
                return fact
    return ""


@cache
def _other_words() -> frozenset[str]:
    return _not_parts() | frozenset(data("settings")["relative"]["not_varied"])


def is_kept_share(name: str) -> bool:
    """Whether a setting (in its plain form) is the share that dropout keeps, so that 0.8 means a dropout of 0.2."""
    return name in data("settings")["kept"]["names"]


def names_a_class(name: str) -> bool:
    """Whether a setting (in its plain form) gives the class to use, as in `optimizer: {type: Adam}`."""
    return name in data("settings")["classes"]["names"]


def is_list_of_shares(name: str) -> bool:
    """Whether a setting (in its plain form) lists the shares of training, validation and test data."""
    return name in data("settings")["shares"]["names"]


def _is_part_of_model(name: str) -> bool:
    """Whether a setting is the learning rate of one part: `actor_lr`, `lr_backbone`, `G_learning_rate`."""
    if name in _facts() or not (match := _PART_RATE.fullmatch(name)):
        return False
    return _not_parts().isdisjoint((match[1] or match[2]).split("_"))


@cache
def _not_parts() -> frozenset[str]:
    return frozenset(data("settings")["relative"]["not_parts"])


def is_relative(name: str) -> bool:
    """Whether a setting (in its plain form) holds for a part of the model, or for one device."""
    known = name in _facts()
    return name in data("settings")["relative"]["per_device"] or (not known and bool(_is_part_of_model(name) or _varied(name)))


def share_of(name: str) -> str:
    """The part of a split, such as "test", that a setting gives the share of; empty if none."""
    return _shares().get(name, "")


@cache
def metric_options() -> frozenset[str]:
    return frozenset(data("settings")["metrics"]["names"])


def topic_of(name: str) -> str:
    return _topics().get(name, "")


@cache
def _aliases(file: str) -> dict[str, str]:
    """Whole names of a gazetteer by letters and digits."""
    entries = [entry for entry in gazetteer(file).entries if entry.kind != "other"]
    return {squeezed(alias).lower(): entry.name for entry in entries for alias in (*entry.spellings, *entry.exact)}


def optimizer(name: str) -> str:
    """
    >>> optimizer("AdamW"), optimizer("rmsprop"), optimizer("Model")
    ('AdamW', 'RMSprop', '')
    """
    key = squeezed(name[:_LONGEST]).lower()
    for affix in ("optimizer", "torch", "hf", "fused", "tf", "legacy", "clipped", "distributed", "lazy"):
        key = key.removesuffix(affix).removeprefix(affix) if key not in _aliases("optimizers") else key
    found = _aliases("optimizers").get(key, "")
    return "" if key in ("gradientdescent", "ga", "es") and "optimizer" not in name.lower() else found


def optimizer_in(identifier: str) -> str:
    """The optimiser that a class is named after.

    >>> optimizer_in("PatientAdam"), optimizer_in("SGDOptimizer"), optimizer_in("Optimizer")
    ('Adam', 'SGD', '')
    """
    words = [word for word in WORD.split(identifier[:_LONGEST]) if word]
    return optimizer(identifier) or next(filter(None, map(optimizer, reversed(words))), "")


def loss_in(identifier: str) -> str:
    """The loss that a function or class of the repository is named after.

    >>> loss_in("FocalLoss"), loss_in("smooth_l1"), loss_in("compute_loss")
    ('focal loss', 'Huber loss', '')
    """
    return loss(identifier) or loss(plain(identifier)) or loss(f"{plain(identifier)}_loss")


@cache
def _own_augmentations() -> dict[str, str]:
    return {squeezed(name).lower(): value for name, value in data("symbols")["augmentations"].items()}


def augmentation(identifier: str) -> str:
    """What a class or function of a library does to data, with or without "Random" and "Transform".

    >>> augmentation("RandomCrop"), augmentation("GaussianNoiseTransform"), augmentation("Transform")
    ('random crop', 'Gaussian noise', '')
    """
    if exact := symbol("augmentations", identifier):
        return exact
    key = squeezed(identifier[:_LONGEST]).lower()
    for suffix in ("transform", "augmentation", "layer"):
        key = key.removesuffix(suffix)
    return _own_augmentations().get(key, "") or _own_augmentations().get(key.removeprefix("random").removeprefix("rand"), "")


def own_augmentation(identifier: str) -> str:
    """What a function or class of the repository does to its data, by a name of two words.

    >>> own_augmentation("random_flip"), own_augmentation("RandomCrop"), own_augmentation("flip")
    ('flip', 'random crop', '')
    """
    return augmentation(identifier) if plain(identifier).count("_") else ""


def loss(name: str) -> str:
    """
    >>> loss("categorical_crossentropy"), loss("CrossEntropyLoss"), loss("my_loss")
    ('categorical cross-entropy', 'cross-entropy', '')
    """
    known = symbol("losses", name)
    if known:
        return known
    key = squeezed(name[:_LONGEST]).lower()
    return _aliases("losses").get(key, "") or _aliases("losses").get(key.removesuffix("loss"), "") if len(key) > 2 else ""


@lru_cache(maxsize=4096)
def metric_in(identifier: str) -> str:
    """The metric that a function or variable is named after: `compute_rmse`, `test_accuracy`; empty if none.

    >>> metric_in("compute_auc"), metric_in("val_acc"), metric_in("accuracy_of_the_clock_in_the_hall"), metric_in("precision")
    ('AUC', 'accuracy', '', '')
    """
    whole = plain(identifier)
    words = [word for word in whole.split("_") if word]
    bare = "_".join(word for word in words if word not in listed("metric_affixes"))
    for name in (whole, "_".join(words[1:]) if words and words[0] in listed("metric_affixes") else whole, bare):
        if name not in listed("not_metrics") and (found := metric({"acc": "accuracy"}.get(name, name))):
            return found
    return ""


@lru_cache(maxsize=4096)
def dataset(name: str) -> str:
    """
    >>> dataset("CIFAR10"), dataset("load_data")
    ('CIFAR-10', '')
    """
    if len(name) > _LONGEST:
        return ""
    found = mentions("datasets", name.rpartition("/")[2].replace("_", " "))
    return found[0].name if found else ""


def metric(name: str) -> str:
    """A metric by the string that Keras, Lightning and Hugging Face use for it."""
    known = symbol("metrics", name)
    return known or _aliases("metrics").get(squeezed(name[:_LONGEST]).lower(), "")
