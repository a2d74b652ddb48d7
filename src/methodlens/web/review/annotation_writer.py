"""Saves decisions with the time."""

import threading
from datetime import UTC, datetime

from msgspec.structs import replace
from sqlalchemy.exc import DatabaseError

from methodlens.errors import LedgerError, LedgerLost
from methodlens.ledger.store import Ledger
from methodlens.records import Annotation


class AnnotationWriter:
    """Thread-safe."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._last_saved = ""

    def save(self, annotation: Annotation) -> Annotation:
        """With the current time. Times never repeat, because the last annotation counts."""
        with self._lock:
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            while now <= self._last_saved:
                now = datetime.now(UTC).isoformat(timespec="microseconds")
            self._last_saved = now
            saved = replace(annotation, at=now)
            try:
                self._ledger.keep_annotations([saved])
            except DatabaseError as err:
                raise LedgerError(f"your decision was not saved ({err.orig})", "free some disk space, then decide again") from err
            except LedgerLost as err:
                raise LedgerLost(f"your decision was not saved: {err.problem}", err.fix) from err
        return saved
