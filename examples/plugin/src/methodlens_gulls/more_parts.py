"""A voting rule, an export format and a parser: the same mechanism for rarer needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from methodlens import Paper, Row, Status, Verdict
from methodlens.papers import from_text
from methodlens.records import Tally
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.seams import VotingRule

_ORDER = (Status.REPORTED, Status.WITHHELD, Status.NOT_REPORTED, Status.FAILED, Status.UNREADABLE)


def any_reader(argument: str, readers: Sequence[str]) -> VotingRule:
    """`--vote any-reader`: one reader that reports it is enough, for reviews that must miss nothing."""

    def rule(verdicts: Mapping[str, Verdict]) -> Tally:
        votes = {reader: verdict.status for reader, verdict in verdicts.items()}
        return Tally(min(votes.values(), key=_ORDER.index), votes, rule="any-reader")

    return rule


class Markdown(StreamFormat):
    """`methodlens export --format markdown`: a table for a pull request or a wiki."""

    name, suffix, description = "markdown", ".md", "a Markdown table of statuses and answers"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        yield b"| paper | question | reader | status | answer |\n|---|---|---|---|---|\n"
        for row in rows:
            cell = row.cell
            columns = (row.paper.name, row.question.id, cell.reader, cell.verdict.status.value, cell.answer.text)
            yield ("| " + " | ".join(" ".join(text.replace("|", r"\|").split()) for text in columns) + " |\n").encode()


class TextParser:
    """Papers that are plain UTF-8 text, with an empty line between paragraphs. Folders are searched for this suffix too."""

    suffixes = (".txt",)
    fingerprint = "gulls-text-1"

    def parse(self, path: Path) -> Paper:
        paragraphs = path.read_text(encoding="utf-8").split("\n\n")
        return from_text(paragraphs, title=paragraphs[0].strip())
