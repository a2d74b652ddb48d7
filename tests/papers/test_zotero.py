"""A Zotero library as the source of a run: its database, and exported files."""

import json
import shutil
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from methodlens.errors import InputError
from methodlens.lens import Lens
from methodlens.papers.files import locate_all
from methodlens.papers.metadata.entries import Metadata
from methodlens.papers.zotero import Library, read_library
from methodlens.records import PaperEntry

PDF = b"%PDF-1.7\nfictional\n"
SCHEMA = """
CREATE TABLE items (itemID INTEGER PRIMARY KEY, key TEXT);
CREATE TABLE deletedItems (itemID INTEGER);
CREATE TABLE itemAttachments (itemID INTEGER, parentItemID INTEGER, linkMode INTEGER, contentType TEXT, path TEXT);
CREATE TABLE fields (fieldID INTEGER, fieldName TEXT);
CREATE TABLE itemData (itemID INTEGER, fieldID INTEGER, valueID INTEGER);
CREATE TABLE itemDataValues (valueID INTEGER, value TEXT);
CREATE TABLE creators (creatorID INTEGER, firstName TEXT, lastName TEXT, fieldMode INTEGER);
CREATE TABLE creatorTypes (creatorTypeID INTEGER, creatorType TEXT);
CREATE TABLE itemCreators (itemID INTEGER, creatorID INTEGER, creatorTypeID INTEGER, orderIndex INTEGER);
CREATE TABLE collections (collectionID INTEGER, collectionName TEXT, parentCollectionID INTEGER);
CREATE TABLE collectionItems (collectionID INTEGER, itemID INTEGER);
INSERT INTO fields VALUES (1, 'title'), (6, 'date'), (8, 'DOI'), (9, 'extra');
INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor');
INSERT INTO creators VALUES (1, 'Ada', 'Lamp', 0), (2, '', 'Moth Survey Group', 1), (3, 'Eve', 'Editor', 0);
INSERT INTO collections VALUES (1, 'Moths', NULL), (2, 'Night', 1), (3, 'Loop', 4), (4, 'Pool', 3);
INSERT INTO items VALUES (10, 'PARENT01'), (11, 'ATTACH01'), (12, 'ATTACH02'), (13, 'ATTACH03');
INSERT INTO items VALUES (14, 'ATTACH04'), (15, 'ATTACH05');
INSERT INTO itemAttachments VALUES
  (11, 10, 0, 'application/pdf', 'storage:moths.pdf'), (12, NULL, 2, 'application/pdf', '{linked}'),
  (13, NULL, 1, 'application/pdf', 'storage:trash.pdf'), (14, NULL, 0, 'application/pdf', 'storage:../../secret.pdf'),
  (15, NULL, 2, 'application/pdf', 'attachments:below/base.pdf');
INSERT INTO deletedItems VALUES (13);
INSERT INTO itemDataValues VALUES (1, 'Counting moths at night'), (2, '2021-05-00 May 2021'), (3, 'DOI: 10.5555/Moths.1');
INSERT INTO itemData VALUES (10, 1, 1), (10, 6, 2), (10, 9, 3);
INSERT INTO itemCreators VALUES (10, 2, 1, 1), (10, 1, 1, 0), (10, 3, 2, 2);
INSERT INTO collectionItems VALUES (2, 10), (3, 12);
"""
MOTHS = Metadata("Counting moths at night", ("Ada Lamp", "Moth Survey Group"), 2021, "10.5555/moths.1")


def write_pdf(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PDF)
    return path


@pytest.fixture
def zotero(tmp_path: Path) -> Path:
    """A data folder with an item, a linked file, an item in the trash and two attachments that cannot be found."""
    folder = tmp_path / "Zotero"
    write_pdf(folder / "storage" / "ATTACH01" / "moths.pdf")
    write_pdf(folder / "storage" / "ATTACH03" / "trash.pdf")
    write_pdf(tmp_path / "secret.pdf")
    linked = write_pdf(tmp_path / "linked" / "wings.pdf")
    database = sqlite3.connect(folder / "zotero.sqlite")
    database.executescript(SCHEMA.replace("{linked}", str(linked)))
    database.close()
    return folder


def names(library: Library) -> list[str]:
    return [paper.name for paper in library.papers]


def test_the_data_folder_gives_papers_metadata_and_collections(zotero: Path, tmp_path: Path) -> None:
    library = read_library(zotero)
    assert names(library) == ["ATTACH01/moths.pdf", "wings.pdf"]
    assert library.sources == (str(zotero / "storage"), str(tmp_path / "linked"))
    assert library.sidecars.lookup("ATTACH01/moths.pdf", Metadata()) == MOTHS
    assert library.sidecars.collections("ATTACH01/moths.pdf", Metadata()) == ("Moths/Night",)
    assert library.sidecars.lookup("wings.pdf", Metadata("Wings")) == Metadata("Wings")
    assert len(library.sidecars.collections("wings.pdf", Metadata())) == 1, "a loop of collections ends"
    assert [line.rpartition("; ")[2] for line in library.skipped] == [
        "download it in Zotero",
        "export the library as Better BibTeX JSON",
    ]


