"""Requests from other sites are refused, and responses run no foreign code."""

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import httpx
import pytest

from methodlens.errors import InputError
from methodlens.ledger.store import Ledger
from methodlens.settings_sources import load
from methodlens.web.http import event_stream, guard, timed_protocol
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.application import create_app
from methodlens.web.http.room_server import Address, serve
from methodlens.web.http.token_access import TokenAccess
from methodlens.web.public_url import public_origin
from tests.waiting import PATIENCE_S
from tests.web.conftest import QUESTIONS, Visitor, free_port, open_room

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
    path = answer.headers["location"].rstrip("/")
    cookie = answer.headers["set-cookie"].lower()
    assert len(path) > 20
    assert f"path={path}" in cookie  # servers on other ports of 127.0.0.1 do not get it
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
    state = cast("AppState", SimpleNamespace(options=SimpleNamespace(team=False, max_file_mb=1)))
    app = create_app(state, access=TokenAccess("t", cookie="c"), origins=())
    asked = getattr(app, "_telemetry", {})
    assert not any(asked.get(name) for name in ("tracing", "metrics", "logs", "auto_configure"))


@pytest.mark.parametrize("host", ["0", "0.0.0.0", "0x0", "::", "::0", "[::]", "*", ""])
def test_every_spelling_of_all_interfaces_is_refused(host: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="every network"), Ledger.at(tmp_path, create=True) as ledger:
        serve(RoomOptions(tmp_path, QUESTIONS, ()), load(None), ledger, address=Address(host), ready=lambda _: None)


def test_the_cookie_opens_nothing_outside_the_secret_path(url: str) -> None:
    visitor = Visitor(url)
    cookie = "; ".join(f"{each.name}={each.value}" for each in visitor.http.cookies.jar)
    assert httpx.get(f"{base(url)}/api/matrix", headers={"cookie": cookie}, timeout=PATIENCE_S).status_code == 403
    assert visitor.http.get("/api/matrix").status_code == 200


def test_a_browser_without_the_token_gets_a_page(url: str) -> None:
    answer = httpx.get(base(url), headers={"accept": "text/html"}, timeout=PATIENCE_S)
    assert answer.status_code == 403
    assert "methodlens serve" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/api/annotations", "/api/session", "/api/questions", "/", "/nowhere"])
def test_only_uploads_may_be_large(url: str, path: str) -> None:
    host = base(url).removeprefix("http://")
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token(url)}\r\nContent-Length: {2 << 20}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=PATIENCE_S) as peer:
        peer.sendall(head.encode())
        assert peer.recv(100).startswith(b"HTTP/1.1 413")


def test_half_sent_requests_are_closed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_protocol, "MAX_REQUEST_S", 0.2)
    monkeypatch.setattr(guard, "_MAX_SILENCE_S", 0.2)
    host = base(url).removeprefix("http://")
    bearer = f"Host: {host}\r\nAuthorization: Bearer {token(url)}\r\n"
    for part in (
        "GET / HTTP/1.1\r\nHost: ",
        f"POST /api/session HTTP/1.1\r\n{bearer}Content-Length: 9\r\n\r\n{{",
    ):
        with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=PATIENCE_S) as peer:
            peer.sendall(f"GET /api/state HTTP/1.1\r\n{bearer}\r\n".encode())
            assert b"200 OK" in peer.recv(1 << 16)
            peer.sendall(part.encode())
            while peer.recv(1 << 16):  # until the server closes; PATIENCE_S fails
                pass


def test_a_slow_event_stream_stays_open(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits on requests do not cut responses."""
    monkeypatch.setattr(timed_protocol, "MAX_REQUEST_S", 0.05)
    monkeypatch.setattr(guard, "_MAX_SILENCE_S", 0.05)
    monkeypatch.setattr(event_stream, "_POLL_S", 0.1)
    monkeypatch.setattr(event_stream, "_POLLS_PER_KEEP_ALIVE", 2)
    visitor = Visitor(url)
    with visitor.http.stream("GET", "/api/events") as events:
        assert sum("keep-alive" in line for line, _ in zip(events.iter_lines(), range(8), strict=False)) >= 2


def test_too_many_connections_are_refused_and_the_others_go_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_protocol, "MAX_CONNECTIONS", 20)
    port = int(base(url).rpartition(":")[2])
    peers = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) for _ in range(30)]
    try:
        assert peers[-1].recv(1) == b""
    finally:
        for peer in peers:
            peer.close()
    assert Visitor(url).get("/api/state")


def test_a_tls_proxy_can_serve_the_room(finished_run: Path) -> None:
    """The proxy passes the Host header on; cookies are then for TLS only, and its origin may post."""
    port = free_port()
    with open_room(finished_run, address=Address(port=port), public_url="https://review.example.org") as url:
        assert url.startswith("https://review.example.org/?token=")
        headers = {"host": "review.example.org", "origin": "https://review.example.org"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE_S) as proxy:
            entered = proxy.get("/", params={"token": token(url)})
            cookie, path = entered.headers["set-cookie"], entered.headers["location"]
            assert "secure" in cookie.lower()
            session = {"cookie": cookie.partition(";")[0]}
            assert proxy.post(f"{path}api/session", json={"annotator": "ann"}, headers=session).status_code == 200
            foreign = {**session, "origin": "http://review.example.org"}
            assert proxy.post(f"{path}api/session", json={"annotator": "ann"}, headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "url",
    ["review.example.org", "ftp://x", "https://", "https://x/path", "https://x#part", "https://u:p@x", "https://x:port"],
)
def test_a_public_url_that_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="public-url"):
        public_origin(url)
