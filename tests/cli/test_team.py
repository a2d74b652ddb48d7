"""`methodlens team`: the link is shown once, and every change is in the audit trail."""

import json
from pathlib import Path

import pytest

from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Team
from tests.cli.conftest import Call, one_line
from tests.ledger.test_team import member_with


def token_of(link: str) -> str:
    return link.strip().partition("#")[2]


def test_members_are_added_changed_reset_and_removed(methodlens: Call, tmp_path: Path) -> None:
    here = ("--out", tmp_path)
    added = methodlens("team", "add", "ann", "--blind", "--public-url", "https://Review.example.org/", *here)
    assert added.out.startswith("https://review.example.org/sign-in#ml_")
    assert "ann (reviewer, blind)" in added.err
    link = methodlens("team", "add", "bob", "--role", "reader", *here).out
    assert link.startswith("http://127.0.0.1:8000/sign-in#")
    assert methodlens("team", "change", "bob", "--role", "adjudicator", *here).out == "bob (adjudicator)\n"
    renewed = methodlens("team", "reset", "bob", *here).out
    methodlens("team", "remove", "ann", *here)
    assert methodlens("team", "list", *here).out == "bob (adjudicator)\n"
    (member,) = json.loads(methodlens("team", "list", "--json", *here).out)
    assert member.keys() == {"name", "role", "blind", "added_at"}  # no hash
    with Ledger.at(tmp_path) as ledger:
        found = [member_with(Team(ledger), token_of(text)) is not None for text in (added.out, link, renewed)]
    assert found == [False, False, True]
    entries = json.loads(methodlens("team", "log", "--limit", "0", "--json", *here).out)
    assert [entry["action"] for entry in entries] == [
        "member added",
        "member added",
        "member changed",
        "token reset",
        "member removed",
    ]
    assert all(entry["member"].endswith("(command line)") for entry in entries)
    assert methodlens("team", "log", "--limit", "1", *here).out.strip().endswith("member removed: ann")


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (("add", "ann", "--role", "boss"), "reader, reviewer, adjudicator"),
        (("add", "adjudicated"), "own name"),
        (("add", "published:x"), "cannot be used"),
        (("add", "ann", "--public-url", "review"), "https://"),
        (("change", "ann"), "give --role"),
        (("remove", "ann"), "there is no ledger"),
        (("log",), "there is no ledger"),
    ],
)
def test_mistakes_are_one_line_with_the_fix(methodlens: Call, tmp_path: Path, arguments: tuple[str, ...], fix: str) -> None:
    assert fix in one_line(methodlens("team", *arguments, "--out", tmp_path))


def test_a_list_without_members_says_how_to_add_one(methodlens: Call, tmp_path: Path) -> None:
    Ledger.at(tmp_path, create=True).close()
    assert "team add" in methodlens("team", "list", "--out", tmp_path).err
