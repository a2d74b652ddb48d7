"""Quoted sentences without what an answer does not need: citations, references to figures, run-in headings."""

import re

_SPACES = re.compile(r"\s+")
_BROKEN_WORD = re.compile(r"(?<=\w)[-‐‑]\s(?!(?:and|or|to|und|bis)\b)(?=\w)")  # "F1- score", broken over two lines
_CITATION = re.compile(
    # a citation after a preposition is part of the sentence: "a modified version of [6]"
    r"(?<!\bof )(?<!\bin )(?<!\bby )(?<!\bto )(?<!\bfrom )(?<!\bwith )(?<!\band )(?<!\bas )(?<!\bfollowing )"
    r"\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}\]"
    r"|\s?\((?:see |e\.g\.,? |cf\.? |following |from |in )?[A-ZÀ-Þ][^()]{1,200}?\b(?:19|20)\d\d[a-z]?\b[^()]{0,100}\)"
    r"|\s?\((?:19|20)\d\d[a-z]?\)"
)
# "scaled as in [19]": without the citation, the preposition has no noun
_AS_CITED = re.compile(
    r",? (?:as (?:\w+ed )?(?:in|by)|similar(?:ly)? to|following|by employing|analogous(?:ly)? to) "
    r"(?:\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}\]|\([A-ZÀ-Þ][^()]{1,200}?\b(?:19|20)\d\d[a-z]?\b[^()]{0,100}\))"
)
_PART = r"(?:Figs?|Figures?|Tables?|Tabs?|Sections?|Secs?|Sects?|Appendix|Appendices|Eqs?|Equations?|Suppl\w*|Algorithms?)"
_NUMBERED = (
    rf"(?:the )?{_PART}\b\.?\s?(?:[A-Z]?\d(?:[\w.]{{0,4}}\w)?|[IVX]{{1,5}}\b|[A-Z]\b)?"
    r"(?:(?:\s?[,–-]| and| or)\s?(?:[A-Z]?\d(?:[\w.]{0,4}\w)?|[IVX]{1,5}\b)){0,5}"
)
_REFERENCE_ASIDE = re.compile(
    rf"\s?\((?:see |cf\.? |also |e\.g\.,? |refer to |shown in |as in ){{0,3}}{_NUMBERED}(?:[^()]|\(\d{{1,3}}\)){{0,40}}\)", re.I
)
_REFERENCE = re.compile(
    rf"(?:,? as|,(?: which (?:is|are))?) (?:is |are |was |were )?(?:shown|illustrated|depicted|described|listed|"
    rf"summari[sz]ed|given|presented|detailed|"
    rf"displayed|reported|seen|explained|discussed|outlined) (?:(?:in detail|below|above) )?(?:in|by|"
    rf"on) {_NUMBERED}(?=[,.;:)\s]|$)"
    rf"|\s\(?(?:see|cf\.?) {_NUMBERED}\)?(?=[,.;:]|$)",
    re.I,
)
_LINK_ASIDE = re.compile(r"\s?\((?:[^()]{0,60}\s)?(?:https?://|www\.)[^()]{0,200}\)|\s?\[(?:https?://|www\.)[^\[\]]{0,200}\]")
# "the results in Figure 2 are", but not "the results are shown in Figure 2"
_IN_FIGURE = re.compile(
    rf"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)(?<!ed)(?<!\bshown)(?<!\bgiven)(?<!\bseen)(?<!\bfound)(?<!\bas)(?<!\blike)(?<!\band)"
    rf" in {_NUMBERED}(?=[,.;:)\s]|$)",
    re.I,
)
_SPLIT_NUMBER = re.compile(r"(?<=\d), (?=000\b)")  # "60, 000"
_PANELS = re.compile(r"(?:\s\([a-h]\)){2,8}(?=\s|[.]|$)")
_NUMBER_OF_HEADING = re.compile(
    r"^(?:\(?[a-z0-9]{1,2}\)|[•▪◦*–-]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|\d{1,2}\.(?=\s)|[A-H]\.(?=\s[A-Z]))\s+(?=[A-Z(“])"
)
_RUN_IN_HEADING = re.compile(
    r"^(?!Fig|Tab)[A-Z][\w/-]*(?: [\w/-]+){0,5}(?:\s?—\s?|: |\. )(?=(?:We|The|This|These|In|To|For|Our|All|It|An?|After|As|"
    r"Each)\b \w)"
)
# a heading without a full stop, glued to the sentence after it: "Species not in the library We trained the net"
_GLUED_HEADING = re.compile(
    r"^[^.,;:()]{3,90}?[a-z)] (?=(?:We|Our|This|These|They|It|In this|In order|To|For|The|After|All|An|Each) [a-z]+ [a-z])"
)
_CAPITALS = re.compile(r"^(?:[^\Wa-z_][^\sa-z]* ){2,12}(?=(?:In|We|The|This|These|To|For|An?|Our|All) [a-z])")
_STATEMENT = re.compile(
    r"^(?:Data|Code|Software|Materials)(?:(?:,| and|/) (?:data|code|software|materials))* availability(?: statement)?[:.]? ", re.I
)
_PLACE = re.compile(rf"^In {_NUMBERED},? (?=\w)", re.I)
_GLUED_TITLE = re.compile(
    r"^(?:[A-Z][\w-]*|of|and|for|the|in|on|with)(?: (?:[A-Z][\w-]+|of|and|for|the|in|on|with)){1,8} (?=(?:We|A|An|The|"
    r"In|To|For|All|Our|This|During|When|Following|Each|At) [a-z0-9])"
)
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?)])")
_EMPTY = re.compile(r"\s?\(\s?[,;]?\s?\)")


