"""Whose value it is: a value counts as a fact only if it belongs to the authors' own method.

The clause around the value decides, not the whole sentence: in "Unlike Smith et al. [3], who used SGD, we chose Adam" SGD is
cited work's and Adam is the authors' own. All patterns look at a bounded stretch of text, so the time is linear.
"""

import re
from bisect import bisect_right
from collections.abc import Container
from enum import StrEnum
from functools import lru_cache

from methodlens.facts.negation import is_negated
from methodlens.text import sentences


class Role(StrEnum):
    OWN = "own"
    NEGATED = "negated"
    """Not used, or said to be unsuitable."""
    HYPOTHETICAL = "hypothetical"
    """Something that could be done, future work, or a remark on what people generally do."""
    CITED = "cited"
    """What other people used."""
    BASELINE = "baseline"
    """What the own method is compared with, or only resembles."""
    TOOL = "tool"
    """For annotation, statistics, figures or measuring, and not for the model."""
    INFERENCE = "inference"
    """Of the trained model in use."""
    SUBSTEP = "substep"
    """Of a step that is not the main training: an ablation, a visualisation, a classical model."""


OF_OTHERS = frozenset({Role.NEGATED, Role.HYPOTHETICAL, Role.CITED, Role.BASELINE})
"""Roles that rule a value out whatever its kind; TOOL, INFERENCE and SUBSTEP matter for some kinds only."""

_WE = r"(?:we|our|ours|I|this\s(?:study|work|paper)|the\spresent\sstudy|here)"
# where a clause begins within a sentence; the match belongs to the new clause
_CLAUSE = re.compile(
    r";\s(?![A-Z]\w{1,30}(?:,?\set\sal|,?\s(?:&|and)\s[A-Z]|,?\s\(?(?:19|20)\d\d))"  # not within a list of citations
    r"|,?\s(?:while|whereas|whilst|although|though|but|however|yet|because|so\sthat|which|who|whose)\s"
    rf"|,\s(?:and\s|so\s|thus\s|then\s)?{_WE}\s|\sand\s(?:we|our|I)\s|\swhere\s(?:we|the)\s",
    re.I,
)
# where a new act begins within a clause, with the same subject or another one
_ACT = re.compile(
    r"\sand\s(?=(?:then\s|also\s|\w+ly\s)?\w+ed\s|(?:the\s|a\s|an\s)?(?:[\w-]{1,20}\s){1,3}(?:was|were|is|are)\s)", re.I
)
_LONGEST_LEAD = 80  # characters before the subject of a clause: "In contrast to this, ..."

