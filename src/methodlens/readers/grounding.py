"""Grounds an answer in the paper: locates its quotes, finds sentences for a plain answer, lists claims without support."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from methodlens.facts.numbers import NUMBER, as_number
from methodlens.records import Evidence, Hit, Match, Paper, SectionKind
from methodlens.text import evidence_at, locate, quotable, quote, sentences, squeeze, words

MAX_QUOTES = 4
MAX_CHARS = 1400
_MIN_WORDS = 4
_MIN_CHARS = 16
_NAME_WEIGHT = 3.0  # numbers and names identify a sentence better than other words
_QUESTION_WEIGHT = 0.2  # words of the question are in every passage, so they hardly distinguish sentences
_FIRST_SHARE = 0.12  # of an answer's weight that its first quote must have
_NEXT_SHARE = 0.06  # ... and that each further quote must add
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_PAGE_MARK = re.compile(r"\(pp?\. ?\d+(?:(?:, | and |–|-)\d+)*\)")  # added by methodlens, not part of the claim


def locate_quote(quote: str, paper: Paper) -> Evidence:
    """The quote in the paper's wording with its places. A quote in the references or of only a few words counts as absent."""
    if not _is_long_enough(quote):
        return Evidence(quote, Match.ABSENT)
    located = locate(quote, paper.text)
    if located.match is Match.ABSENT or _in_references(paper, located.start):
        return Evidence(quote, Match.ABSENT)
    return _evidence(paper, *_on_word_borders(paper.text, located.start, located.end), located.match)


def find_support(answer_text: str, paper: Paper, context: Sequence[Hit], *, question: str = "") -> tuple[Evidence, ...]:
    """For an answer without quotes: the sentences of the context that share most with it, chosen greedily, best first."""
    candidates = [(span, set(words(paper.text[slice(*span)]))) for span in _context_sentences(paper, context)]
    missing = _weights(answer_text, question, [sentence for _, sentence in candidates])
    total = sum(missing.values())
    chosen: list[tuple[int, int]] = []
    chars = 0
    while candidates and missing and len(chosen) < MAX_QUOTES:
        gains = [sum(missing.get(word, 0.0) for word in sentence) for _, sentence in candidates]
        gain, best = max((gain, index) for index, gain in enumerate(gains))
        if gain < total * (_NEXT_SHARE if chosen else _FIRST_SHARE):
            break
        span, sentence = candidates.pop(best)
        if chars + span[1] - span[0] > MAX_CHARS:
            continue
        chosen.append(span)
        chars += span[1] - span[0]
        missing = {word: weight for word, weight in missing.items() if word not in sentence}
    return tuple(_evidence(paper, start, end, Match.EXACT) for start, end in chosen)


def _context_sentences(paper: Paper, context: Sequence[Hit]) -> list[tuple[int, int]]:
    spans: dict[tuple[int, int], None] = {}  # passages may overlap: each sentence once, in rank order
    for hit in context:
        passage = hit.passage
        if _in_references(paper, passage.start):
            continue
        for start, end, _ in quotable(paper, passage.start, min(passage.end, len(paper.text))):
            if end - start <= MAX_CHARS and _is_long_enough(paper.text[start:end]):
                spans[start, end] = None
    # max() of (gain, index) prefers the last of equals; reversed, that is the best ranked
    return list(reversed(spans))


def _weights(answer_text: str, question: str, candidates: Sequence[set[str]]) -> dict[str, float]:
    frequency = Counter(word for sentence in candidates for word in sentence)
    asked = set(words(question))
    claimed = " ".join(
        answer_text[start:end] for start, end in sentences(answer_text) if not _NEGATED.search(answer_text, start, end)
    )
    named = set(words(" ".join(match[0] for match in _named_terms(claimed))))
    weights: dict[str, float] = {}
    for word in set(words(claimed)):
        weight = math.log(1 + len(candidates) / frequency[word]) if frequency[word] else 1.0
        if word in named or any(char.isdigit() for char in word):
            weight *= _NAME_WEIGHT
        weights[word] = weight * (_QUESTION_WEIGHT if word in asked else 1.0)
    return weights


def _is_long_enough(quote: str) -> bool:
    return len(quote.strip()) >= _MIN_CHARS and len(_WORD.findall(quote)) >= _MIN_WORDS


def _in_references(paper: Paper, offset: int) -> bool:
    return any(section.kind is SectionKind.REFERENCES and section.start <= offset < section.end for section in paper.sections)


