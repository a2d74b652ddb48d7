"""Vectors from any OpenAI-compatible embeddings server, for those who have a better model than ours."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from methodlens.errors import RetrievalError
from methodlens.retrieval.vectors import Matrix, unit
from methodlens.settings import EmbeddingServer

if TYPE_CHECKING:
    import httpx

_BATCH = 64
_MOST_BYTES = 64_000_000
_SHOWN = 120


class ServerVectors:
    """An Encoder. Every request has a deadline; whatever goes wrong is a RetrievalError that says what to do."""

    def __init__(self, server: EmbeddingServer, api_key: str | None = None) -> None:
        self._server = server
        self._key = api_key
        self._url = f"{server.base_url.rstrip('/')}/embeddings"
        self.fingerprint = f"server-{hashlib.sha256(f'{self._url} {server.model}'.encode()).hexdigest()[:16]}"

    def encode(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, 0), np.float32)
        rows = [row for start in range(0, len(texts), _BATCH) for row in self._batch(list(texts[start : start + _BATCH]))]
        if len({len(row) for row in rows}) > 1:
            raise self._broken("its vectors differ in length", "is one model behind that name?")
        try:
            return unit(np.array(rows, np.float32).reshape(len(rows), -1))
        except (TypeError, ValueError) as err:
            raise self._broken("its vectors are not numbers", "check base_url and model") from err

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Sequence[str]]) -> tuple[Matrix, Matrix | None]:
        """Sentences would be three times the requests for little more."""
        return self.encode(texts), None

    def _batch(self, texts: list[str]) -> list[list[float]]:
        try:
            tree: Any = json.loads(self._post({"model": self._server.model, "input": [text or " " for text in texts]}))
            found = sorted(tree["data"], key=lambda item: item["index"])
            rows = [item["embedding"] for item in found]
        except (ValueError, LookupError, TypeError) as err:
            raise self._broken("it did not answer as an embeddings server", "check base_url: it often ends in /v1") from err
        if len(rows) != len(texts) or not all(isinstance(row, list) and row for row in rows):
            raise self._broken(f"it gave {len(rows)} vectors for {len(texts)} texts", "is it an embeddings model?")
        return rows

    def _post(self, body: dict[str, object]) -> bytes:
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # a proxy from the environment has no business between us and a server on this machine
        trust_env = httpx.URL(self._url).host not in ("localhost", "127.0.0.1", "::1")
        try:
            with (
                httpx.Client(timeout=self._server.timeout_s, trust_env=trust_env) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                content = self._body(response)
        except httpx.TimeoutException as err:
            raise self._broken(f"no answer within {self._server.timeout_s:g} s", "raise timeout_s") from err
        except httpx.ConnectError as err:
            raise self._broken("cannot connect", "is the server running there?") from err
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            raise self._broken(f"the connection broke ({type(err).__name__})", "look at the server's log") from err
        if response.status_code != 200:
            said = "".join(c for c in " ".join(content.decode("utf-8", "replace").split()) if c.isprintable())[:_SHOWN]
            said = said.replace(self._key, "***") if self._key else said
            raise self._broken(f"HTTP {response.status_code} ({said})", "check base_url, model and the key's variable")
        return content

    def _body(self, response: "httpx.Response") -> bytes:
        """httpx counts each read for itself, and a drip has many: the clock here covers the whole body."""
        deadline = time.monotonic() + self._server.timeout_s
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if time.monotonic() > deadline:
                raise self._broken(f"no whole answer within {self._server.timeout_s:g} s", "raise timeout_s")
            if len(content) > _MOST_BYTES:
                raise self._broken(f"more than {_MOST_BYTES:,} bytes", "this is no embeddings server")
        return bytes(content)

    def _broken(self, problem: str, fix: str) -> RetrievalError:
        shown = self._url.rpartition("@")[2] if "@" in self._url else self._url
        return RetrievalError(f"the embeddings server {shown}: {problem}", fix)


def from_settings(server: EmbeddingServer, environ: Mapping[str, str]) -> ServerVectors:
    key = environ.get(server.api_key_env, "").strip() if server.api_key_env else None
    if key == "" or (key and not (key.isascii() and key.isprintable() and " " not in key)):
        raise RetrievalError(
            f"the embeddings server needs a key, and {server.api_key_env} holds none", f"export {server.api_key_env}=..."
        )
    return ServerVectors(server, key)
