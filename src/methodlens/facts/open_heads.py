"""Names by their head noun: "path regularization", "stain augmentation", "a certainty rate of 84%", "the Sparse FrogNet"."""

import re
from collections.abc import Iterable, Iterator, Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.open_names import OPEN, is_function_word, is_name

_CONFIDENCE = 0.6
_WORD = r"[A-Za-z][a-z0-9]{1,15}(?:-[a-z0-9]{1,12}){0,2}"
_REGULARIZER = re.compile(
    rf"\b(?P<name>{_WORD}(?<!\bnet))\s(?:\([A-Z]{{2,6}}\)\s)?(?:regulari[sz](?:ation|ers?)|penalt(?:y|ies))\b"
)
_AUGMENTER = re.compile(rf"\b(?P<name>{_WORD})\saugmentations?\b")
_RANDOM = re.compile(
    rf"\b(?P<name>random(?:ly)?\s(?:{_WORD}\s)?[a-z]{{3,12}}(?:ing|ment|shifts?|masks?|drops?|warps?|noise|erasure))\b"
)
_RATED = re.compile(
    rf"\b(?P<name>(?:{_WORD}\s){{1,2}}(?:rate|score|error|accuracy|efficiency|similarity|distance|ratio|index|quality))s?"
    r"(?:\s\([^()]{1,20}\))?\s(?:of|was|is|were|=|:|reached|at)\s(?:about\s|only\s|over\s|=\s)?[\d.]+\d?\s?%?"
)
_PER_SECOND = re.compile(
    r"\b(?P<name>(?:samples|images|tokens|words|sentences|queries|examples)\s(?:per|/)\s?(?:second|sec|minute))\b", re.I
)
_SOFTWARE = re.compile(
    r"\b(?P<name>[A-Z][A-Za-z0-9]{1,15}[A-Z0-9][A-Za-z0-9]{0,10})\s(?:toolkit|library|framework|toolbox|package|code\s?base)\b"
)
_BUILDING = re.compile(r"\b(?:implement\w*|train\w*|experiments?|built|develop\w*|models?|networks?)\b", re.I)
_OPTIMIZER = re.compile(r"\b(?P<name>[A-Z][A-Za-z0-9-]{2,15})\s(?:optimi[sz]er|optimi[sz]ation\salgorithm)\b")
_CAPITAL = re.compile(r"(?<=[a-z,(]\s)(?P<name>(?:[A-Z][a-z]{3,12}\s){1,2})$")

_NO_METRIC = frozenset(
    """learning dropout decay sampling sample frame bit heart growth mortality survival birth interest response compression aspect
    signal-to-noise noise odds hazard standard confidence momentum drop data refresh flow firing dose respiratory breathing
    inflation exchange flip mutation crossover exploration discount pruning sparsity mixing threshold keep split class
    imbalance pixel scale
    learning-rate warm-up quality risk sampling-rate body vegetation refractive leaf train-test train test validation clip packet
    training contrast price flow mass euclidean cosine focal working edit genetic geographic sparsification downsampling
    upsampling reduction expansion dilation""".split()
)
_NO_REGULARIZER = frozenset(
    "common other additional standard strong further explicit such several various popular simple proper any no more".split()
)
_NO_AUGMENTER = frozenset(
    """data image images dataset sample training test-time time heavy strong weak online offline standard minimal aggressive
    further additional simple automatic common proper geometric audio speech text video feature same extensive light mild
    basic random truth ground-truth outcome annotation resulting proposed other such no more without on-the-fly applied
    apply through via any label unsupervised supervised memory after before during respective baseline evaluated heavier stronger
    lighter weaker several these different various intensive excessive massive suitable appropriate specific dynamic static
    deep network optional subsequent careful limited effective initial domain graph policy set sets batch input noisy stochastic
    trainset test artificial novel single double multiple main whole full correct new""".split()
)
_LEADING = frozenset(
    "overall mean average median final highest lowest total best corresponding maximum minimum macro low high".split()
)


def regularizers(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "path regularization"."""
    for match in _REGULARIZER.finditer(text):
        if words := _content_words(match["name"], _NO_REGULARIZER):
            yield from _free(f"{words[-1]} regularization", match.start(), match.end(), taken)


def augmenters(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "stain augmentation", and "random time masking" where the text is about augmentation."""
    for match in _AUGMENTER.finditer(text):
        if words := _content_words(match["name"], _NO_AUGMENTER):
            yield from _free(f"{words[-1]} augmentation", match.start(), match.end(), taken)
    if re.search(r"\baugment", text, re.I):
        for match in _RANDOM.finditer(text):
            if not re.search(r"sampl|split|initiali|select|shuffl|search|partition|assign|pick|choos|draw", match["name"]):
                yield from _free(match["name"].replace("randomly", "random"), match.start(), match.end(), taken)


def valued_metrics(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "a certainty rate of 84%": a head noun of metrics with its value."""
    for match in _RATED.finditer(text):
        words = _content_words(match["name"], _NO_METRIC)
        if len(words) > 1:
            yield from _free(" ".join(words), match.end("name") - len(" ".join(words)), match.end("name"), taken)
    for match in _PER_SECOND.finditer(text):
        yield from _free(" ".join(match["name"].lower().split()), match.start(), match.end(), taken)


def software(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "the NewtTorch toolkit", where the sentence is about building or training."""
    for match in _SOFTWARE.finditer(text):
        if is_name(match["name"]) and _BUILDING.search(text):
            yield from _free(match["name"], *match.span("name"), taken)


def optimizer_names(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "the AdaNewt optimizer"."""
    for match in _OPTIMIZER.finditer(text):
        if is_name(match["name"]):
            yield from _free(match["name"], *match.span("name"), taken)


def variants(text: str, names: Iterable[Mention]) -> Iterator[Mention]:
    """ "the Sparse FrogNet": a capitalised adjective within a sentence makes a variant of a name."""
    for mention in names:
        match = _CAPITAL.search(text, max(0, mention.start - 30), mention.start)
        words = match["name"].split() if match else []
        if words and not any(map(is_function_word, words)):
            start = mention.start - len(match["name"]) if match else 0
            yield Mention(f"{' '.join(words)} {mention.name}", OPEN, start, mention.end, bare=False, confidence=_CONFIDENCE)


def _content_words(name: str, refused: frozenset[str]) -> list[str]:
    """The words without leading function words; none if one is refused or a function word is left inside."""
    words = name.split()
    while words and (is_function_word(words[0]) or words[0].lower() in _LEADING):
        words = words[1:]
    bad = any(word.lower() in refused or is_function_word(word) for word in words)
    return [] if bad else words


def _free(name: str, start: int, end: int, taken: Sequence[Mention]) -> Iterator[Mention]:
    if not any(mention.start < end and start < mention.end for mention in taken):
        yield Mention(name, OPEN, start, end, confidence=_CONFIDENCE)
