"""Requests from other sites are refused, and responses run no foreign code."""

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import httpx
import pytest

from methodlens.web.http.application import create_app
from tests.waiting import PATIENCE_S
from tests.web.conftest import Visitor, open_room

if TYPE_CHECKING:
    from methodlens.web.http.app_state import AppState


@pytest.fixture(scope="module")
def url(finished_run: Path) -> Iterator[str]:
    with open_room(finished_run) as address:
        yield address


def token(url: str) -> str:
    return url.partition("token=")[2]


def base(url: str) -> str:
    return url.split("/?")[0]


def test_the_server_listens_on_loopback_only(url: str) -> None:
    assert urlsplit(url).hostname == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "", "localhost.evil.example:80"])
def test_a_foreign_host_is_refused_even_with_the_token(url: str, host: str) -> None:
    answer = httpx.get(
        f"{base(url)}/api/matrix", headers={"host": host, "authorization": f"Bearer {token(url)}"}, timeout=PATIENCE_S
    )
    assert answer.status_code == 400
    assert "methodlens serve" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/api/matrix", "/api/events", "/cells/x/y", "/api/openapi.json", "/nowhere"])
def test_nothing_is_shown_without_the_token(url: str, path: str) -> None:
    refused = (
        (b"x", b"x"),
        (b"authorization", b"Bearer wrong"),
        (b"authorization", b"Bearer \xff"),
        (b"cookie", b"methodlens=x"),
    )
    for name, value in refused:
        headers = {name: value}
        assert httpx.get(base(url) + path, headers=headers, timeout=PATIENCE_S).status_code == 403
    assert httpx.get(f"{base(url)}{path}?token=wrong", timeout=PATIENCE_S).status_code == 403


def test_the_token_moves_from_the_url_to_a_cookie_that_scripts_and_other_sites_cannot_use(url: str) -> None:
    answer = httpx.get(url, timeout=PATIENCE_S)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize("path", ["//evil.example/", "/%2fevil.example", "/\\evil.example"])
def test_the_login_redirect_never_leaves_the_server(url: str, path: str) -> None:
    answer = httpx.get(f"{base(url)}{path}", params={"token": token(url)}, timeout=PATIENCE_S)
    assert not answer.headers.get("location", "/").startswith(("//", "/\\", "http"))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_post_from_another_site_is_refused_even_with_the_cookie(url: str, headers: dict[str, str]) -> None:
    visitor = Visitor(url, "ann")
    visitor.http.headers.update(headers)
    for path in ("/api/undo", "/api/annotations", "/api/papers", "/api/questions", "/api/session"):
        assert visitor.http.post(path, json={"annotator": "mallory"}).status_code == 403
    assert visitor.get("/api/annotations") == []


def test_every_response_has_security_headers(url: str) -> None:
    visitor = Visitor(url)
    for path in ("/", "/api/matrix", "/static/room.css", "/static/shared.css", "/nowhere", "/api/cells/x/y"):
        headers = visitor.http.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_a_request_over_the_size_limit_is_not_read(url: str) -> None:
    host = base(url).removeprefix("http://")
    head = f"POST /api/papers HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token(url)}\r\nContent-Length: {10**13}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=PATIENCE_S) as peer:
        peer.sendall(head.encode())
        assert peer.recv(100).startswith(b"HTTP/1.1 413")


def test_no_page_links_to_another_server_or_has_inline_code(url: str) -> None:
    visitor = Visitor(url)
    for path in ("/", "/agreement", "/add", "/api"):
        page = visitor.http.get(path).text
        assert "://" not in page
        assert " style=" not in page
        assert " onclick=" not in page


def test_telemetry_stays_off_whatever_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    app = create_app(cast("AppState", SimpleNamespace(options=SimpleNamespace(cookie="c", max_file_mb=1))), token="t", hosts=())
    asked = getattr(app, "_telemetry", {})
    assert not any(asked.get(name) for name in ("tracing", "metrics", "logs", "auto_configure"))
