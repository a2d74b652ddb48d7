"""Find the defects of a model's answer and label. A broken answer never counts as an answer."""

import re

from methodlens.readers.answer_cleaning import WORD_LIMIT, clean_answer
from methodlens.records import Answer, Status, Verdict
from methodlens.study.dataset import BROKEN, Defect, DefectKind, StudyAnswer
from methodlens.verdicts import is_silent

_WORD_COUNT = re.compile(r"\W*(?:word count\W*)?(?:less than )?\d* ?(?:words?)?\W*", re.IGNORECASE)
_ECHOES = (
    "Use the following pieces of context",
    "%INSTRUCTIONS",
    "provide your answer to query",
    "Provide your answer as follows",
)
_REFERENCES = re.compile(r"^[^\w\n]*(?:References?|Reference\(s\)|Bibliography|Sources?)\W*$|\bReference\(s\):", re.MULTILINE)
_GUESS = re.compile(
    r"\b(?:likely|probably|presumably|possibly|perhaps|typical(?:ly)?|common(?:ly)?|usually|assum\w+|speculat\w+)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:however|but|although|while|nevertheless|instead|only|does (?:mention|state|describe|discuss))\b", re.IGNORECASE
)
_NO_RESPONSE = "no response found"
_LABEL_VALUES = {"yes": True, "true": True, "no": False, "false": False}


class StudyVerdict(Answer, frozen=True):
    """A cleaned answer with its verdict, the label that the study counted (`published`) and its defects."""

    verdict: Verdict = Verdict(Status.FAILED)
    published: bool | None = None
    defects: tuple[Defect, ...] = ()


def judge_answer(given: StudyAnswer, *, paper: str, question: str, model: str) -> StudyVerdict:
    published, problems = _parse_label(given.label)
    answer = given.text.strip() if given.text is not None else None
    problems += _answer_defects(answer, published)
    counted = "" if published is None else "yes" if published else "no"
    defects = tuple(
        Defect(kind, paper, question, model, counted, detail)
        for kind, detail in sorted(problems, key=lambda problem: list(DefectKind).index(problem[0]))
    )
    text, raw = _clean(answer or "", {defect.kind for defect in defects})
    return StudyVerdict(text=text, raw=raw, verdict=_verdict(published, text, defects), published=published, defects=defects)


def _parse_label(word: str | None) -> tuple[bool | None, list[tuple[DefectKind, str]]]:
    """The study counted "No response found" as No."""
    if word is None or not word.strip():
        return None, [(DefectKind.NO_LABEL, "")]
    plain = " ".join(word.split()).casefold().strip(".\"'")
    spaces = [(DefectKind.LABEL_SPACES, repr(word))] if word != word.strip() else []
    if plain == _NO_RESPONSE:
        return False, [*spaces, (DefectKind.NO_RESPONSE, "")]
    if plain not in _LABEL_VALUES:
        return None, [*spaces, (DefectKind.ODD_LABEL, repr(word[:40]))]
    return _LABEL_VALUES[plain], spaces


def _answer_defects(text: str | None, published: bool | None) -> list[tuple[DefectKind, str]]:
    if text is None:
        return [(DefectKind.NO_ANSWER, "")]
    if not text:
        return [(DefectKind.EMPTY, "")]
    if text.casefold() == _NO_RESPONSE:
        return [(DefectKind.NO_RESPONSE, "")]
    if len(text) < 40 and _WORD_COUNT.fullmatch(text):
        return [(DefectKind.WORD_COUNT, text)]
    defects = []
    words = len(text.split())
    if words > WORD_LIMIT:
        defects.append((DefectKind.OVER_LONG, f"{words} words"))
        if clean_answer(text).repetitive:
            defects.append((DefectKind.REPEATED, f"{words} words"))
    if any(echo in text for echo in _ECHOES):
        defects.append((DefectKind.ECHO, ""))
    if ("eference" in text or "ibliography" in text or "ource" in text) and _REFERENCES.search(text):
        defects.append((DefectKind.REFERENCES, ""))
    if published and _says_nothing(text):
        defects.append((DefectKind.SILENT_YES, text[:120]))
    return defects


def _says_nothing(text: str) -> bool:
    """A denial followed by nothing or a guess: "not mentioned, but probably GPUs". A denial followed by what the text does
    mention is ambiguous, and keeps the label of the study."""
    return bool(_GUESS.search(text) or not _CONTRAST.search(text)) and is_silent(text)


def _clean(text: str, kinds: set[DefectKind]) -> tuple[str, str]:
    """The cleaned answer, and the original if it differs."""
    if not kinds & {DefectKind.OVER_LONG, DefectKind.ECHO, DefectKind.REFERENCES}:
        return text, ""
    return clean_answer(text).text, text


def _verdict(published: bool | None, text: str, defects: tuple[Defect, ...]) -> Verdict:
    """The reasons are part of cell keys: do not change them."""
    kinds = {defect.kind for defect in defects}
    for defect in defects:
        if defect.kind in BROKEN:
            counted = f"; the study counted it as {defect.counted}" if defect.counted else ""
            return Verdict(Status.FAILED, f"{defect.kind.value}{counted}")
    if not text:
        return Verdict(Status.FAILED, "nothing but the prompt")
    if DefectKind.NO_RESPONSE in kinds:
        return Verdict(Status.WITHHELD, "the study found no yes or no and counted it as no")
    if published is None:
        return Verdict(Status.WITHHELD, "the study has no yes or no for it")
    if DefectKind.SILENT_YES in kinds:
        return Verdict(Status.WITHHELD, "the answer says that nothing is said; the study counted it as yes")
    return Verdict(Status.REPORTED if published else Status.NOT_REPORTED, "as published")
