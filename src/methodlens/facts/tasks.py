"""What the model is made for: one to three tasks per paper, taken from statements of what the authors do.

Words such as "detected" or "estimates" are everywhere, so a mention counts by its clause: an act or an aim of the authors, the
word "task", or a model that is "for" it.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import name_facts
from methodlens.facts.open_names import OPEN
from methodlens.facts.open_tasks import open_tasks, title_of
from methodlens.facts.roles import Role, clause, role_of
from methodlens.facts.types import Fact

_REFUSED = frozenset({Role.NEGATED, Role.CITED})
_MOST = 3
_ENOUGH = 1  # the score of a mention that says what the model is for
_SURE = 5
_STATED = 2  # where one mention says clearly what the model is for, others need this score
_STATED_OPEN = 3  # a task that no list has needs an act or an aim of the authors, or the title
_NEAR = 60  # characters
_ACT = re.compile(
    r"\b(?:we|this\s(?:paper|work|study|article|research)|our|I|the\sproposed|authors)\b[^.;]{0,80}?\b(?:propos\w+|present\w*|develop\w*|introduc\w+|"
    r"design\w*|train\w*|appl(?:y|ied|ies)|address\w*|focus\w*|aim\w*|tackle\w*|investigat\w+|us(?:e|ed|es|ing)|employ\w*|perform\w*|build|built|"
    r"model|models|approach\w*|demonstrat\w+|explor\w+|learn\w*|achiev\w+|consider\w*|evaluat\w+|conduct\w*|compar\w+|verif\w+|implement\w*|classif\w+|detect|predict|segment|identify|forecast)\b",
    re.I,
)
_AIM = re.compile(r"\b(?:tasks?|problems?|challenges?|purposes?|goals?|aims?|objectives?)\b", re.I)
_MODEL_FOR = re.compile(
    r"\b(?:models?|networks?|cnns?|rnns?|lstms?|transformers?|classifiers?|detectors?|approach(?:es)?|methods?|systems?|frameworks?|pipelines?|"
    r"architectures?|algorithms?|tools?|learning|u-?nets?|gans?|autoencoders?|agents?)\b(?:\s\([^()]{1,30}\))?(?:\s[\w-]{1,20}){0,4}?\s"
    r"(?:for|to|of|in|that)\s(?:[\w-]{1,20}\s){0,4}$",
    re.I,
)
_MODEL_DOES = re.compile(
    r"\b(?:model|network|classifier|system|method|approach|algorithm|framework)s?\s(?:\w+ly\s|can\s|also\s)?$", re.I
)
# what happened in the study, not what the model is for: "the birds detected", "estimates of", "audio segments"
_PARTICIPLE = re.compile(
    r"(?:detected|classified|estimated|estimates?|identified|generated|segmented|generators?|segment|tracking)$", re.I
)
_VERB = re.compile(
    r"segments?|estimates?|estimating|generating|generators?|synthesi[sz]e|regress|detects?|tracking|diagnos\w+", re.I
)
_AS_VERB = re.compile(
    r"\b(?:to|and|or|can|automatically|accurately|jointly|simultaneously|models?|networks?|method|approach|system|framework)\s$",
    re.I,
)
_NOUN = re.compile(r"(?:tion|sis|[a-z]{3}ing|ment|speech|retrieval|search|transfer|system)$", re.I)
# "have been used in many fields, such as speech synthesis": what a list of examples names is not what the model is for
_EXAMPLE = re.compile(r"\b(?:such\sas|e\.g\.,?|for\s(?:example|instance),?)\s[^.;()]{0,200}$", re.I)
_MEASURED = re.compile(r"\s(?:accurac(?:y|ies)|errors?|performance|results|benchmarks?|datasets?)\b", re.I)
# "we identify three factors" is no classification
_REMARK = re.compile(
    r"\s(?:[\w-]{1,20}\s){0,4}?(?:factors?|reasons?|issues?|challenges?|problems?|limitations?|causes?|gaps?|directions?|opportunit\w+|whether|neurons?|filters?|channels?|"
    r"weights|parameters|layers?)\b",
    re.I,
)
_REMARKED = re.compile(r"(?:identif|distinguish|discriminat|recogni[sz]e|classif|estimat|detect)\w*$", re.I)
# "trained using reinforcement learning" says how, not what for
_MEANS = re.compile(r"\b(?:using|via|by|with|through)\s(?:a\s|an\s|the\s)?(?:deep\s)?$", re.I)
# "as they focus on image retrieval" says what other people do
_THEY = re.compile(
    r"\b(?:they|these\s(?:works|methods|approaches|authors))\s(?:\w+ly\s|only\s|all\s)?"
    r"(?:focus|address|consider|aim|tackle|stud|deal|target|perform|investigate|propose|design|use)",
    re.I,
)
_VAGUE = frozenset({"generation", "prediction", "tracking", "regression"})  # "scene graph generation" says more
_OF_NUMBERS = frozenset({"regression", "time-series forecasting"})  # what "pond depth prediction" is
_IN_TITLE = 3


def tasks(quotes: Sequence[str]) -> list[Fact]:
    places: list[tuple[int, Mention]] = []
    scores: dict[str, float] = {}
    title = title_of(quotes)
    for index, quote in enumerate(quotes):
        for mention in _mentions(quote, title=quote == title):
            score = _score(quote, mention) + (_IN_TITLE if quote == title else 0)
            if mention.kind == OPEN and score < _STATED_OPEN:
                continue
            scores[mention.name] = max(scores[mention.name], score) + 0.5 if mention.name in scores else score
            places.append((index, replace(mention, confidence=0.9 if score >= _SURE else 0.75 if score >= _ENOUGH else 0.5)))
    named = name_facts(places, quotes)
    ranked = sorted(named, key=lambda fact: -scores[fact.value])
    enough = _STATED if ranked and scores[ranked[0].value] >= _SURE - 1 else _ENOUGH
    ranked = [fact for fact in ranked if not any(str(other.value).endswith(f" {fact.value}") for other in ranked)]
    if any(fact.value in _OF_NUMBERS for fact in ranked):
        ranked = [fact for fact in ranked if not str(fact.value).endswith(" prediction")]
    good = [fact for fact in ranked if scores[fact.value] >= enough][:_MOST] or ranked[:1]
    return [replace(fact, value=_specific(fact, places, quotes)) for fact in named if fact in good]


def _specific(fact: Fact, places: Sequence[tuple[int, Mention]], quotes: Sequence[str]) -> str:
    """ "lesion segmentation" for "segmentation", if a quote has it."""
    name = str(fact.value)
    for index, mention in places:
        words = [
            word if word[1:].lower() != word[1:] else word.lower() for word in quotes[index][mention.start : mention.end].split()
        ]
        if mention.name == name and len(words) > 1 and name in " ".join(words) and _NOUN.search(words[-1]):
            return " ".join(words)
    return name


def _mentions(text: str, *, title: bool) -> Iterator[Mention]:
    names = list(listed("tasks", text))
    special = list(open_tasks(text, [mention for mention in names if mention.name not in _VAGUE], title=title))
    names = [mention for mention in names if not any(other.start <= mention.start < other.end for other in special)]
    for mention in (*names, *special):
        if role_of(text, mention.start, mention.end) not in _REFUSED:
            yield mention


def _score(text: str, mention: Mention) -> float:
    begin, stop = clause(text, mention.start)
    score = 1.0 if mention.kind in ("task", OPEN) else 0.0
    if _ACT.search(text, begin, stop):
        score += 2
    if _AIM.search(text, max(begin, mention.start - _NEAR), min(stop, mention.end + _NEAR)):
        score += 2
    if _MODEL_FOR.search(text, max(begin, mention.start - 2 * _NEAR), mention.start):
        score += 2
    if _VERB.fullmatch(text[mention.start : mention.end]) and not _AS_VERB.search(
        text, max(begin, mention.start - 20), mention.start
    ):
        score -= 2
    if _MODEL_DOES.search(text, max(begin, mention.start - _NEAR), mention.start):
        score += 2
    if mention.name.endswith(("learning", "distillation", "clustering")) and _MEANS.search(text, begin, mention.start):
        score -= 3
    if _EXAMPLE.search(text, begin, mention.start):
        score -= 2
    if _THEY.search(text, begin, mention.start):
        score -= 5
    if _MEASURED.match(text, mention.end) and mention.kind == "general":
        score += 1
    if _REMARKED.fullmatch(text, mention.start, mention.end) and _REMARK.match(text, mention.end, mention.end + 80):
        score -= 3
    if role_of(text, mention.start, mention.end) is Role.HYPOTHETICAL:
        score -= 2  # "has been used for speech recognition"
    return score - (2 if _PARTICIPLE.match(text[mention.start : mention.end]) else 0)
