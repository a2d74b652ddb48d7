"""What a link in a sentence leads to: the authors' code, the data they used or shared, or neither.

The clause around the link decides, not its host: a repository may hold code or data, and most links are to other people's tools.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

CODE, DATA = "code", "data"
NOTHING: frozenset[str] = frozenset()

_CODE = re.compile(
    r"\b(?:codes?|codebase|scripts?|software|implementations?|packages?|notebooks?|toolbox|programs?|executables?|installers?)\b"
    r"(?! (?:challenge|competition))",
    re.IGNORECASE,
)
# a file or a set of them; "data augmentation" and "image classification" are not
_DATA = re.compile(
    r"\b(?:(?:meta)?data(?!\s?sets?\b|"
    r"[- ](?:augment|driven|scien|cent|mining|analy|process|loader|prepar|avail|access|point|type|format))"
    r"|images|imagery|photos|photographs|pictures|videos|recordings|annotations|samples|records|occurrences|spectra|"
    r"measurements|observations|scans|sequences|survey|catalogues?|catalogs?)\b",
    re.IGNORECASE,
)
_DATA_SET = re.compile(
    r"\b(?:data[\s-]?sets?|databases?|data\s?banks?|corpus|corpora|archives?|collections?|benchmarks?|subsets?|"
    r"(?:training|test|testing|validation|evaluation) sets?|data (?:portal|repository|release)|(?-i:Data Cent(?:er|re)))\b",
    re.IGNORECASE,
)
_SHARED = re.compile(  # said of a subject; "publicly available images" says nothing about the link
    r"\b(?:is|are|was|were|be|been|made|become|becomes)\s+(?:(?:\w+ly|also|all|now|both|open|freely and \w+)\s+){0,2}"
    r"(?:available|accessible|found|downloaded|accessed|obtained|deposited|archived|hosted|released|provided|published|shared|"
    r"open-?sourced?|stored|uploaded|public|located|viewed)\b"
    r"|\b(?:available|accessible|hosted|deposited|archived|published|released|open-?sourced)\s+"
    r"(?:online\s+|for download\s+)?(?:at|from|on|in|via|through|under|here|online|as)\b"
    r"|\b(?:is|are) (?:(?:\w+ )?(?:at|on|via|under)|in) (?:[\w-]+ ){0,3}[(\[]?$"
    r"|\bavailab(?:le|ility)(?: statements?)?\s*[:.]|\baccessibility\s*[:.]",
    re.IGNORECASE,
)
_WE_SHARE = re.compile(
    r"\bwe\s+(?:(?:\w+ly|also|have|will|then)\s+){0,2}(?:releas|provid|publish|shar|open-?sourc|mak|made|deposit|upload|host|"
    r"archiv|implement|develop|wrote|creat|built)\w*\b|\breproduc(?:e|ing|ib\w+)\b",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(?:our|ours|my|(?:this|the present) (?:study|work|paper|article|research|manuscript)|(?:the )?proposed)\b", re.IGNORECASE
)
_PROGRAM = r"(?:codes?|codebase|implementations?|scripts?|software|packages?|repository)"
_TOOL = r"(?:librar(?:y|ies)|toolbox|toolkit|framework|models?)"
_OTHERS_CODE = re.compile(
    rf"\b(?:their|his|her|original|official|third[- ]party|existing) (?:[\w-]+ ){{0,2}}(?:{_PROGRAM}|authors)\b"
    rf"|\b{_PROGRAM} (?:(?:kindly|provided|written|released|published|developed|shared) ){{0,2}}"
    r"(?:by|of|from) (?:the (?:original )?authors\b|\w+ et al|\w+ and \w+ \(?\d)"
    r"|\b(?<!our )(?:use[ds]?|using|utili[sz]\w+|employ\w*|adapt\w*|modif\w+|borrow\w*|buil[dt]s? (?:up)?on|based (?:up)?on|"
    r"follow(?:s|ed)?|extend\w*|rel(?:y|ies|ied) on|implemented (?:in|with|using)|thanks? to) "
    rf"(?:[\w/.+-]+ ){{0,6}}?(?:{_PROGRAM}|{_TOOL})\b(?! (?:is|are|can|will|was|were)\b)"
    r"|\b(?:shared|provided|released|written|developed|published) by (?:the (?:original )?authors\b|\w+ et al)"
    r"|\bimplementations? of (?!our|the proposed|this|all|these)",
    re.IGNORECASE,
)
# "implemented in NewtFlow (A)": a tool, but "implemented in Python (A)" leads to what was implemented
_IMPLEMENTED_IN = re.compile(
    r"\bimplemented (?:in|with|using|by) (?:the )?(?!(?:python|pytorch|tensorflow|keras|matlab|c\+\+|java|julia|jax|r)[\s(])"
    r"[\w.+/-]{2,30}\s?[(\[\d\s]{0,4}$",
    re.IGNORECASE,
)
# "the NewtKit (Toad, 2020; A) implementation", "the PondNet data (Marsh, 2016; A)"
_TOOL_AFTER = re.compile(
    r"^[.\s]{0,2}[)\]]{1,2}\s?(?:implementations?|library|packages?|framework|tool(?:kit|box)|software)\b", re.I
)
_CITED_AT_END = re.compile(r"\s?[(\[][A-Z][^()\[\]]{2,60}\b(?:19|20)\d\d[a-z]?[;,.\s]{0,3}$")
_PRETRAINED = re.compile(r"\bpre-?\s?train\w*|\b(?:weights|checkpoints?|embeddings)\b", re.IGNORECASE)
_PAPER_ITSELF = re.compile(
    r"\b(?:supplement\w*|supporting information|peer review|preprint|licen[cs]e|copyright|received|accepted|corresponding author|"
    r"homepage|home page)\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\b(?:download|obtain|collect|acquir|retriev|extract|take|took|gather|sourc|assembl|compil|drawn?|got|get|access|quer[iy]|deriv|"
    r"select|came|come|originat|stem|scrap|crawl|request|purchas|host|stor|availab|provid|deposit|made)\w*\b",
    re.IGNORECASE,
)
_TAKEN_FROM = re.compile(r"\b(?:from|at|via|through|in|on)\s+(?:[^\s;]+\s+){0,16}[^\s;]*$", re.IGNORECASE)
_FETCHED = re.compile(
    r"\b(?:download|obtain|collect|acquir|retriev|extract|gather|sourc|assembl|compil|drawn|access|quer[iy]|select|scrap|crawl|"
    r"availab|deposit|taken|comes?|came|use[ds]?|using|contribut)\w*\b",
    re.IGNORECASE,
)
_ACCESSED = re.compile(
    r"\b(?:last )?(?:accessed|visited|retrieved)(?: on)?:? (?=[\dA-Z])[^()\[\];]{4,25}"
)  # "accessed on 3 May 2021"
_EXAMPLE = re.compile(r"\b(?:such as|e\.g\.|for example|for instance|including|like)\b.{0,300}$", re.IGNORECASE)
_DEMO = re.compile(  # what the model made, to look at or listen to
    r"\b(?:audio|sound|speech|video|synthe\w+|generated|more|additional|further|qualitative) "
    r"(?:samples|examples|results|videos|clips)\b"
    r"|\bdemos?\b|\bdemonstrations?\b|\bvideos? (?:of|showing)\b|^\W*(?:samples|videos)\b",
    re.IGNORECASE,
)
_AT_SITE = re.compile(r"\b(?:from|in|on|at|via|through|by|to)\s+(?:[\w’'()-]+\s+){0,5}[(]?$", re.IGNORECASE)
_DOWNLOADED = re.compile(r"\bdownload(?:ed)?\b[^.;]{0,80}$", re.IGNORECASE)
_ORIGIN = re.compile(r"\bfrom\b(?:\s+[^\s;]+){0,12}$")  # "photometric data from the Marsh Sky Survey (MSS"
_USED = re.compile(
    r"\b(?:us(?:e|ed|ing)|consider(?:ed)?|employ(?:ed)?|utili[sz]ed?|train(?:ed|ing)?|test(?:ed)?|evaluat\w+|experiment\w*|validat\w+|"
    r"contains?|consists?|comprises?|includes?|choose|chose|selected)\b",
    re.IGNORECASE,
)
_TOOL_NOUN = re.compile(
    r"\b(?:software|tools?|toolbox|toolkit|librar(?:y|ies)|frameworks?|packages?|editor|platform|API|apps?|application|plug-?in|engine|"
    r"programs?|interface|service|implementations?|documentation|company|cameras?|scanner|microscope|recorders?|cluster|annotator)\b"
)
_HOW = re.compile(
    r"\b(?:using|with|by|use|used|utili[sz]ed|employed|converted to)\s+((?:[^\s,;()]+\s+){0,7}[^\s,;()]+)$", re.IGNORECASE
)
_PHRASE_START = re.compile(
    r"[,;()\[\]:–—]|\b(?:from|in|on|at|by|is|are|was|were|to|as|and|or|via|through|using|with|use|used|such|for)\b"
)
_BRACKETS_AT_END = re.compile(r"(?:\s*[(\[][^()\[\]]{0,40}[)\]]){1,3}$")  # "the PondNet data set (Marsh, 2016)"
_PAPER_PART = re.compile(r"\b(?:Tables?|Figures?|Fig|Appendix|Video|Movie|Files?)\b")
_INTRODUCES = re.compile(
    r"(?:[(\[:,–—-]|\b(?:at|from|in|on|via|through|see|is|are|under|here|URL|doi|link|website|portal|page|server))\s*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:\w+\s){0,3}(?:codes?|data|data\s?sets?|scripts?|repository|project page|software)(?:\s\w+){0,3}\s?(?::|\bat\b)\W*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:]\s|\.\s(?=[A-Z])|,\s(?:and|while|whereas|but)\s(?=(?:we|our|all|the|these|this|code|source|data|scripts?)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|was|were|be|can|have|has|we)\b", re.IGNORECASE)  # before it, a comma joins nouns
_JOINED = re.compile(
    r"^[\s)\](]*(?:,|and|or|&|;|/|as well as)?\s*(?:also\s)?"
    r"(?:at\s|from\s|on\s|DOI:?\s?|(?:archived|mirrored) (?:at|on)\s)?[\s(\[]*$",
    re.IGNORECASE,
)
# "from Frogbase (A), Toadbase (B)"
_LISTED = re.compile(r"^(?:[\s()\[\]\d]*(?:,|;|and|or)|\s*[)\]])\s+(?:and\s+|from\s+|the\s+){0,3}[a-z]?[A-Z]")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_LABEL_AFTER = re.compile(r"^\s*[(\[]\s*([^()\[\]]{3,60})[)\]]|^\s(?:for|contains|holds|provides)\s([^,;.]{3,60})")
_COORDINATED = re.compile(
    r"(?:\band\b|&|,|\bor\b|\bas well as\b|\bplus\b|/|\btogether with\b)\s*(?:[\w-]+\s+){0,3}$", re.IGNORECASE
)
_COMPLEMENT = re.compile(r"\b(?:for|of|to|from|on|with|using|in|that|which|by)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
_ONLY_AVAILABLE = 4  # words: "Available online at" does not say what is
_WORDLESS = ' ()[]"“”:,.0123456789*†‡'


class Mention(NamedTuple):
    """A link in a sentence, or a site that is only `named`, and what that site usually holds: "code", "data" or ""."""

    start: int
    end: int
    usual: str = ""
    named: bool = False
    data_set: bool = False
    """It follows the name of a known data set."""


def purposes(sentence: str, mentions: Sequence[Mention]) -> list[frozenset[str]]:
    """For each mention, in order of print, what it leads to: "code", "data", both or nothing.

    >>> text = "Code is on https://a.org/x and the images are at https://b.org/y."
    >>> purposes(text, [Mention(11, 26), Mention(49, 64)])
    [frozenset({'code'}), frozenset({'data'})]
    """
    sentence = _ACCESSED.sub(lambda match: " " * len(match[0]), sentence)
    found: list[frozenset[str]] = []
    at = 0
    for index, mention in enumerate(mentions):
        before = sentence[at : mention.start]
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(sentence)
        after = sentence[mention.end : following]
        if found and _JOINED.match(before) and not _LABEL_AFTER.match(after):
            found.append(found[-1])
        else:
            found.append(_purpose(before, after, sentence[: mention.start], mention))
        at = mention.end
    return _in_turn(sentence, mentions, found)


def _in_turn(sentence: str, mentions: Sequence[Mention], found: list[frozenset[str]]) -> list[frozenset[str]]:
    """ "Code and data are at A and B, respectively": the nouns and the links, each in the order of print."""
    links = [index for index, mention in enumerate(mentions) if not mention.named]
    code, data = _CODE.search(sentence), _any_data(sentence)
    if len(links) == 2 and code and data and _RESPECTIVELY.search(sentence) and found[links[0]] == {CODE, DATA}:
        kinds = (CODE, DATA) if code.start() < data.start() else (DATA, CODE)
        for index, kind in zip(links, kinds, strict=True):
            found[index] = frozenset((kind,))
    return found


def _purpose(before: str, after: str, whole: str, mention: Mention) -> frozenset[str]:
    if _TOOL_AFTER.match(after):
        return NOTHING
    label = _LABEL_AFTER.match(after)
    if label and (kinds := _kinds(label[1] or label[2])) and (label[1] or not _kinds(before)):
        return kinds if mention.usual or not _OTHERS_CODE.search(whole) else NOTHING
    clause, kinds = _about(before, after, whole, mention)
    if _PAPER_ITSELF.search(clause) and not mention.usual:
        return NOTHING
    if mention.named and not _in_site(clause, before):
        kinds -= {DATA}
    found = {CODE} if CODE in kinds and _is_code(clause) else set()
    # words in brackets may only name the site: "images from Frogbase (a collection of frogs, A)"
    bracketed = before.endswith(f"({clause}") and not found
    if DATA in kinds and (_is_data(clause, mention) or (bracketed and _is_data(before, mention))):
        found.add(DATA)
    return frozenset(found)


def _about(before: str, after: str, whole: str, mention: Mention) -> tuple[str, frozenset[str]]:
    """The clause that says what the link leads to, and the kinds that it names; if none does, what the site usually holds."""
    clause = _last_clause(before)
    if kinds := _kinds(clause):
        return clause, kinds
    if _SHARED.search(before) and (kinds := _kinds(whole)):  # "..., archived at A and also available at B"
        return whole, kinds
    if _LISTED.match(before) and DATA in _kinds(whole):
        return whole, frozenset((DATA,))
    if mention.data_set:
        return clause, frozenset((DATA,))
    if (_SHARED.search(after) or mention.named or not clause.strip(_WORDLESS)) and (kinds := _kinds(after)):
        return f"{clause} {after}", kinds
    if _DOWNLOADED.search(clause):
        return clause, frozenset((DATA,))
    return clause, frozenset((mention.usual,)) if mention.usual else NOTHING


def _is_code(clause: str) -> bool:
    """Only the authors' own: they share it, or it is said where "the code" is."""
    if _OTHERS_CODE.search(clause) or _IMPLEMENTED_IN.search(clause):
        return False
    if _OURS.search(clause) or _WE_SHARE.search(clause) or _LABEL.match(clause):
        return True
    shared, noun = _SHARED.search(clause), _CODE.search(clause)
    if not noun:
        return bool(shared) and len(clause.split()) > _ONLY_AVAILABLE
    return bool(shared and noun.start() < shared.start())


