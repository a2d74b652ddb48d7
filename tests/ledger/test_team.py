"""Members of a team: tokens are kept as hashes, sessions end, and the audit trail only grows."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from methodlens.errors import InputError, LedgerDamaged
from methodlens.ledger import audit_trail
from methodlens.ledger.access_tokens import is_token
from methodlens.ledger.audit_trail import Action
from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Member, Role, Team
from methodlens.ledger.upkeep import check, copy

HOUR = timedelta(hours=1)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.at(tmp_path, create=True) as opened:
        yield opened


@pytest.fixture
def team(ledger: Ledger) -> Team:
    return Team(ledger)


def member_with(team: Team, token: str) -> Member | None:
    holder = team.holder(token)
    return holder if holder and holder.token and is_token(token, holder.token) else None


def stored_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("ledger.sqlite*"))


def test_a_token_identifies_its_member_and_is_stored_nowhere(team: Team, tmp_path: Path) -> None:
    token = team.add("ann", Role.REVIEWER)
    team.add("bob", Role.READER)
    member = member_with(team, token)
    assert member is not None
    assert (member.name, member.role) == ("ann", Role.REVIEWER)
    secret = token.rpartition("_")[2].encode()
    assert len(secret) >= 48
    assert secret not in stored_bytes(tmp_path)


@pytest.mark.parametrize(
    "damage", [lambda token: token[:-1], lambda token: f"{token}0", lambda token: token.replace("ml_", "xx_")]
)
def test_anything_but_the_exact_token_is_refused(team: Team, damage: Callable[[str], str]) -> None:
    assert member_with(team, damage(team.add("ann", Role.REVIEWER))) is None


@pytest.mark.parametrize("text", ["", "ml_", "ml__", "ml_\x00_x", "é_é_é", "ml_" + "a" * 10_000, "\udc80_\udc80_x"])
def test_text_that_is_no_token_is_refused_without_a_query(team: Team, text: str) -> None:
    assert member_with(team, text) is None


def test_a_session_ends_at_its_time_at_sign_out_and_with_its_token(team: Team) -> None:
    team.add("ann", Role.REVIEWER)
    session, expired, closed = (team.sign_in("ann", lasts=time) for time in (HOUR, timedelta(0), HOUR))
    team.sign_out(closed)
    assert [team.signed_in(secret) is not None for secret in (session, expired, closed, "", "\udc80")] == [True, *[False] * 4]
    token = team.reset_token("ann")
    assert team.signed_in(session) is None
    session = team.sign_in("ann", lasts=HOUR)
    team.remove("ann")
    assert team.signed_in(session) is None
    assert member_with(team, token) is None


def test_a_changed_role_applies_to_those_who_are_signed_in(team: Team) -> None:
    team.add("ann", Role.ADJUDICATOR)
    session = team.sign_in("ann", lasts=HOUR)
    team.change("ann", role=Role.REVIEWER, blind=True)
    member = team.signed_in(session)
    assert member is not None
    assert (member.role, member.blind) == (Role.REVIEWER, True)


@pytest.mark.parametrize("name", ["ann", "Ann", "\uff41nn"])
def test_a_name_that_looks_like_another_members_is_refused(team: Team, name: str) -> None:
    team.add("ann", Role.REVIEWER)
    with pytest.raises(InputError, match="confused"):
        team.add(name, Role.READER)


def test_a_removed_member_keeps_the_name_and_may_come_back(team: Team) -> None:
    team.add("ann", Role.REVIEWER)
    team.remove("ann")
    with pytest.raises(InputError, match="confused"):
        team.add("Ann", Role.READER)
    with pytest.raises(InputError, match="no member 'ann'"):
        team.reset_token("ann")
    assert member_with(team, team.add("ann", Role.READER)) is not None


def test_an_adjudicator_cannot_be_blind(team: Team) -> None:
    with pytest.raises(InputError, match="both decisions"):
        team.add("ann", Role.ADJUDICATOR, blind=True)
    team.add("bob", Role.REVIEWER, blind=True)
    with pytest.raises(InputError, match="both decisions"):
        team.change("bob", role=Role.ADJUDICATOR)


def test_the_audit_trail_lists_the_latest_entries_oldest_first(ledger: Ledger) -> None:
    for name in ("ann", "bob", "ann"):
        audit_trail.record(ledger, name, Action.SIGNED_IN, "from\nhere")
    audit_trail.record(ledger, "bob", Action.SIGNED_OUT)
    listed = audit_trail.entries(ledger, limit=2)
    assert [(entry.member, entry.action, entry.detail) for entry in listed] == [
        ("ann", "signed in", "from here"),
        ("bob", "signed out", ""),
    ]
    assert len(audit_trail.entries(ledger, member="ann")) == 2


def test_a_changed_audit_entry_is_found_and_members_are_copied_with_the_ledger(ledger: Ledger, tmp_path: Path) -> None:
    token = Team(ledger).add("ann", Role.REVIEWER)
    audit_trail.record(ledger, "ann", Action.ANNOTATED, "a.pdf Q1")
    with Ledger.at(tmp_path / "copy", create=True) as target:
        copy(ledger, target)
        assert member_with(Team(target), token) is not None
        assert audit_trail.entries(target) == audit_trail.entries(ledger)
    assert list(check(ledger)) == []
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("UPDATE audit_trail SET member = 'bob'")
    connection.close()
    assert [fault.table for fault in check(ledger)] == ["audit_trail"]
    with pytest.raises(LedgerDamaged, match="audit entry"):
        audit_trail.entries(ledger)
