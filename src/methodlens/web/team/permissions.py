"""Which role a request needs."""

from methodlens.ledger.team_members import Role

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""They change nothing."""
_ADDING_PAGES = frozenset({"/add"})
_NEEDED = {
    "/sign-out": Role.READER,
    "/api/annotations": Role.REVIEWER,
    "/api/undo": Role.REVIEWER,
}


def needed_role(method: str, path: str) -> Role:
    """A change that is not listed needs the highest role, so that a new endpoint is not open to everybody by mistake.

    >>> needed_role("GET", "/api/matrix").value, needed_role("POST", "/api/papers").value
    ('reader', 'adjudicator')
    """
    if method in SAFE_METHODS:
        return Role.ADJUDICATOR if path in _ADDING_PAGES else Role.READER
    return _NEEDED.get(path, Role.ADJUDICATOR)
