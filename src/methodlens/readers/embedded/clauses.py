"""A sentence as clauses: what can be left out of an answer without changing what the rest says."""

import re
from enum import Enum, auto

from msgspec import Struct

from methodlens.readers.embedded.tidying import has_verb
from methodlens.readers.embedded.wording import capitalised


class Role(Enum):
    MAIN = auto()
    """It can stand alone."""
    LEADING = auto()
    """It opens a sentence: "To save time, ..."."""
    TRAILING = auto()
    """It follows what it explains: "..., which ..."."""
    BRACKETED = auto()
    ITEM = auto()
    """It is one of a list with bullets, and follows the clause that announces the list."""


class Clause(Struct, frozen=True):
    text: str
    role: Role


_CONNECTIVE = re.compile(
    r"^(?:(?:and|but|so|then|thus|hence|therefore|however|moreover|furthermore|additionally|also|besides|consequently|"
    r"accordingly|"
    r"finally|firstly?|secondly?|thirdly?|lastly|next|specifically|in particular|particularly|in addition(?! to)|"
    r"in this (?:\w+ )?(?:paper|work|"
    r"study|article|section|research|context|regard|way|case)|in the (?:present|current) (?:paper|work|study)|here|"
    r"overall|in summary|in short|in fact|indeed|note that|as a result|as such|for (?:this|the same|that) (?:purpose|"
    r"reason)|as (?:fig|figure|table)[.]? ?\w{1,4} shows|to this end|"
    r"to do (?:so|this)|that is|in other words|for simplicity|for example|for instance|interestingly|notably|"
    r"importantly|similarly|likewise|"
    r"meanwhile|on the other hand|on the one hand|in contrast|by contrast|nevertheless|nonetheless|"
    r"in our (?:experiments?|study|work|case)|"
    r"in practice|as (?:mentioned|described|noted|stated|discussed|explained) (?:above|before|earlier|previously)|again|"
    r"subsequently|afterwards?|later)(?:,\s|\s(?=(?:we|I)\s)))+",
    re.I,
)
_SHELL = re.compile(
    r"^(?:(?:please )?note that|we (?:also )?(?:note|found|find|observed?|see|saw|emphasi[sz]e|stress|remark|mention|"
    r"point out|show(?:ed)?|demonstrated?|know|recall) that|"
    r"it (?:should|must|can|has to) be (?:noted|mentioned|emphasi[sz]ed|pointed out|seen|stressed) that|it is (?:worth|"
    r"important) (?:noting|mentioning|to note|to mention) that|"
    r"this means that|the reason is that)\s+(?=\w)",
    re.I,
)
_OPENERS = re.compile(
    r"^(?:to|in order to|for|after|before|while|although|though|since|because|as|using|by|with|following|based on|"
    r"due to|given|during|in|on|at|from|"
    r"once|unlike|despite|instead of|rather than|besides|similar to|in addition to|apart from|inspired by|motivated by|"
    r"according to|"
    r"through|via|under|over|between|among|within|throughout|concerning|regarding|considering|compared (?:to|with)|like)\b",
    re.I,
)
_KEEPS_MEANING = re.compile(
    r"\b(?:not|no|never|without|only|except|unless|if|but|nor|neither|until|instead|rather than|fail\w*|however)\b|n['’]t\b", re.I
)
_SUBJECT = re.compile(
    r"^(?:(?:we|I|they|it|he|she|this|these|those|that|the|an?|all|each|every|both|our|their|its|no|some|several|most|many|one|two|"
    r"three|four|five|there|[A-Z][\w-]*)\b"
    r"|(?!(?:as|and|or|but|nor|which|where|who|whose|such|including|while|with|by|to|for|of|in|on|at|from|then|thus)\b)"
    r"(?:[\w-]+ ){1,4}(?:is|are|was|were|has|have|had|can|could|may|will)\b)"
)
# "For newts, the net was trained for 70 epochs": without it, the clause would say so of everything
_SCOPE = re.compile(
    r"(?:for|on|with|at) (?!(?:this|these|that|those|example|instance|simplicity|brevity)\b)(?:[\w-]+ ){0,3}[\w-]+", re.I
)
_VERB_SOON = 60  # characters into a clause in which its verb is expected
_SEPARATE = re.compile(
    r";\s+(?:and\s+)?|\s[•▪◦]\s|\.\s+(?:\([a-h]\)\s+)?(?=[A-Z][A-Za-z])"
    r"|,\s+and\s+(?=(?:we|I|they|it|this|these|the|an?|all|each|both|our|their|its)\s)|,\s+(?:while|whereas)\s+(?=\w)"
)
_EXPLAINS = re.compile(
    r",\s+(?=(?:which|where|whose|who|because|since|thus|thereby|hence|resulting|leading|allowing|making|ensuring|"
    r"enabling|giving|yielding|"
    r"as(?! well as)|although|though|even though|so that|so|i\.e\.|e\.g\.|such as|including|therefore|in order to|"
    r"with the (?:aim|"
    r"goal)|namely|"
    r"especially|particularly|in particular|similar to|unlike|compared (?:to|with)|due to|based on|following|"
    r"inspired by|depending on|"
    r"in which|of which|for which|from which|to (?:avoid|ensure|reduce|improve|make|allow|prevent|increase|enable|"
    r"obtain|achieve|get))\b)"
    r"|\s+(?=(?:because|in order to|so that|so as to|even though|although|due to the fact|thereby|to (?:ensure|avoid|"
    r"prevent|allow|enable|facilitate))\b)"
)
_LISTED = re.compile(r"[^,]{1,60}\b(?:and|or)\b")
_LONGEST_ITEM = 3  # words
_BULLET = re.compile(r"\s?[•▪◦]\s")
# what has a value and is short stays: "(9 of 10 newts)", "which has 40 ponds"
_VALUE_IN_BRACKETS, _VALUE_BEHIND = (re.compile(rf"(?=\D{{0,99}}\d)(?:\S+ ){{0,{words - 1}}}\S+") for words in (5, 10))
_LAST_BRACKETS = re.compile(r"\s?\(([^()]{1,200})\)$")
_ENDS = ".!;:, "
_LONGEST_LOOK = 600  # characters after a separator that tell whether a clause follows, so that the time stays linear
_OPENS_SENTENCE = re.compile(r"^(?:The|We|This|These|It|All|In|For|An?|They|Each|Both|Our|To|After)\b")


