"""A text file of a repository, and findings in its lines."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from methodlens.records.code import Finding, Topic
from methodlens.text.printable import one_line

_QUOTE_CHARS = 240


class Source:
    """A file with its lines. `name` is its path from the root of the repository."""

    def __init__(self, name: str, text: str, line_numbers: Sequence[int] = ()) -> None:
        """`line_numbers` are those in the file, where the text is only a part of it, such as the code of a notebook."""
        self.name = name
        self.text = text
        self._line_numbers = line_numbers

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.name)

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def finding(
        self,
        topic: Topic,
        line: int,
        fact: str = "",
        value: Any = None,
        *,
        note: str = "",
        kind: str = "",
        relative: bool = False,
    ) -> Finding:
        line = min(max(1, line), len(self.lines))
        quote = shortened(self.lines[line - 1])
        number = self._line_numbers[line - 1] if line <= len(self._line_numbers) else line
        return Finding(topic, one_line(self.name), number, quote, fact, value, one_line(note[:200]), kind, relative)


def shortened(line: str) -> str:
    """A line as it is shown: without indentation or control characters, and cut if it is long."""
    text = one_line(line[: 4 * _QUOTE_CHARS])
    return text if len(text) <= _QUOTE_CHARS else text[:_QUOTE_CHARS] + "…"


def decode(data: bytes) -> str:
    """The text of a file; of an unknown encoding, what can be read."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace").replace("\r\n", "\n")
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