_NAME = r"[A-ZÀ-Þ][\w’'-]{1,30}"
_YEAR = r"[(\[]?(?:19|20)\d\d[a-z]?[)\]]?"
_MARK = rf"(?:\({_YEAR}\)|{_YEAR}|\[[\d,;\s–-]{{1,30}}\])"
_ET_AL = rf"{_NAME}(?:,?\set\sal\.?,?|,?\sand\s(?:colleagues|co-?workers))(?:[’']s?)?"
_CITATION = (
    rf"(?:{_ET_AL}(?:\s?{_MARK})?|{_NAME},?\s(?:and|&)\s{_NAME},?\s?{_MARK}|[A-ZÀ-Þ][a-zà-ÿ’'-]{{1,30}}\s\({_YEAR}\)"
    r"|(?:(?:Refs?\.?|(?:[Tt]he\s)?(?:works?|authors?|study)\s(?:of|in|by))\s)?\[[\d,;\s–-]{1,30}\],?)"
)
_OTHERS = (
    r"(?:(?:previous|prior|earlier|existing|related|past)\s(?:[\w-]{1,20}\s){0,3}"
    r"(?:stud(?:y|ies)|works?|authors?|researchers|papers|approaches|methods|models|systems|publications|techniques)"
    r"|(?:(?:most|many|several|some|other|recent)\s){1,2}(?:of\sthe\s)?(?:previous\s|existing\s|earlier\s|recent\s)?"
    r"(?:stud(?:y|ies)|works?|authors|researchers|papers|publications|groups|teams)"
    r"|(?:most|many)\s(?:[\w-]{1,20}\s){0,2}(?:approaches|methods|models|systems)\s(?:rely|use|are\sbased|employ|adopt)"
    r"|(?:the|these)\sauthors|(?:in\s)?the\soriginal\s(?:[\w-]{1,20}\s)?(?:paper|work|study|publication|authors?)"
    r"|in\s(?:the\s)?(?:literature|previous\s\w+|related\s\w+))"
)
_LEAD = (
    r"(?i:[\s;,(“\"]|(?:while|where|whereas|although|but|however|which|because|for\s(?:example|instance)|similarly|recently|in\scontrast|"
    r"in\saddition|also|and|e\.g\.|originally|previously|unlike)\b){0,6}"
)
_BY_CITED = re.compile(
    rf"{_LEAD}{_CITATION},?\s(?:(?:have|has|had|also|first|recently|\w+ly)\s){{0,2}}"
    r"(?:\w+ed|uses?|shows?|proposes?|found|built|made|appl(?:y|ies)|trains?|reports?|achieves?|presents?|introduces?)\b"
    rf"|{_LEAD}[Ii]n\s\[[\d,;\s–-]{{1,30}}\],\s(?!we\b|our\b)"
)
_BY_OTHERS = re.compile(rf"{_LEAD}{_OTHERS}\b", re.I)
_WHO = re.compile(r",?\swho\s", re.I)  # "Marsh et al., who used SGD"
_USED_BY_OTHERS = re.compile(
    rf"s?(?:\s\([^()]{{1,30}}\))?\s(?:was|were|is|are|has\sbeen|have\sbeen)\s(?:\w+ly\s|also\s|first\s)?"
    rf"(?:used|employed|reported|trained|applied|evaluated)\sby\s{_CITATION}"
)
_OWN = re.compile(rf"\b{_WE}\b|\bproposed\s(?:[\w-]{{1,20}}\s){{0,2}}(?:model|method|network|approach|framework|system)", re.I)

_OWN_ACT = re.compile(
    r"\b(?:we|our|I|us|proposed|this\s(?:paper|work|study))\b|\b(?:was|were|is|are|been)\s(?:\w+ly\s|also\s|then\s|first\s)?"
    r"(?:used|applied|trained|employed|implemented|performed|added|built|evaluated|measured|computed|calculated|optimi[sz]ed|"
    r"augmented|fine-?tuned|adopted|chosen|set|compared|based|reported|assessed)\b"
    r"|\b(?:based|built)\s(?:up)?on\b|\bbackbones?\b",
    re.I,
)