@pytest.mark.parametrize("part", ["", "storage", "zotero.sqlite"])
def test_any_part_of_the_data_folder_names_the_library_and_none_is_changed(part: str, zotero: Path) -> None:
    before = {path: sha256(path.read_bytes()).digest() for path in zotero.rglob("*") if path.is_file()}
    library = read_library(zotero / part)
    assert names(library) == ["ATTACH01/moths.pdf", "wings.pdf"]
    assert {path: sha256(path.read_bytes()).digest() for path in zotero.rglob("*") if path.is_file()} == before
    assert set(names(library)) <= set(locate_all(library.sources)), "reports and exports find the files again"


def test_a_library_is_read_while_zotero_writes(zotero: Path) -> None:
    writer = sqlite3.connect(zotero / "zotero.sqlite")
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("DELETE FROM itemAttachments")
    assert len(read_library(zotero).papers) == 2
    writer.rollback()
    writer.close()


def test_a_run_takes_the_papers_their_metadata_and_a_flag_per_collection(zotero: Path) -> None:
    library = read_library(zotero)
    plan = Lens().plan(library.sources, papers=library.papers, sidecars=[library.sidecars])
    assert plan.names == ("ATTACH01/moths.pdf", "wings.pdf")
    entry = plan.describe(PaperEntry("ATTACH01/moths.pdf", "ab" * 32, flags=("ocr",)))
    assert (entry.title, entry.doi) == (MOTHS.title, MOTHS.doi)
    assert entry.flags == ("ocr", "collection:Moths/Night")


def better_bibtex_json(folder: Path) -> Path:
    write_pdf(folder / "files" / "7" / "moths.pdf")
    item = {
        "itemID": 7,
        "title": "Counting moths\nat night",
        "date": "2021-05",
        "DOI": "10.5555/moths.1",
        "creators": [
            {"creatorType": "author", "firstName": "Ada", "lastName": "Lamp"},
            {"creatorType": "author", "name": "Moth Survey Group"},
            {"creatorType": "editor", "lastName": "Editor"},
        ],
        "attachments": [{"path": "files/7/moths.pdf"}, {"path": "files/7/snapshot.html"}, {"title": "a note"}],
    }
    collections = {"A": {"name": "Moths", "items": []}, "B": {"name": "Night", "parent": "A", "items": [7]}}
    path = folder / "library.json"
    path.write_text(json.dumps({"collections": collections, "items": [item]}))
    return path


def test_better_bibtex_json_has_files_and_collections(tmp_path: Path) -> None:
    library = read_library(better_bibtex_json(tmp_path))
    assert names(library) == ["files/7/moths.pdf"]
    assert library.sidecars.lookup("files/7/moths.pdf", Metadata()) == MOTHS
    assert library.sidecars.collections("files/7/moths.pdf", Metadata()) == ("Moths/Night",)


def test_csl_json_describes_the_pdfs_next_to_it(tmp_path: Path) -> None:
    write_pdf(tmp_path / "anything.pdf")
    authors = [{"family": "Lamp", "given": "Ada"}, {"literal": "Moth Survey Group"}]
    item = {"title": MOTHS.title, "author": authors, "issued": {"date-parts": [[2021, 5]]}, "DOI": "10.5555/moths.1"}
    (tmp_path / "library.json").write_text(json.dumps([item]))
    library = read_library(tmp_path / "library.json")
    assert names(library) == ["anything.pdf"]
    assert library.sidecars.lookup("anything.pdf", Metadata(doi="10.5555/moths.1")) == MOTHS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "library.ris",
            "TY  - JOUR\nTI  - Counting moths at night\nAU  - Lamp, Ada\nPY  - 2021\nL1  - files/7/moths.pdf\nER  - \n",
        ),
        (
            "library.bib",
            "@article{lamp,\n title={Counting moths at night}, author={Lamp, Ada}, year=2021, file={files/7/moths.pdf}}\n",
        ),
    ],
)
def test_ris_and_bibtex_exports_name_their_files(name: str, text: str, tmp_path: Path) -> None:
    write_pdf(tmp_path / "files" / "7" / "moths.pdf")
    write_pdf(tmp_path / "other.pdf")
    (tmp_path / name).write_text(text)
    library = read_library(tmp_path / name)
    assert names(library) == ["files/7/moths.pdf"], "PDFs that the library does not list are left out"
    assert library.sidecars.lookup("files/7/moths.pdf", Metadata()).title == MOTHS.title


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("library.json", b"{", "is not JSON"),
        ("library.json", b"[" * 100_000, "is not JSON"),
        ("library.json", b'{"items": 3}', "has no list of items"),
        ("library.json", b'[{"attachments": 1, "author": "x", "issued": [], "title": []}]', "no PDF in"),
        ("library.bib", b"@article{x, title = {a", "library.bib:1"),
        ("library.docx", b"x", "is not a Zotero library"),
        ("zotero.sqlite", b"not a database" * 100, "cannot be read as a Zotero library"),
        ("zotero.sqlite", b"", "no such table"),
    ],
)
def test_what_is_not_a_library_gets_a_reason(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_library(tmp_path / name)


def test_a_library_without_its_files_says_so(zotero: Path, tmp_path: Path) -> None:
    shutil.rmtree(zotero / "storage")
    shutil.rmtree(tmp_path / "linked")
    with pytest.raises(InputError, match="the library has no PDF on this machine"):
        read_library(zotero)
    with pytest.raises(InputError, match="does not exist"):
        read_library(tmp_path / "missing")
