"""Rows of a manifest.csv. An error names its line.

Columns, in any order: file, title, authors, year, doi, code, code_at, supplement_of, supplements.
"""

import csv
import io

from methodlens.errors import InputError
from methodlens.papers.metadata.entries import Entry, Metadata, find_doi, find_year, given_name_first

_COLUMNS = {"file": "file", "filename": "file", "paper": "file", "title": "title", "authors": "authors", "author": "authors"} | {
    "year": "year", "doi": "doi", "code": "code", "code_at": "code_at",
    "supplement_of": "supplement_of", "supplements": "supplements",
}  # fmt: skip


def manifest_entries(text: str, source: str) -> tuple[Entry, ...]:
    """Every row of the table. Raises InputError with `source` and the line of a row that is not valid."""
    text = text.lstrip("\ufeff")
    head = text.split("\n", 1)[0]
    delimiter = next((mark for mark in (",", ";", "\t") if mark in head), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    entries: list[Entry] = []
    columns: list[str] = []
    line_of_file: dict[str, int] = {}
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return tuple(entries)
        except csv.Error as err:
            raise InputError(f"{source}:{line}: {err}", "correct the line, or save the table again as CSV") from err
        if not any(cells):
            continue
        if not columns:
            columns = [_COLUMNS.get(cell.lower(), "") for cell in cells]
            if not {"file", "doi", "title"} & set(columns):
                raise InputError(f"{source}:{line}: no column is called 'file'", "name the columns file,title,authors,year,doi")
            continue
        if any(cells[len(columns) :]):
            raise InputError(
                f"{source}:{line}: {len(cells)} cells under {len(columns)} columns",
                "put a cell that contains a comma in double quotes",
            )
        row = {column: cell for column, cell in reversed(list(zip(columns, cells, strict=False))) if column and cell}
        entries.append(_entry(row, f"{source}:{line}", frozenset(columns)))
        for name in entries[-1].files:
            if line_of_file.setdefault(name.casefold(), line) != line:
                raise InputError(
                    f"{source}:{line}: {name} is already listed in line {line_of_file[name.casefold()]}", "keep one of the two"
                )


def _entry(row: dict[str, str], source: str, columns: frozenset[str]) -> Entry:
    year, doi = find_year(row.get("year", "")), find_doi(row.get("doi", ""))
    if row.get("year") and not year:
        raise InputError(f"{source}: {row['year']!r} is not a year", "write it in four digits, or leave it empty")
    if row.get("doi") and not doi:
        raise InputError(
            f"{source}: {row['doi']!r} is not a DOI", "a DOI starts with 10. and contains a slash; or leave it empty"
        )
    authors = tuple(name for part in row.get("authors", "").split(";") if (name := given_name_first(part)))
    file, code = row.get("file", "").replace("\\", "/"), row.get("code", "").replace("\\", "/")
    if code and not file:
        raise InputError(f"{source}: the row has code but no file", "name the paper's file in the column file")
    if row.get("code_at") and not code:
        raise InputError(f"{source}: the row has code_at but no code", "name the repository in the column code")
    for column in ("supplement_of", "supplements"):
        if row.get(column) and not file:
            raise InputError(f"{source}: the row has {column} but no file", "name the file of the row in the column file")
    supplement_of, supplements = (row.get(column, "").replace("\\", "/") for column in ("supplement_of", "supplements"))
    about = Metadata(row.get("title", ""), authors, year, doi)
    return Entry(
        about,
        source,
        (file,) if file else (),
        code=code,
        code_at=row.get("code_at", ""),
        supplement_of=supplement_of if "supplement_of" in columns else None,
        supplements=tuple(filter(None, map(str.strip, supplements.split(";")))) if "supplements" in columns else None,
    )
