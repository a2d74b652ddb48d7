"""What is wrong with the questions of a set: duplicates, two questions in one, vague wording. Each with its line and a fix."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from methodlens.questions.answer_form import infer_form
from methodlens.questions.question_set import NumberedSet, is_valid_id, normalised
from methodlens.records import Question
from methodlens.text import words

_SAME_WORDS, _SAME_MEANING = 0.8, 0.93  # the share of common words, and the cosine, from which two questions are nearly the same
_RELATED_WORDS = 0.5  # ... and the share of common words that the cosine needs in addition
_LONGEST = 45  # words
_ASKS = r"(?:how|why|who|whom|whose|when|where|which|what|whether)"
_VERB = r"(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should)"
_SECOND = re.compile(
    r"[,;]?\s+(?:and|or|as well as)\s+(?:(?:by|for|in|on|at|with|from|to|under)\s+)?"
    rf"(?={_ASKS}\b|{_VERB}\s+(?:the|there|it|they)\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(rf"(?:[\w-]+\s+){{0,2}}(?:{_ASKS}|{_VERB})\b", re.IGNORECASE)
_JUDGEMENT = re.compile(
    r"\b(good|bad|better|best practice|appropriate|adequate|adequately|sufficient|sufficiently|reasonable|interesting|"
    r"properly|correctly|well (?:described|written|documented|designed)|high[- ]quality|convincing|trustworthy)\b",
    re.IGNORECASE,
)
_NO_REFERENT = re.compile(
    rf"(?:{_ASKS}\s+)?(?:{_VERB}\s+)?"
    rf"(?:(?:they|he|she)\b|it\b(?!\s+(?:decided|ensured|possible|checked))|(?:this|that|these|those)\s*(?:\?|{_VERB}\b|done|made))",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(
    """use used using paper study author authors report reported describe described method methods approach thing things detail
    details information data model result results do done work made""".split()
)
_ENGLISH = frozenset(
    """the a an of in on at by for from with to and or is are was were do does did how which what who why where when been be has
    have that this there any it its as per each many much not""".split()
)
_LATIN = re.compile(r"[^\W\d_]+")


class ProblemKind(StrEnum):
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near duplicate"
    DOUBLE = "double"
    VAGUE = "vague"
    NOT_A_QUESTION = "not a question"
    LANGUAGE = "language"
    EXAMPLE = "example"
    ID = "id"


class Problem(Struct, frozen=True):
    line: int
    question: str
    """Its id."""
    kind: ProblemKind
    message: str
    fix: str


def find_problems(numbered: NumberedSet) -> list[Problem]:
    """By line. Duplicates are those that `load` refuses; the other kinds are advice."""
    questions = numbered.question_set.questions
    lines = dict(zip(range(len(questions)), numbered.lines, strict=True))
    found = [
        Problem(lines[at], question.id, kind, message, fix)
        for at, question in enumerate(questions)
        for kind, message, fix in (*_in_id(question), *_in_wording(question), *_in_examples(question))
    ]
    for at, other, kind in _pairs(questions):
        where = f"line {lines[other]} ({questions[other].id})"
        same = "the same as" if kind is ProblemKind.DUPLICATE else "nearly the same as"
        fix = "remove one of the two, or say what sets it apart"
        found.append(Problem(lines[at], questions[at].id, kind, f"asks {same} {where}: {questions[other].text!r}", fix))
    ids: dict[str, int] = {}
    for at, question in enumerate(questions):
        first = ids.setdefault(question.id.lower(), at)
        if first != at:
            message = f"has the same id as line {lines[first]}"
            found.append(Problem(lines[at], question.id, ProblemKind.DUPLICATE, message, "give it another id"))
    return sorted(found, key=lambda problem: (problem.line, problem.kind))


_Found = Iterator[tuple[ProblemKind, str, str]]


def _in_id(question: Question) -> _Found:
    if not is_valid_id(question.id):
        yield ProblemKind.ID, f"{question.id!r} is not a valid id", "use 1 to 64 letters, digits, '_', '.' and '-'"


def _in_wording(question: Question) -> _Found:
    text = question.text.strip()
    tokens = [token.lower() for token in _LATIN.findall(text)]
    if not tokens:
        yield ProblemKind.NOT_A_QUESTION, "has no words", "write the question, or remove it"
        return
    if len(tokens) >= 4 and not _ENGLISH.intersection(tokens):
        yield ProblemKind.LANGUAGE, "does not look like English", "ask in English: methodlens reads English papers"
        return
    if not _QUESTION.match(text):
        fix = "begin with what you want to know: which, how many, how, who, where, when, why, is, does"
        yield ProblemKind.NOT_A_QUESTION, "does not ask anything", fix
    parts = split_double(text)
    if len(parts) > 1:
        fix = f"write {len(parts)} questions: " + " / ".join(parts)
        yield ProblemKind.DOUBLE, f"asks {len(parts)} things at once, and gets one answer", fix
    content = [word for word in words(text) if word not in _EMPTY_WORDS and word not in _ENGLISH]
    if not content or _NO_REFERENT.match(text):
        fix = "name the thing: not 'How was it done?' but 'How were the images labelled?'"
        yield ProblemKind.VAGUE, "does not say what it is about", fix
    elif judgement := _JUDGEMENT.search(text):
        fix = "ask for what the paper states, for example which measure or value, and judge it yourself"
        yield ProblemKind.VAGUE, f"asks for an opinion ({judgement[0]!r}), which no sentence of a paper answers", fix
    if len(text.split()) > _LONGEST:
        yield (
            ProblemKind.VAGUE,
            f"has {len(text.split())} words",
            f"keep it below {_LONGEST}; move words that papers use to `query`",
        )


def split_double(text: str) -> list[str]:
    """The single questions in a question.

    >>> split_double("Who labelled the images, and how long did it take?")
    ['Who labelled the images?', 'How long did it take?']
    """
    parts = [part.strip(" ,;") for sentence in text.split("?") for part in _SECOND.split(sentence)]
    return [f"{part[:1].upper()}{part[1:]}?" for part in parts if part]


def _in_examples(question: Question) -> _Found:
    for example in question.examples:
        if example.strip().endswith("?"):
            yield (
                ProblemKind.EXAMPLE,
                f"the example {example!r} is a question",
                "write a sentence that answers it, as a paper would",
            )
        elif len(example.split()) < 4:
            yield ProblemKind.EXAMPLE, f"the example {example!r} is too short to help", "write a whole sentence, as a paper would"


def _pairs(questions: Sequence[Question]) -> Iterator[tuple[int, int, ProblemKind]]:
    """Each question that repeats an earlier one, with the first of these."""
    from methodlens.text.vectors import load_vectors

    if len(questions) < 2:
        return
    tokens = [frozenset(words(question.text)) for question in questions]
    forms = [infer_form(question.text) for question in questions]
    vectors = load_vectors().encode([" ".join(sorted(row)) for row in tokens])
    cosines = vectors @ vectors.T
    for at, question in enumerate(questions):
        for other in range(at):
            if normalised(question.text) == normalised(questions[other].text):
                yield at, other, ProblemKind.DUPLICATE
                break
            if forms[at] is not forms[other]:  # "Who counted the corals?" and "Where were the corals counted?"
                continue
            shared = len(tokens[at] & tokens[other]) / (len(tokens[at] | tokens[other]) or 1)
            if shared >= _SAME_WORDS or (cosines[at, other] >= _SAME_MEANING and shared >= _RELATED_WORDS):
                yield at, other, ProblemKind.NEAR_DUPLICATE
                break
