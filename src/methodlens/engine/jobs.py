"""The job of a run: what its workers have to know, as plain values."""

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.engine.messages import Absent, Job
from methodlens.engine.plan import Plan
from methodlens.papers import parser_fingerprint
from methodlens.settings import Settings


def job_of(plan: Plan, settings: Settings) -> Job:
    """The ledger's address, which may hold a password, and the tables of language models stay here: no worker asks either."""
    own = [reader for reader in plan.readers if not reader.info.remote]
    absent = [Absent(reader.info) for reader in plan.readers if reader.info.remote]
    return Job(
        version=__version__,
        parser=parser_fingerprint(settings.reading),
        settings=replace(settings, readers={}, ledger=""),
        questions=tuple(plan.run.questions),
        own=tuple((reader.info.name, reader.info.fingerprint) for reader in own),
        absent=tuple(absent),
    )
