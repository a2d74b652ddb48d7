"""Vectors from elsewhere: a user's model2vec folder, and an embeddings server on this machine."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from methodlens.errors import RetrievalError, SettingsError
from methodlens.records import Passage, Question
from methodlens.retrieval import create
from methodlens.retrieval.server import ServerVectors
from methodlens.settings import EmbeddingServer, RetrievalSettings
from methodlens.settings_sources import load
from methodlens.text.vectors import StaticVectors
from tests.loopback import Reply, chat_server, closed_port, endless_server

PASSAGES = tuple(Passage(100 * i, 100 * i + 20, 1, "methods", text) for i, text in enumerate(("red gulls", "blue terns")))


def write_model(folder: Path, vectors: np.ndarray, **more: np.ndarray) -> Path:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "red": 1, "blue": 2, "gulls": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    tensors = {"embeddings": vectors, **more}
    names = {"int8": "I8", "float32": "F32", "float16": "F16", "int64": "I64"}
    header, at, body = {}, 0, b""
    for name, tensor in tensors.items():
        data = tensor.tobytes()
        header[name] = {"dtype": names[str(tensor.dtype)], "shape": tensor.shape, "data_offsets": [at, at + len(data)]}
        at, body = at + len(data), body + data
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    return folder


VECTORS = np.array([[9, 9], [1, 0], [0, 1], [1, 1]], np.float32)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
def test_a_model2vec_folder_is_read_in_any_of_its_number_formats(tmp_path: Path, dtype: type) -> None:
    encoder = StaticVectors(write_model(tmp_path / "m", VECTORS.astype(dtype)))
    assert np.allclose(encoder.encode(["red", "red blue"]), np.array([[1, 0], [0.7071, 0.7071]]), atol=1e-3)


def test_unknown_words_are_ignored_and_an_empty_text_gives_zeros(tmp_path: Path) -> None:
    encoder = StaticVectors(write_model(tmp_path / "m", VECTORS))
    assert np.allclose(encoder.encode(["red xylophone", "xylophone", ""]), [[1, 0], [0, 0], [0, 0]])


def test_a_quantised_vocabulary_is_read_through_its_mapping_and_weights(tmp_path: Path) -> None:
    table = np.array([[1, 0], [0, 1]], np.float32)
    folder = write_model(
        tmp_path / "m", table, mapping=np.array([0, 0, 1, 1], np.int64), weights=np.array([1, 3, 1, 1], np.float32)
    )
    assert np.allclose(StaticVectors(folder).encode(["red blue"]), [[0.9487, 0.3162]], atol=1e-3)


def test_the_settings_can_name_a_folder_of_vectors(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", VECTORS)
    index = create(RetrievalSettings(vectors=str(folder)), {}).index(PASSAGES)
    assert index.rank(Question("Q1", "red"))[0].passage == PASSAGES[0]


@pytest.mark.parametrize("breakage", ["missing", "short", "text", "few", "bf16"])
def test_a_folder_without_vectors_is_refused_in_one_line(tmp_path: Path, breakage: str) -> None:
    folder = write_model(tmp_path / "m", VECTORS[:2] if breakage == "few" else VECTORS)
    model = folder / "model.safetensors"
    if breakage == "missing":
        model.unlink()
    elif breakage == "short":
        model.write_bytes(model.read_bytes()[:-3])
    elif breakage == "text":
        model.write_bytes(b"this is no model at all, sorry")
    elif breakage == "bf16":
        model.write_bytes(model.read_bytes().replace(b'"F32"', b'"BF6"'))
    with pytest.raises(RetrievalError, match="model2vec"):
        StaticVectors(folder)


def embeddings(*rows: list[float]) -> Reply:
    return Reply(json.dumps({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)][::-1]}))


def test_an_embeddings_server_is_asked_as_openai_would_be() -> None:
    with chat_server(embeddings([3, 0], [0, 2])) as server:
        encoder = ServerVectors(EmbeddingServer(server.url, "m"), "secret")
        assert encoder.encode(["a", "b"]).tolist() == [[1, 0], [0, 1]]
        assert len(encoder.encode([])) == 0
    assert server.paths == ["/v1/embeddings"]
    assert server.requests == [{"model": "m", "input": ["a", "b"]}]
    assert server.headers[0]["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    "reply",
    [
        Reply("not json"),
        Reply("{}"),
        Reply('{"data": [{"index": 0}]}'),
        Reply("secret is wrong", status=401),
        embeddings([1, 0]),
        embeddings([1, 0], [1]),
        embeddings([1, 0], ["x", "y"]),  # type: ignore[list-item]
    ],
)
def test_whatever_the_server_does_wrong_is_one_line_without_the_key(reply: Reply) -> None:
    with chat_server(reply) as server, pytest.raises(RetrievalError) as caught:
        ServerVectors(EmbeddingServer(server.url, "m"), "secret").encode(["a", "b"])
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_not_there_or_never_ends_is_given_up() -> None:
    with pytest.raises(RetrievalError, match="running"):
        ServerVectors(EmbeddingServer(closed_port(), "m")).encode(["a"])
    opening = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n"
    with endless_server(opening, b" ") as url, pytest.raises(RetrievalError, match="within"):
        ServerVectors(EmbeddingServer(url, "m", timeout_s=0.3)).encode(["a"])


def test_a_key_that_is_not_set_is_said_before_anything_is_asked() -> None:
    settings = RetrievalSettings(embeddings=EmbeddingServer("http://127.0.0.1:9/v1", "m", key_variable="GULL_KEY"))
    with pytest.raises(RetrievalError, match="GULL_KEY"):
        create(settings, {})


def test_the_server_is_a_setting_and_excludes_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('[retrieval.embeddings]\nbase_url = "http://127.0.0.1/v1"\nmodel = "m"\n')
    assert load(path, environ={}).retrieval.embeddings == EmbeddingServer("http://127.0.0.1/v1", "m")
    path.write_text('[retrieval]\nvectors = "x"\n[retrieval.embeddings]\nbase_url = "http://127.0.0.1/v1"\nmodel = "m"\n')
    with pytest.raises(SettingsError, match="both"):
        load(path, environ={})
    path.write_text('[retrieval.embeddings]\nbase_url = "127.0.0.1"\nmodel = "m"\n')
    with pytest.raises(SettingsError, match="http://"):
        load(path, environ={})