_COMPARED = re.compile(
    r"\b(?:compared?\s(?:(?:[\w’'-]{1,30}\s){1,5}(?:with|to|against)\s(?:that|those)\sof|with|to|against)|(?:in\s)?comparisons?\s(?:with|to|against)|relative\sto|outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?"
    r"|unlike|in\scontrast\s(?:to|with)|contrary\sto|as\sopposed\sto|versus|vs\.?|superior\sto|inferior\sto"
    r"|similar(?:ly)?\sto|similarit(?:y|ies)\s(?:to|with)|match(?:es|ed|ing)?\sthe\s(?:quality|performance|accuracy|results)\sof|akin\sto|inspired\sby|(?:chosen|preferred|favou?red|selected)\s(?:over|to|instead\sof)|reminiscent\sof|analogous\sto"
    r"|(?:better|worse|higher|lower|faster|slower|larger|smaller|deeper|fewer|lighter|simpler|\bmore\s[\w-]{1,20}|\bless\s[\w-]{1,20})"
    r"\s(?:[\w-]{1,20}\s){0,4}?than|(?:comparable|competitive|on\spar)\s(?:to|with)|improve[sd]?\s(?:upon|over|on)"
    r"|(?:improvements?|gains?|advantages?|superiority)\s(?:over|upon)"
    r"|baselines?(?:\s(?:are|is|were|was|included?|comprise|methods|models|systems|such\sas)){0,2}|benchmark\s(?:methods|models)|competitors?|state-of-the-art\s(?:methods|models|approaches)|alternatives?\s(?:to|such\sas))\b",
    re.I,
)
_REACH = 160  # characters from "compared with" to the last name of its list
# between "compared with" and the value: what ends the list
_NEW_ACT = re.compile(
    rf"\b{_WE}\b|\b(?:is|are|was|were|has|have|uses?|used|using|train(?:s|ed)|employ(?:s|ed)|appl(?:y|ies|ied)|with\sa|implemented|by)\b",
    re.I,
)
_AS_BASELINE = re.compile(
    r"[\s,]{1,2}(?:(?:[\w-]{1,20}|\[\d{1,3}\]|[A-Z][\w-]{1,20},?)\s){0,4}?(?:"
    r"as\s(?:a|an|the|our|one\sof\sthe)?\s?(?:[\w-]{1,20}\s){0,2}?(?:baselines?|comparisons?|competitors?|reference\smodel)"
    r"|(?:is|was|were|are)\s(?:also\s)?(?:included|used|added|trained|taken|chosen)\s(?:only\s)?(?:as|for)\s(?:a|the)?\s?(?:baselines?|comparisons?)"
    r"|for\scomparison\b)",
    re.I,
)
_BASELINE_SUBJECT = re.compile(
    r"[\s;,]{0,2}(?:while|whereas|but|for)?\s?(?:(?:the|our|all|these|both|other)\s)?(?:[\w.-]{1,20}\s){0,2}?"
    r"(?:baselines|competitors|(?<=(?-i:[A-Z])\s)baseline|(?<=\d\s)baseline)\b(?!\s(?:for|in|of|on|from)\b)",
    re.I,
)
# "Baselines: (i) FrogNet; (ii) NewtNet": the heading holds for the whole sentence
_BASELINE_HEADING = re.compile(
    r"(?:[\w.-]{1,20}\s){0,3}(?:baselines?|competitors|comparisons?)(?:\s(?:methods|models|systems))?\s?:", re.I
)
# "the results of FrogNet, NewtNet and our PondNet": what is listed before the own model
_AND_OURS = re.compile(
    r"(?:\s(?:\[[\d,\s]{1,12}\]|\([^()]{1,40}\)))?(?:,\s[\w+-]{2,20}(?:\s[\w+-]{1,15})?){0,6},?\s(?:and|vs\.?|versus)\s(?:our|ours|the\sproposed)\b"
)
_BASELINE_NOUN = re.compile(r"[\s-](?:[\w-]{1,20}\s)?(?:baselines?|counterparts?)\b", re.I)

