"""A team's room: people sign in, act in their own name only, and may do what their role allows; the audit trail tells."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from methodlens.errors import InputError
from methodlens.ledger import audit_trail
from methodlens.ledger.audit_trail import AuditEntry
from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Role, Team
from methodlens.reports.formats.format_registry import file_formats
from methodlens.settings_sources import load
from methodlens.web.http import event_stream
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.room_server import Address, serve
from methodlens.web.team import authentication
from methodlens.web.team.authentication import Authentication, TooManyAttempts, WrongToken
from tests.waiting import PATIENCE_S
from tests.web.conftest import QUESTIONS, TRAINED, free_port, open_room, write_pdf
from tests.web.test_no_server_errors import ODD

ROLES = {"rita": Role.READER, "ann": Role.REVIEWER, "bob": Role.REVIEWER, "ada": Role.ADJUDICATOR}
# the lowest role that may use each operation; None: nobody in a team
NEEDED: dict[tuple[str, str], Role | None] = {
    ("post", "/api/session"): None,
    ("get", "/api/state"): Role.READER,
    ("get", "/api/events"): Role.READER,
    ("get", "/api/matrix"): Role.READER,
    ("get", "/api/table"): Role.READER,
    ("get", "/api/queue"): Role.READER,
    ("get", "/api/queues"): Role.READER,
    ("get", "/api/progress"): Role.READER,
    ("get", "/api/learning"): Role.READER,
    ("post", "/api/learning"): Role.ADJUDICATOR,
    ("post", "/api/learning/undo"): Role.ADJUDICATOR,
    ("get", "/api/papers/{paper_sha256}/answers"): Role.READER,
    ("get", "/api/cells/{paper_sha256}/{question}"): Role.READER,
    ("get", "/api/papers/{paper_sha256}/pages/{page}"): Role.READER,
    ("get", "/api/papers/{paper_sha256}/pages/{page}/picture"): Role.READER,
    ("post", "/api/annotations"): Role.REVIEWER,
    ("post", "/api/undo"): Role.REVIEWER,
    ("get", "/api/annotations"): Role.READER,
    ("get", "/api/agreement"): Role.READER,
    ("post", "/api/papers"): Role.ADJUDICATOR,
    ("post", "/api/questions"): Role.ADJUDICATOR,
    ("get", "/api/jobs"): Role.READER,
    ("get", "/api/export/annotations.{format}"): Role.READER,
    ("get", "/api/export/cells.{format}"): Role.READER,
}
PAGES = ("/", "/agreement", "/api", "/review", "/cells/{paper_sha256}/{question}")


class TeamRoom:
    """A running room with the members of ROLES."""

    def __init__(self, url: str, ledger: Ledger, tokens: dict[str, str]) -> None:
        self.url, self.ledger, self.tokens = url.rstrip("/"), ledger, tokens
        self.team = Team(ledger)
        self.program = httpx.Client(base_url=self.url, timeout=PATIENCE_S)
        self._tls = httpx.create_ssl_context()  # slow to make, and never used
        self._clients = [self.program]

    def visitor(self) -> httpx.Client:
        """A browser in which nobody has signed in."""
        headers = {"origin": self.url, "accept": "text/html"}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE_S, verify=self._tls)
        self._clients.append(client)
        return client

    def browser(self, name: str) -> httpx.Client:
        """A browser in which the member has signed in."""
        client = self.visitor()
        assert client.post("/sign-in", data={"token": self.tokens[name]}).status_code == 303
        return client

    def send(self, name: str, method: str, path: str, **content: Any) -> httpx.Response:
        """As a program does, with a bearer token."""
        headers = {"authorization": f"Bearer {self.tokens[name]}"}
        return self.program.request(method, path, headers=headers, **content)

    def cell(self) -> dict[str, str]:
        papers = self.send("rita", "get", "/api/matrix").json()["papers"]
        return {"paper_sha256": next(paper["sha256"] for paper in papers if paper["name"] == "a.pdf"), "question": "Q1"}

    def log(self, member: str = "") -> list[tuple[str, str]]:
        entries: list[AuditEntry] = list(audit_trail.entries(self.ledger, member=member))
        return [(entry.action, entry.detail) for entry in entries]

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture(scope="module")
def room(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamRoom]:
    folder = Path(shutil.copytree(finished_run, tmp_path_factory.mktemp("team") / "out"))
    ledger = Ledger.at(folder)
    tokens = {name: Team(ledger).add(name, role) for name, role in ROLES.items()}
    with pytest.MonkeyPatch.context() as patch, open_room(folder, ledger=ledger, team=True) as url:
        patch.setattr(authentication, "_MAX_FAILURES", 10**6)  # the tests share an address
        opened = TeamRoom(url, ledger, tokens)
        yield opened
        opened.close()


# --- signing in -----------------------------------------------------------------------------------------------------


def test_nothing_is_shown_to_those_who_have_not_signed_in(room: TeamRoom) -> None:
    visitor = room.visitor()
    for path in ("/", "/api/matrix", "/cells/x/y", "/agreement", "/nowhere", "/api/openapi.json"):
        assert visitor.get(path, headers={"accept": "*/*"}).status_code == 401
        sent_to = visitor.get(path).headers["location"]
        assert sent_to.startswith("/sign-in")
    assert "token" in visitor.get("/sign-in").text
    assert visitor.post("/api/annotations", json=room.cell(), headers={"accept": "*/*"}).status_code == 401


def test_a_member_signs_in_goes_on_to_the_page_they_wanted_and_signs_out(room: TeamRoom) -> None:
    visitor = room.visitor()
    page = visitor.get(visitor.get("/agreement?x=1&y=%2F").headers["location"]).text
    assert 'name="page" value="/agreement?x=1&amp;y=%2F"' in page
    entered = visitor.post("/sign-in", data={"token": f" {room.tokens['ann']}\n", "page": "/agreement?x=1"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/agreement?x=1")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=604800" in cookie
    assert room.tokens["ann"] not in cookie
    shown = visitor.get("/")
    assert "Signed in as <strong>ann</strong>, reviewer" in shown.text
    assert 'id="annotator"' not in shown.text  # no field for another name
    session = dict(visitor.cookies)
    left = visitor.post("/sign-out")
    assert left.headers["location"] == "/sign-in"
    visitor.cookies.update(session)
    assert visitor.get("/").status_code == 303  # the old cookie is worth nothing
    assert [action for action, _ in room.log("ann")][-2:] == ["signed in", "signed out"]


def test_signing_in_again_ends_the_session_that_the_browser_had(room: TeamRoom) -> None:
    browser = room.browser("ann")
    before = dict(browser.cookies)
    assert browser.post("/sign-in", data={"token": room.tokens["bob"]}).status_code == 303
    assert "<strong>bob</strong>" in browser.get("/").text
    old = room.visitor()
    old.cookies.update(before)
    assert old.get("/").status_code == 303
    assert room.log("ann")[-1][0] == "signed out"


@pytest.mark.parametrize("page", ["//evil.example", "https://evil.example", "/\\evil.example", "/\r\nx: y", "evil", "/é"])
def test_signing_in_never_leads_to_another_server(room: TeamRoom, page: str) -> None:
    entered = room.visitor().post("/sign-in", data={"token": room.tokens["ann"], "page": page})
    assert entered.headers["location"] == "/"


def test_another_site_cannot_sign_anybody_in_or_out(room: TeamRoom) -> None:
    browser = room.browser("ann")
    for path in ("/sign-in", "/sign-out"):
        refused = browser.post(path, data={"token": room.tokens["bob"]}, headers={"origin": "https://evil.example"})
        assert refused.status_code == 403
    assert "<strong>ann</strong>" in browser.get("/").text


def test_a_wrong_token_is_refused_in_words_and_logged_without_the_token(room: TeamRoom) -> None:
    wrong = f"{room.tokens['ann'][:-1]}x"
    for token in (wrong, "", "nonsense", "é"):
        answer = room.visitor().post("/sign-in", data={"token": token})
        assert answer.status_code == 401
        assert "This is not the token of a member" in answer.text
        assert "set-cookie" not in answer.headers
    assert room.log()[-1][0] == "sign-in failed"
    assert not any(wrong in detail for _, detail in room.log())
    room.browser("ann")


def test_odd_values_give_no_server_error(room: TeamRoom) -> None:
    visitor, cookie = room.visitor(), next(iter(room.browser("ann").cookies))
    for odd in map(str, ODD):
        raw = odd.encode("utf-8", "replace").replace(b"\0", b"%00")
        answers = [
            visitor.post("/sign-in", data={"token": odd, "page": odd}),
            visitor.post("/sign-in", data={"token": f"ml_{odd}_{odd}"}),
            visitor.post("/sign-in", content=raw),
            visitor.get("/sign-in", params={"page": odd}),
            visitor.get("/", headers={b"cookie": cookie.encode() + b"=" + raw}),
            visitor.get("/", headers={b"authorization": b"Bearer x" + raw}),
            visitor.get(f"/{quote(odd)}", params={"x": odd}),
        ]
        assert {answer.status_code for answer in answers[:4]} <= {200, 401, 422}, odd
        assert [answer.headers["location"][:8] for answer in answers[4:]] == ["/sign-in"] * 3


def test_a_new_token_and_removal_end_access_at_once(room: TeamRoom) -> None:
    old = room.team.add("eve", Role.REVIEWER)
    room.tokens["eve"] = old
    browser = room.browser("eve")
    assert browser.get("/").status_code == 200
    assert room.send("eve", "get", "/api/state").status_code == 200  # verified, and remembered
    room.tokens["eve"] = room.team.reset_token("eve")
    assert browser.get("/").status_code == 303
    assert room.send("eve", "get", "/api/state").status_code == 200
    assert room.program.get("/api/state", headers={"authorization": f"Bearer {old}"}).status_code == 401
    room.team.remove("eve")
    assert room.send("eve", "get", "/api/state").status_code == 401


def test_who_guesses_has_to_wait_and_others_behind_the_same_address_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "_MAX_FAILURES", 3)
    with Ledger.at(tmp_path, create=True) as ledger:
        tokens = {name: Team(ledger).add(name, Role.REVIEWER) for name in ("ann", "bob")}
        authenticate = Authentication(ledger)
        for wrong in ("ml_nobody_x", f"{tokens['ann']}x"):
            for _ in range(3):
                with pytest.raises(WrongToken):
                    authenticate.sign_in(wrong, client="192.0.2.1")
            with pytest.raises(TooManyAttempts, match="wait 5 minutes"):
                authenticate.sign_in(wrong, client="192.0.2.1")
        with pytest.raises(TooManyAttempts):
            authenticate.sign_in(tokens["ann"], client="192.0.2.1")
        assert authenticate.sign_in(tokens["ann"], client="192.0.2.2")
        assert authenticate.sign_in(tokens["bob"], client="192.0.2.1")
        logged = [entry.action for entry in audit_trail.entries(ledger)]
        assert logged.count("sign-in failed") == 6  # attempts that have to wait do not fill the log


def test_an_event_stream_ends_so_that_a_lost_session_is_noticed(room: TeamRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_MAX_STREAM_S", 0.2)
    monkeypatch.setattr(event_stream, "_POLL_S", 0.1)
    assert "event: state" in room.send("rita", "get", "/api/events").text  # returns when the stream ends


# --- roles ----------------------------------------------------------------------------------------------------------


def test_every_operation_is_open_to_the_roles_that_may_use_it_and_to_no_other(room: TeamRoom) -> None:
    """A new endpoint has to be added to NEEDED."""
    described = room.send("rita", "get", "/api/openapi.json").json()["paths"]
    operations = {(method, path) for path, methods in described.items() for method in methods}
    assert operations == NEEDED.keys()
    values = {**room.cell(), "page": "1", "format": "jsonl"}
    for (method, path), needed in NEEDED.items():
        if path == "/api/events":  # never ends
            continue
        for name, role in ROLES.items():
            # without the required fields nothing changes: those who may enter get 404 or 422
            body = {"json": {"annotator": name} if path == "/api/session" else {}} if method == "post" else {}
            answer = room.send(name, method, path.format(**values), **body)
            allowed = needed is not None and role.includes(needed)
            assert (answer.status_code != 403) == allowed, (method, path, name, answer.text)
            assert answer.status_code < 500


def test_every_page_can_be_read_by_every_role_but_only_adjudicators_add(room: TeamRoom) -> None:
    for name, role in ROLES.items():
        browser = room.browser(name)
        for path in PAGES:
            assert browser.get(path.format(**room.cell())).status_code in (200, 303)
        adds = role is Role.ADJUDICATOR
        assert browser.get("/add").status_code == (200 if adds else 403)
        assert ('href="/add"' in browser.get("/").text) == adds
        decides = role is not Role.READER
        assert ('data-action="correct"' in browser.get("/cells/{paper_sha256}/{question}".format(**room.cell())).text) == decides


def test_only_adjudicators_settle_a_disagreement(room: TeamRoom) -> None:
    cell = {**room.cell(), "question": "Q2"}
    for name, status in (("ann", "reported"), ("bob", "not_reported")):
        assert room.send(name, "post", "/api/annotations", json={**cell, "status": status}).status_code == 201
    settling = {**cell, "status": "reported", "adjudicates": True}
    assert [room.send(name, "post", "/api/annotations", json=settling).status_code for name in ("rita", "bob")] == [403, 403]
    assert room.send("ada", "post", "/api/annotations", json=settling).status_code == 201
    assert room.log("ada")[-1] == ("adjudicated", "a.pdf Q2: reported")
    assert [room.send(name, "post", "/api/undo").status_code for name in ("ada", "bob", "ann")] == [200, 200, 200]


def test_a_change_of_role_applies_to_an_open_session(room: TeamRoom) -> None:
    browser = room.browser("bob")
    room.team.change("bob", role=Role.READER)
    assert browser.post("/api/annotations", json={**room.cell(), "status": "reported"}).status_code == 403
    room.team.change("bob", role=Role.REVIEWER)
    assert browser.post("/api/annotations", json={**room.cell(), "status": "reported"}).status_code == 201
    assert browser.post("/api/undo", json={}).status_code == 200


# --- names, blindness and the audit trail ---------------------------------------------------------------------------


def test_nobody_can_write_in_anothers_name(room: TeamRoom) -> None:
    browser = room.browser("ann")
    named = {**room.cell(), "status": "reported", "annotator": "bob"}
    assert browser.post("/api/annotations", json=named).status_code == 422
    assert browser.post("/api/session", json={"annotator": "bob"}).status_code == 403
    assert room.send("ada", "post", "/api/session", json={"annotator": "bob"}).status_code == 403
    browser.cookies.update({f"{name}-who": "0bob" for name in browser.cookies})
    saved = browser.post("/api/annotations", json={**room.cell(), "status": "reported"}).json()
    assert saved["annotator"] == "ann"
    room.send("bob", "post", "/api/annotations", json={**room.cell(), "status": "not_reported"})
    assert browser.post("/api/undo", json={}).json()["annotator"] == "ann"
    assert [one["annotator"] for one in room.send("ann", "get", "/api/annotations").json()] == ["bob"]
    assert room.send("bob", "post", "/api/undo", json={}).status_code == 200


def test_a_blind_member_sees_no_verdict_before_deciding_and_cannot_switch_it_off(room: TeamRoom) -> None:
    room.tokens["mia"] = room.team.add("mia", Role.REVIEWER, blind=True)
    path = "/api/cells/{paper_sha256}/{question}".format(**room.cell())
    assert room.send("mia", "get", path).json()["verdict"] is None
    assert room.send("mia", "get", "/api/export/cells.jsonl").status_code == 400
    assert room.send("mia", "post", "/api/session", json={"annotator": "mia", "blind": False}).status_code == 403
    assert room.send("mia", "get", "/api/agreement").status_code == 400
    assert room.send("ann", "get", path).json()["verdict"] == "reported"
    assert room.send("mia", "post", "/api/annotations", json={**room.cell(), "status": "reported"}).json()["blind"]
    assert room.send("mia", "post", "/api/undo").status_code == 200


def test_a_blind_member_gets_no_word_of_others_from_any_address(room: TeamRoom) -> None:
    room.tokens["leo"] = room.team.add("leo", Role.REVIEWER, blind=True)
    words = {"status": "not_reported", "answer": "canary answer", "note": "canary note"}
    assert room.send("ann", "post", "/api/annotations", json={**room.cell(), **words}).status_code == 201
    values = {**room.cell(), "page": "1"}
    paths = [path for method, path in NEEDED if method == "get" and not path.endswith(("/events", "/picture"))]
    addresses = {path.format(**values, format=name) for path in (*paths, *PAGES) for name in ("jsonl", "csv", *file_formats())}
    assert b"canary" in room.send("ann", "get", "/cells/{paper_sha256}/{question}".format(**values)).content
    assert not [address for address in addresses if b"canary" in room.send("leo", "get", address).content]
    assert room.send("ann", "post", "/api/undo").status_code == 200


def test_the_audit_trail_tells_who_did_what(room: TeamRoom, tmp_path: Path) -> None:
    before = len(room.log("ada"))
    room.send("ada", "post", "/api/annotations", json={**room.cell(), "status": "reported"})
    room.send("ada", "post", "/api/undo")
    room.send("ada", "get", "/api/export/cells.csv")
    room.send("ada", "get", "/api/export/annotations.jsonl")
    assert room.send("ada", "get", "/api/export/cells.nonsense").status_code == 400
    paper = write_pdf(tmp_path / "new.pdf", [TRAINED]).read_bytes()
    assert room.send("ada", "post", "/api/papers", files={"files": ("new.pdf", paper)}).status_code == 202
    assert room.send("ada", "post", "/api/questions", json={"text": "Which boat was used?"}).status_code == 202
    assert room.log("ada")[before:] == [
        ("annotated", "a.pdf Q1: reported"),
        ("undid", "a.pdf Q1: reported"),
        ("downloaded", "cells.csv"),
        ("downloaded", "annotations.jsonl"),
        ("added papers", "new.pdf"),
        ("added question", "Which boat was used?"),
    ]


def test_reviewers_at_the_same_time_keep_their_names(room: TeamRoom) -> None:
    def decide(name: str) -> None:
        for _ in range(5):
            saved = room.send(name, "post", "/api/annotations", json={**room.cell(), "status": "reported"}).json()
            names.append((name, saved["annotator"]))

    names: list[tuple[str, str]] = []
    threads = [threading.Thread(target=decide, args=(name,)) for name in ("ann", "bob", "ada")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(names) == 15
    assert all(sent == saved for sent, saved in names)


# --- behind a proxy -------------------------------------------------------------------------------------------------


def test_behind_a_tls_proxy_the_cookie_is_secure_and_bound_to_the_host(finished_run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(finished_run, tmp_path / "out"))
    with Ledger.at(folder) as ledger:
        token = Team(ledger).add("ann", Role.REVIEWER)
    port = free_port()
    with open_room(folder, address=Address(port=port), team=True, public_url="https://review.example.org") as url:
        assert url == "https://review.example.org/"
        headers = [
            ("host", "review.example.org"),
            ("origin", "https://review.example.org"),
            ("x-forwarded-for", "192.0.2.1"),  # made up by the client: the proxy adds to the header, or another one
            ("x-forwarded-for", "192.0.2.2, 192.0.2.7"),
        ]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE_S) as proxy:
            entered = proxy.post("/sign-in", data={"token": token})
            cookie = entered.headers["set-cookie"]
            assert cookie.startswith("__Host-")
            assert "secure" in cookie.lower()
            assert "path=/" in cookie.lower()
            session = {"cookie": cookie.partition(";")[0]}
            assert proxy.get("/api/state", headers=session).status_code == 200
    with Ledger.at(folder) as ledger:
        assert audit_trail.entries(ledger)[-1].detail == "from 192.0.2.7"


@pytest.mark.parametrize(
    ("host", "public_url"),
    [
        ("192.0.2.1", ""),
        ("192.0.2.1", "http://127.0.0.1:8000"),
        ("192.0.2.1", "http://review.example.org"),
        ("127.0.0.1", "http://review.example.org"),
    ],
)
def test_a_team_server_on_a_network_needs_tls(tmp_path: Path, host: str, public_url: str) -> None:
    options = RoomOptions(tmp_path, QUESTIONS, (), team=True, public_url=public_url)
    with pytest.raises(InputError, match="unencrypted"), Ledger.at(tmp_path, create=True) as ledger:
        serve(options, load(None), ledger, address=Address(host), ready=lambda _: None)
