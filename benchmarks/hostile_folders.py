"""Folders as no one would make them on purpose: odd names, links, pipes, broken files and broken lists of references."""

import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.long.test_fuzz import base_pdfs, mutants, small

_NAMES = [
    b"paper", b"caf\xe9", b"\xff\xfe", "論文".encode(), "\u202egnp".encode(), b"a\x1b]0;owned\x07", b"new\nline", b"tab\t", b"..",
    b"=cmd|' /C calc'!A0", b"-rf", b"--out", b"con", b"a" * 240, b"%s%n", b"<script>alert(1)<", b"a'b\"c", b"a\\b", b" ", b"1e5",
    b"NaN", "e\u0301".encode(), "\U0001f41f".encode(), b"{{7*7}}", b"a;b,c", b"http:", b"::", b"~", b"$HOME", b"*",
]  # fmt: skip
_SUFFIXES = [b".pdf", b".PDF", b".Pdf", b".pdf", b".pdf", b".pdf.pdf", b".txt", b""]
REFERENCES = {
    "refs.bib": b"@article{gull, title = {{Gulls} and \\'{e}, author = {Ann and and and {",
    "refs.ris": b"TY  - JOUR\nTI  - \xff\xfe\nER",
    "manifest.csv": b'file,title\n"a.pdf,\x00\n,,,,\n=1,2\n',
    "methodlens.toml": b"[readers.x]\nbase_url = 'http://127.0.0.1:1'\n",
    ".hidden.pdf": b"%PDF-1.7",
    "Thumbs.db": bytes(range(64)),
}
_SOME_PAPER = 0.8
_KINDS = ["good", "good", "mutant", "folder", "pipe", "link", "loop", "device", "gone", "empty", "web", "references"]


class Expected(NamedTuple):
    """How many regular files are papers by their names, once each, and how many of them are whole PDFs."""

    files: int
    readable: int


@cache
def _good() -> bytes:
    return small()


def fill_with_oddities(folder: Path, rng: random.Random) -> Expected:
    os.chmod(folder, 0o700)
    folders = [os.fsencode(folder)]
    stream = mutants(base_pdfs(), rng.randrange(1 << 30))
    if rng.random() < _SOME_PAPER:
        _write(folders[0] + b"/good.pdf", _good())
    for _ in range(rng.randint(1, 9)):
        parent, name = rng.choice(folders), rng.choice(_NAMES) + rng.choice(_SUFFIXES)
        path = parent + b"/" + name
        if name in (b"..", b".") or os.path.lexists(path) or len(name) > 255:
            continue
        try:
            _make(path, rng, folders, stream)
        except OSError:  # this file system does not take the name
            continue
    return _count(os.fsencode(folder))


def _make(path: bytes, rng: random.Random, folders: list[bytes], stream: Iterator[bytes]) -> None:
    match rng.choice(_KINDS):
        case "good":
            _write(path, _good() + b"%% %d\n" % rng.randrange(3))
        case "mutant":
            _write(path, next(stream))
        case "folder":
            os.mkdir(path)
            folders.append(path)
        case "pipe":
            os.mkfifo(path)
        case "link":
            os.symlink(rng.choice(folders), path)
        case "loop":
            os.symlink(path, path)
        case "device":
            os.symlink(rng.choice([b"/dev/zero", b"/dev/tty", b"/proc/self/mem", b"/dev/full"]), path)
        case "gone":
            os.symlink(b"nothing-here", path)
        case "empty":
            _write(path, b"")
        case "web":
            _write(path, b"<!DOCTYPE html><html>Please log in" + bytes(rng.randrange(5000)))
        case _:
            name = rng.choice(list(REFERENCES))
            _write(os.path.join(os.path.dirname(path), name.encode()), REFERENCES[name])


def _write(path: bytes, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _count(folder: bytes) -> Expected:
    """By the documented rules: linked folders are followed, files are listed once, hidden names and special files are not.

    Where there is no PDF, text files are papers.
    """
    files: dict[bytes, bytes] = {}
    texts: dict[bytes, bytes] = {}
    seen: set[bytes] = set()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        if os.path.realpath(here) in seen:
            continue
        seen.add(os.path.realpath(here))
        for name in os.listdir(here):
            path = here + b"/" + name
            if name.startswith(b"."):
                continue
            if os.path.isdir(path):
                waiting.append(path)
            elif os.path.isfile(path) and name.lower().endswith(b".pdf"):
                files[os.path.realpath(path)] = path
            elif os.path.isfile(path) and name.lower().endswith(b".txt"):
                texts[os.path.realpath(path)] = path
    if not files:
        return Expected(len(texts), 0)
    contents = [Path(os.fsdecode(path)).read_bytes() for path in files.values() if os.path.getsize(path)]
    return Expected(len(files), sum(data.startswith(_good()) for data in contents))
