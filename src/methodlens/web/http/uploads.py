"""PDFs that come in over HTTP: capped, under safe names, checked before they count as papers."""

import hashlib
from collections.abc import Container
from pathlib import Path
from typing import BinaryIO

from methodlens.errors import InputError, OutputError
from methodlens.ledger.ledger import Ledger, Run
from methodlens.papers import PaperFile
from methodlens.papers.files import why_not_pdf
from methodlens.reports.output_files import slug

FOLDER = "uploads"
_CHUNK = 1 << 20


class Listed:
    """The names that papers of a run have: looked up when asked, never held."""

    def __init__(self, ledger: Ledger, run: Run | None) -> None:
        self._ledger, self._run = ledger, run

    def __contains__(self, name: object) -> bool:
        return self._run is not None and any(name == one for one in self._ledger.names(self._run))


def keep(stream: BinaryIO, name: str, folder: Path, *, taken: Container[str], max_mb: int) -> PaperFile:
    """Write the stream below `folder` under a name that no paper of the run has. What is no PDF is refused and removed.

    The same file sent again is the same paper, under the name it has.
    """
    draft = folder / f".incoming-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}-{id(stream)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        digest = _write(stream, draft, name, max_mb)
        if why := why_not_pdf(draft):
            raise InputError(f"{name[:80]!r} {why}", "choose the PDF itself")
        safe = _free_name(name, digest, folder, taken)
        draft.replace(folder / safe)
    except OSError as err:
        raise OutputError(f"{folder} cannot be written ({err.strerror})", "free some space, or choose another --out") from err
    finally:
        draft.unlink(missing_ok=True)
    return PaperFile(str(folder / safe), safe)


def _write(stream: BinaryIO, draft: Path, name: str, max_mb: int) -> str:
    digest = hashlib.sha256()
    size = 0
    with draft.open("wb") as out:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > max_mb << 20:
                raise InputError(f"{name[:80]!r} has more than {max_mb} MB", "raise papers.max_file_mb, or make it smaller")
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def _free_name(name: str, digest: str, folder: Path, taken: Container[str]) -> str:
    stem = slug(Path(name.replace("\\", "/")).name.removesuffix(".pdf").removesuffix(".PDF") or "paper")
    for safe in (f"{stem}.pdf", f"{stem}-{digest[:8]}.pdf"):
        there = folder / safe
        same = there.is_file() and hashlib.sha256(there.read_bytes()).hexdigest() == digest
        if same or (safe not in taken and not there.exists()):
            return safe
    return f"{digest}.pdf"
