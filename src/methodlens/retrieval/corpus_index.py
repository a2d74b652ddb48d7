"""A search index of many papers in one SQLite file: the words of their passages (FTS5) and their vectors.

Each paper is added in one transaction, so an interrupted run leaves only whole papers and can be resumed. A paper is indexed
again only if its bytes, the parser, the passage size or the vectors change.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
import numpy as np

from methodlens.errors import OutputError, RetrievalError
from methodlens.records import Hit, Passage, Question
from methodlens.retrieval.fusion import FusedRetriever
from methodlens.retrieval.query import query_words
from methodlens.text import words
from methodlens.text.vectors import Encoder

FILE = "search.sqlite"
_VERSION = 1
_CANDIDATES = 200  # passages that words and vectors each propose for the full ranking
_RELATED = 0.3  # cosine from which vectors propose a passage
_TABLES = """
CREATE TABLE papers (paper INTEGER PRIMARY KEY, sha256 TEXT UNIQUE NOT NULL, made_by TEXT NOT NULL, vectors BLOB NOT NULL);
CREATE TABLE passages (id INTEGER PRIMARY KEY, paper INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX passages_by_paper ON passages (paper);
CREATE VIRTUAL TABLE words USING fts5 (tokens, content='', tokenize="unicode61 remove_diacritics 0");
"""


class CorpusHit(NamedTuple):
    sha256: str
    hit: Hit


class CorpusIndex:
    """Open with `CorpusIndex.at(folder, ...)`, use as a context manager. SQLite lets one process write at a time."""

    def __init__(self, connection: sqlite3.Connection, encoder: Encoder, retriever: FusedRetriever) -> None:
        self._db = connection
        self._encoder = encoder
        self._retriever = retriever

    @classmethod
    def at(cls, folder: Path, encoder: Encoder, retriever: FusedRetriever) -> Self:
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        except (OSError, sqlite3.Error) as err:
            raise OutputError(f"{path} cannot be written ({err})", "choose another folder with --out") from err
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _create(connection)
        except sqlite3.Error as err:
            connection.close()
            raise RetrievalError(f"{path} cannot be used as an index ({err})", "remove it, and it is built again") from err
        return cls(connection, encoder, retriever)

    def has(self, sha256: str, made_by: str) -> bool:
        """`made_by` names the parser and the passage size; the vectors are added here."""
        row = self._db.execute("SELECT made_by FROM papers WHERE sha256 = ?", (sha256,)).fetchone()
        return row is not None and row[0] == self._mark(made_by)

    def keep(self, sha256: str, made_by: str, passages: Sequence[Passage]) -> None:
        """Add a paper, or replace it."""
        texts = [passage.text for passage in passages]
        vectors = np.round(self._encoder.encode(texts) * 127).astype(np.int8) if texts else np.zeros((0, 1), np.int8)
        tokens = [_encoded(words(text)) for text in texts]
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._drop(sha256)
            paper = self._db.execute(
                "INSERT INTO papers (sha256, made_by, vectors) VALUES (?, ?, ?)", (sha256, self._mark(made_by), vectors.tobytes())
            ).lastrowid
            for passage, row in zip(passages, tokens, strict=True):
                number = self._db.execute(
                    "INSERT INTO passages (paper, body) VALUES (?, ?)", (paper, msgspec.json.encode([row, passage]))
                ).lastrowid
                self._db.execute("INSERT INTO words (rowid, tokens) VALUES (?, ?)", (number, row))
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _drop(self, sha256: str) -> None:
        old = self._db.execute("SELECT paper FROM papers WHERE sha256 = ?", (sha256,)).fetchone()
        if old is None:
            return
        for number, body in self._db.execute("SELECT id, body FROM passages WHERE paper = ?", old).fetchall():
            tokens = msgspec.json.decode(body, type=tuple[str, Passage])[0]
            self._db.execute("INSERT INTO words (words, rowid, tokens) VALUES ('delete', ?, ?)", (number, tokens))
        self._db.execute("DELETE FROM passages WHERE paper = ?", old)
        self._db.execute("DELETE FROM papers WHERE paper = ?", old)

    def search(self, question: Question, sha256s: Sequence[str], *, top: int) -> list[CorpusHit]:
        """The best passages of these papers. Words and vectors propose candidates; the full ranking orders them."""
        papers = self._papers(sha256s)
        numbers = {*self._by_words(question, papers), *self._by_meaning(question, papers)}
        rows = [self._db.execute("SELECT paper, body FROM passages WHERE id = ?", (n,)).fetchone() for n in sorted(numbers)]
        passages = [(papers[paper], msgspec.json.decode(body, type=tuple[str, Passage])[1]) for paper, body in rows]
        # passages of two papers can be equal, so compare them by identity
        owner = {id(passage): sha256 for sha256, passage in passages}
        ranked = self._retriever.index([passage for _, passage in passages], one_paper=False).rank(question)[:top]
        return [CorpusHit(owner[id(hit.passage)], hit) for hit in ranked]

    def _papers(self, sha256s: Sequence[str]) -> Mapping[int, str]:
        wanted = set(sha256s)
        return {paper: sha for paper, sha in self._db.execute("SELECT paper, sha256 FROM papers") if sha in wanted}

    def _by_words(self, question: Question, papers: Mapping[int, str]) -> list[int]:
        tokens = _encoded(query_words(question)).split()
        if not tokens:
            return []
        match = " OR ".join(f'"{token}"' for token in tokens)
        ranked = self._db.execute(
            "SELECT words.rowid, passages.paper FROM words JOIN passages ON passages.id = words.rowid"
            " WHERE words MATCH ? ORDER BY bm25(words)",
            (match,),
        )
        return [number for number, paper in ranked if paper in papers][:_CANDIDATES]

    def _by_meaning(self, question: Question, papers: Mapping[int, str]) -> list[int]:
        query, _ = self._retriever.query(question)
        scores: list[tuple[float, int]] = []
        for paper in papers:
            blob = self._db.execute("SELECT vectors FROM papers WHERE paper = ?", (paper,)).fetchone()[0]
            numbers = [row[0] for row in self._db.execute("SELECT id FROM passages WHERE paper = ? ORDER BY id", (paper,))]
            if numbers:
                table = np.frombuffer(blob, np.int8).reshape(len(numbers), -1).astype(np.float32) / 127
                near = (table @ query.vector).tolist()
                scores += [(score, n) for score, n in zip(near, numbers, strict=True) if score >= _RELATED]
        return [number for _, number in sorted(scores, key=lambda pair: (-pair[0], pair[1]))[:_CANDIDATES]]

    def _mark(self, made_by: str) -> str:
        return f"{made_by} {self._encoder.fingerprint}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()


def _create(connection: sqlite3.Connection) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        version = cursor.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            for statement in filter(str.strip, _TABLES.split(";\n")):
                cursor.execute(statement)
            cursor.execute(f"PRAGMA user_version = {_VERSION}")
        cursor.execute("COMMIT")
        if version > _VERSION:
            raise sqlite3.DatabaseError("it was written by a newer methodlens")


def _encoded(tokens: Sequence[str]) -> str:
    """Words without characters that FTS5 splits at: "resnet-50" becomes "resnetx2d50"."""
    return " ".join(re.sub(r"[^a-z0-9]", lambda match: f"x{ord(match[0]):x}", token) for token in tokens)
