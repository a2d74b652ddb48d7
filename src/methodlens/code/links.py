"""What a link leads to: weights that the authors release, weights of others, or data."""

import re
from functools import cache

from methodlens.code.names import data
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

RELEASED, BACKBONE = "released", "backbone"
URL = re.compile(r"https?://[^\s<>\"'`\\|]{4,500}")
_NO_DOWNLOAD = re.compile(
    r"github\.com/[^/]+/[^/]+/(?:archive|zipball|tarball)/|huggingface\.co/(?:(?:models|datasets|docs|transformers|spaces|blog|learn|course)\b[^/]*(?:[)\]:,.]|$|/?$)|docs/|transformers/|blog/)"
)
_MODEL = re.compile(
    r"pre-?\s?trained|check-?points?\b|\bweights?\b|model[\s-]?zoo|\bckpts?\b|trained\s+(?:\w+\s+){0,2}(?:models?|networks?)|\bmodels?\b|\bcheckpoint",
    re.I,
)
_FIRM = re.compile(
    r"pre-?\s?trained|check-?points?\b|\bweights\b|model[\s_-]?zoo|\bckpts?\b|trained[\s_-]+(?:\w+\s+){0,2}(?:models?|networks?)|\.(?:pth|ckpt)\b",
    re.I,
)
_OF_OTHERS = re.compile(
    r"image-?net|\bbackbones?\b|\bofficial\b|\boriginal\b|initiali[sz]|\bglove\b|word2vec|fasttext|\bvgg\b.{0,30}\bweights|\bbert\b.{0,40}\b(?:base|large|weights)|"
    r"provided by|torchvision|from (?:the )?\[?(?:keras|pytorch|timm|caffe|tensorflow|facebook|google)\b",
    re.I,
)
_OFFERED = re.compile(
    r"\b(?:download|obtain|get|available|access)\w{0,3}\b[^.]{0,80}\bdata\s?-?(?:sets?)?\b|"
    r"\bdata\s?-?(?:sets?)?\b[^.]{0,80}\b(?:download|available|obtained|can be found)",
    re.I,
)
_DATA = re.compile(
    r"\bdata\s?-?sets?\b|\bdata\b|\bcorpus\b|\bcorpora\b|\bimages\b|\brecordings\b|\bannotations?\b|\bbenchmark\b", re.I
)


@cache
def _parts(name: str) -> tuple[str, ...]:
    return tuple(data("links")[name])


def weight_file(name: str, *, about: str = "") -> bool:
    """Whether a file name is that of weights, given the words around it.

    >>> weight_file("marsh.pth"), weight_file("a.zip", about="trained models"), weight_file("images.zip")
    (True, True, False)
    """
    lower = name.lower().split("?")[0].rstrip(").,;")
    if lower.endswith(_parts("weight_suffixes")):
        return True
    return lower.endswith(_parts("doubtful_suffixes")) and bool(
        _FIRM.search(about) or re.search(r"weights?|checkpoint|ckpt|pretrain|model", lower)
    )


def is_download(url: str) -> bool:
    """Not the source code of a repository, nor a page of a hub that is no model's or data set's.

    >>> is_download("https://huggingface.co/pond/newts"), is_download("https://huggingface.co/models")
    (True, False)
    >>> is_download("https://github.com/pond/newts/archive/main.zip")
    False
    """
    lower = url.lower()
    if _NO_DOWNLOAD.search(lower):
        return False
    return (
        any(part in lower for part in _parts("downloads"))
        or weight_file(lower)
        or lower.split("?")[0].endswith(_parts("doubtful_suffixes"))
    )


def is_backbone_address(url: str) -> bool:
    lower = url.lower()
    return any(part in lower for part in _parts("backbones"))


def of_others(url: str, about: str) -> bool:
    return is_backbone_address(url) or bool(_OF_OTHERS.search(about))


def link_findings(source: Source, line: int, url: str, *, context: str, heading: str = "") -> list[Finding]:
    """At most one finding. `context` are the words around the link, `heading` is that of its section."""
    if not is_download(url):
        offered = _OFFERED.search(context) and not _FIRM.search(context)
        return [source.finding(Topic.DATA, line, note=url[:150], kind="link")] if offered else []
    firm = weight_file(url, about=context) or _FIRM.search(context)
    models = (
        firm or (_FIRM.search(heading) and not _DATA.search(context)) or (_MODEL.search(context) and not _DATA.search(context))
    )
    about_data = _DATA.search(context) or _DATA.search(heading)
    if models and not (about_data and not firm):
        kind = BACKBONE if of_others(url, context) else RELEASED
        return [source.finding(Topic.WEIGHTS, line, note=url[:150], kind=kind)]
    if about_data:
        return [source.finding(Topic.DATA, line, note=url[:150], kind="link")]
    return []


def hub_model(name: str) -> bool:
    """Whether a name on a model hub can be the authors' own: "owner/model" of an owner without general models."""
    owner = name.lower().partition("/")[0]
    return (
        "/" in name
        and not owner.startswith(_parts("hub_owners"))
        and re.fullmatch(r"[\w.-]+/[\w.-]+", name) is not None
        and owner not in ("path", "your", "username", ".", "..")
    )
