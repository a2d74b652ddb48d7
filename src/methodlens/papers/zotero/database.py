"""Items of zotero.sqlite. Zotero may be running and writing, so a copy is read; the original is never opened by SQLite."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from methodlens.errors import InputError
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year
from methodlens.papers.zotero.items import Collection, LibraryItem, collection_path

FILE = "zotero.sqlite"
STORAGE = "storage"
_LONGEST_S = 120
_STORED, _BASE = "storage:", "attachments:"
_ATTACHMENTS = """
SELECT attachment.itemID, attachment.parentItemID, attachment.path, item.key
FROM itemAttachments AS attachment JOIN items AS item ON item.itemID = attachment.itemID
WHERE (attachment.contentType = 'application/pdf' OR lower(attachment.path) LIKE '%.pdf') AND attachment.path IS NOT NULL
  AND attachment.itemID NOT IN (SELECT itemID FROM deletedItems)
  AND coalesce(attachment.parentItemID, 0) NOT IN (SELECT itemID FROM deletedItems)
ORDER BY item.key
"""
_FIELDS = """
SELECT data.itemID, field.fieldName, value.value
FROM itemData AS data JOIN fields AS field ON field.fieldID = data.fieldID
JOIN itemDataValues AS value ON value.valueID = data.valueID
WHERE field.fieldName IN ('title', 'caseName', 'nameOfAct', 'date', 'DOI', 'url', 'extra')
"""
_AUTHORS = """
SELECT creators.itemID, person.firstName, person.lastName
FROM itemCreators AS creators JOIN creators AS person ON person.creatorID = creators.creatorID
JOIN creatorTypes AS type ON type.creatorTypeID = creators.creatorTypeID
WHERE type.creatorType = 'author'
ORDER BY creators.itemID, creators.orderIndex
"""


def database_items(folder: Path) -> list[LibraryItem]:
    """The items with a PDF, trash left out. `folder` is Zotero's data folder. Raises InputError."""
    try:
        with _copied(folder / FILE) as database:
            return list(_items(database, folder))
    except sqlite3.Error as err:
        raise InputError(
            f"{folder / FILE} cannot be read as a Zotero library ({err})", "close Zotero and try again, or export the library"
        ) from err


@contextmanager
def _copied(path: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(prefix="methodlens-") as scratch:
        copy = Path(scratch, FILE)
        try:
            shutil.copyfile(path, copy)
            for ending in ("-wal", "-journal"):  # what Zotero has not yet written to the file itself
                if (log := Path(f"{path}{ending}")).is_file():
                    shutil.copyfile(log, f"{copy}{ending}")
        except OSError as err:
            raise InputError(
                f"{path} cannot be copied ({err.strerror})", "check its permissions and the free disk space"
            ) from err
        with closing(sqlite3.connect(copy)) as database:
            deadline = time.monotonic() + _LONGEST_S
            database.execute("PRAGMA trusted_schema = OFF")
            database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
            yield database


def _items(database: sqlite3.Connection, folder: Path) -> Iterator[LibraryItem]:
    fields: dict[int, dict[str, str]] = {}
    for item, name, value in database.execute(_FIELDS):
        fields.setdefault(item, {})[name] = str(value)
    authors: dict[int, list[str]] = {}
    for item, first, last in database.execute(_AUTHORS):
        authors.setdefault(item, []).append(" ".join(filter(None, (first, last))))
    collections = _collections(database)
    for attachment, parent, path, key in database.execute(_ATTACHMENTS):
        item = attachment if parent is None else parent
        about = {} if parent is None else fields.get(parent, {})  # the title of an attachment is the name of its file
        yield LibraryItem(
            _metadata(about, tuple(authors.get(item, ()))),
            f"{FILE} {key}",
            (_location(str(path), str(key), folder),),
            tuple(sorted({*collections.get(item, ()), *collections.get(attachment, ())})),
        )


def _collections(database: sqlite3.Connection) -> dict[int, list[str]]:
    """The paths of the collections that each item is in."""
    rows = database.execute("SELECT collectionID, collectionName, parentCollectionID FROM collections")
    known: dict[object, Collection] = {number: Collection(str(name), parent) for number, name, parent in rows}
    members: dict[int, list[str]] = {}
    for collection, item in database.execute("SELECT collectionID, itemID FROM collectionItems"):
        if path := collection_path(collection, known):
            members.setdefault(item, []).append(path)
    return members


def _metadata(fields: Mapping[str, str], authors: tuple[str, ...]) -> Metadata:
    title = next((fields[name] for name in ("title", "caseName", "nameOfAct") if fields.get(name)), "")
    doi = find_doi(" ".join(fields.get(name, "") for name in ("DOI", "extra", "url")))
    return Metadata(" ".join(title.split()), authors, find_year(fields.get("date", "")), doi)


def _location(path: str, key: str, folder: Path) -> str:
    """'storage:paper.pdf' is in the folder of the attachment's key; other paths are links to files elsewhere.

    Paths below Zotero's base folder stay as they are, since only its preferences know the folder.
    """
    if not path.startswith(_STORED):
        return path
    return str(folder / STORAGE / key / os.path.basename(path.removeprefix(_STORED)))


def is_below_base(path: str) -> bool:
    return path.startswith(_BASE)
