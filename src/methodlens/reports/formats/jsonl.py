"""JSON Lines: the export that programs rely on (docs/reference/export.md). UTF-8 whatever the locale, one object a line."""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from methodlens.records import Row
from methodlens.reports.formats.export_rows import export_object
from methodlens.reports.output_files import atomic_path
from methodlens.text.printable import encodable

# JSON allows these three inside a string, but str.splitlines and some shells' tools end a line there
_LINE_ENDS = tuple((char.encode(), f"\\u{ord(char):04x}".encode()) for char in "\u0085\u2028\u2029")


def write(rows: Iterable[Row], out: BinaryIO) -> int:
    """Writes each row as it comes; returns how many there were."""
    count = 0
    for row in rows:
        out.write(line(row))
        count += 1
    return count


def write_objects(values: Iterable[object], path: Path) -> None:
    """Any records, one a line."""
    with atomic_path(path) as draft, draft.open("wb") as out:
        out.writelines(encode_line(msgspec.to_builtins(value)) for value in values)


def line(row: Row) -> bytes:
    return encode_line(export_object(row))


def encode_line(exported: object) -> bytes:
    try:
        encoded = msgspec.json.encode(exported)
    except UnicodeEncodeError:  # a file name of undecodable bytes, half a character from a broken font map
        encoded = msgspec.json.encode(encodable(exported))
    for raw, escaped in _LINE_ENDS:
        encoded = encoded.replace(raw, escaped)
    return encoded + b"\n"
