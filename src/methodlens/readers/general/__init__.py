"""Answers any question that is not built in: the sentences that answer best, in plain words, with a calibrated probability."""

from methodlens.readers.general.reading import read

__all__ = ["read"]
