"""Papers as references whose tags are the verdicts: RIS and CSV, for reference managers and screening tools."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.export_format import Counted, Exported, StreamFormat
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import status_label
from methodlens.text.printable import one_line

COLUMNS = ("key", "title", "authors", "year", "doi", "url", "keywords", "notes")
"""The names that ASReview and Rayyan know."""
_PARTICLES = frozenset("van von der den de del della di da dos du la le ten ter zu zum zur".split())
_SUFFIXES = frozenset("jr jr. sr sr. ii iii iv".split())


class Reference(NamedTuple):
    key: str
    title: str
    authors: tuple[str, ...]
    """Family name first."""
    year: str
    doi: str
    url: str
    keywords: tuple[str, ...]
    notes: str


class Ris(StreamFormat):
    name = "ris"
    suffix = ".ris"
    description = "one reference per paper with its verdicts as tags, for Zotero, ASReview, Rayyan and Covidence"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        return map(_ris_record, references(rows))

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        cells = Counted(rows)
        records = Counted(self.stream(cells))
        with atomic_path(path) as draft, draft.open("wb") as out:
            out.writelines(records)
        return Exported(cells.count, lines=f"{records.count} references")


def csv_lines(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    """One line per paper, with the columns of COLUMNS. Authors and keywords are joined by a semicolon, as ASReview does."""
    yield COLUMNS
    for reference in references(rows):
        fields = reference._asdict() | {name: ";".join(getattr(reference, name)) for name in ("authors", "keywords")}
        yield tuple(fields[name] for name in COLUMNS)


def references(rows: Iterable[Row]) -> Iterator[Reference]:
    for paper, paper_rows in deciding_rows(rows):
        reported = sum(row.cell.verdict.status is Status.REPORTED for row in paper_rows)
        yield Reference(
            key=one_line(paper.name[:-4] if paper.name.lower().endswith(".pdf") else paper.name),
            title=one_line(paper.title or paper.name),
            authors=tuple(map(family_name_first, paper.authors)),
            year=str(paper.year or ""),
            doi=one_line(paper.doi),
            url=f"https://doi.org/{one_line(paper.doi)}" if paper.doi else "",
            keywords=tuple(tags(paper, paper_rows)),
            notes=f"methodlens: {reported} of {len(paper_rows)} questions reported",
        )


def tags(paper: PaperEntry, rows: Iterable[Row]) -> Iterator[str]:
    """'CQ20 Training hardware: reported' per question, then the paper's flags."""
    for row in rows:
        yield _tag(f"{row.question.id} {row.question.title}".rstrip() + f": {status_label(row.cell.verdict.status)}")
    yield from map(_tag, paper.flags)


def _tag(text: str) -> str:
    """Without the characters at which programs split lists of tags."""
    return one_line(text.replace(";", " ").replace(",", " "))


def family_name_first(name: str) -> str:
    """
    >>> family_name_first("Ada Lovelace"), family_name_first("Ludwig van der Berg Jr."), family_name_first("Plato")
    ('Lovelace, Ada', 'van der Berg Jr., Ludwig', 'Plato')
    """
    words = one_line(name.replace(";", " ")).split()
    start = len(words) - 1
    while start > 0 and words[start].lower() in _SUFFIXES:
        start -= 1
    while start > 0 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}" if start > 0 and "," not in name else " ".join(words)


def _ris_record(reference: Reference) -> bytes:
    fields = [
        ("TY", "JOUR"),
        ("ID", reference.key),
        ("TI", reference.title),
        *(("AU", author) for author in reference.authors),
        ("PY", reference.year),
        ("DO", reference.doi),
        ("UR", reference.url),
        *(("KW", keyword) for keyword in reference.keywords),
        ("N1", reference.notes),
    ]
    lines = [f"{tag}  - {value}" for tag, value in fields if value]
    return "\r\n".join([*lines, "ER  - ", "", ""]).encode("utf-8", "replace")
