"""Where an answer stands in the paper: quotes are located, plain answers get the sentences that carry them."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from methodlens.facts.numbers import NUMBER, as_number
from methodlens.records import Evidence, Hit, Match, Paper, SectionKind
from methodlens.text import locate as locate_text
from methodlens.text import places, sentences, squeeze, words

MOST_QUOTES = 4
MOST_CHARS = 1400
_FEWEST_WORDS = 4
_FEWEST_CHARS = 16
_TELLING = 3.0  # a number or a name says more than a word
_ASKED = 0.2  # words of the question stand in every passage: they hardly tell one sentence from another
_CARRIES = 0.12  # share of an answer's weight that its first quote must carry
_ADDS = 0.06  # ... and each further one must add
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_PAGE_MARK = re.compile(r"\(pp?\. ?\d+(?:(?:, | and |–|-)\d+)*\)")  # ours: where a quote stands, not what it says


def locate(quote: str, paper: Paper) -> Evidence:
    """The quote as the paper has it, with its places. In the references or of a few words it grounds nothing: absent."""
    if not _is_long_enough(quote):
        return Evidence(quote, Match.ABSENT)
    found = locate_text(quote, paper.text)
    if found.match is Match.ABSENT or _in_references(paper, found.start):
        return Evidence(quote, Match.ABSENT)
    return _evidence(paper, *_on_word_borders(paper.text, found.start, found.end), found.match)


def support(answer_text: str, paper: Paper, hits: Sequence[Hit], *, question: str = "") -> tuple[Evidence, ...]:
    """For an answer that quotes nothing: the sentences of the shown passages that carry it, greedily, best first."""
    candidates = [(span, set(words(paper.text[slice(*span)]))) for span in _shown_sentences(paper, hits)]
    missing = _weights(answer_text, question, [found for _, found in candidates])
    total = sum(missing.values())
    chosen: list[tuple[int, int]] = []
    chars = 0
    while candidates and missing and len(chosen) < MOST_QUOTES:
        gain, best = max(((sum(missing.get(word, 0.0) for word in found), index) for index, (_, found) in enumerate(candidates)))
        if gain < total * (_ADDS if chosen else _CARRIES):
            break
        span, found = candidates.pop(best)
        if chars + span[1] - span[0] > MOST_CHARS:
            continue
        chosen.append(span)
        chars += span[1] - span[0]
        missing = {word: weight for word, weight in missing.items() if word not in found}
    return tuple(_evidence(paper, start, end, Match.EXACT) for start, end in chosen)


def _shown_sentences(paper: Paper, hits: Sequence[Hit]) -> list[tuple[int, int]]:
    spans: dict[tuple[int, int], None] = {}  # passages may overlap: each sentence once, in rank order
    for hit in hits:
        passage = hit.passage
        if _in_references(paper, passage.start):
            continue
        for start, end in sentences(paper.text, passage.start, min(passage.end, len(paper.text))):
            if end - start <= MOST_CHARS and _is_long_enough(paper.text[start:end]):
                spans[start, end] = None
    # max() takes the last of equals; reversed, that is the best ranked
    return list(reversed(spans))


def _weights(answer_text: str, question: str, candidates: Sequence[set[str]]) -> dict[str, float]:
    rarity = Counter(word for found in candidates for word in found)
    asked = set(words(question))
    said = " ".join(
        answer_text[start:end] for start, end in sentences(answer_text) if not _DENIED.search(answer_text, start, end)
    )
    named = set(words(" ".join(match[0] for match in _tellings(said))))
    weights: dict[str, float] = {}
    for word in set(words(said)):
        weight = math.log(1 + len(candidates) / rarity[word]) if rarity[word] else 1.0
        if word in named or any(char.isdigit() for char in word):
            weight *= _TELLING
        weights[word] = weight * (_ASKED if word in asked else 1.0)
    return weights


def _is_long_enough(quote: str) -> bool:
    return len(quote.strip()) >= _FEWEST_CHARS and len(_WORD.findall(quote)) >= _FEWEST_WORDS


def _in_references(paper: Paper, offset: int) -> bool:
    return any(section.kind is SectionKind.REFERENCES and section.start <= offset < section.end for section in paper.sections)


def _on_word_borders(text: str, start: int, end: int) -> tuple[int, int]:
    """A fuzzy match may begin inside a word."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


