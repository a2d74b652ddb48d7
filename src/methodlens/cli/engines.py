"""The engine that a command names, ready to work and put away at its end."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.runs.engine import Engine
    from methodlens.runs.ledger import Ledger
    from methodlens.runs.plan import Plan
    from methodlens.settings import Settings


class EngineKind(StrEnum):
    LOCAL = "local"
    RAY = "ray"


@contextmanager
def engine_for(todo: "Plan", settings: "Settings", ledger: "Ledger", *, name: str, address: str) -> "Iterator[Engine]":
    if common.one_of(EngineKind, name, "--engine") is EngineKind.RAY:
        from methodlens.runs.cluster import RayEngine
        from methodlens.runs.jobs import job_of

        job = job_of(todo, settings)
        with RayEngine(
            address or "auto", job, ledger=ledger, readers=todo.readers, sidecars=todo.sidecars, at_once=settings.workers
        ) as engine:
            yield engine
        return
    if address:
        raise InputError(f"--address {address!r} is for a cluster", "add --engine ray, or leave it out")
    from methodlens.papers import WorkerPool
    from methodlens.retrieval import create
    from methodlens.runs.engine import LocalEngine
    from methodlens.runs.execute import Stages

    with WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool:
        retriever = create(settings.retrieval, os.environ)
        stages = Stages(
            pool, retriever, todo.readers, todo.run.questions, settings.retrieval, todo.sidecars, settings.papers.max_file_mb
        )
        yield LocalEngine(stages, ledger, at_once=settings.worker_count)
