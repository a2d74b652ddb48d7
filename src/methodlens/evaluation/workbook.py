"""The first sheet of an XLSX file as rows of text. A zip of XML, so a page of code reads it and no library is needed.

Values only: formulas give their last result. What is not a plain workbook is refused.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree  # see _part: no document type, bounded size

from methodlens.errors import LabelsError

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MOST_BYTES: Final = 100_000_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_BOOLEANS = {"1": "true", "0": "false"}
_MOST_COLUMNS = 16_384


def sheet_rows(data: bytes, source: str) -> Iterator[tuple[int, list[str]]]:
    """Each row's number and its cells, empty ones as ''."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            shared = _shared_strings(archive)
            for row in _part(archive, _first_sheet(archive)).iter(f"{_MAIN}row"):
                yield int(row.get("r", "0")), _cells(row, shared)
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, ElementTree.ParseError) as err:
        raise LabelsError(f"{source} is no workbook we can read ({err})", "save it as XLSX anew, or as CSV in UTF-8") from err


def _part(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} is too big")
    with archive.open(name) as file:
        xml = file.read(_MOST_BYTES)
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:  # no workbook has one; entities could blow up
        raise ValueError(f"{name} has a document type")
    return ElementTree.fromstring(xml)  # noqa: S314


def _first_sheet(archive: zipfile.ZipFile) -> str:
    first = next(_part(archive, "xl/workbook.xml").iter(f"{_MAIN}sheet"))
    links = _part(archive, "xl/_rels/workbook.xml.rels")
    target = next(link.get("Target", "") for link in links if link.get("Id") == first.get(_REL))
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    return [_string(item) for item in _part(archive, "xl/sharedStrings.xml").iter(f"{_MAIN}si")]


def _string(element: ElementTree.Element) -> str:
    """Of plain and of rich text; what cannot stand in XML is written _x000D_."""
    phonetic = {text for run in element.iter(f"{_MAIN}rPh") for text in run.iter(f"{_MAIN}t")}
    text = "".join(part.text or "" for part in element.iter(f"{_MAIN}t") if part not in phonetic)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _cells(row: ElementTree.Element, shared: list[str]) -> list[str]:
    values: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        column = _column(cell.get("r", "")) or len(values) + 1
        if column > _MOST_COLUMNS:
            raise ValueError(f"cell {cell.get('r')} lies outside any sheet")
        values += [""] * (column - 1 - len(values))
        values.append(_value(cell, shared))
    return values


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_MAIN}v") or ""
    if kind == "inlineStr":
        return _string(cell)
    if kind == "s":
        return shared[int(value)]
    return _BOOLEANS.get(value, value) if kind == "b" else value


def _column(reference: str) -> int:
    """
    >>> _column("AB12")
    28
    """
    number = 0
    for letter in re.sub(r"\d", "", reference):
        number = number * 26 + ord(letter) - 64
    return number
