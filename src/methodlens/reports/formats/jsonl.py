"""JSON Lines: the export that programs rely on (docs/reference/export.md). UTF-8 in every locale, one object per line."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from methodlens.records import Row
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.formats.export_rows import export_object
from methodlens.reports.output_files import atomic_path
from methodlens.text.printable import encodable

# JSON allows these three in a string, but str.splitlines and some command-line tools treat them as line ends
_LINE_ENDS = tuple((char.encode(), f"\\u{ord(char):04x}".encode()) for char in "\u0085\u2028\u2029")


class JsonLines(StreamFormat):
    name = "jsonl"
    suffix = ".jsonl"
    description = "one JSON object per cell, with everything that is known about it"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        return (encode_line(export_object(row)) for row in rows)


def write_objects(values: Iterable[object], path: Path) -> None:
    """Write any records, one per line."""
    with atomic_path(path) as draft, draft.open("wb") as out:
        out.writelines(encode_line(msgspec.to_builtins(value)) for value in values)


def encode_line(value: object) -> bytes:
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file name of undecodable bytes, or a lone surrogate from a broken font map
        encoded = msgspec.json.encode(encodable(value))
    for raw, escaped in _LINE_ENDS:
        encoded = encoded.replace(raw, escaped)
    return encoded + b"\n"
