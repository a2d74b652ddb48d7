"""A worker process: a job and tasks in, results out. It writes nothing and asks no remote reader."""

import atexit
import os
import platform
from collections.abc import Callable
from functools import lru_cache

import msgspec

from methodlens._version import __version__
from methodlens.confined import pipe
from methodlens.engine.cascade import create as create_reader
from methodlens.engine.cascade import heads
from methodlens.engine.execute import Stages, execute
from methodlens.engine.messages import Job, Ready, Refusal, decode, decode_task, encode, fact_versions
from methodlens.errors import EngineError, MethodlensError
from methodlens.ledger.paper_results import PaperResult
from methodlens.papers import WorkerPool, all_parsers, parser_fingerprints
from methodlens.retrieval import create as create_retriever

_SAME = "install the same methodlens, pypdfium2, extras and plugins on every node, and on this one"


def do(job: bytes, task: bytes) -> bytes:
    """Takes and returns bytes and raises nothing, so that nothing a paper may have influenced is ever pickled."""

    def work() -> PaperResult:
        stages = _stages(job)
        return execute(decode_task(task), stages)

    return _reply(work)


def prepare(job: bytes) -> bytes:
    """Builds the stages before the first task, so that no paper is blamed for a failure."""

    def build() -> Ready:
        _stages(job)
        return Ready()

    return _reply(build)


def _reply(work: Callable[[], PaperResult | Ready]) -> bytes:
    try:
        return encode(work())
    except MethodlensError as err:
        return encode(Refusal(err.problem, err.fix))
    except Exception as err:
        return encode(
            Refusal(f"a worker on {platform.node()} failed ({err!r:.300})", "install the same methodlens on every node")
        )


@lru_cache(maxsize=1)
def _stages(message: bytes) -> Stages:
    """Built once per process: loading vectors and starting a PDF worker takes a second."""
    try:
        job = decode(message, Job)
    except msgspec.MsgspecError as err:  # fields of another version
        raise EngineError(f"methodlens {__version__} on {platform.node()} does not understand this job", _SAME) from err
    _check_same("methodlens", job.version, __version__)
    settings = job.settings
    pool = WorkerPool(1, settings.papers, settings.reading)
    atexit.register(pool.close)
    _check_same("parsers", job.parsers, parser_fingerprints(settings.reading))
    _check_same("fact types", job.facts, fact_versions(job.questions))
    readers = [create_reader(name, settings, os.environ) for name, _ in job.readers]
    for reader, (name, fingerprint) in zip(readers, job.readers, strict=True):
        _check_same(f"a reader {name}", fingerprint, reader.info.fingerprint)
    return Stages(
        all_parsers(pool, settings.reading),
        create_retriever(settings.retrieval, os.environ),
        readers,
        job.deferred,
        job.questions,
        settings.retrieval,
        max_file_mb=settings.papers.max_file_mb,
        heads=heads(job.deferred, settings, os.environ),
    )


def _check_same(part: str, here: str, there: str) -> None:
    """Different parts would give different cells, so all nodes must have the same ones."""
    if here != there:
        raise EngineError(f"a worker on {platform.node()} has {part} {there}, this machine {here}", _SAME)


def main() -> None:
    """A child process of the local engine: the job first, then tasks, until stdin ends. It holds no keys."""
    job = b""

    def reply(message: bytes) -> bytes:
        nonlocal job
        if job:
            return do(job, message)
        job = message
        return prepare(job)

    pipe.serve(reply)


if __name__ == "__main__":
    main()
