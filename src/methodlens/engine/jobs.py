"""The job of a run: what its workers have to know, as plain values."""

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.engine.messages import Absent, Job
from methodlens.engine.plan import Plan
from methodlens.papers import parser_fingerprint
from methodlens.seams import RemoteReader
from methodlens.settings import Settings


def job_of(plan: Plan, settings: Settings) -> Job:
    """The ledger's address, which may hold a password, and the tables of language models stay here: no worker asks either."""
    own = [reader for reader in plan.readers if not isinstance(reader, RemoteReader)]
    absent = [
        Absent(reader.name, reader.model, reader.fingerprint, shown_chars=reader.shown_chars)
        for reader in plan.readers
        if isinstance(reader, RemoteReader)
    ]
    return Job(
        version=__version__,
        parser=parser_fingerprint(settings.reading),
        settings=replace(settings, readers={}, ledger=""),
        questions=tuple(plan.run.questions),
        own=tuple((reader.name, reader.fingerprint) for reader in own),
        absent=tuple(absent),
    )
