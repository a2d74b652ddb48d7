"""Text from papers and people as Markdown that shows it literally."""

import re
from collections.abc import Sequence

from methodlens.text.printable import one_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def escaped(text: str) -> str:
    """
    >>> escaped("a|b *c*")
    'a\\\\|b \\\\*c\\\\*'
    """
    return _SPECIAL.sub(r"\\\1", one_line(text))


def table_row(cells: Sequence[str]) -> str:
    """A row of a table, with its cells escaped."""
    return f"| {' | '.join(escaped(cell) or ' ' for cell in cells)} |"


def table_head(cells: Sequence[str]) -> list[str]:
    return [table_row(cells), f"|{'---|' * len(cells)}"]
