"""What can go wrong, and what to do about it.

MethodlensError             everything we raise on purpose; the command line prints it in one line and exits with 2
├── InputError              what the user gave cannot be used: a folder, a question file, a transcript
│   ├── QuestionsError      ... a question set, with the line where there is one
│   ├── LabelsError         ... human labels: a gold file, an annotation sheet, a mapping
│   ├── StudyError          ... a folder or file of the published study
│   ├── SettingsError       ... methodlens.toml, a variable or a flag
│   └── TranscriptError     ... a transcript, with its line
├── OutputError             the output folder cannot be written
├── LedgerError             the ledger cannot be used
│   ├── LedgerBusy          ... another run holds it
│   ├── LedgerTooNew        ... a newer methodlens wrote it
│   ├── LedgerDamaged       ... a row does not match its checksum
│   ├── LedgerLost          ... its database cannot be reached, or went away
│   └── LedgerFull          ... there is no room left on its disk
├── EngineError             the machines that do the work cannot be used: no cluster there, no methodlens on it, another version
├── RetrievalError          passages cannot be searched: the vectors, the embeddings server, the index on disk
└── ReaderError             a reader cannot be used at all (unknown, no key, no model, refused by its server): the run stops
    └── ReaderFailed        ... or broke on one cell: the cell is `failed`, the run goes on
        └── ReaderAbandoned ... because nobody waits for it any more

A paper that cannot be read is no error but a value: `Paper.status`.
"""

from typing import Any


class MethodlensError(Exception):
    """`problem` says what is wrong, `fix` what the user can do next."""

    def __init__(self, problem: str, fix: str = "") -> None:
        super().__init__(f"{problem}: {fix}" if fix else problem)
        self.problem = problem
        self.fix = fix


class InputError(MethodlensError):
    pass


class QuestionsError(InputError):
    pass


class LabelsError(InputError):
    pass


class StudyError(InputError):
    pass


class SettingsError(InputError):
    pass


class TranscriptError(InputError):
    pass


class OutputError(MethodlensError):
    pass


class LedgerError(MethodlensError):
    pass


class LedgerBusy(LedgerError):
    pass


class LedgerTooNew(LedgerError):
    pass


class LedgerDamaged(LedgerError):
    pass


class LedgerLost(LedgerError):
    pass


class LedgerFull(LedgerError):
    pass


class EngineError(MethodlensError):
    pass


class RetrievalError(MethodlensError):
    pass


class ReaderError(MethodlensError):
    pass


class ReaderFailed(ReaderError):
    usage: Any = None
    """A records.Usage: what was spent before it broke."""


class ReaderAbandoned(ReaderFailed):
    pass
