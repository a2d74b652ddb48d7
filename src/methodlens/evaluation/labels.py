"""The words people write for a label -> a status."""

from collections.abc import Iterable

from methodlens.records import Status
from methodlens.settings import EvaluationSettings


class LabelWords:
    """
    >>> LabelWords(EvaluationSettings()).status(" Yes ")
    <Status.REPORTED: 'reported'>
    """

    def __init__(self, settings: EvaluationSettings) -> None:
        self._status: dict[str, Status | None] = {
            **_all(settings.blank, None),
            **_all(settings.unsure, Status.WITHHELD),
            **_all(settings.no, Status.NOT_REPORTED),
            **_all(settings.yes, Status.REPORTED),
        }
        self._yes, self._no = settings.yes, settings.no

    def status(self, word: object) -> Status | None:
        """None where no label was given. Raises ValueError for a word that is none of ours."""
        plain = normal("" if word is None else str(word))
        plain = plain.removesuffix(".0") if plain in ("1.0", "0.0") else plain  # as spreadsheets write whole numbers
        if plain not in self._status:
            raise ValueError(f"{word!r} is no label")
        return self._status[plain]

    def knows(self, word: object) -> bool:
        try:
            self.status(word)
        except ValueError:
            return False
        return True

    @property
    def hint(self) -> str:
        return f"write {'/'.join(self._yes[:3])} or {'/'.join(self._no[:3])}, or add the word to [evaluation] in methodlens.toml"


def normal(text: str) -> str:
    """Case, blanks around and runs of blanks within do not matter."""
    return " ".join(text.casefold().split())


def _all(words: Iterable[str], status: Status | None) -> dict[str, Status | None]:
    return {normal(word): status for word in words}
