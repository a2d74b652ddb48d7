"""Items of an exported library: Better BibTeX JSON and CSL JSON, BibTeX, and RIS."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from methodlens.errors import InputError
from methodlens.papers.metadata.bibtex import bibtex_entries
from methodlens.papers.metadata.entries import Entry, Metadata, find_doi, find_year
from methodlens.papers.metadata.ris import ris_entries
from methodlens.papers.metadata.sidecars import read_text
from methodlens.papers.zotero.items import Collection, LibraryItem, collection_path

_ENTRIES: Mapping[str, Callable[[str, str], tuple[Entry, ...]]] = {".bib": bibtex_entries, ".ris": ris_entries}
SUFFIXES = (".json", *_ENTRIES)


def exported_items(path: Path) -> list[LibraryItem]:
    """Relative paths of files are taken from the folder of the export. Raises InputError."""
    text = read_text(path)
    if path.suffix.lower() == ".json":
        return list(_json_items(_decoded(text, path), path))
    return [
        LibraryItem(entry.metadata, entry.source, tuple(_absolute(file, path) for file in entry.files))
        for entry in _ENTRIES[path.suffix.lower()](text, path.name)
    ]


def _decoded(text: str, path: Path) -> Any:
    try:
        return msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, RecursionError) as err:
        raise InputError(f"{path} is not JSON ({err})", "export it again as CSL JSON or Better BibTeX JSON") from err


def _json_items(library: Any, path: Path) -> Iterator[LibraryItem]:
    """CSL JSON is a list of items; Better BibTeX JSON has them in `items`, with the collections."""
    items = library.get("items") if isinstance(library, dict) else library
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError(f"{path} has no list of items", "export it again as CSL JSON or Better BibTeX JSON")
    collections = _collections(library.get("collections")) if isinstance(library, dict) else {}
    for number, item in enumerate(items, 1):
        attachments = item.get("attachments")
        paths = [
            _absolute(str(file.get("path") or file.get("localPath") or ""), path)
            for file in (attachments if isinstance(attachments, list) else [])
            if isinstance(file, dict)
        ]
        files = tuple(file for file in paths if file.lower().endswith(".pdf"))
        yield LibraryItem(_metadata(item), f"{path.name} item {number}", files, collections.get(item.get("itemID"), ()))


def _metadata(item: Mapping[str, Any]) -> Metadata:
    creators = item.get("author") if "author" in item else item.get("creators")
    authors = [_name(one) for one in (creators if isinstance(creators, list) else []) if isinstance(one, dict)]
    date = item.get("issued") if "issued" in item else item.get("date")
    doi = find_doi(" ".join(str(item.get(name) or "") for name in ("DOI", "doi", "extra", "URL", "url")))
    title = " ".join(str(item.get("title") or "").split())
    return Metadata(title, tuple(filter(None, authors)), find_year(str(date or "")), doi)


def _name(creator: Mapping[str, Any]) -> str:
    if creator.get("creatorType", "author") != "author":
        return ""
    whole = creator.get("literal") or creator.get("name")
    particle = creator.get("non-dropping-particle") or creator.get("dropping-particle")
    parts = (creator.get("given") or creator.get("firstName"), particle, creator.get("family") or creator.get("lastName"))
    return " ".join(" ".join(str(part) for part in ((whole,) if whole else parts) if part).split())


def _collections(exported: Any) -> dict[Any, tuple[str, ...]]:
    """By item id: the paths of the collections that it is in."""
    listed = exported if isinstance(exported, dict) else {}
    known: dict[object, Collection] = {
        key: Collection(str(one.get("name") or ""), one.get("parent")) for key, one in listed.items() if isinstance(one, dict)
    }
    members: dict[Any, set[str]] = {}
    for key in known:
        items = listed[key].get("items")
        for item in items if isinstance(items, list) else []:
            if isinstance(item, int | str) and (path := collection_path(key, known)):
                members.setdefault(item, set()).add(path)
    return {item: tuple(sorted(paths)) for item, paths in members.items()}


def _absolute(file: str, export: Path) -> str:
    return os.path.join(export.parent, os.path.expanduser(file.removeprefix("file://"))) if file else ""
