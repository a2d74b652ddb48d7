"""Look up the papers and questions of a run by the names people write for them."""

import re
from collections.abc import Iterable

from methodlens.records import PaperEntry, Question

_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)


class PaperCatalog:
    """`paper("8")`, `paper("8.pdf")` and `paper("review/8.pdf")` are the same paper; "5", "cq5" and "CQ5" the same question."""

    def __init__(self, papers: Iterable[PaperEntry], questions: Iterable[Question]) -> None:
        self._papers: dict[str, set[str]] = {}
        for entry in papers:
            for alias in paper_aliases(entry):
                self._papers.setdefault(alias, set()).add(entry.name)
        self._questions: dict[str, set[str]] = {}
        for question in questions:
            for alias in {question.id.casefold(), *re.findall(r"\d+$", question.id)}:
                self._questions.setdefault(alias, set()).add(question.id)

    def paper(self, written: str) -> str | None:
        """The name of the paper in the run, or None. Raises ValueError if it is ambiguous."""
        for alias in possible_aliases(written):
            if names := self._papers.get(alias):
                return _single(names, written)
        return None

    def question(self, written: str) -> str | None:
        """The id of the question, or None. Raises ValueError if it is ambiguous."""
        ids = self._questions.get("".join(written.casefold().split()).removesuffix(".0"))
        return _single(ids, written) if ids else None


def paper_aliases(entry: PaperEntry) -> set[str]:
    """All normalised names of a paper."""
    return {*_file_names(entry.name), entry.sha256.lower(), _doi(entry.doi)} - {""}


def possible_aliases(written: str) -> list[str]:
    """The aliases that a written name may stand for, most specific first."""
    return [*_file_names(written), _doi(written)]


def _single(names: set[str], written: str) -> str:
    if len(names) > 1:
        raise ValueError(f"{written!r} may be any of {', '.join(sorted(names))}")
    return next(iter(names))


def _file_names(name: str) -> list[str]:
    path = name.strip().replace("\\", "/").casefold()
    last = path.rsplit("/", 1)[-1]
    return list(dict.fromkeys([path, path.removesuffix(".pdf"), last, last.removesuffix(".pdf")]))


def _doi(doi: str) -> str:
    return _DOI_PREFIX.sub("", doi.strip()).casefold()
