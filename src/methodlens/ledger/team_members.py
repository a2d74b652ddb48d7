"""The members of a team: who may sign in to a shared review room, what each may do, and who is signed in."""

import hashlib
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Executable, delete, select

from methodlens.errors import InputError
from methodlens.ledger.access_tokens import TokenHash, new_token, token_id
from methodlens.ledger.database import Database
from methodlens.ledger.packing import build_decoders, checksum, pack, unpack
from methodlens.ledger.store import now
from methodlens.ledger.tables import TEAM_MEMBERS, TEAM_SESSIONS, upsert


class Role(StrEnum):
    """What a member may do. Each role includes the ones before it."""

    READER = "reader"
    """Reads everything, changes nothing."""
    REVIEWER = "reviewer"
    """Also annotates cells, in their own name."""
    ADJUDICATOR = "adjudicator"
    """Also settles disagreements, and adds papers and questions."""

    def includes(self, other: "Role") -> bool:
        """
        >>> Role.ADJUDICATOR.includes(Role.REVIEWER), Role.READER.includes(Role.REVIEWER)
        (True, False)
        """
        return _ORDER[self] >= _ORDER[other]


_ORDER = {role: rank for rank, role in enumerate(Role)}


class Member(Struct, frozen=True):
    """A blind member sees verdicts and other people's annotations on a cell only after annotating it.

    A member who was removed keeps the name, so that nobody else gets it with the annotations, but has no token.
    """

    name: str
    role: Role
    added_at: str
    blind: bool = False
    token: TokenHash | None = None

    @property
    def active(self) -> bool:
        return self.token is not None


build_decoders(Member)


class Team:
    """The members in a ledger. Changes apply at once, also to members who are signed in."""

    def __init__(self, ledger: Database) -> None:
        self._ledger = ledger

    def members(self) -> Sequence[Member]:
        """Including those who were removed, by name."""
        return self._members(select(TEAM_MEMBERS).order_by(TEAM_MEMBERS.c.name))

    def member(self, name: str) -> Member:
        """An active member."""
        members = [member for member in self.members() if member.active]
        found = next((member for member in members if member.name == name), None)
        if found is None:
            names = ", ".join(member.name for member in members) or "nobody yet"
            raise InputError(f"there is no member {name!r}", f"the members are: {names}")
        return found

    def add(self, name: str, role: Role, *, blind: bool = False) -> str:
        """The token of the new member. A member who was removed may come back under the same name."""
        for other in self.members():
            if _folded(other.name) == _folded(name) and (other.active or other.name != name):
                raise InputError(f"there is a member {other.name!r} already", "choose a name that cannot be confused with it")
        token, hashed = new_token()
        self._save(_checked(Member(name, role, now(), blind, hashed)))
        return token

    def change(self, name: str, *, role: Role | None = None, blind: bool | None = None) -> Member:
        member = self.member(name)
        changed = replace(member, role=role or member.role, blind=member.blind if blind is None else blind)
        self._save(_checked(changed))
        return changed

    def reset_token(self, name: str) -> str:
        """A new token; the old one and all sessions of the member end."""
        token, hashed = new_token()
        self._save(replace(self.member(name), token=hashed), sign_out=True)
        return token

    def remove(self, name: str) -> None:
        """End all access. The member's annotations are kept."""
        self._save(replace(self.member(name), token=None), sign_out=True)

    def holder(self, token: str) -> Member | None:
        """The member that the token names. Its secret is not verified: see `access_tokens.is_token`."""
        wanted = token_id(token)
        members = self._members(select(TEAM_MEMBERS).where(TEAM_MEMBERS.c.token_id == wanted)) if wanted else []
        return next(iter(members), None)

    # --- sessions ---------------------------------------------------------------------------------------------------

    def sign_in(self, name: str, *, lasts: timedelta) -> str:
        """Begin a session; its secret is for the member's browser. The ledger keeps a hash of it."""
        session = secrets.token_urlsafe(32)
        expires_at = (datetime.now(UTC) + lasts).isoformat(timespec="microseconds")
        with self._ledger.engine.begin() as connection:
            connection.execute(delete(TEAM_SESSIONS).where(TEAM_SESSIONS.c.expires_at <= now()))
            row = {"session_sha256": _sha256(session), "member": name, "expires_at": expires_at}
            upsert(connection, TEAM_SESSIONS, [row], by=("session_sha256",))
        return session

    def signed_in(self, session: str) -> Member | None:
        """The member with this session, as of now."""
        query = select(TEAM_MEMBERS).join_from(TEAM_MEMBERS, TEAM_SESSIONS, TEAM_MEMBERS.c.name == TEAM_SESSIONS.c.member)
        live = query.where(TEAM_SESSIONS.c.session_sha256 == _sha256(session), TEAM_SESSIONS.c.expires_at > now())
        return next((member for member in self._members(live) if member.active), None)

    def sign_out(self, session: str) -> None:
        with self._ledger.engine.begin() as connection:
            connection.execute(delete(TEAM_SESSIONS).where(TEAM_SESSIONS.c.session_sha256 == _sha256(session)))

    def _members(self, query: Executable) -> list[Member]:
        return [member_from_row(row) for row in self._ledger.fetch(query)]

    def _save(self, member: Member, *, sign_out: bool = False) -> None:
        body = pack(member)
        lookup = member.token.id if member.token else None
        row = {"name": member.name, "token_id": lookup, "body": body, "checksum": checksum(member.name, body)}
        with self._ledger.engine.begin() as connection:
            upsert(connection, TEAM_MEMBERS, [row], by=("name",))
            if sign_out:
                connection.execute(delete(TEAM_SESSIONS).where(TEAM_SESSIONS.c.member == member.name))


def member_from_row(row: Mapping[Any, Any]) -> Member:
    name = row["name"]
    return unpack(row["body"], Member, key=name, expected=row["checksum"], what=f"the account of {name}")


def _checked(member: Member) -> Member:
    if member.blind and member.role is Role.ADJUDICATOR:
        fix = "settling a disagreement needs both decisions: omit --blind, or add --no-blind"
        raise InputError("an adjudicator cannot be blind", fix)
    return member


def _folded(name: str) -> str:
    """Equal for names that look alike, such as 'Ann' and 'ann'."""
    return unicodedata.normalize("NFKC", name).casefold()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
