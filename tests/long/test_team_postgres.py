"""Two reviewers and an adjudicator in a browser, in a team's room on PostgreSQL; and the files of examples/deploy."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from methodlens.ledger import audit_trail
from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Role, Team
from methodlens.ledger.upkeep import check, copy
from tests.long.conftest import DESK, PHONE, picture_of
from tests.long.postgres import Server, server
from tests.waiting import PATIENCE_S
from tests.web.conftest import finished_run as finished_run
from tests.web.conftest import open_room

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.long
DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
ROLES = {"ann": Role.REVIEWER, "bob": Role.REVIEWER, "ada": Role.ADJUDICATOR, "rita": Role.READER}


class Lab:
    """A room on PostgreSQL, and a browser per member."""

    def __init__(self, url: str, ledger: Ledger, tokens: dict[str, str], browser: "Browser") -> None:
        self.url, self.ledger, self.tokens, self._browser = url.rstrip("/"), ledger, tokens, browser
        self._contexts: list[BrowserContext] = []

    def page(self, *, scripts: bool = True) -> "Page":
        context = self._browser.new_context(viewport=DESK, java_script_enabled=scripts)
        context.set_default_timeout(PATIENCE_S * 1000)
        self._contexts.append(context)
        return context.new_page()

    def signed_in(self, name: str) -> "Page":
        page = self.page()
        page.goto(f"{self.url}/sign-in#{self.tokens[name]}")
        assert self.tokens[name] not in page.url  # it has left the address bar
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{self.url}/")
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def lab(postgres: Server, finished_run: Path, tmp_path: Path, browser: "Browser", password: None) -> Iterator[Lab]:
    there = Ledger.on(postgres.new_database("team"), create=True, ping=True)
    with Ledger.at(finished_run) as ledger:
        copy(ledger, there)
    tokens = {name: Team(there).add(name, role, blind=name == "bob") for name, role in ROLES.items()}
    with open_room(tmp_path / "room", ledger=there, team=True) as url:
        opened = Lab(url, there, tokens, browser)
        yield opened
        opened.close()
    postgres.query("DROP DATABASE team")


def test_two_reviewers_and_an_adjudicator_work_in_their_own_names(lab: Lab) -> None:
    (run,) = lab.ledger.runs()
    sha256 = next(entry.sha256 for entry, _ in lab.ledger.entries(run) if entry.name == "a.pdf")
    cell = f"{lab.url}/cells/{sha256}/Q1"

    ann = lab.signed_in("ann")
    ann.goto(cell)
    ann.get_by_role("button", name="Agree").wait_for()
    ann.uncheck("#advance")
    ann.keyboard.press("a")
    ann.get_by_text("Your decision:").wait_for()

    bob = lab.signed_in("bob")
    bob.goto(cell)
    bob.get_by_text("Blind mode").wait_for()
    assert "ann" not in bob.inner_text("#panel")
    picture_of(bob, "team-blind")
    bob.uncheck("#advance")
    bob.keyboard.press("2")
    bob.get_by_text("Your decision:").wait_for()
    assert "ann" in bob.inner_text("#panel")  # shown after the decision

    ada = lab.signed_in("ada")
    ada.goto(cell)
    assert {"ann", "bob"} <= set(ada.inner_text("#panel").split())
    ada.goto(f"{lab.url}/agreement")
    assert "1 cell is disputed" in ada.inner_text("main")
    with ada.expect_navigation():  # until the page has loaded: then its script runs, and takes keys
        ada.get_by_role("link", name="adjudicate").click()
    ada.get_by_role("button", name="Side with bob").wait_for()
    ada.wait_for_selector("#sheet:not(.loading)")
    picture_of(ada, "team-adjudicate")
    ada.keyboard.press("2")
    ada.get_by_text("Saved: not reported.").wait_for(timeout=30_000)
    ada.goto(cell)
    ada.get_by_text("Final: ○ not reported").wait_for(timeout=30_000)

    decisions = {annotation.annotator: annotation for annotation in lab.ledger.annotations()}
    assert {name: decision.status.value for name, decision in decisions.items()} == {
        "ann": "reported",
        "bob": "not_reported",
        "ada": "not_reported",
    }
    assert [name for name, decision in decisions.items() if decision.adjudicates] == ["ada"]
    assert {name: decision.blind for name, decision in decisions.items()} == {"ann": False, "bob": True, "ada": False}
    log = [(entry.member, entry.action) for entry in audit_trail.entries(lab.ledger)]
    assert log == [
        ("ann", "signed in"),
        ("ann", "annotated"),
        ("bob", "signed in"),
        ("bob", "annotated"),
        ("ada", "signed in"),
        ("ada", "adjudicated"),
    ]
    assert list(check(lab.ledger)) == []


def test_a_killed_database_is_reported_and_members_stay_signed_in(finished_run: Path, tmp_path: Path, password: None) -> None:
    with server() as postgres:
        there = Ledger.on(postgres.new_database("dying"), create=True, ping=True)
        with Ledger.at(finished_run) as ledger:
            copy(ledger, there)
        token = Team(there).add("ann", Role.REVIEWER)
        with open_room(tmp_path / "room", ledger=there, team=True) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as ann:
            ann.post("/sign-in", data={"token": token})
            assert ann.get("/").status_code == 200
            postgres.kill()
            for answer in (ann.get("/", headers={"accept": "text/html"}), ann.post("/sign-in", data={"token": token})):
                assert answer.status_code == 409
                assert "start the database server" in answer.text.lower()
            postgres.start()
            assert ann.get("/").status_code == 200


def test_a_link_to_a_cell_leads_there_after_signing_in_without_scripts(lab: Lab) -> None:
    page = lab.page(scripts=False)
    page.goto(f"{lab.url}/agreement")
    picture_of(page, "team-sign-in")
    page.set_viewport_size(PHONE)
    page.fill("#token", "wrong")
    page.get_by_role("button", name="Sign in").click()
    assert "not the token of a member" in page.inner_text("[role=alert]")
    page.fill("#token", lab.tokens["rita"])
    page.get_by_role("button", name="Sign in").click()
    assert page.url == f"{lab.url}/agreement"
    page.click("#reviewer summary")
    page.get_by_role("button", name="Sign out").click()
    assert page.url == f"{lab.url}/sign-in"


def test_the_compose_file_names_what_exists_and_opens_only_the_proxy() -> None:
    yaml = pytest.importorskip("yaml")
    described = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = described["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert (DEPLOY / services["room"]["build"] / "Dockerfile").is_file()
    volumes = {volume.partition(":")[0] for service in services.values() for volume in service["volumes"]}
    assert {name for name in volumes if not name.startswith(".")} == described["volumes"].keys()
    assert (DEPLOY / "Caddyfile").is_file()


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not installed")
def test_docker_compose_accepts_the_compose_file(tmp_path: Path) -> None:
    environment = (DEPLOY / "env.example").read_text().replace("PASSWORD=", "PASSWORD=x")
    (tmp_path / "env").write_text(environment)
    command = [
        "docker-compose",
        "--file",
        str(DEPLOY / "compose.yaml"),
        "--env-file",
        str(tmp_path / "env"),
        "config",
        "--services",
    ]
    services = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert sorted(services) == ["db", "methodlens", "proxy", "room"]


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
def test_caddy_accepts_the_caddyfile() -> None:
    environment = {"PATH": "/usr/bin:/bin", "DOMAIN": "review.example.org"}
    command = ["caddy", "adapt", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    adapted = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    assert '"dial":"room:8000"' in adapted