_MODAL = re.compile(
    r"\b(?:could|might|would|may|should)\s(?:also\s|then\s|not\s|potentially\s|even\s)?(?!not\b)[a-z]+|\bfuture\s(?:work|research|stud|version)"
    r"|\bin\s(?:the\s)?future\b|\b(?:plan|intend|hope)\sto\b|\bcan\s(?:also\s|then\s|often\s)?(?:be\s(?:used|applied|employed|replaced|extended|adapted)|lead\sto)"
    r"|\b(?:is|are|be|seems?)\s(?:possible|feasible|conceivable|interesting|worthwhile)\sto\b",
    re.I,
)
_DONE = re.compile(
    r"\b(?:we|I)\s(?:\w+ly\s|also\s|then\s|first\s|only\s|have\s)?(?!could|might|would|may|should|can|plan|hope|intend|note|believe|expect)\w+"
    r"|\b(?:was|were|been)\s(?:\w+ly\s|also\s|then\s)?\w+(?:ed|en|ne|un|ut|et|lt)\b|\b(?:is|are)\s(?:\w+ly\s)?(?:applied|used|trained|employed)\b"
    r"|\b(?:no\smore\sthan|at\smost|up\sto|only)\s[^,;]{1,80}?\scould\s",  # a limit that was met
    re.I,
)
_PUBLISHED = re.compile(
    r"\b(?:has|have)\s(?:also\s|recently\s|\w+ly\s)?been\s(?:\w+ly\s)?(?:proposed|shown|introduced|developed|explored|suggested|reported)\b"
    r"|\b(?:has|have)\s(?:been\s)?(?:widely|commonly|extensively|frequently|often|increasingly|recently|traditionally|successfully)\s"
    r"(?:been\s)?(?:adopted|used|applied|employed)\b|\b(?:has|have)\s(?:recently\s)?become\s(?:the|an?|increasingly|popular|common|dominant)\b"
    r"|\b(?:was|were)\s(?:first|originally|initially|recently)\s(?:introduced|proposed|presented|developed)\b",
    re.I,
)
_IN_GENERAL = re.compile(
    r"\b(?:commonly|usually|typically|often|generally|frequently|traditionally|widely|popular|numerous|various|different|several|some|many|common)\s"
    r"(?:[\w-]{1,20}\s){0,4}?(?:methods|techniques|approaches|strategies|transformations?|distortions|operations|architectures|networks|models|"
    r"algorithms|frameworks|used|applied|employed|metrics|optimi[sz]ers)\b|\b(?:consists?\sof|refers\sto|means|aims?\sto|is\san?|are)\s"
    r"(?:[\w-]{1,20}\s){0,6}?(?:techniques?|methods?|strateg(?:y|ies)|famil(?:y|ies)|kinds?|types?|increas\w+|class(?:es)?\sof)\b",
    re.I,
)
_SUCH_AS = re.compile(r"\b(?:such\sas|e\.g\.,?|for\s(?:example|instance),?|like|including|include|etc)\b", re.I)

_AUXILIARY = re.compile(
    r"\b(?:statistic\w*|annotat\w+|label+(?:ed|ing)\b|plot(?:s|ted|ting)?|visuali[sz]\w+|figures?\s(?:was|were)|digiti[sz]\w+|anova|t-tests?|"
    r"regressions?\sanalys\w+|significan\w+|reference\smanage\w+|drawn|delineated|outlined|traced|survey\sdata|maps?\s(?:was|were)|"
    r"(?:pre-?process|filter|resiz|crop|download|collect|convert|transcrib|measur)(?:ed|ing))\b",
    re.I,
)
_MODEL = re.compile(
    r"\b(?:(?:re|pre)?-?train\w*|fine-?tun\w*|network\w*|model\w*|neural|deep|classifier\w*|learning|implement\w*|cnns?|lstms?|architecture\w*|experiments?)\b",
    re.I,
)
_IN_USE = re.compile(
    r"\b(?:inference|deploy\w*|at\stest\stime|real[- ]time|on[- ]device|per\s(?:image|frame|second)|frames\sper\ssecond|fps|"
    r"prediction\stime|runs?\s(?:on|at)|smart\s?phones?|mobile\s(?:phones?|devices?)|edge\sdevices?|raspberry\spi|jetson)\b",
    re.I,
)
_TRAINING = re.compile(r"\b(?:(?:re|pre)?-?train\w*|fine-?\s?tun\w*|epochs?)\b", re.I)
_SIDE_STEP = re.compile(
    r"\b(?:ablat\w+|t-?sne|umap|k-?means|random\sforests?|support\svector|svms?|xgboost|gradient\sboosting|logistic\sregression|"
    r"linear\s(?:evaluation|probe|probing)|pilot|preliminary|hyper-?parameter\ssearch|grid\ssearch)\b",
    re.I,
)


def is_own(text: str, start: int, end: int, *, allow: Container[Role] = ()) -> bool:
    """Whether `text[start:end]` is a value of the authors' own method, or has a role in `allow`.

    >>> text = "Unlike earlier work with SGD, we used Adam."
    >>> is_own(text, 25, 28), is_own(text, 38, 42)
    (False, True)
    """
    role = role_of(text, start, end)
    return role is Role.OWN or role in allow


def names_an_act(text: str, at: int) -> bool:
    """Whether the clause at this position says what the authors did: "we", "our", "was trained", "is applied".

    >>> names_an_act("We used Adam.", 8), names_an_act("Adam adapts the step size.", 0)
    (True, False)
    """
    return bool(_OWN_ACT.search(text, *clause(text, at)))


