"""A plain text file with one question per line: `text`, `CQ7: text` or `ID<tab>text`. Lines that begin with # are comments."""

import re

from methodlens.errors import QuestionsError
from methodlens.records import Question

MAX_LINE = 2000
# "CQ7: ..." and "HW.1: ..." begin with an id, "Hardware: which GPU?" does not: an id before a colon ends in a digit
_WITH_COLON = re.compile(r"([A-Za-z][A-Za-z_.-]{0,15}\d{1,6})\s*:\s+(\S.*)")


def parse_lines(text: str, source: str) -> list[tuple[int, Question]]:
    """The questions with their line numbers. Empty lines and comments are skipped; questions without an id become Q1, Q2, ..."""
    numbered: list[tuple[int, Question]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            problem = f"{source}, line {number}: {len(line):,} characters"
            raise QuestionsError(problem, f"keep each question on one line of at most {MAX_LINE:,} characters")
        if "\x00" in line:
            raise QuestionsError(f"{source}, line {number}: a NUL byte", "save the questions as plain text")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, words = _id_and_text(line)
        numbered.append((number, Question(id=name or f"Q{len(numbered) + 1}", text=words)))
    return numbered


def _id_and_text(line: str) -> tuple[str, str]:
    if "\t" in line.strip():
        name, _, words = line.strip().partition("\t")
        return name.strip(), words.strip()
    match = _WITH_COLON.fullmatch(line.strip())
    return (match[1], match[2]) if match else ("", line.strip())
