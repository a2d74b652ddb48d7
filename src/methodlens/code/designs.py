"""Published model designs in identifiers, strings and file names, as the facts write them."""

import re
from functools import cache, lru_cache

from methodlens.code.names import WORD
from methodlens.facts.gazetteer import gazetteer, mentions, squeezed

_MOST_WORDS = 8
_LONGEST = 80
_ENDINGS = {  # names of the project's own models often end with what they are: FrogVAE
    "VAE": "VAE",
    "GAN": "GAN",
    "CNN": "CNN",
    "LSTM": "LSTM",
    "UNet": "U-Net",
    "Unet": "U-Net",
    "unet": "U-Net",
    "utoencoder": "autoencoder",
    "utoEncoder": "autoencoder",
    "Transformer": "Transformer",
    "Diffusion": "diffusion model",
}


@lru_cache(maxsize=4096)
def architecture(name: str) -> str:
    """The published design that an identifier or string names; empty if none.

    >>> architecture("resnet50"), architecture("efficientnet_b2"), architecture("my_model")
    ('ResNet-50', 'EfficientNet-B2', '')
    """
    if len(name) > _LONGEST or "\n" in name:
        return ""
    if name.lower() == "transformer":
        return "Transformer"
    words = name.rpartition("/")[2].replace("_", " ").replace("-", " ")
    found = [
        each for text in (words, name) for each in mentions("architectures", text) if each.kind == "model" and not each.common
    ]
    if not found:
        return ""
    longest = max(found, key=lambda each: each.end - each.start).name
    return re.sub(r"(?<=-)b(?=\d$)", "B", longest)  # papers write EfficientNet-B2


@lru_cache(maxsize=4096)
def architectures_in(identifier: str) -> tuple[str, ...]:
    """Published designs whose whole name is part of an identifier or of a file's name.

    >>> architectures_in("build_AlexNet_small"), architectures_in("SmallUNet"), architectures_in("Network")
    (('AlexNet',), ('U-Net',), ())
    """
    words = [word for word in WORD.split(identifier[:_LONGEST]) if word][:_MOST_WORDS]
    found: dict[str, None] = {}
    start = 0
    while start < len(words):
        named = ((end, _design("".join(words[start:end]))) for end in range(len(words), start, -1))
        end, name = next(((end, name) for end, name in named if name), (start + 1, ""))
        if name:
            found.setdefault(name)
        start = end
    return tuple(found)


def _design(name: str) -> str:
    """The design of that name, with or without its size: "ResNet" and "resnet50"."""
    if exact := _designs().get(name):
        return exact
    if name in ("Clip", "clip"):  # mostly what is done to a value
        return ""
    known = _designs().get(name.rstrip("0123456789").lower(), "")
    if known:
        return architecture(name) or known if name[-1].isdigit() else known
    return next((design for ending, design in _ENDINGS.items() if name.endswith(ending)), "")


@cache
def _designs() -> dict[str, str]:
    """By letters and digits in lower case; names of three letters, which may be words, as they are written."""
    entries = [entry for entry in gazetteer("architectures").entries if entry.kind in ("model", "type") and not entry.common]
    exact = {alias: entry.name for entry in entries for alias in entry.exact if len(alias) == 3 and alias.isupper()}
    spelled = {squeezed(alias).lower(): entry.name for entry in entries for alias in (*entry.spellings, *entry.exact)}
    return exact | {key: name for key, name in spelled.items() if len(key) > 3}