@lru_cache(maxsize=4096)
def role_of(text: str, start: int, end: int) -> Role:
    """The role of the value `text[start:end]`, from the clause around it.

    >>> role_of("We compare our model with VGG as a baseline.", 26, 29)
    <Role.BASELINE: 'baseline'>
    """
    begin, stop = clause(text, start)
    if is_negated(text, start, end):
        return Role.NEGATED
    if _is_cited(text, begin, stop, end):
        return Role.CITED
    if _is_hypothetical(text, begin, start, stop):
        return Role.HYPOTHETICAL
    if _is_compared(text, begin, start, end, stop):
        return Role.BASELINE
    return _side_role(_act(text, begin, start, stop))


def clause(text: str, at: int) -> tuple[int, int]:
    """The span of the clause that contains the position `at`."""
    bounds = _bounds(text)
    index = bisect_right(bounds, at)
    return bounds[max(0, index - 1)], bounds[index] if index < len(bounds) else len(text)


def _sentence(text: str, at: int) -> int:
    """Where the sentence with the position `at` begins."""
    return max((start for start in _sentence_starts(text) if start <= at), default=0)


@lru_cache(maxsize=4096)
def _sentence_starts(text: str) -> tuple[int, ...]:
    return tuple(start for start, _ in sentences(text))


@lru_cache(maxsize=4096)
def _bounds(text: str) -> tuple[int, ...]:
    """Where clauses begin; the first is 0."""
    begins = {0}
    for start, end in sentences(text):
        begins.add(start)
        begins.update(match.start() for match in _CLAUSE.finditer(text, start, end))
    return tuple(sorted(begins))


def _act(text: str, begin: int, start: int, stop: int) -> str:
    """The part of the clause that says what was done with the value."""
    for match in _ACT.finditer(text, begin, stop):
        if match.end() <= start:
            begin = match.end()
        else:
            return text[begin : match.start()]
    return text[begin:stop]


def _is_cited(text: str, begin: int, stop: int, end: int) -> bool:
    """ "Smith et al. [3] used SGD", "SGD was used by Smith et al.": somebody else is the subject, or named as the user."""
    lead = text[begin : min(stop, begin + _LONGEST_LEAD)]
    if _BY_CITED.match(lead) or _WHO.match(lead):
        return True
    if _BY_OTHERS.match(lead) and not _OWN.search(lead):
        return True
    return bool(_USED_BY_OTHERS.match(text, end, min(stop, end + _REACH)))


def _is_hypothetical(text: str, begin: int, start: int, stop: int) -> bool:
    part = text[begin:stop]
    if _PUBLISHED.search(part) and not _OWN.search(part):
        return True
    if _DONE.search(part):
        return False
    if _MODAL.search(part):
        return True
    example = _SUCH_AS.search(text, max(begin, start - _REACH), start)
    return bool(example) and bool(_IN_GENERAL.search(part)) and not _OWN.search(part)


def _is_compared(text: str, begin: int, start: int, end: int, stop: int) -> bool:
    if _AS_BASELINE.match(text, end, min(stop, end + _REACH)) or _BASELINE_NOUN.match(text, end, min(stop, end + 40)):
        return True
    if _AND_OURS.match(text, end, end + _REACH) and not _OWN.search(text, begin, start):
        return True
    if _BASELINE_SUBJECT.match(text, begin, min(stop, begin + _LONGEST_LEAD)) or _BASELINE_HEADING.match(
        text, _sentence(text, start)
    ):
        return True
    marks = list(_COMPARED.finditer(text, max(begin, start - _REACH), start))
    return bool(marks) and not _NEW_ACT.search(text, marks[-1].end(), start)


@lru_cache(maxsize=1024)
def _side_role(part: str) -> Role:
    if _IN_USE.search(part) and not _TRAINING.search(part):
        return Role.INFERENCE
    if _AUXILIARY.search(part) and not _MODEL.search(part):
        return Role.TOOL
    return Role.SUBSTEP if _SIDE_STEP.search(part) else Role.OWN
