"""Invalid requests get an error response, never a server error."""

import random
import string
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.web.conftest import Visitor, cell_ref, open_room

ODD: tuple[Any, ...] = (
    "",
    "../x",
    "\x00'; --",
    "é\u202e\U0001f600",
    "%00",
    "a" * 5000,
    -1,
    10**30,
    float("inf"),
    None,
    [],
    {"start": -1},
)


@pytest.fixture(scope="module")
def visitor(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with open_room(Path(copytree(finished_run, tmp_path_factory.mktemp("fuzz") / "out"))) as url:
        yield Visitor(url, "ann")


def operations(visitor: Visitor) -> list[tuple[str, str, list[str]]]:
    """Method, path and query parameters of every operation in the OpenAPI schema, and of the pages."""
    result = [
        ("get", "/cells/{paper_sha256}/{question}", ["queue", "seed"]),
        ("get", "/review", ["queue", "seed"]),
        ("get", "/", ["page", "at"]),
        ("get", "/", ["at"]),
    ]
    for path, methods in visitor.get("/api/openapi.json")["paths"].items():
        for method, operation in methods.items():
            names = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
            result.append((method, path, names))
    return [operation for operation in result if operation[1] != "/api/events"]


def test_odd_values_in_any_parameter_give_no_server_error(visitor: Visitor) -> None:
    sha256, _ = cell_ref(visitor, "a", "Q1")
    chance = random.Random(8)
    for method, path, query in operations(visitor):
        for odd in ODD:
            text = str(odd).replace("\x00", "%00").replace("/", "%2F").replace("?", "%3F") or "%20"
            for known in (sha256, text) if "{question}" in path or "{page}" in path else (text,):
                where = path.format(paper_sha256=known, question=text, page=text, format=chance.choice(["csv", text]))
                body = {
                    name: chance.choice(ODD[:8])
                    for name in ("paper_sha256", "question", "status", "text", "annotator", "blind", "sentences", "answer")
                }
                params = {name: str(odd) for name in query}
                sent: dict[str, Any] = {} if method == "get" else {"json": body}
                answer = visitor.http.request(method, where, params=params, **sent)
                assert answer.status_code < 500, (method, where, body)


def test_malformed_bodies_give_no_server_error(visitor: Visitor) -> None:
    chance = random.Random(7)
    junk = bytes(chance.randrange(256) for _ in range(300))
    half = (b'{"text": "\\ud800\\ud800"}', b'{"annotator": "\\ud800"}', b'{"answer": NaN}')
    bodies = (b"", b"{", b"[]", b"null", *half, junk, b"[" * 20_000)
    kinds = ("application/json", "multipart/form-data", "multipart/form-data; boundary=x", "\xff", string.printable[:90])
    for method, path, _ in operations(visitor):
        if method != "post":
            continue
        for body in bodies:
            for kind in kinds:
                headers = {b"content-type": kind.encode("latin-1"), b"origin": visitor.base.encode()}
                answer = visitor.http.post(path, content=body, headers=headers)
                assert answer.status_code < 500, (path, body[:40], kind)


def test_a_lone_surrogate_in_an_answer_is_refused_or_replaced(visitor: Visitor) -> None:
    sha256, question = cell_ref(visitor, "a", "Q1")
    body = f'{{"paper_sha256": "{sha256}", "question": "{question}", "status": "reported", "answer": "\\ud83d half"}}'
    headers = {"content-type": "application/json", "origin": visitor.base}
    assert visitor.http.post("/api/annotations", content=body, headers=headers).status_code in (201, 422)
    assert visitor.http.get(f"/cells/{sha256}/{question}").status_code == 200


def test_invalid_cookies_give_no_server_error(visitor: Visitor) -> None:
    for name in [cookie.name for cookie in visitor.http.cookies.jar]:
        if not name.endswith("-who"):
            continue
        token = visitor.http.cookies[name.removesuffix("-who")]
        for value in ("", "1", "%FF%FE", "1%00", "9" * 3000, "1%F0%9F%98%80", '"', "1study:"):
            cookies = f"{name.removesuffix('-who')}={token}; {name}={value}"
            answer = visitor.http.get("/api/matrix", headers={"cookie": cookies})
            assert answer.status_code in (200, 403)