def refers_back(text: str) -> bool:
    """Whether it opens with a word for something said before, or only points to a figure.

    >>> refers_back("This took two days"), refers_back("This model took two days"), refers_back("This dataset has 9 classes")
    (True, False, True)
    """
    match = _POINTER.match(text)
    return bool(_FIGURE.match(text) or _IN_THIS.match(text) or _ONE_OF_SEVERAL.match(text)) or (
        match is not None and (match[1].lower() in _ALWAYS_POINTS or has_verb(match[2]))
    )


_POINTER = re.compile(
    r"^(it|they|its|their|this|these|those|that|both|such|the (?:former|latter|same)) (?:\w+ly |also |then )?(\w+)", re.I
)
_FIGURE = re.compile(
    r"^(?:(?:the )?(?:fig(?:ure)?s?|tables?)\.? ?\w{1,4}(?: and (?:(?:fig|table)\w*\.? )?\w{1,4})? "
    r"(?:show|illustrate|present|depict|display|give|list|summari[sz]e|report)s?\b"
    r"|[^,]{3,80} (?:is|are) (?:shown|illustrated|presented|depicted|displayed|given|listed|detailed|reported|plotted|"
    r"summari[sz]ed) in (?:fig|table)\w*\.? ?\w{1,4}$)",
    re.I,
)
_IN_THIS = re.compile(r"^(?:on|in|for|with|at|by|from|of|after|using) (?:this|these|those|such|it|them)\b", re.I)
# papers have one model of their own, but often several of these
_ONE_OF_SEVERAL = re.compile(
    r"^(?:this|these) (?:\w+ )?(?:data ?sets?|corp(?:us|ora)|databases?|benchmarks?|(?:sub)?sets?|(?:sub)?sections?|settings?|"
    r"cases?|steps?|phases?|stages?|tasks?|values?|results?)\b",
    re.I,
)
_WITHIN = re.compile(r"\b(?:this|these|those|its|their)\b", re.I)
_ALWAYS_POINTS = ("it", "they", "its", "their", "the former", "the latter", "the same")


def needs_the_clause_before(text: str) -> bool:
    """For a further main clause of a sentence: "we report the mean of these runs"."""
    return refers_back(text) or bool(_WITHIN.search(text))


def clauses(sentence: str) -> list[Clause]:
    """The clauses of a tidied sentence in order, without the connectives that open it.

    >>> [(each.role.name, each.text) for each in clauses("To save time, we used PNG files, which are small.")]
    [('LEADING', 'To save time'), ('MAIN', 'we used PNG files'), ('TRAILING', 'which are small')]
    """
    found: list[Clause] = []
    opening, *items = _BULLET.split(sentence.strip())
    if len(items) > 1 and has_verb(opening):
        listed = [Clause(text, Role.ITEM) for item in items if (text := item.strip(_ENDS).removesuffix(", and"))]
        return [*clauses(f"{opening.strip(_ENDS)}."), *listed]
    for part in _separate(_without_opening(sentence.strip())):
        leading, rest = _leading(_without_opening(part))
        if leading:
            found.append(Clause(leading, Role.LEADING))
        found += _main_and_trailing(rest)
    return found


