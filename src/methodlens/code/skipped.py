"""What was not read, and why: counted by reason, with names."""

from collections import defaultdict

_NAMED = 20


class Skipped:
    """Collects the names of files and folders by the reason for which they are not read."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = defaultdict(list)
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, reason: str, name: str) -> None:
        self._counts[reason] += 1
        if len(self._names[reason]) < _NAMED:
            self._names[reason].append(name)

    def lines(self) -> tuple[str, ...]:
        """One line per reason.

        >>> skipped = Skipped()
        >>> skipped.add("symbolic link", "data")
        >>> skipped.lines()
        ('symbolic link (1): data',)
        """
        return tuple(self._line(reason) for reason in sorted(self._counts))

    def _line(self, reason: str) -> str:
        count, names = self._counts[reason], self._names[reason]
        more = f" and {count - len(names):,} more" if count > len(names) else ""
        return f"{reason} ({count:,}): {', '.join(names)}{more}"
