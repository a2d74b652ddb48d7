"""Where a paper says what it measures: the captions of its tables and its sentences on evaluation, wherever they stand."""

import re
from collections.abc import Iterator

from methodlens.facts.metrics import metrics
from methodlens.facts.types import PaperFacts
from methodlens.records import Paper, Section, SectionKind
from methodlens.text import sentences

_CAPTION = re.compile(r"(?:Tab(?:le|\.)|TABLE)\s?[\dIVX]{1,4}\s?[.:–-]?\s")
_MEASURED = re.compile(
    r"\b(?:evaluation\s(?:metrics?|measures?|criteri(?:on|a))|performance\s(?:metrics?|measures?|is\smeasured|was\smeasured)|"
    r"(?:is|are|was|were)\s(?:measured|evaluated|assessed|quantified|scored)\s(?:by|using|with|in\sterms\sof|via|according)|"
    r"we\s(?:also\s|then\s|further\s|additionally\s)?(?:report|measure)(?:ed|d)?\sthe\b|"
    r"as\s(?:the\s|our\s|an?\s)?(?:evaluation\s|performance\s|main\s|primary\s)?metrics?)\b",
    re.I,
)
_NO_SOURCE = frozenset({SectionKind.REFERENCES, SectionKind.ACKNOWLEDGEMENTS, SectionKind.INTRODUCTION, SectionKind.AVAILABILITY})
_GENERAL = frozenset({"accuracy", "precision", "recall", "error rate", "number of parameters", "AUC", "ROC curve"})
_LONGEST = 320  # characters; longer ones mostly describe a table at length


def metrics_of(paper: Paper) -> PaperFacts:
    """Reads quotes as ever, but knows which further sentences of the paper name metrics."""
    return PaperFacts(metrics, tuple(_places(paper)), context_first=True)


def _places(paper: Paper) -> Iterator[tuple[int, int, str]]:
    for section in paper.sections or (Section(SectionKind.OTHER, "", 0, len(paper.text)),):
        if section.kind in _NO_SOURCE:
            continue
        for start, end in sentences(paper.text, section.start, section.end):
            if end - start > _LONGEST:
                continue
            text = paper.text[start:end]
            told = _CAPTION.match(text) or _MEASURED.search(text)
            if told and any(fact.value not in _GENERAL for fact in metrics([text])):
                yield start, end, section.kind
