"""Whose work a sentence is about: the authors', somebody else's, the field in general, or future work."""

import re
from enum import StrEnum
from functools import lru_cache

from methodlens.records import SectionKind


class Attribution(StrEnum):
    OWN = "own"
    CITED = "cited"
    BACKGROUND = "background"
    FUTURE = "future"
    DEPLOYMENT = "deployment"
    """The authors' own work, but about the model in use and not about its training."""


_OWN = re.compile(
    r"\b(?:we|our|ours|us|my|(?:this|the present|the current|present|current) (?:study|work|paper|article|research|project|"
    r"experiments?|investigation|thesis))\b|\bI\b(?! et)|\bherein\b|^here[, ]"
    r"|\bproposed (?:\w+ ){0,2}(?:model|method|approach|network|architecture|framework|system|algorithm|pipeline)s?\b",
    re.IGNORECASE,
)
_NOT_I = re.compile(r"\b(?:Table|Type|Phase|Stage|Class|Part|Appendix|Figure|Fig\.?) I\b")
_WE_DO = re.compile(r"\b(?:we|I)\b(?:\s+\w+ly|\s+also|\s+then|\s+have|\s+first)*\s+\w+", re.IGNORECASE)

_NAME = r"[A-ZÀ-Þ][\w’'-]+"
_YEAR = r"\(?\[?(?:19|20)\d\d[a-z]?\]?\)?"
_AUTHORS = rf"{_NAME}(?:,? (?:et al\.?|and colleagues|and co-?workers)|,? (?:and|&) {_NAME})"
_MARK = rf"(?:,? ?\(?{_YEAR}|,? ?\[[\d,;–\s-]+\])"
# an entry of the references within the text, or its end: "Ecol. 12, 34–56. https://doi.org/"
_ENTRY = re.compile(
    r"(?:[A-ZÀ-Þ][\w’'-]+,? (?:[A-Z]\.[ -]?){1,3}(?:,|;|&| and|\s\()\s*){2,}"
    r"|\b\d{1,4}(?:\s?\(\d+\))?[,:]?\s*(?:pp?\.\s?)?[\de–-]*[.,]?\s*(?:(?:doi|DOI):\s?|https?://\s?(?:dx\.)?doi\.org/)10\."
    r"|^(?:Abbreviations|ABBREVIATIONS|Nomenclature|NOMENCLATURE|Acronyms)\b"
)
_BY_OTHERS = re.compile(  # "Smith et al. (2019) trained", "Lee and Park [12] used", "[7] proposed": the citation is the subject
    rf"(?:^|[.;,:]\s|\b(?:in|by|of|while|whereas|as|and|that|recently|similarly|example),? )"
    rf"(?:{_AUTHORS}(?:'s|’s)?{_MARK}?|{_NAME}\s?\({_YEAR}\)|\[\d[\d,;–\s-]*\]),? "
    r"(?!(?:and|or|with|for|in|to|of|on|which|as)\b)[a-z]+",
)
_OTHERS = re.compile(
    r"\b(?:previous|prior|earlier|other|others'|several|many|most|existing|related|recent|past|numerous|some) "
    r"(?:\w+ ){0,2}(?:stud(?:y|ies)|works?|authors?|researchers|papers|approaches|methods|publications|literature|groups|teams)\b"
    r"|\b(?:dominant|conventional|traditional|prevailing|competing) (?:[\w-]+ ){0,2}"
    r"(?:approaches|methods|models|systems|networks) \w+\b"
    r"|\btheir (?:\w+ ){0,2}(?:model|network|method|approach|study|work|experiments?|results|system)s?\b"
    r"|\b(?:the|their|these) authors\b|\bthey (?:used|trained|applied|proposed|reported|achieved|found|showed)\b"
    r"|\bstate-of-the-art (?:methods|approaches|models)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:many (?:\w+ ){0,3}(?:models|networks|algorithms|architectures|systems) (?:use|are|have|rely|require)|"
    r"(?:increased|growing|great) interest in|go-to|"
    r"(?:is|are) (?:an? )?(?:natural |direct )?(?:generali[sz]ations?|extensions?|special cases?) of|"
    r"commonly|usually|typically|often|generally|in general|normally|frequently|traditionally|widely|popular|tends? to|"
    r"increasingly|well[- ]known|is known|are known|can be(?! (?:found|downloaded|accessed|obtained|made available))|may|might|"
    r"requires?|ha(?:s|ve) been (?:used|shown|applied|proposed|developed)|in recent years|nowadays|"
    r"(?:is|are) an? (?:\w+ ){0,3}(?:type|kind|class|form|subset|branch|technique|method|field))\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:future (?:work|research|stud(?:y|ies)|development|directions?|improvements?|efforts)|in (?:the|near) future|"
    r"we (?:plan|intend|hope|aim) to|(?:remains?|is left) (?:to be|for|as) |further (?:research|work) (?:is|will|could|should)|"
    r"(?:will|should|could) be (?:explored|investigated|extended|improved|considered|tested|interesting|worth\w*)|"
    r"would be (?:interesting|useful|beneficial|worth\w*|possible|needed))",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:was|were|is|are|has been|have been|had been|been|being)\s+(?:(?:\w+ly|then|also|both|first|often|not)\s+)*"
    r"(?:\w+ed|done|made|built|run|ran|set|split|taken|chosen|kept|fed|given|drawn|shown|found|cut|left|put|held|written|trained)\b",
    re.IGNORECASE,
)
# a statement on where code or data are available is about the authors' own, in any section
_AVAILABLE = re.compile(
    r"\b(?:codes?|scripts?|software|implementation|data|datasets?|materials?|models?|weights|results)\b.{0,80}?"
    r"\b(?:(?:is|are|were|was) (?:\w+ly )?(?:available|deposited|archived|hosted|provided|released|published|accessible|shared)|"
    r"can be (?:found|downloaded|accessed|obtained))|^(?:code|data|data and code)(?: availability)?(?: statement)?\s?:",
    re.IGNORECASE,
)
# the same of code that was or will be released, which only authors say of their own
_RELEASED = re.compile(
    r"\b(?:codes?|codebase|scripts?|implementations?|project page)\b.{0,80}?"
    r"\b(?:(?:is|are|has been|have been|will be|can be) (?:made )?(?:\w+ly )?"
    r"(?:available|released|published|open[- ]?sourced|provided|shared|uploaded|attached|hosted|public)|"
    r"(?:is|are) (?:at|on) |available (?:at|on|from|via)\b)"
    r"|^it is (?:\w+ )?(?:open[- ]source|(?:publicly|freely) available)",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?\s?:\s?/|www\.|\b[a-z\d-]{2,40}\.(?:com|org|io|ly|gl)/", re.IGNORECASE)
_LINKED = re.compile(  # beside a link, fewer words tell
    r"\b(?:source )?codes?(?: and \w+)?\s?:|\b(?:see|visit|find|to)\b.{0,80}\b(?:codes?|project page|repository)\b"
    r"|^\W*(?:source )?codes? |\bwith the codes?\b|\bproject (?:page|web ?(?:site|page))\b"
    r"|\b(?:data\s?sets?|splits)\b.{0,40}\b(?:will|can) be (?:made )?(?:\w+ly )?(?:available|released|downloaded)\b"
    r"|\b(?:is|are) open[- ]sourced?\b|\bavailability\b.{0,80}\bavailable\b",
    re.IGNORECASE,
)
_WE_RELEASE = re.compile(  # "to help future research, we release the code" is no plan
    r"\b(?:we|by)\b(?:\s+(?:\w+ly|also|have|here|now)){0,2}\s+(?:(?:releas|open[- ]?sourc|publish|shar|provid)\w*\b.{0,80}"
    r"\b(?:codes?|implementations?|models?|weights|data|data\s?sets?|corpus|benchmark|scripts)\b"
    r"|(?:make|made)\b.{0,80}\b(?:available|public)\b)",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\bwe (?:will|plan to|intend to|hope to|aim to) (?:releas|publish|shar|open-?sourc|mak)\w*\b", re.IGNORECASE
)
_NOTE_NUMBER = re.compile(r"^\d{1,2}(?=[A-Z][a-z])")  # of a footnote, glued to its first word
_PAST = re.compile(r"\b(?:was|were|had|took|used|trained|ran|consisted|contained|achieved)\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|had)\b", re.IGNORECASE)  # "nets are usually trained on GPUs" is no event of the past

_OWN_SECTIONS = frozenset({SectionKind.METHODS, SectionKind.RESULTS, SectionKind.APPENDIX, SectionKind.AVAILABILITY})
_MOSTLY_OWN_SECTIONS = frozenset(
    {SectionKind.OTHER, SectionKind.FRONT, SectionKind.ABSTRACT, SectionKind.ACKNOWLEDGEMENTS, SectionKind.DISCUSSION}
)


_IN_USE = re.compile(
    r"\b(?:inference|deploy(?:s|ed|ment|ing)?|real[- ]?time|on[- ]device|embedded devices?|edge (?:devices?|comput\w+)|"
    r"in production|smart ?phones?|mobile (?:phones?|devices?|apps?)|web (?:service|app\w*|server|site)|end users?|"
    r"raspberry pi|jetson|"
    r"(?:classif|predict|detect|process|analy[sz])\w* (?:\w+ ){0,6}(?:in|within|takes?|took) (?:\w+ ){0,2}[\d.]+ ?"
    r"(?:s|ms|secs?|seconds?|milliseconds?)|per (?:image|frame|recording)|frames per second|fps)\b",
    re.IGNORECASE,
)
_TRAINING = re.compile(r"\b(?:(?:re|pre)?-?train\w*|fine-?\s?tun\w*|experiments?|epochs?)\b", re.IGNORECASE)


def about_deployment(sentence: str) -> bool:
    """Whether a sentence is about the model in use and not about training.

    >>> about_deployment("On a Jetson Nano a minute of sound is classified in 2 seconds.")
    True
    >>> about_deployment("It was trained on two V100 GPUs.")
    False
    """
    return bool(_IN_USE.search(sentence)) and not _TRAINING.search(sentence)


@lru_cache(maxsize=4096)
def authors_act(sentence: str) -> bool:
    """Whether the authors say that they did something: "we then trained"."""
    return bool(_WE_DO.search(sentence))


@lru_cache(maxsize=4096)
def is_done(sentence: str) -> bool:
    """Whether something is, was or has been done: "images were resized"."""
    return bool(_DONE.search(sentence))


@lru_cache(maxsize=4096)  # consecutive questions see the same sentences
def attribute(sentence: str, section: str = SectionKind.OTHER) -> Attribution:
    """
    >>> attribute("Smith et al. (2019) trained their network on eight V100s.")
    <Attribution.CITED: 'cited'>
    >>> attribute("It was built with Keras (Chollet 2015).")
    <Attribution.OWN: 'own'>
    """
    plain = _NOTE_NUMBER.sub("", " ".join(sentence.split()))
    own = bool(_OWN.search(_NOT_I.sub("", plain)))
    if _ENTRY.search(plain):
        return Attribution.CITED
    if _FUTURE.search(plain) and not _is_released(plain):
        return Attribution.FUTURE
    if _BY_OTHERS.search(plain) and not _WE_DO.search(plain):
        return Attribution.CITED
    if own or _AVAILABLE.search(plain):
        return Attribution.OWN
    if _OTHERS.search(plain):
        return Attribution.CITED
    if _is_released(plain):
        return Attribution.OWN
    if _GENERIC.search(plain) and not (section in _OWN_SECTIONS and _DONE.search(plain) and _WAS.search(plain)):
        return Attribution.BACKGROUND
    return _by_section(plain, section)


def _is_released(plain: str) -> bool:
    """Whether the authors say that their work is available, or where it will be."""
    if _WE_RELEASE.search(plain) or _RELEASED.search(plain):
        return True
    return bool(_LINK.search(plain) and (_LINKED.search(plain) or (_AVAILABLE.search(plain) or _PLANNED.search(plain))))


def _by_section(plain: str, section: str) -> Attribution:
    """The default of a section: methods and results are about the authors' own work, an introduction is about the field."""
    if section in _OWN_SECTIONS:
        return Attribution.OWN
    if section in _MOSTLY_OWN_SECTIONS:
        return (
            Attribution.OWN
            if _DONE.search(plain) or _PAST.search(plain) or section != SectionKind.DISCUSSION
            else Attribution.BACKGROUND
        )
    return Attribution.BACKGROUND
