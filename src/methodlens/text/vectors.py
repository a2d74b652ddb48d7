"""Static vectors: the vector of a text is the mean of its tokens' vectors.

The shipped vectors, or a folder as model2vec saves it, with tokenizer.json and model.safetensors.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from methodlens.errors import RetrievalError

Matrix = npt.NDArray[np.float32]
_DTYPES = {"I8": "<i1", "U8": "<u1", "F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}
_LARGEST_HEADER = 10_000_000
_AT_ONCE = 128  # texts per batch
_MOST_WORDS = 20_000  # whose tokens are kept: those of a few papers


class Encoder(Protocol):
    """Gives each text a row of length 1, or of zeros if it knows none of its tokens."""

    fingerprint: str

    def encode(self, texts: Sequence[str]) -> Matrix: ...

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Sequence[str]]) -> tuple[Matrix, Matrix | None]:
        """The vectors of texts, and of all their parts in order if these cost little. Every text has at least one part."""
        ...


class StaticVectors:
    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        fix = "name a folder as model2vec saves it, with tokenizer.json and model.safetensors"
        try:
            tensors = read_safetensors(folder / "model.safetensors")
            self._tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
        except Exception as err:  # tokenizers raises bare Exceptions
            raise RetrievalError(f"the vectors in {folder} cannot be read ({err})", fix) from err
        if "embeddings" not in tensors or tensors["embeddings"].ndim != 2:
            raise RetrievalError(f"{folder}/model.safetensors has no table of embeddings", fix)
        self.fingerprint = f"static-{hashlib.sha256(tensors['embeddings'].tobytes()).hexdigest()[:16]}"
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._table = tensors["embeddings"]
        self._row: npt.NDArray[Any] | None = tensors.get("mapping")
        weights = tensors.get("weights")
        self._weights = None if weights is None else weights.astype(np.float32)
        size = len(self._table) if self._row is None else len(self._row)
        if self._tokenizer.get_vocab_size() > size:
            raise RetrievalError(f"{folder}: its tokenizer has more tokens than there are vectors", fix)
        about = json.loads(self._tokenizer.to_str())
        unknown = about["model"].get("unk_token")
        self._unknown = self._tokenizer.token_to_id(unknown) if unknown else None
        self._splits_at_spaces = (about.get("pre_tokenizer") or {}).get("type") == "BertPreTokenizer"
        self._ids_of_word = dict[str, list[int]]()

    def encode(self, texts: Sequence[str]) -> Matrix:
        return unit(self._sums(texts))  # scaled to length 1, the sum equals the mean

    def has_word(self, word: str) -> bool:
        """Whether the word, in lower case, or its singular is a token of its own: most common English words are."""
        return any(self._tokenizer.token_to_id(form) is not None for form in (word, word.removesuffix("s")) if len(form) > 1)

    def rarity(self, words: Sequence[str]) -> Matrix:
        """How rare each word is in general, 0 if it has no vector: tokens were weighted by rarity when the vectors were made."""
        return np.asarray(np.linalg.norm(self._sums(words), axis=1), np.float32)

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Sequence[str]]) -> tuple[Matrix, Matrix | None]:
        """The sum of a text is the sum of its parts, so nothing is tokenized twice."""
        sums = self._sums([part for row in parts for part in row])
        firsts = np.cumsum([0, *map(len, parts)])[:-1]
        return unit(np.asarray(np.add.reduceat(sums, firsts), np.float32)), unit(sums)

    def _sums(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), self._table.shape[1]), np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            self._add_up(texts[start : start + _AT_ONCE], rows[start : start + _AT_ONCE])
        return rows

    def _add_up(self, texts: Sequence[str], rows: Matrix) -> None:
        tokens = self._by_words(texts) if self._splits_at_spaces else self._tokenized(texts)
        ids = np.array([token for row in tokens for token in row], np.int64)
        owner = np.repeat(np.arange(len(texts)), [len(row) for row in tokens])
        known = ids != self._unknown if self._unknown is not None else np.ones(len(ids), bool)
        ids, owner = ids[known], owner[known]
        if not len(ids):
            return
        vectors = self._table[ids if self._row is None else self._row[ids]].astype(np.float32)
        if self._weights is not None:
            vectors *= self._weights[ids, None]
        firsts = np.flatnonzero(np.diff(owner, prepend=-1))
        rows[owner[firsts]] = np.add.reduceat(vectors, firsts)

    def _by_words(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text. A paper repeats its words, so each is tokenized once."""
        rows = [text.split() for text in texts]
        if len(self._ids_of_word) > _MOST_WORDS:
            self._ids_of_word = {}
        known = self._ids_of_word
        new = list({word for row in rows for word in row if word not in known})
        known.update(zip(new, self._tokenized(new), strict=True))
        return [[token for word in row for token in known[word]] for row in rows]

    def _tokenized(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]


@lru_cache(maxsize=4)
def load_vectors(folder: str = "") -> StaticVectors:
    """The vectors in `folder`, or the shipped ones. Loaded once per process."""
    if folder:
        return StaticVectors(Path(folder))
    with resources.as_file(resources.files("methodlens.text") / "data" / "vectors") as shipped:
        return StaticVectors(shipped)


def unit(rows: Matrix) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def read_safetensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The tensors of a file by name. The format is a length, a JSON header with offsets, and the bytes; nothing is executed."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    if not 0 < size <= min(len(data) - 8, _LARGEST_HEADER):
        raise ValueError("not a safetensors file")
    header: dict[str, Any] = json.loads(data[8 : 8 + size])
    tensors: dict[str, npt.NDArray[Any]] = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        if about["dtype"] not in _DTYPES:
            raise ValueError(f"{name} is {about['dtype']}: save it as float32, float16 or int8")
        start, end = about["data_offsets"]
        block = data[8 + size :][start:end] if end <= len(data) - 8 - size else b""
        tensors[name] = np.frombuffer(block, dtype=_DTYPES[about["dtype"]]).reshape(about["shape"])
    return tensors
