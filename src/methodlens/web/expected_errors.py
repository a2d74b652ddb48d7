"""Errors that a page or an endpoint answers with a message, and what that message says."""

from sqlalchemy.exc import SQLAlchemyError

from methodlens.errors import LedgerLost, MethodlensError

EXPECTED_ERRORS = (MethodlensError, SQLAlchemyError)


def error_message(error: Exception) -> str:
    if isinstance(error, LedgerLost):
        return f"{error.problem}: start the database server; the review room reconnects by itself and no saved data is lost"
    if isinstance(error, MethodlensError):
        return str(error)
    # only the driver's message: the SQL statement and its parameters contain text of papers and reviewers
    reason = str(getattr(error, "orig", None) or type(error).__name__)
    return f"the ledger cannot be used at the moment ({' '.join(reason.split())}): try again in a moment"