def _is_data(clause: str, mention: Mention) -> bool:
    """The authors' own or other people's, if it is said to be used or shared, and the link is not to a tool."""
    end = _CITED_AT_END.sub("", clause).rstrip(' ("“[:,')
    phrase = _PHRASE_START.split(end)[-1]
    data, data_set = bool(_any_data(clause) or _DOWNLOADED.search(clause)), bool(_DATA_SET.search(clause))
    names_data = mention.data_set or bool(_any_data(phrase))
    how = _HOW.search(end)
    if (_PRETRAINED.search(clause) and not (_SHARED.search(clause) and _any_data(clause))) or (
        not names_data and (_TOOL_NOUN.search(phrase) or (how and not _any_data(how[1])))
    ):
        return False
    if (_EXAMPLE.search(clause) and not _TAKEN.search(clause)) or (_DEMO.search(clause) and not data_set):
        return False
    if data and (_SHARED.search(clause) or mention.named):
        return True
    if (data or mention.usual == DATA) and _TAKEN.search(clause) and _TAKEN_FROM.search(end):
        return True
    if names_data and (_INTRODUCES.search(clause.rstrip('"“ ')) or _CITED_AT_END.search(clause)):
        return True
    if (origin := _ORIGIN.search(end)) and _any_data(end[max(0, origin.start() - 25) : origin.start()]):
        return True
    if data_set and _USED.search(clause) and _INTRODUCES.search(clause):
        return True
    introduced = _INTRODUCES.search(clause) or not clause.strip(_WORDLESS)
    return bool(mention.usual == DATA and not mention.named and introduced and not _PAPER_PART.search(phrase))


