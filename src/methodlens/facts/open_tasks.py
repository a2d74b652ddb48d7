"""Tasks by their head noun: "gaze estimation", "spatio-temporal action localization", "Newt Song Retrieval" in a title."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.open_names import OPEN, is_function_word

_CONFIDENCE = 0.7
_LONGEST_TITLE = 220  # characters
_CAPITALS = 0.6  # the share of a title's words of five letters or more that begin with a capital
_LONG_WORD = re.compile(r"\b[A-Za-z][A-Za-z-]{4,}")
_HEADS = (
    "recognition|prediction|generation|understanding|retrieval|parsing|modell?ing|control|synthesis|translation|reconstruction|estimation|"
    "inference|matching|alignment|planning|navigation|completion|ranking|tagging|extraction|compression|verification|locali[sz]ation|"
    "forecasting|screening|grading|staging|quantification|mapping|labell?ing|manipulation|reasoning|answering|summari[sz]ation|editing|"
    "interpolation|discovery|design|search|playing|adaptation|rectification|restoration|enhancement|separation|counting|"
    "grounding|captioning|diarization|tracking|registration|disentanglement|animation|rendering|transcription|spotting|linking|"
    "disambiguation|steganography|deraining|decoding|retargeting|relighting|stylization|colori[sz]ation|anticipation|"
    "identification|attribution|odometry|anti-spoofing|comprehension|categori[sz]ation|relocali[sz]ation|hashing|pruning|assessment|denoising|unmixing|correspondence"
)
_WORD = r"[A-Za-z0-9][A-Za-z0-9]{1,15}(?:[-‐][A-Za-z]{2,12}){0,2}"
_PHRASE = re.compile(rf"\b(?P<name>(?:{_WORD}\s){{1,4}}?(?:{_HEADS}))\b(?!-)", re.I)
_OF_DATA = re.compile(r"\s(?:data|datasets?|images?|records|databases?|libraries|toolkit|toolbox|software)\b", re.I)
_AS_TASK = re.compile(r"\s(?:tasks?|problems?|benchmarks?|challenges?)\b", re.I)
_FOR = re.compile(
    r"\b(?:for|on|address(?:es|ing)?|tackl(?:es?|ing)|stud(?:y|ies|ying)|perform(?:s|ing)?|improv(?:es?|ing)|investigat(?:es?|ing)|explor(?:es?|ing)|consider(?:s|ing)?|"
    r"(?:tasks?|problems?|challenges?|goals?|field)\sof|focus(?:es)?\son|called|towards?|in)\s"
    r"(?:(?:the|a|an|both|better|accurate|robust|efficient|fast|general|generic|automatic|more|unsupervised|supervised|self-supervised|"
    r"semi-supervised|weakly-supervised|weakly|fully|joint|end-to-end|challenging|deep|large-scale|real-time|novel|new)\s){0,4}$",
    re.I,
)
# a step of a method, or a way to look at results
_NO_TASK = frozenset(
    """feature features data label labels pseudo-label parameter parameters gradient gradients grid beam random hyperparameter
    hyper-parameter proposal proposals region candidate sample samples batch weight weights bayesian variational model
    models network statistical error performance ablation sensitivity quantitative qualitative next class box bounding
    experimental theoretical comparative detailed further extensive empirical computational numerical mask anchor latent
    vector learning training test optimal final direct joint dense sparse local global local-to-global linear nonlinear
    simple fast efficient accurate robust better good high low likelihood density distribution posterior prior score
    attention energy cost time complexity value policy reward loss architecture experiment study line linear case context
    content pattern position scale output input system component cluster principal discriminant regression variance
    component signal information knowledge uncertainty hidden memory hardware software one single multi multiple two three
    first second fine coarse self""".split()
)
_ASPECTS = frozenset("temporal spatial spatio-temporal spatiotemporal contextual sequential sequence relational relation".split())
_NOT_INSIDE = frozenset(
    """using via by with without and or based towards toward improving improved learning revisiting rethinking understanding
    exploring novel new proposed automatic automated efficient effective robust accurate fast comprehensive imbalanced
    deep neural unified end-to-end large-scale real-time real-world better general generalized generic challenging
    downstream difficult complex typical common standard various different several many both such other another same all
    these those this that the our their its each every supervised unsupervised self-supervised semi-supervised weakly-
    supervised weakly fully improve improves improving perform performing performs propose study specific given simple
    popular state-of-the-art existing previous recent following network networks investigate investigates address
    addresses addressing tackle tackles tackling studies consider considers explore explores proposes present presents
    introduce introduces develop develops enable enables require requires include includes including use uses apply
    applies achieve achieves conduct conducts evaluate evaluates train trains provide provides do does make makes called
    namely towards facilitate facilitates support supports show shows transformer transformers adaptive hierarchical
    progressive joint simultaneous scalable practical reliable""".split()
)


def title_of(quotes: Sequence[str]) -> str:
    """The quote that is the paper's title; shorter ones in its style are headings."""
    return max(filter(is_title, quotes), key=len, default="")


def is_title(text: str) -> bool:
    """Whether a quote is printed as titles are.

    >>> is_title("Gated Nets for Newt Counting"), is_title("We count newts with gated nets.")
    (True, False)
    """
    words = _LONG_WORD.findall(text[:_LONGEST_TITLE])
    if not words or len(text) > _LONGEST_TITLE or text.rstrip().endswith((".", ";", ",")):
        return False
    capitals = sum(1 for word in words if word[0].isupper())
    return capitals >= _CAPITALS * len(words)


def open_tasks(text: str, taken: Sequence[Mention], *, title: bool) -> Iterator[Mention]:
    """Tasks that no list has: in a title, before the word "task", or after "for"."""
    for match in _PHRASE.finditer(text):
        words = _content(match["name"].split())
        if len(words) < 2 or _OF_DATA.match(text, match.end("name")):
            continue
        start, end = match.end("name") - len(" ".join(words)), match.end("name")
        if any(mention.start < end and start < mention.end for mention in taken):
            continue
        if title or _AS_TASK.match(text, end) or _FOR.search(text, max(0, start - 60), start):
            name = " ".join(words) if not title else " ".join(map(_in_sentence, words))
            yield Mention(name.lower() if name.isupper() else name, OPEN, start, end, confidence=_CONFIDENCE)


def _content(words: list[str]) -> list[str]:
    """The head noun and up to three words before it that say what it is done with."""
    kept = [words[-1]]
    for word in reversed(words[:-1]):
        if word.lower() in _NOT_INSIDE or is_function_word(word) or word.lower().endswith("ly"):
            break
        kept.insert(0, word)
    if len(kept) == 2 and kept[0].lower() in _ASPECTS and kept[1].lower().startswith("model"):
        return []  # "temporal modelling" is a step, "temporal action localization" is a task
    if len(kept) > 1 and any(word.lower() in _NO_TASK for word in kept[-2:-1]):
        return []
    return [] if kept[0].lower() in _NO_TASK else kept


def _in_sentence(word: str) -> str:
    """A word of a title as within a sentence; abbreviations keep their capitals."""
    return word.lower() if word[1:] == word[1:].lower() or "-" in word else word