def _on_word_borders(text: str, start: int, end: int) -> tuple[int, int]:
    """A fuzzy match may start inside a word."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


def _evidence(paper: Paper, start: int, end: int, match: Match) -> Evidence:
    """The quote is in the paper's wording, never the model's: a fuzzy match may differ in the number that matters."""
    return evidence_at(paper, start, end, " ".join(quote(paper, start, end).split()), match)


# --- unsupported claims ---------------------------------------------------------------------------------------------

_LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'“”]+|\b10\.\d{4,}/[^\s<>\"'“”]+|\b[\w-]{1,63}+\.(?:com|org|io|net)/[^\s<>\"'“”]+", re.IGNORECASE
)
_POWER = re.compile(
    r"(?:(?<!\d)(\d++(?:\.\d++)?)\s?[x×*·]\s?)?\b10\s?(?:\^|\*\*)?\{?\s?([-−–]\s?\d{1,2})\b|\b(\d++(?:\.\d++)?)e([-−–+]?\d{1,2})\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![\w.])(?<![A-Za-z][-‐‑–])[x×]?(\d{1,3}(?:,\d{3}){1,9}+(?:\.\d++)?+|\d++(?:\.\d++)?+|\.\d++)(?![,.]*+\d)(\s?%)?"
)
_NUMBER_WORD = re.compile(rf"\b(?:{NUMBER})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!\w)[^\W\d_][^\W_]*(?:[-‐‑–+/.][^\W_]+)*")
_NOT_A_CLAIM = re.compile(  # list numbers, citations, and references to parts of the paper
    r"^\s{0,50}+(?:\(?\d{1,2}[.)]|[-*•#]+)\s|\[\d+(?:[,–-]\s?\d+)*\]|\b(?:Sections?|Sect|Tables?|Tab|Fig(?:ure)?s?|Eqs?|Equations?|Appendix|Step|Phase"
    r"|Chapter|Supplement\w*)\b\.?\s[A-Z]?\d[\w.]*|\b[123]-?D\b",
    re.MULTILINE | re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:no|not|nor|neither|cannot|unclear|unknown)\b|n['’]t\b).{0,80}?(?:mention|specif|provid|stat(?:e|ing)|describ|detail|inform"
    r"|indicat|clear|know|discuss|given|report|contain|answer|determin|possible|explicit)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = r"((?:[A-Z][\w-]{0,30}\s){0,4}[A-Z][\w-]{0,30})"
_COUNT_OF = re.compile(rf"(?<![\w.])((?i:\d{{1,3}}|{NUMBER}))\s?(?:[x×]\s?)?\s{_NAMED}")  # "4 RTX8000", "two Titan Xp"
_COUNT_AFTER = re.compile(rf"\b{_NAMED}\s?[x×*(]\s?(\d{{1,3}})\b(?!\s?[GT]B)")  # "TITAN Xp * 2"
_TERM = r"[A-Z][\w-]{0,60}+"  # without a bound and `+`, a sequence of capitals takes exponential time
_TERMS = rf"(?=[A-Z](?:[^\WA-Z]|-){{0,60}}+ ?[A-Z])(?:{_TERM} ){{0,6}}{_TERM} ?"  # up to seven, with two capitals or more
_SPELLED_OUT = re.compile(rf"\b({_TERMS}) ?\(({_TERM})\)|\b({_TERM}) \(({_TERMS})\)")
_OPENS_SENTENCE = re.compile(r"(?:^|[.!?:;\n•*#>\"“(\[-])\s*$")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
# common abbreviations of the field, and words that are often capitalised
_GENERAL = frozenset(
    """ai ann api cnn convnet cpu dcnn deep dl dnn e g et gb gpu hardware i id learning llm machine mb ml network neural nn os pc
    ram tb tpu url usa uk answer context document paper study text query question researcher author additionally based""".split()
)


def unsupported_claims(answer_text: str, evidence: Sequence[Evidence], *, question: str = "") -> tuple[str, ...]:
    """The numbers, product names and links of the answer that its located quotes do not contain.

    >>> unsupported_claims("It ran on 8 A100 cards.", [Evidence("It ran on a cluster with 4 RTX8000.", Match.EXACT)])
    ('8', 'A100')
    """
    answer_text = _PAGE_MARK.sub("", answer_text)
    quotes = _Quoted(" \n".join(item.quote for item in evidence if item.match is not Match.ABSENT), question)
    finders = (_links, _numbers, _counts, _names)
    claims = [claim for find in finders for claim in find(answer_text, quotes)]
    return tuple(dict.fromkeys(text for _, text in sorted(claims)))


class _Quoted:
    """The quotes in the forms in which claims are compared with them."""

    def __init__(self, text: str, question: str) -> None:
        plain = _with_times_sign(_plain(text))
        self.squeezed = squeeze(plain).text
        self.pieces = f" {' '.join(_pieces(plain))} "
        self.numbers = set(_values(plain)) | ({1.0} if re.search(r"\ban?\b", plain, re.IGNORECASE) else set())
        self.initials = "".join(piece[0] for piece in _pieces(plain))
        self.asked = set(_pieces(question))
        self.counts = [(_pieces(match[2]), as_number(match[1])) for match in _COUNT_OF.finditer(plain)]
        self.counts += [(_pieces(match[1]), as_number(match[2])) for match in _COUNT_AFTER.finditer(plain)]

    def has(self, name: str) -> bool:
        """RTX8000, RTX 8000 and RTX-8000 are the same. The quotes may spell an abbreviation out or break a word across lines."""
        pieces = _pieces(name)
        if f" {' '.join(pieces)} " in self.pieces or all(piece in self.asked | _GENERAL for piece in pieces):
            return True
        if name.isupper() and 2 < len(name) < 7:
            return name.lower() in self.initials
        squeezed = squeeze(name).text
        return len(squeezed) > 4 and squeezed in self.squeezed and not squeezed[-1].isdigit()

    def counted_otherwise(self, name: list[str], count: float) -> bool:
        """The quotes give this thing another count: "8 RTX8000" against "4 RTX8000 with a batch size of 8"."""
        counts = [number for named, number in self.counts if set(name) <= set(named) or set(named) <= set(name)]
        return bool(counts) and count not in counts


def _pieces(text: str) -> list[str]:
    """Runs of letters and runs of digits, plurals folded."""
    pieces = _PIECE.findall(_plain(text).lower())
    return [piece[:-1] if len(piece) > 2 and piece.endswith("s") and not piece.endswith("ss") else piece for piece in pieces]


def _values(text: str) -> Iterator[float]:
    for power in _POWER.finditer(text):
        yield _power(power)
    for digits in _DIGITS.finditer(text):
        value = as_number(digits[1])
        yield value
        if digits[2]:
            yield value / 100
    for word in _NUMBER_WORD.finditer(text):
        if not word[0][0].isdigit():
            yield as_number(word[0])


def _power(match: re.Match[str]) -> float:
    exponent = int(re.sub(r"[−–]", "-", match[2] or match[4]).replace(" ", ""))
    return float(f"{match[3] or match[1] or '1'}e{exponent}")


def _plain(text: str) -> str:
    """NFKC without trademark signs, which would turn EPYC™ into EPYCTM."""
    return unicodedata.normalize("NFKC", re.sub("[™®©℠]", " ", text))


def _with_times_sign(text: str) -> str:
    """640x480 -> 640×480, so that it is two numbers and not a name."""
    return re.sub(r"(?<=\d)x(?=\d)", "×", text)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _links(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    for match in _LINK.finditer(text):
        link = match[0].rstrip(".,;:!?)]}*`")
        bare = re.sub(r"^(?:https?://)?(?:www\.)?(?:dx\.)?", "", link, flags=re.IGNORECASE).rstrip("/")
        if squeeze(bare).text not in quotes.squeezed:
            yield match.start(), link


def _numbers(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    text = _blanked(_NOT_A_CLAIM, _blanked(_LINK, _with_times_sign(text)))
    for power in _POWER.finditer(text):
        if not any(math.isclose(_power(power), value) for value in quotes.numbers):
            yield power.start(), power[0]
    for digits in _DIGITS.finditer(_blanked(_POWER, text)):
        value = as_number(digits[1])
        share = {value / 100} if digits[2] else set()
        before = _NAME.findall(text[max(0, digits.start() - 30) : digits.start()])
        belongs = bool(before) and quotes.has(f"{before[-1]} {digits[1]}")  # the 8000 of "RTX 8000"
        if not belongs and not quotes.numbers & ({value} | share):
            yield digits.start(), digits[0].strip()
    for word in _NUMBER_WORD.finditer(text):  # "one" and "single" are often not meant as a number
        if not word[0][0].isdigit() and as_number(word[0]) > 1 and as_number(word[0]) not in quotes.numbers:
            yield word.start(), word[0]


def _counts(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    for match in _COUNT_OF.finditer(_blanked(_NOT_A_CLAIM, _blanked(_LINK, text))):
        if quotes.counted_otherwise(_pieces(match[2]), as_number(match[1])):
            yield match.start(), match[1]


def _names(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    text = _blanked(_NOT_A_CLAIM, _blanked(_POWER, _blanked(_LINK, text)))
    text = _SPELLED_OUT.sub(_abbreviation, text)
    for match in _named_terms(text):
        if not quotes.has(match[0]):
            yield match.start(), match[0]


def _abbreviation(match: re.Match[str]) -> str:
    """ "Artificial Neural Network (ANN)" claims only ANN. Padded to the same length to keep positions."""
    long, short = (match[1], match[2]) if match[1] else (match[4], match[3])
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", long))
    return f"{short:<{len(match[0])}}" if _pieces(initials) == _pieces(short) else match[0]


def _named_terms(text: str) -> Iterator[re.Match[str]]:
    """A100, PyTorch, ResNet-50, or a capitalised word inside a sentence; not the names in "Keras is not mentioned"."""
    for start, end in sentences(text):
        negated = bool(_NEGATED.search(text, start, end))
        for match in _NAME.finditer(text, start, end):
            name = match[0]
            has_digit = any(char.isdigit() for char in name)
            opens = match.start() == start or bool(_OPENS_SENTENCE.search(text[max(0, match.start() - 5) : match.start()]))
            is_name = has_digit or any(char.isupper() for char in name[1:]) or (name[0].isupper() and not opens)
            if is_name and (has_digit or not negated):
                yield match
