"""The supplements of a run's papers: each is read like a paper, by the embedded reader alone, and kept next to its paper.

After the papers, so that nothing about these depends on it; and on this machine, which has the files.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

from msgspec.structs import replace

from methodlens.engine.engines import Engine, PaperLost
from methodlens.engine.execute import Task, unreadable_result
from methodlens.engine.plan import Plan
from methodlens.ledger import supplements
from methodlens.ledger.paper_results import PaperResult
from methodlens.ledger.store import Ledger
from methodlens.ledger.supplements import SupplementKey
from methodlens.papers import FetchError, PaperFile, local_copy, sha256_of
from methodlens.records import PaperStatus
from methodlens.seams import Reader

OpenEngine = Callable[[Plan], AbstractContextManager[Engine]]


def read_supplements(plan: Plan, ledger: Ledger, reader: Reader, open_engine: OpenEngine) -> dict[PaperStatus, int]:
    """How many supplements there are, by status. Those that the run had before and the plan has not are unlinked,
    unless the plan only adds papers."""
    if plan.supplements is None:
        return {}
    names = set(plan.names)
    found = [(paper, each.file) for paper, files in plan.supplements.items() if paper in names for each in files]
    if not plan.is_addition:
        supplements.keep_only(ledger, plan.run.id, (SupplementKey(paper, file.name) for paper, file in found))
    statuses: Counter[PaperStatus] = Counter()
    if not found:
        return statuses
    files = tuple(file for _, file in found)
    reading = replace(plan, papers=files, readers=(reader,), questions=plan.run.questions, portable=frozenset({reader.info.name}))
    with open_engine(reading) as engine, _threads(engine) as threads:
        results = threads.map(lambda file: _read(file, reading, engine, ledger), files)
        for (paper, file), result in zip(found, results, strict=True):
            if result is not None:
                supplements.keep(ledger, plan.run.id, SupplementKey(paper, file.name), result)
                statuses[result.entry.status] += 1
    return statuses


@contextmanager
def _threads(engine: Engine) -> Iterator[ThreadPoolExecutor]:
    threads = ThreadPoolExecutor(max(1, engine.at_once), thread_name_prefix="supplement")
    try:
        yield threads
    except BaseException:  # such as Ctrl-C: what was read is kept
        engine.abandon()
        raise
    finally:
        threads.shutdown(wait=True, cancel_futures=True)


def _read(file: PaperFile, plan: Plan, engine: Engine, ledger: Ledger) -> PaperResult | None:
    task = Task(file.location, file.name)
    try:
        with local_copy(file, max_mb=plan.max_file_mb) as path:
            sha256 = sha256_of(path)
            known = ledger.known(sha256, plan.parser) if sha256 else None
            task = Task(os.path.abspath(path), file.name, sha256, known)
            return engine.execute(task)
    except FetchError as err:
        return _unreadable(task, plan, PaperStatus.CRASHED, str(err))
    except PaperLost as err:
        return _unreadable(task, plan, err.status, str(err))


def _unreadable(task: Task, plan: Plan, status: PaperStatus, reason: str) -> PaperResult:
    return unreadable_result(task, plan.parser, status, reason, plan.questions, [reader.info for reader in plan.readers])
