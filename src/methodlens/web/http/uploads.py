"""Uploaded PDFs: limited in size, saved under safe names, and checked before they count as papers."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from methodlens.errors import InputError, OutputError
from methodlens.papers import PaperFile
from methodlens.papers.files import why_not_pdf
from methodlens.reports.output_files import slug

FOLDER = "uploads"
_CHUNK = 1 << 20


def save(stream: BinaryIO, name: str, folder: Path, *, is_taken: Callable[[str], bool], max_mb: int) -> PaperFile:
    """Save the stream in `folder` under a name that is not taken. Files that are not PDFs are removed and refused.

    The same file sent again keeps its first name.
    """
    draft = folder / f".incoming-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}-{id(stream)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        digest = _write(stream, draft, name, max_mb)
        if reason := why_not_pdf(draft):
            raise InputError(f"{name[:80]!r} {reason}", "choose a PDF file")
        safe_name = _free_name(name, digest, folder, is_taken)
        draft.replace(folder / safe_name)
    except OSError as err:
        raise OutputError(f"cannot write to {folder} ({err.strerror})", "free some space, or choose another --out") from err
    finally:
        draft.unlink(missing_ok=True)
    return PaperFile(str(folder / safe_name), safe_name)


def _write(stream: BinaryIO, draft: Path, name: str, max_mb: int) -> str:
    digest = hashlib.sha256()
    size = 0
    draft.touch(mode=0o600)
    with draft.open("wb") as out:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > max_mb << 20:
                raise InputError(f"{name[:80]!r} is larger than {max_mb} MB", "raise papers.max_file_mb, or make it smaller")
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def _free_name(name: str, digest: str, folder: Path, is_taken: Callable[[str], bool]) -> str:
    stem = slug(Path(name.replace("\\", "/")).name.removesuffix(".pdf").removesuffix(".PDF") or "paper")
    for candidate in (f"{stem}.pdf", f"{stem}-{digest[:8]}.pdf"):
        path = folder / candidate
        same = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
        if same or (not is_taken(candidate) and not path.exists()):
            return candidate
    return f"{digest}.pdf"
