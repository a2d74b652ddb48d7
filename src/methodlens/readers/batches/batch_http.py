"""HTTP for batch APIs: uploads and downloads of whole files. Nothing is sent twice unless that is harmless."""

import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from methodlens.api_keys import forms_of
from methodlens.errors import ReaderAbandoned, ReaderError
from methodlens.http_client import RETRYABLE, excerpt
from methodlens.readers.batches.batch_api import BatchHttpSettings, BatchUnclear

if TYPE_CHECKING:
    import httpx

_MAX_BYTES = 400_000_000  # of a file of results; providers allow batches of half that
_ATTEMPTS = 4
_PAUSE_S = 0.5
_FIX = "check that the server can be reached, then rerun"
_OURS = ("localhost", "127.0.0.1", "::1")


class BatchHttp:
    """The key is never part of a message."""

    def __init__(self, settings: BatchHttpSettings, *, headers: Mapping[str, str] | None = None) -> None:
        self.name, self._key = settings.name, settings.key
        self._base_url, self._timeout_s = settings.base_url.rstrip("/"), settings.timeout_s
        bearer = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        self._headers = {"Accept-Encoding": "identity", **(bearer if headers is None else headers)}
        self._client: httpx.Client | None = None
        self._closed = False

    def get(self, path: str) -> Any:
        return self._tree(self._repeated("GET", path))

    def lines(self, path: str) -> Iterator[Any]:
        """The objects of a JSONL file; lines that are none are skipped."""
        for line in self._repeated("GET", path).splitlines():
            try:
                tree = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(tree, dict):
                yield tree

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._tree(self._send("POST", path, json=body))

    def upload(self, path: str, lines: Iterator[Mapping[str, Any]]) -> str:
        """The id of a new file. Two copies of a file cost nothing, so this may be repeated."""
        content = b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in lines)
        files = {"file": ("methodlens.jsonl", content, "application/jsonl")}
        return self.field(self._tree(self._repeated("POST", path, data={"purpose": "batch"}, files=files)), "id")

    def field(self, tree: Any, name: str) -> str:
        value = tree.get(name) if isinstance(tree, dict) else None
        if not isinstance(value, str) or not value:
            raise BatchUnclear(f"{self.name}: the response has no {name}", "check base_url and batch_api")
        return value

    def close(self) -> None:
        self._closed = True
        if self._client:
            self._client.close()

    def _repeated(self, method: str, path: str, **content: Any) -> bytes:
        for attempt in range(_ATTEMPTS):
            try:
                return self._send(method, path, **content)
            except BatchUnclear:
                if attempt + 1 == _ATTEMPTS:
                    raise
                time.sleep(_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable")

    def _send(self, method: str, path: str, **content: Any) -> bytes:
        import httpx

        if self._closed:
            raise ReaderAbandoned(f"{self.name}: closed", "rerun to resume")
        client = self._client or self._open()
        url = path if path.startswith(self._base_url) else self._base_url + path
        try:
            with client.stream(method, url, **content) as response:
                received = bytearray()
                for chunk in response.iter_raw():
                    received += chunk
                    if len(received) > _MAX_BYTES:
                        raise ReaderError(f"{self.name}: a response is larger than {_MAX_BYTES:,} bytes", "check base_url")
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as err:  # RuntimeError: the client was closed meanwhile
            if self._closed:
                raise ReaderAbandoned(f"{self.name}: closed during the request", "rerun to resume") from err
            raise BatchUnclear(f"{self.name}: no response to {method} {path} ({type(err).__name__})", _FIX) from err
        body = bytes(received)
        body = forms_of(self._key).sub(b"***", body) if self._key else body
        if response.status_code in RETRYABLE:
            problem = f"{self.name}: the server answered HTTP {response.status_code} {excerpt(body)}".strip()
            raise BatchUnclear(problem, "rerun to resume")
        if response.status_code >= 300:
            problem = f"{self.name}: {method} {path}: HTTP {response.status_code} {excerpt(body)}".strip()
            raise ReaderError(problem, "check the key, the model and whether the server has a batch API, or omit --batch")
        return body

    def _open(self) -> "httpx.Client":
        import httpx

        trust_env = httpx.URL(self._base_url).host not in _OURS
        self._client = httpx.Client(timeout=self._timeout_s, trust_env=trust_env, headers=self._headers)
        return self._client

    def _tree(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as err:
            raise BatchUnclear(f"{self.name}: the response is not JSON {excerpt(content)}", "check base_url") from err
