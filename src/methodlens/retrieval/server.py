"""Vectors from an OpenAI-compatible embeddings server, as an alternative to the vectors that ship with methodlens."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from methodlens.api_keys import find_key
from methodlens.errors import RetrievalError
from methodlens.http_client import HttpClient, RequestFailed, excerpt
from methodlens.settings import EmbeddingServer
from methodlens.text.vectors import Matrix, unit

_BATCH = 64
_MAX_BYTES = 64_000_000
_NAME = "the embeddings server"


class ServerVectors:
    """An Encoder. Every request has a deadline; every failure is a RetrievalError."""

    def __init__(self, server: EmbeddingServer, api_key: str | None = None) -> None:
        self._server = server
        self._key = api_key
        url = f"{server.base_url.rstrip('/')}/embeddings"
        self.fingerprint = f"server-{hashlib.sha256(f'{url} {server.model}'.encode()).hexdigest()[:16]}"

    def encode(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, 0), np.float32)
        server = self._server
        client = HttpClient(_NAME, server.base_url, key=self._key, timeout_s=server.timeout_s, max_bytes=_MAX_BYTES)
        with closing(client):
            rows = [row for start in range(0, len(texts), _BATCH) for row in self._batch(client, texts[start : start + _BATCH])]
        if len({len(row) for row in rows}) > 1:
            raise RetrievalError(f"{_NAME} {client.url}: the vectors differ in length", "check that the name is of one model")
        try:
            return unit(np.array(rows, np.float32).reshape(len(rows), -1))
        except (TypeError, ValueError) as err:
            raise RetrievalError(f"{_NAME} {client.url}: the vectors are not numbers", "check base_url and model") from err

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Sequence[str]]) -> tuple[Matrix, Matrix | None]:
        """Texts only: vectors of their sentences would take three times the requests for little gain."""
        return self.encode(texts), None

    def _batch(self, client: HttpClient, texts: Sequence[str]) -> list[list[float]]:
        body = {"model": self._server.model, "input": [text or " " for text in texts]}
        try:
            response = client.request("POST", "/embeddings", body)
        except RequestFailed as err:
            raise RetrievalError(err.problem, err.fix) from err
        name = f"{_NAME} {client.url}"
        if response.status != 200:
            problem = f"{name}: HTTP {response.status} {excerpt(response.content)}".strip()
            raise RetrievalError(problem, "check base_url, model and the key's variable")
        try:
            tree: Any = json.loads(response.content)
            rows = [item["embedding"] for item in sorted(tree["data"], key=lambda item: item["index"])]
        except (ValueError, LookupError, TypeError) as err:
            raise RetrievalError(f"{name}: not an embeddings response", "check base_url: it often ends in /v1") from err
        if len(rows) != len(texts) or not all(isinstance(row, list) and row for row in rows):
            raise RetrievalError(f"{name}: {len(rows)} vectors for {len(texts)} texts", "check that it is an embeddings model")
        return rows


def from_settings(server: EmbeddingServer, environ: Mapping[str, str]) -> ServerVectors:
    return ServerVectors(server, find_key(_NAME, server.key_variable, environ, error=RetrievalError))
