"""Who sends a request: members are identified by their token or by the session it began."""

import hashlib
import threading
from datetime import timedelta

from cachetools import TTLCache

from methodlens.errors import InputError
from methodlens.ledger import audit_trail
from methodlens.ledger.access_tokens import TokenHash, is_token
from methodlens.ledger.audit_trail import Action
from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Member, Team

SESSION = timedelta(days=7)
_MAX_FAILURES = 10
_WINDOW_S = 300
_MAX_CLIENTS = 10_000
_MAX_TOKENS = 1_000


class TooManyAttempts(InputError):
    """Too many wrong tokens from the same address."""


class WrongToken(InputError):
    """No member has this token."""


class Authentication:
    """Thread-safe. Failures are counted per address and member: an address that guesses has to wait, and others behind the
    same address do not."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._team = Team(ledger)
        self._lock = threading.Lock()
        self._failures: TTLCache[tuple[str, str], int] = TTLCache(_MAX_CLIENTS, _WINDOW_S)
        self._verified: TTLCache[str, TokenHash] = TTLCache(_MAX_TOKENS, _WINDOW_S)

    def sign_in(self, token: str, *, client: str, previous: str = "") -> str:
        """The secret of a new session. `previous` is the session that it replaces in the same browser: it ends."""
        member = self.with_token(token.strip(), client=client)
        self.sign_out(previous)
        session = self._team.sign_in(member.name, lasts=SESSION)
        audit_trail.record(self._ledger, member.name, Action.SIGNED_IN, f"from {client}")
        return session

    def sign_out(self, session: str) -> None:
        if member := self.with_session(session):
            self._team.sign_out(session)
            audit_trail.record(self._ledger, member.name, Action.SIGNED_OUT)

    def with_session(self, session: str) -> Member | None:
        return self._team.signed_in(session) if session else None

    def with_token(self, token: str, *, client: str) -> Member:
        """Programs send their token with each request: one that was verified lately is not hashed again."""
        member = self._team.holder(token)
        guessed = (client, member.name if member else "")
        with self._lock:
            if self._failures.get(guessed, 0) >= _MAX_FAILURES:
                raise TooManyAttempts("too many failed attempts", f"wait {_WINDOW_S // 60} minutes, then try again")
        if member is None or member.token is None or not self._is_right(token, member.token):
            with self._lock:
                self._failures[guessed] = self._failures.get(guessed, 0) + 1
            audit_trail.record(self._ledger, "", Action.SIGN_IN_FAILED, f"from {client}")
            raise WrongToken("this is not the token of a member", "copy the whole sign-in link, or ask for a new one")
        return member

    def _is_right(self, token: str, stored: TokenHash) -> bool:
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
        with self._lock:
            if self._verified.get(key) == stored:
                return True
        if not is_token(token, stored):
            return False
        with self._lock:
            self._verified[key] = stored
        return True