def _evidence(paper: Paper, start: int, end: int, match: Match) -> Evidence:
    """The quote is the paper's own wording, never a model's: a near quote could have changed the number that matters."""
    quote = " ".join(paper.text[start:end].split())
    return Evidence(quote, match, start, end, places(paper, start, end))


# --- what an answer claims ------------------------------------------------------------------------------------------

_LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'“”]+|\b10\.\d{4,}/[^\s<>\"'“”]+|\b[\w-]+\.(?:com|org|io|net)/[^\s<>\"'“”]+", re.IGNORECASE
)
_POWER = re.compile(
    r"(?:(\d+(?:\.\d+)?)\s?[x×*·]\s?)?\b10\s?(?:\^|\*\*)?\{?\s?([-−–]\s?\d{1,2})\b|\b(\d+(?:\.\d+)?)e([-−–+]?\d{1,2})\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.])(?<![A-Za-z][-‐‑–])[x×]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d,.]*\d)(\s?%)?")
_NUMBER_WORD = re.compile(rf"\b(?:{NUMBER})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!\w)[^\W\d_][^\W_]*(?:[-‐‑–+/.][^\W_]+)*")
_NO_CLAIM = re.compile(  # numbers of list items, citations, and parts of the paper
    r"^\s*(?:\(?\d{1,2}[.)]|[-*•#]+)\s|\[\d+(?:[,–-]\s?\d+)*\]|\b(?:Sections?|Sect|Tables?|Tab|Fig(?:ure)?s?|Eqs?|Equations?|Appendix|Step|Phase"
    r"|Chapter|Supplement\w*)\b\.?\s[A-Z]?\d[\w.]*|\b[123]-?D\b",
    re.MULTILINE | re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:no|not|nor|neither|cannot|unclear|unknown)\b|n['’]t\b).{0,80}?(?:mention|specif|provid|stat(?:e|ing)|describ|detail|inform"
    r"|indicat|clear|know|discuss|given|report|contain|answer|determin|possible|explicit)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = r"((?:[A-Z][\w-]{0,30}\s){0,4}[A-Z][\w-]{0,30})"
_COUNT_OF = re.compile(rf"(?<![\w.])((?i:\d{{1,3}}|{NUMBER}))\s?(?:[x×]\s?)?\s{_NAMED}")  # "4 RTX8000", "two Titan Xp"
_COUNT_AFTER = re.compile(rf"\b{_NAMED}\s?[x×*(]\s?(\d{{1,3}})\b(?!\s?[GT]B)")  # "TITAN Xp * 2"
_SPELLED_OUT = re.compile(r"\b((?:[A-Z][\w-]* ?){2,7}) ?\(([A-Z][\w-]*)\)|\b([A-Z][\w-]*) \(((?:[A-Z][\w-]* ?){2,7})\)")
_OPENS_SENTENCE = re.compile(r"(?:^|[.!?:;\n•*#>\"“(\[-])\s*$")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
# abbreviations of the field that stand in for words, and words that prose writes with a capital
_GENERAL = frozenset(
    """ai ann api cnn convnet cpu dcnn deep dl dnn e g et gb gpu hardware i id learning llm machine mb ml network neural nn os pc
    ram tb tpu url usa uk answer context document paper study text query question researcher author additionally based""".split()
)


def unsupported(answer_text: str, evidence: Sequence[Evidence], *, question: str = "") -> tuple[str, ...]:
    """Every number, product name and link of the answer that its located quotes do not contain.

    >>> unsupported("It ran on 8 A100 cards.", [Evidence("It ran on a cluster with 4 RTX8000.", Match.EXACT)])
    ('8', 'A100')
    """
    answer_text = _PAGE_MARK.sub("", answer_text)
    quotes = _Quoted(" \n".join(each.quote for each in evidence if each.match is not Match.ABSENT), question)
    finders = (_links, _numbers, _counts, _names)
    claims = [claim for find in finders for claim in find(answer_text, quotes)]
    return tuple(dict.fromkeys(text for _, text in sorted(claims)))


class _Quoted:
    """The quotes in the forms that claims are compared with."""

    def __init__(self, text: str, question: str) -> None:
        plain = _crossed(_plain(text))
        self.squeezed = squeeze(plain).text
        self.pieces = f" {' '.join(_pieces(plain))} "
        self.numbers = set(_values(plain)) | ({1.0} if re.search(r"\ban?\b", plain, re.IGNORECASE) else set())
        self.initials = "".join(piece[0] for piece in _pieces(plain))
        self.asked = set(_pieces(question))
        self.counts = [*_counts_of(plain), *((_pieces(after[1]), as_number(after[2])) for after in _COUNT_AFTER.finditer(plain))]

    def has(self, name: str) -> bool:
        """In pieces RTX8000, RTX 8000 and RTX-8000 are the same; an abbreviation may be spelled out, a line break a word."""
        pieces = _pieces(name)
        if f" {' '.join(pieces)} " in self.pieces or all(piece in self.asked | _GENERAL for piece in pieces):
            return True
        if name.isupper() and 2 < len(name) < 7:
            return name.lower() in self.initials
        squeezed = squeeze(name).text
        return len(squeezed) > 4 and squeezed in self.squeezed and not squeezed[-1].isdigit()

    def counted_otherwise(self, name: list[str], count: float) -> bool:
        """ "8 RTX8000" where the quotes have 4 of them, whatever else they have 8 of."""
        counts = [found for named, found in self.counts if set(name) <= set(named) or set(named) <= set(name)]
        return bool(counts) and count not in counts


def _counts_of(text: str) -> Iterator[tuple[list[str], float]]:
    for match in _COUNT_OF.finditer(text):
        yield _pieces(match[2]), as_number(match[1])


def _pieces(text: str) -> list[str]:
    """Runs of letters and runs of digits, plurals folded."""
    found = _PIECE.findall(_plain(text).lower())
    return [piece[:-1] if len(piece) > 2 and piece.endswith("s") and not piece.endswith("ss") else piece for piece in found]


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
    """NFKC would make EPYCTM of EPYC™."""
    return unicodedata.normalize("NFKC", re.sub("[™®©℠]", " ", text))


def _crossed(text: str) -> str:
    """640x480 -> 640×480: two numbers, and no name."""
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
    text = _blanked(_NO_CLAIM, _blanked(_LINK, _crossed(text)))
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
    for word in _NUMBER_WORD.finditer(text):  # "one" and "single" are as often no number
        if not word[0][0].isdigit() and as_number(word[0]) > 1 and as_number(word[0]) not in quotes.numbers:
            yield word.start(), word[0]


def _counts(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    for match in _COUNT_OF.finditer(_blanked(_NO_CLAIM, _blanked(_LINK, text))):
        if quotes.counted_otherwise(_pieces(match[2]), as_number(match[1])):
            yield match.start(), match[1]


def _names(text: str, quotes: _Quoted) -> Iterator[tuple[int, str]]:
    text = _blanked(_NO_CLAIM, _blanked(_POWER, _blanked(_LINK, text)))
    text = _SPELLED_OUT.sub(_abbreviation, text)
    for match in _tellings(text):
        if not quotes.has(match[0]):
            yield match.start(), match[0]


def _abbreviation(match: re.Match[str]) -> str:
    """ "Artificial Neural Network (ANN)" claims ANN, once; as long as before, so that places stay."""
    long, short = (match[1], match[2]) if match[1] else (match[4], match[3])
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", long))
    return f"{short:<{len(match[0])}}" if _pieces(initials) == _pieces(short) else match[0]


def _tellings(text: str) -> Iterator[re.Match[str]]:
    """Names: A100, PyTorch, ResNet-50, or a capital inside a sentence. "TPUs or Keras are not mentioned" claims neither."""
    for start, end in sentences(text):
        denied = bool(_DENIED.search(text, start, end))
        for match in _NAME.finditer(text, start, end):
            name = match[0]
            has_digit = any(char.isdigit() for char in name)
            opens = match.start() == start or bool(_OPENS_SENTENCE.search(text[max(0, match.start() - 5) : match.start()]))
            telling = has_digit or any(char.isupper() for char in name[1:]) or (name[0].isupper() and not opens)
            if telling and (has_digit or not denied):
                yield match