def _in_site(clause: str, before: str) -> bool:
    """Whether data are said to be taken from the site that is named next, or kept there: not "GBIF is a large database"."""
    return bool(_AT_SITE.search(before) and (_SHARED.search(clause) or _FETCHED.search(clause) or _SHARED.search(before)))


def _any_data(text: str) -> re.Match[str] | None:
    return _DATA_SET.search(text) or _DATA.search(text)


def _last_clause(text: str) -> str:
    """The clause that ends at the end of the text; a longer part if that clause names neither code nor data."""
    cuts = [cut.end() for cut in _CLAUSE.finditer(text) if cut[0][0] != "," or _VERB.search(text, 0, cut.start())]
    bracket = text.rfind("(")
    if bracket > text.rfind(")"):
        cuts.append(bracket + 1)
    for cut in sorted(cuts, reverse=True):
        if _kinds(text[cut:]):
            return text[cut:]
    return text


def _kinds(text: str) -> frozenset[str]:
    """What the text is about, by its first noun and those coordinated with it: "code for the images" is code."""
    nouns = [(match.start(), CODE) for match in _CODE.finditer(text)]
    nouns += [(match.start(), DATA) for pattern in (_DATA, _DATA_SET) for match in pattern.finditer(text)]
    kinds: set[str] = set()
    for start, kind in sorted(nouns):
        near = text[max(0, start - 60) : start]
        if not kinds or (kind not in kinds and _COORDINATED.search(near) and not _COMPLEMENT.search(near)):
            kinds.add(kind)
    return frozenset(kinds)
