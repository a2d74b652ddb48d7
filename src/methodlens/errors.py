"""The exceptions of methodlens. Each says what is wrong and how to fix it.

MethodlensError             base class; the command line prints it in one line and exits with code 2
├── InputError              invalid input
│   ├── QuestionsError      ... a question set
│   ├── LabelsError         ... human labels, an annotation sheet or a category mapping
│   ├── StudyError          ... the data of the published study
│   ├── SettingsError       ... methodlens.toml, an environment variable or a flag
│   └── TranscriptError     ... a transcript
├── OutputError             a file or folder cannot be written
├── LedgerError             the ledger cannot be used
│   ├── LedgerBusy          ... it is locked by another run
│   ├── LedgerTooNew        ... it was written by a newer version of methodlens
│   ├── LedgerDamaged       ... a row does not match its checksum
│   ├── LedgerLost          ... its database cannot be reached
│   └── LedgerFull          ... its disk is full
├── EngineError             the Ray cluster cannot be used: not found, or without the same version of methodlens
├── RetrievalError          passages cannot be searched: invalid vectors, embeddings server or index
└── ReaderError             a reader cannot be used (unknown, no key, no model, refused by its server): the run stops
    └── ReaderFailed        ... for one question: the cell is `failed` and the run continues
        └── ReaderAbandoned ... because the call was cancelled

A paper that cannot be read is not an error: see `Paper.status`.
"""

from typing import Any


class MethodlensError(Exception):
    """`problem` is what is wrong, `fix` what the user can do."""

    def __init__(self, problem: str, fix: str = "") -> None:
        super().__init__(f"{problem}: {fix}" if fix else problem)
        self.problem = problem
        self.fix = fix


class InputError(MethodlensError): ...


class QuestionsError(InputError): ...


class LabelsError(InputError): ...


class StudyError(InputError): ...


class SettingsError(InputError): ...


class TranscriptError(InputError): ...


class OutputError(MethodlensError): ...


class LedgerError(MethodlensError): ...


class LedgerBusy(LedgerError): ...


class LedgerTooNew(LedgerError): ...


class LedgerDamaged(LedgerError): ...


class LedgerLost(LedgerError): ...


class LedgerFull(LedgerError): ...


class EngineError(MethodlensError): ...


class RetrievalError(MethodlensError): ...


class ReaderError(MethodlensError): ...


class ReaderFailed(ReaderError):
    usage: Any = None
    """A `records.Usage`: what was spent before the failure."""


class ReaderAbandoned(ReaderFailed): ...
