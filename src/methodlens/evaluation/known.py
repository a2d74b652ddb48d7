"""What a label file may speak of: the papers and questions of a run, by any name people write for them."""

import re
from collections.abc import Iterable

from methodlens.records import PaperEntry, Question

_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)


class Known:
    """`paper("8")`, `paper("8.pdf")` and `paper("review/8.pdf")` are the same; so are "5", "cq5" and "CQ5"."""

    def __init__(self, papers: Iterable[PaperEntry], questions: Iterable[Question]) -> None:
        self._papers: dict[str, set[str]] = {}
        for entry in papers:
            for alias in aliases(entry):
                self._papers.setdefault(alias, set()).add(entry.name)
        self._questions: dict[str, set[str]] = {}
        for question in questions:
            for alias in {question.id.casefold(), *re.findall(r"\d+$", question.id)}:
                self._questions.setdefault(alias, set()).add(question.id)

    def paper(self, written: str) -> str | None:
        """The run's name for it. Raises ValueError when it may be one of several."""
        for alias in spellings(written):
            if found := self._papers.get(alias):
                return _only(found, written)
        return None

    def question(self, written: str) -> str | None:
        plain = "".join(written.casefold().split()).removesuffix(".0")
        found = self._questions.get(plain)
        return _only(found, written) if found else None


def aliases(entry: PaperEntry) -> set[str]:
    """All that a paper is called, in the spelling that is compared."""
    return {*_names(entry.name), entry.sha256.lower(), _doi(entry.doi)} - {""}


def spellings(written: str) -> list[str]:
    """What a person may have meant, from the most to the least exact."""
    return [*_names(written), _doi(written)]


def _only(found: set[str], written: str) -> str:
    if len(found) > 1:
        raise ValueError(f"{written!r} may be any of {', '.join(sorted(found))}")
    (one,) = found
    return one


def _names(name: str) -> list[str]:
    plain = name.strip().replace("\\", "/").casefold()
    last = plain.rsplit("/", 1)[-1]
    return list(dict.fromkeys([plain, plain.removesuffix(".pdf"), last, last.removesuffix(".pdf")]))


def _doi(doi: str) -> str:
    return _DOI_PREFIX.sub("", doi.strip()).casefold()