def tidy(sentence: str) -> str:
    """
    >>> tidy("2.1. Training We trained the network [12] for 90 epochs (see Fig. 3) as shown in Table 2 .")
    'We trained the network for 90 epochs.'
    """
    text = _SPACES.sub(" ", sentence.replace("\u00ad", "").replace("\ufffe", "")).strip()
    text = _BROKEN_WORD.sub("-", text)
    text = _SPLIT_NUMBER.sub(",", text)
    for pattern in (_AS_CITED, _CITATION, _REFERENCE_ASIDE, _LINK_ASIDE, _REFERENCE, _IN_FIGURE, _PANELS, _EMPTY):
        text = pattern.sub("", text)
    text = _SPACE_BEFORE.sub(r"\1", _SPACES.sub(" ", text)).strip()
    for heading in (_CAPITALS, _NUMBER_OF_HEADING, _STATEMENT, _PLACE, _RUN_IN_HEADING, _GLUED_HEADING, _GLUED_TITLE):
        match = heading.match(text)
        if match and not has_verb(match[0]):
            text = text[match.end() :]
            text = text[:1].upper() + text[1:] if heading is _PLACE else text
    return f"{text.rstrip(' .')}." if text.endswith(".") else text


# --- what is a sentence ---------------------------------------------------------------------------------------------

