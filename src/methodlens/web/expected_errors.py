"""What went wrong with the ledger, in words for somebody who looks at a page and not at a terminal."""

from sqlalchemy.exc import SQLAlchemyError

from methodlens.errors import LedgerLost, MethodlensError

TROUBLE = (MethodlensError, SQLAlchemyError)
"""What a page says in place of an answer."""


def explained(error: Exception) -> str:
    """One line with what to do. The room goes on by itself when its database is back, so nothing has to be started again."""
    if isinstance(error, LedgerLost):
        return f"{error.problem}: start the database server; the room goes on by itself, nothing that was kept is lost"
    if isinstance(error, MethodlensError):
        return str(error)
    # no statement and no rows: they hold what papers and people say
    why = str(getattr(error, "orig", None) or type(error).__name__)
    return f"the ledger cannot be used at the moment ({' '.join(why.split())}): try again in a moment"
