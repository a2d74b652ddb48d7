"""Augmentations: listed ones, flips and crops in other words, and those that share a noun: "scale, colour and flip jittering"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.negation import is_negated
from methodlens.facts.open_heads import augmenters
from methodlens.facts.open_names import OPEN

_HORIZONTALLY = re.compile(
    r"\bflip(?:s|ped|ping|-ping)?\s+(?:\w+\s+){0,4}?(?P<how>horizontally|vertically|left[\s-]right|up[\s-]down)"
    r"(?:\s+(?:and|or)\s+(?P<also>horizontal|vertical)(?:ly)?\b)?",
    re.I,
)
# "a random 224 × 224 crop", "randomly sampled crops", "crops taken at random positions"
_RANDOM_CROP = re.compile(
    r"\brandom(?:ly)?(?:[\s-][\w×*-]{1,15}){0,5}[\s-]crops?\b"
    r"|\bcrop(?:s|ped|ping)?\s(?:[\w×*,-]{1,15}\s){0,6}?(?:randomly\b|at\srandom\b|from\sa?\s?random|random\s(?:regions?|patch(?:es)?|areas?|positions?))",
    re.I,
)
_NOT_RANDOM = re.compile(r"\b(?:rotation|forest|split|sampl\w+\s(?:of|from)\scrop|center|centre)\b", re.I)
_SHARED = re.compile(
    r"\b(?P<first>(?:[a-z]{3,12},\s){1,4}[a-z]{3,12}|[a-z]{3,12}),?\s(?:and|or)\s(?P<last>[a-z]{3,12})\s"
    r"(?P<head>jitter(?:ing)?|perturbations?|distortions?|augmentations?|shifts?|masking|dropping)\b",
    re.I,
)
_SHARING = frozenset(
    """scale color colour brightness contrast saturation hue flip rotation translation crop time frequency pitch speed volume
    noise blur gamma intensity gain tempo width height aspect position node edge attribute token word span feature spatial
    temporal channel stain pixel illumination lighting geometric photometric""".split()
)
_AUGMENTS = re.compile(r"\baugment|\brandom|\bjitter", re.I)
# "is limited to rotation", "the group of rotations": what a transformation can express
_GEOMETRY = re.compile(
    r"\b(?:limited\s(?:to|by)|restricted\sto|constraints?\sof|matri(?:x|ces)\b|invarian(?:t|ce)\s(?:to|under)|equivarian\w+)",
    re.I,
)
_ROBUST = re.compile(
    r"\b(?:invariant|robust|insensitive|invariance|robustness)\s(?:to|against|under)\s(?:[\w-]+,?\s){0,6}$", re.I
)
_REACH = 80
# "we add Gaussian noise to the features": said of the data, it needs no word of augmentation
_NOISE_ON_DATA = re.compile(
    r"\b(?:add(?:s|ed|ing)?|appl(?:y|ies|ied|ying)|inject(?:s|ed|ing)?|corrupt(?:s|ed|ing)?|perturb(?:s|ed|ing)?)\s(?:[\w-]{1,15}\s){0,3}?"
    r"(?P<name>(?:Gaussian|white)\snoise)\s(?:[\w-]{1,15}\s){0,3}?(?:over|to|into|on|onto)\s(?:[\w-]{1,15}\s){0,4}?"
    r"(?:features?|inputs?|images?|signals?|samples?|data|spectrograms?|waveforms?|recordings?|audio|batch(?:es)?|points?|coordinates|spectra)\b",
    re.I,
)
_NO_TRAINING_NOISE = re.compile(
    r"\bdiffusion\b|\bdenois|\bprivacy\b|\bprivate\b|\battack|\badversar|\btest|\brobust|\bsimulat", re.I
)
# "the features of the image and of its flipped copy are averaged in testing": not how the model was trained
_IN_TESTING = re.compile(
    r"\b(?:at|during|in|for)\s(?:the\s)?(?:test(?:ing)?|inference|evaluation)\b|\btest[-\s]time\b|\bevaluate\b", re.I
)
_IN_TRAINING = re.compile(r"\baugment|\btrain|\brandom", re.I)
_HAS_NOISE = re.compile(r"\b(?:ha[sd]|have|contains?|with)\s(?:some|much|more|less|little|a\slot\sof|additional)\s$", re.I)


def augmentations(text: str) -> list[Mention]:
    about = _AUGMENTS.search(text)
    geometry = _GEOMETRY.search(text) and not about
    mentions = [mention for mention in listed("augmentations", text) if not (geometry and mention.common)]
    mentions = [mention for mention in mentions if mention.kind != "general" or not _is_effect(text, mention)]
    mentions += _noise_on_data(text, mentions)
    mentions += _flips(text)
    if any(mention.name in ("horizontal flip", "vertical flip") for mention in mentions):  # "mirrored horizontally" is one
        mentions = [mention for mention in mentions if mention.name != "mirroring (flip)"]
    mentions += _random_crops(text, mentions)
    if about:
        mentions += _sharing_a_noun(text, mentions)
    if _IN_TESTING.search(text) and not _IN_TRAINING.search(text):
        return []
    return [*mentions, *augmenters(text, mentions)]


def _is_effect(text: str, mention: Mention) -> bool:
    """ "The labels have some noise", "more invariant to rotation, reflection and noise": not what was done to the data."""
    before = text[max(0, mention.start - _REACH) : mention.start]
    return bool(_HAS_NOISE.search(before)) or bool(_ROBUST.search(before))


def _noise_on_data(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    match = _NOISE_ON_DATA.search(text)
    free = match and not any(mention.start < match.end("name") and match.start("name") < mention.end for mention in taken)
    if match and free and not _NO_TRAINING_NOISE.search(text) and not is_negated(text, *match.span("name")):
        yield Mention("Gaussian noise", "image", *match.span("name"), confidence=0.8)


def _flips(text: str) -> Iterator[Mention]:
    for match in _HORIZONTALLY.finditer(text):
        if not is_negated(text, match.start(), match.end()):
            ways = [way.lower()[0] for way in (match["how"], match["also"]) if way]
            for way in ways:
                yield Mention("horizontal flip" if way in "hl" else "vertical flip", "image", match.start(), match.end())


def _random_crops(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    if any(mention.name in ("random crop", "random resized crop") for mention in taken):
        return
    for match in _RANDOM_CROP.finditer(text):
        if not _NOT_RANDOM.search(match[0]) and not is_negated(text, match.start(), match.end()):
            yield Mention("random crop", "image", match.start(), match.end())
            return


def _sharing_a_noun(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """Each word with the noun: its listed name, or both words."""
    for match in _SHARED.finditer(text):
        head = match["head"]
        words = re.findall(r"\w+", match["first"])
        if not {word.lower() for word in (*words, match["last"])} <= _SHARING or is_negated(text, match.start(), match.end()):
            continue
        for word in words:
            at = text.index(word, match.start())
            if any(mention.start <= at < mention.end for mention in taken):
                continue
            known = listed("augmentations", f"random {word} {head}")
            name = known[0].name if known else f"{word.lower()} {head.lower()}"
            yield Mention(name, known[0].kind if known else OPEN, at, at + len(word), confidence=0.8)
