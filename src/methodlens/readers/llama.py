"""A reader that runs a GGUF model file in this process with llama.cpp (extra `local`)."""

import hashlib
import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from methodlens.errors import ReaderAbandoned, ReaderError
from methodlens.readers.chat import ChatReader
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.grouped_chat import answer_tokens, call_tokens, chat_reader
from methodlens.readers.prompting import Message
from methodlens.readers.replies import Reply
from methodlens.readers.wire.pictures import Picture
from methodlens.settings import ChatServer, Settings

_MAGIC = b"GGUF"
_SPARE_TOKENS = 1000  # besides passages and answer: the prompt, and the error of our token estimate
_PASSAGE_TOKENS = 1500
_QUIET = -1
_QUESTIONS = 30  # of a grouped call, at most; more are asked in smaller groups once the answer is cut off


def from_settings(name: str, settings: Settings) -> ChatReader:
    """`name` is a table [readers.NAME] with a `gguf`, or the path of a file. Raises ReaderError."""
    full_name = f"llama:{name}"
    table = settings.readers.get(name)
    server = table if table and table.gguf else ChatServer(gguf=name)
    path = Path(server.gguf).expanduser()
    sha256 = _model_sha256(path, full_name)
    server = replace(
        server,
        model=f"{server.model or path.name} sha256:{sha256}",
        concurrency=max(1, server.concurrency),
        price_in=server.price_in or 0.0,
        price_out=server.price_out or 0.0,
    )
    model = LlamaModel(full_name, server, path)
    return chat_reader(full_name, server, model, judge=settings.judge == "model", identity=sha256)


def _model_sha256(path: Path, reader: str) -> str:
    """Identifies the model whatever the name of its file."""
    _binding(reader)
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ReaderError(f"{reader}: {path} is not a GGUF file", "use a model in llama.cpp's format, NAME.gguf")
            file.seek(0)
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as err:
        raise ReaderError(
            f"{reader}: {path} cannot be read ({err.strerror})",
            "use llama:PATH.gguf, or add a table [readers.NAME] with gguf = 'PATH.gguf' to methodlens.toml",
        ) from err


def _binding(reader: str) -> Any:
    try:
        import xllamacpp
    except ImportError as err:
        raise ReaderError(f"{reader} needs the extra 'local'", "pip install 'methodlens[local]'") from err
    return xllamacpp


def _tokens(server: ChatServer) -> int:
    """Of passages and answers in one call."""
    if server.group == "single":
        return (server.context_tokens or _PASSAGE_TOKENS) + server.max_tokens
    return call_tokens(server) + answer_tokens(server.max_tokens, _QUESTIONS)


class LlamaModel:
    """A Transport. llama.cpp serves the model on a local port with a random key, so ChatClient's deadlines and retries apply.

    The model is loaded at the first call.
    """

    def __init__(self, name: str, server: ChatServer, path: Path) -> None:
        self._name, self._server, self._path = name, server, path
        self._lock = threading.Lock()
        self._client: ChatClient | None = None
        self._engine: Any = None
        self._closed = False

    def complete(
        self,
        messages: Sequence[Message],
        *,
        json: bool,
        max_tokens: int = 0,
        attempts: int = 0,
        schema: Mapping[str, Any] | None = None,
        pictures: Sequence[Picture] = (),
    ) -> Reply:
        with self._lock:
            if self._closed:
                raise ReaderAbandoned(f"{self._name}: the reader is closed", "rerun to resume")
            client = self._client or self._load()
        return client.complete(messages, json=json, max_tokens=max_tokens, attempts=attempts, schema=schema, pictures=pictures)

    @property
    def schema(self) -> str:
        return self._client.schema if self._client else self._server.schema

    def models(self) -> list[str]:
        return [self._path.name]

    def close(self) -> None:
        self._closed = True
        if self._client:
            self._client.close()
        self._engine = None

    def _load(self) -> ChatClient:
        binding, server = _binding(self._name), self._server
        key = secrets.token_hex(16)
        params = binding.CommonParams()
        params.model.path = str(self._path)
        params.n_parallel = server.concurrency
        params.n_ctx = server.concurrency * (_tokens(server) + _SPARE_TOKENS)
        params.cpuparams.n_threads = os.cpu_count() or 1
        params.api_keys = [key]
        params.port = 0
        params.verbosity = _QUIET
        params.warmup = False
        try:
            self._engine = binding.Server(params)
            address = self._engine.listening_address
        except (RuntimeError, ValueError, OSError) as err:
            raise ReaderError(
                f"{self._name}: llama.cpp cannot load {self._path} ({err})",
                "check that the file is complete and fits into memory",
            ) from err
        self._client = ChatClient(self._name, replace(server, base_url=f"{address}/v1", model=self._path.name), key)
        return self._client
