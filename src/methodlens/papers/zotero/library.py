"""A library as the sources of a run: its PDFs, named below their folders, with metadata and collections."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError
from methodlens.papers.files import PaperFile, find, list_files, printable_name
from methodlens.papers.metadata.entries import Entry
from methodlens.papers.metadata.sidecars import Sidecars
from methodlens.papers.zotero.database import FILE, STORAGE, database_items, is_below_base
from methodlens.papers.zotero.exports import SUFFIXES, exported_items
from methodlens.papers.zotero.items import LibraryItem

_FIX = f"name Zotero's data folder, which holds {FILE}, or a file exported as .json, .bib or .ris"


class Library(NamedTuple):
    """`sources` are the folders of the papers; `skipped` says which PDFs of the library are not there, and why."""

    sources: tuple[str, ...]
    papers: tuple[PaperFile, ...]
    sidecars: Sidecars
    skipped: tuple[str, ...]


def read_library(path: Path) -> Library:
    """From Zotero's data folder, its storage folder, zotero.sqlite, or an exported file. Raises InputError."""
    data_folder = next((folder for folder in (path, path.parent) if (folder / FILE).is_file()), None)
    if path.is_file() and path.suffix.lower() in SUFFIXES:
        items, home = exported_items(path), path.parent
        if not any(item.files for item in items):  # CSL JSON never names files: match the PDFs next to it
            return Library((str(home),), tuple(find([home])), _sidecars(items, {}), ())
    elif data_folder and (path.is_dir() or path.name == FILE):
        items, home = database_items(data_folder), data_folder / STORAGE
    else:
        problem = "is not a Zotero library" if path.exists() else "does not exist"
        raise InputError(f"{printable_name(path)} {problem}", _FIX)
    return _library(items, home)


def _library(items: Sequence[LibraryItem], home: Path) -> Library:
    there = [file for item in items for file in item.files if os.path.isfile(file)]
    skipped = tuple(
        f"{item.source}: {printable_name(file)}: {_why_missing(file)}"
        for item in items
        for file in item.files
        if not os.path.isfile(file)
    )
    if not there:
        missing = f" ({len(skipped)} PDFs are listed, such as {skipped[0]})" if skipped else ""
        raise InputError(f"the library has no PDF on this machine{missing}", "download its files in Zotero, or export them too")
    sources = _folders(there, home)
    names = {os.path.realpath(file.location): file for file in list_files(sources)}
    papers = {os.path.realpath(file): names[os.path.realpath(file)] for file in there if os.path.realpath(file) in names}
    return Library(tuple(sources), tuple(papers.values()), _sidecars(items, papers), skipped)


def _sidecars(items: Iterable[LibraryItem], papers: dict[str, PaperFile]) -> Sidecars:
    entries = []
    for item in items:
        files = (papers.get(os.path.realpath(file)) for file in item.files)
        names = tuple(file.name for file in files if file)
        entries.append(Entry(item.metadata, item.source, names, collections=item.collections))
    return Sidecars([entries])


def _folders(files: Iterable[str], home: Path) -> list[str]:
    """The home of the library, and the folders of linked files elsewhere. A folder inside another one is left out."""
    folders = sorted({str(home) if _is_inside(file, str(home)) else os.path.dirname(file) for file in files})
    return [folder for folder in folders if not any(_is_inside(folder, other) for other in folders if other != folder)]


def _is_inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), ""))


def _why_missing(file: str) -> str:
    if is_below_base(file):
        return "it is below Zotero's base folder for links; export the library as Better BibTeX JSON"
    return "not on this machine; download it in Zotero"
