"""Software that networks are built with, and its versions: listed names, and others by how authors build on them."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.name_chains import CITED, NAME, chains, is_distinct
from methodlens.facts.naming import by_name, name_fact, own, places_in
from methodlens.facts.open_heads import software
from methodlens.facts.open_names import OPEN, is_name
from methodlens.facts.roles import OF_OTHERS, Role
from methodlens.facts.types import Fact, Findings, listing

_VERSION = re.compile(
    r"\s*(?:\(|,)?\s*(?:version|ver\.?|v\.?)?\s*(\d+(?:\.\d+)+(?:\.?\w\d*)?|(?<=\bR)\d{4}[ab])(?![\d%])|\s*\(?(?:version|v)\s?(\d+)\b",
    re.I,
)
_LINK = re.compile(r"(?:https?://|www\.)\S+|\b\w+\.(?:org|com|io)\b\S*", re.I)
# "our FrogFlow framework" is the method, not the software that it is built with
_OWN_METHOD = re.compile(
    r"\b(?:our|proposed?|proposes|propos(?:ed|ing)|novel|new|this|introduc\w+|present\w*|develop\w*|call(?:ed)?|named)\s(?:[\w,-]+\s){0,3}$",
    re.I,
)
_NOTE_NUMBER = re.compile(r"(?<=[A-Za-z]{4})\d{1,2}(?=[\s.,;)]|$)")
_TOOL = r"(?:toolkit|library|toolbox|package|code\s?base|software|infrastructure|simulator)"
_CAPITALISED = r"[A-Z][\w+-]{1,20}(?:\s[A-Z][\w+-]{1,20}){0,4}"
# "using the Pond Evaluation Harness toolkit"
_BUILT_WITH = re.compile(
    r"\b(?:implemented|built|trained|developed|written|coded|obtained|evaluated|performed|carried\sout|run|ran|using|use[sd]?|relies|rely|based)\s"
    rf"(?:up)?(?:in\s|with\s|using\s|on\s|on\stop\sof\s|by\s|via\s)?(?:the\s|an?\s)?(?P<name>{_CAPITALISED})\s"
    rf"(?:open-source\s|deep\slearning\s|machine\slearning\s|neural\snetwork\s|speech\s|Python\s|python\s|R\s){{0,2}}{_TOOL}\b"
)
# "we used the library NewtTorch"
_LIBRARY = re.compile(
    r"\b(?:us(?:e|ed|ing)|with|in|via)\s(?:the\s|an?\s)?(?:[\w-]{1,20}\s){0,3}?(?:library|toolkit|toolbox|package|program|software)\s"
    r"(?:called\s|named\s)?(?P<name>[A-Z][a-z]+(?:[A-Z][a-z]*)*|[A-Z]{3,10})(?=\d{0,3}\b)"
)
# "implemented within NewtGym, a toolkit for agents"
_EXPLAINED = re.compile(
    rf"\b(?:implemented|built|trained|developed)\s(?:with|within|on|in|using|on\stop\sof)\s(?:the\s)?(?P<name>{NAME}){CITED},\s"
    r"(?:an?|the)\s(?:[\w()-]{1,20}\s){0,5}(?:framework|library|toolkit|toolbox|package|platform)\b"
)
_USED = re.compile(r"\b(?:us(?:e|ed|ing)|implement\w*|built|based\son|rely|relies|with|in)\b", re.I)
_OTHER_LISTS = ("architectures", "datasets", "metrics", "optimizers", "platforms")
_MACHINE = re.compile(r"(?:NVIDIA|Nvidia|Intel|AMD|GTX|RTX|Tesla|Titan|TITAN|CUDA|cuDNN|GPU|CPU|TPU|[A-Z]\d{2,4})")
_NO_TOOL = frozenset("python r c java julia matlab linux windows open source deep learning machine our the statistical".split())


def frameworks(quotes: Sequence[str]) -> list[Fact]:
    facts: list[Fact] = []
    for name, places in by_name(places_in(_OWN, quotes)).items():
        versions = (version(quotes[index], mention) for index, mention in places)
        facts.append(name_fact({"name": name, "version": next(filter(None, versions), None)}, places, quotes))
    return facts


def frameworks_phrase(findings: Findings) -> str:
    facts = findings.facts["frameworks"]
    names = [f"{fact.printed} {fact.value['version']}" if fact.value["version"] else fact.printed for fact in facts]
    return f"the authors used {listing(dict.fromkeys(names))}"


def version(text: str, mention: Mention) -> str | None:
    """
    >>> version("We used PyTorch (version 1.8.1).", Mention("PyTorch", "framework", 8, 15))
    '1.8.1'
    """
    match = _VERSION.match(text, mention.end)
    return (match[1] or match[2]) if match else None


def _mentions(text: str) -> list[Mention]:
    """Without those that are part of a link, such as "tensorflow.org"."""
    links = [match.span() for match in _LINK.finditer(text)]
    known = _known(text)
    opened = [
        mention for mention in software(text, known) if not _OWN_METHOD.search(text, max(0, mention.start - 60), mention.start)
    ]
    names = [*(mention for mention in known if mention.kind in ("framework", "library")), *opened]
    names += _open(text, [*known, *opened])
    return [mention for mention in names if not any(start <= mention.start < end for start, end in links)]


def _known(text: str) -> list[Mention]:
    """The listed ones, also with the number of a footnote that sticks to the name: "implemented in PyTorch2 ."."""
    known = list(listed("frameworks", text))
    if plain := _NOTE_NUMBER.sub(lambda match: " " * len(match[0]), text):
        known += [
            mention
            for mention in (listed("frameworks", plain) if plain != text else ())
            if not any(other.start < mention.end and mention.start < other.end for other in known)
        ]
    return known


def _open(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    seen = [(mention.start, mention.end) for mention in taken]
    for pattern in (_BUILT_WITH, _LIBRARY, _EXPLAINED):
        for match in pattern.finditer(text):
            name, (start, end) = match["name"], match.span("name")
            ordinary = {word.lower() for word in name.split()} & _NO_TOOL
            if is_name(name) and not ordinary and not any(begin < end and start < stop for begin, stop in seen):
                seen.append((start, end))
                known = listed("frameworks", f"the {name} library for GPU kernels") if pattern is _LIBRARY else ()
                yield Mention(known[0].name if known else name, OPEN, start, end, confidence=0.7)
    for start, end in _listed_together(text, taken):
        if not any(begin < end and start < stop for begin, stop in seen):
            yield Mention(text[start:end], OPEN, start, end, confidence=0.7)


def _listed_together(text: str, taken: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """ "We used Kaldi [3] and NewtFlow [4]": names in a row with a listed one."""
    tools = [mention for mention in taken if mention.kind in ("framework", "library")]
    for chain in chains(text) if tools else ():
        spans = [item.span("name") for item in chain]
        known = any(mention.start < stop and begin < mention.end for mention in tools for begin, stop in spans)
        for start, end in spans if known and _USED.search(text, max(0, spans[0][0] - 200), spans[0][0]) else ():
            name = text[start:end]
            if is_name(name) and is_distinct(name) and " " not in name and not _is_something_else(name):
                yield start, end


def _is_something_else(name: str) -> bool:
    """A model, a data set, a device or a language."""
    return bool(_MACHINE.match(name)) or any(listed(each, f"{name} network dataset") for each in _OTHER_LISTS)


_OWN = own(_mentions, OF_OTHERS | {Role.TOOL})
