"""The first sheet of an XLSX file, read by calamine in a child process.

calamine panics on some damaged files and allocates the whole rectangle up to the last cell: a tiny file with a cell in
XFD1048576 takes 500 GB and aborts the process. The child has a memory limit and a timeout, and takes the crash.
"""

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, time, timedelta

import msgspec

from methodlens.errors import LabelsError

_MAX_MEMORY = 2 << 30
_TIMEOUT_S = 120
_Lines = list[tuple[int, list[str]]]


def sheet_rows(data: bytes, source: str) -> Iterator[tuple[int, list[str]]]:
    """The number and the values of each row. Formulas give their last result; error values such as #N/A are empty."""
    command = [sys.executable, "-m", __name__]
    try:
        child = subprocess.run(command, input=data, capture_output=True, timeout=_TIMEOUT_S, check=True)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as err:
        message = (getattr(err, "stderr", None) or b"").decode(errors="replace").strip()
        reason = message if message and "\n" not in message else "damaged, or too large"
        raise LabelsError(f"{source} is not a readable workbook ({reason})", "save it again as XLSX, or as CSV in UTF-8") from err
    yield from msgspec.json.decode(child.stdout, type=_Lines)


def _child() -> None:
    from python_calamine import CalamineError, load_workbook

    with suppress(ImportError, ValueError, OSError):  # not every system can limit memory
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    try:
        rows = load_workbook(io.BytesIO(sys.stdin.buffer.read())).get_sheet_by_index(0).iter_rows()
    except CalamineError as err:
        sys.exit(" ".join(str(err).split()))
    lines = [(number, [_as_text(value) for value in row]) for number, row in enumerate(rows, 1) if any(v != "" for v in row)]
    sys.stdout.buffer.write(msgspec.json.encode(lines))


def _as_text(value: str | float | bool | date | time | timedelta) -> str:
    """
    >>> _as_text(2.0), _as_text(True), _as_text(date(2024, 5, 1))
    ('2', 'true', '2024-05-01')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value.isoformat() if isinstance(value, date | time) else str(value)


if __name__ == "__main__":
    _child()