def _without_opening(text: str) -> str:
    for pattern in (_CONNECTIVE, _SHELL, _CONNECTIVE):
        text = pattern.sub("", text, count=1)
    return text


def _separate(text: str) -> list[str]:
    """Clauses that could be sentences of their own."""
    parts, begin = [], 0
    for match in _SEPARATE.finditer(text):
        before, after = text[begin : match.start()], text[match.end() : match.end() + _LONGEST_LOOK]
        # the last of a list of clauses stays with the others: "one ran, the other slept, and the third ate"
        if match[0].startswith(", and") and any(_is_clause(part) for part in before.split(", ")[1:]):
            continue
        if _balanced(before) and has_verb(before) and _is_clause(after) and not _OPENERS.match(before[:1].lower() + before[1:]):
            parts.append(before)
            begin = match.end()
    return [part.strip(_ENDS) for part in (*parts, text[begin:]) if part.strip(_ENDS)]


def _is_clause(text: str) -> bool:
    """It opens with a subject, and a verb follows soon."""
    head = re.split(r"[,;:(]", text, maxsplit=1)[0][:_VERB_SOON]
    return bool(_SUBJECT.match(text)) and has_verb(head)


def _leading(text: str) -> tuple[str, str]:
    if not _OPENERS.match(text):
        return "", text
    for comma in re.finditer(r",\s+", text):
        before, after = text[: comma.start()], text[comma.end() :]
        if _balanced(before) and _is_clause(after):
            if refers_back(after):  # perhaps to the noun in this opening
                return "", text
            opening, _, item = before.rpartition(", ")
            if opening and len(item.split()) <= _LONGEST_ITEM and not has_verb(item) and _LISTED.match(after):
                before, after = opening, f"{item}, {after}"  # "In spring, newts, frogs or toads were counted"
            return ("", text) if _KEEPS_MEANING.search(before) or _SCOPE.fullmatch(before) else (before, after)
    return "", text


def _main_and_trailing(text: str) -> list[Clause]:
    pieces: list[str] = []
    begin = 0
    for match in _EXPLAINS.finditer(text):
        if match.start() > begin and _balanced(text[begin : match.start()]) and (pieces or has_verb(text[: match.start()])):
            pieces.append(text[begin : match.start()])
            begin = match.end()
    pieces.append(text[begin:])
    found: list[Clause] = []
    for piece in pieces:
        role = Role.MAIN if not found else Role.TRAILING
        if found and (_KEEPS_MEANING.search(piece) or _VALUE_BEHIND.fullmatch(piece.strip(_ENDS))):
            # a condition, a negation or a value belongs to what it qualifies
            found[-1] = Clause(f"{found[-1].text}, {piece.strip(_ENDS)}", found[-1].role)
        else:
            found.append(Clause(piece.strip(_ENDS), role))
    return [each for clause in found for each in _brackets(clause)]


def _brackets(clause: Clause) -> list[Clause]:
    """Brackets at the end of a clause apart from it; those within it stay."""
    match = _LAST_BRACKETS.search(clause.text)
    # the last of several, as in "93 (60%) and 31 (20%)", stays like the others
    if not match or not match.start() or "(" in clause.text[: match.start()] or _KEEPS_MEANING.search(match[1]):
        return [clause]
    if _VALUE_IN_BRACKETS.fullmatch(match[1]):
        return [clause]
    return [Clause(clause.text[: match.start()], clause.role), Clause(match[1], Role.BRACKETED)]


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]") and text.count("“") == text.count("”")


def joined(kept: list[Clause]) -> str:
    """The clauses as one sentence without its full stop."""
    text = ""
    for previous, clause in zip([None, *kept], kept, strict=False):
        if clause.role is Role.BRACKETED:
            text += f" ({clause.text})"
        elif clause.role is Role.ITEM:
            text += f"{';' if previous and previous.role is Role.ITEM else ':'} {clause.text}"
        elif previous is None:
            text = clause.text
        elif previous.role is Role.LEADING or clause.role is Role.TRAILING:
            text += f", {clause.text}"
        else:
            text += f"; {_OPENS_SENTENCE.sub(lambda match: match[0].lower(), clause.text)}"
    return capitalised(text)