_VERB = (
    r"(?:is|are|was|were|be|been|has|have|had|can|could|may|might|will|would|shall|should|must|does|did|do|"
    r"[a-z]{2,}(?:ed|ised|ized)|took|ran|built|chose|kept|fed|set|split|made|gave|found|held|drew|wrote|got|led|began|saw|"
    r"used?|uses|contains?|consists?|takes?|provides?|shows?|includes?|comprises?|employs?|achieves?|requires?|runs?|outputs?|"
    r"appl(?:y|ies)|follows?|gives?|makes?|allows?|enables?|performs?|train|trains|propose|present|presents|introduce|adopt|"
    r"combine[sd]?|receives?|returns?|maps|learns?|predicts?|generates?|produces?|represents?|depends?|denotes?|compare|"
    r"evaluate|report|optimi[sz]e|minimi[sz]e|initiali[sz]e|sample|select|choose|compute|extract|resize|remove|add|keep|"
    r"start|stop|stops|converges?|reach|reaches|ensures?|helps?|reduces?|improves?|increases?|serves?|corresponds?|"
    r"measures?|feed|supports?|extends?|remains?|establish(?:es)?|describes?|considers?|demonstrates?|indicates?|suggests?|yields?|"
    r"exceeds?|outperforms?|replaces?|rel(?:y|ies)|belongs?|var(?:y|ies)|differs?|exists?|occurs?|becomes?|seems?|tends?|defines?|"
    r"determines?|encodes?|decodes?|captures?|avoids?|leverages?|assigns?|assumes?|converts?|covers?|creates?|decides?|divides?|"
    r"exploits?|handles?|involves?|keeps?|limits?|lies|means|merges?|needs?|obtains?|offers?|operates?|prevents?|proves?|"
    r"refers?|reveals?|separates?|simulates?|solves?|splits|transforms?|updates?|utili[sz]es?|works)"
)
_FINITE = re.compile(rf"(?<![\w-]){_VERB}(?![\w-])|\b(?:[Ww]e|I|[Tt]hey) (?:\w+ly )?[a-z]{{2,}}")
_CAPTION = re.compile(
    rf"^(?:{_PART}\.?\s?(?:[A-Z]?\d[\w.]*|[IVX]+)\s?[.:|—-]|(?:Key ?words|Index Terms|Abbreviations|Note|Abstract)\b)", re.I
)
_FORMULA = re.compile("[=∑∏∫√∈∀∂≈≤≥|{}^\\\\~∥∇θλσμφψα-ω\u2190-\u21ff\ufffd\ue000-\uf8ff]")
_EQUATION = re.compile(r"[\w)\]] = (?:[^\W\d]|\()")  # "accuracy = true positives + ...", but not "patience = 10"
_WORD = re.compile(r"[^\W\d_]{2,}")
_DANGLING = re.compile(
    r"\b(?:the|a|an|of|and|or|in|with|to|by|for|from|on|at|is|was|were|are|that|which|as|than|into|via|using|employing)\s?[.]?$",
    re.I,
)
_PANEL = re.compile(r"\d{1,2}\s?\([a-h]\)\s")
MIN_WORDS = 4
_MIN_LETTERS = 0.6  # of the characters
_MAX_CAPITALISED = 0.7  # of the words
_MAX_SYMBOLS = 3


def dangles(text: str) -> bool:
    """Whether it ends with a word that something must follow."""
    return bool(_DANGLING.search(text))


def has_verb(text: str) -> bool:
    return bool(_FINITE.search(text))


def is_sentence(text: str) -> bool:
    """Whether a tidied quote is a sentence, not a heading, a caption, a row of a table, a formula or a piece of one.

    >>> is_sentence("We trained it for 90 epochs."), is_sentence("Model Epochs Batch size 90 32")
    (True, False)
    """
    words = _WORD.findall(text)
    if len(words) < MIN_WORDS or text[-1] not in '.!)”"’:;' or _CAPTION.match(text) or not has_verb(text):
        return False
    if text.lower().startswith(("where ", "where,")) or _PANEL.match(text):  # the symbols of a formula; "(Fig.) 3(a) shows"
        return False
    opening = text.split(maxsplit=1)[0]  # "eBird", "t-SNE": a sentence may open with a name; other small letters continue one
    if text[0].islower() and not any(char.isupper() or char.isdigit() for char in opening):
        return False
    if not (text[0].isalnum() or text[0] in '“"('):
        return False
    letters = sum(char.isalpha() or char.isspace() for char in text)
    capitalised = sum(word[0].isupper() for word in words)
    return (
        letters >= _MIN_LETTERS * len(text)
        and capitalised <= _MAX_CAPITALISED * len(words)
        and len(_FORMULA.findall(text)) <= _MAX_SYMBOLS
        and not _EQUATION.search(text)
        and not dangles(text)
    )
