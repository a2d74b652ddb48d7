"""A plan done by the engine that a command names; for `run` and `watch`."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.budget import Budget
    from methodlens.engine.driver import Summary
    from methodlens.engine.engine import Engine
    from methodlens.engine.messages import Job
    from methodlens.engine.plan import Plan
    from methodlens.engine.remote import Hands
    from methodlens.ledger.ledger import Ledger
    from methodlens.settings import Settings


class EngineKind(StrEnum):
    LOCAL = "local"
    RAY = "ray"


@contextmanager
def engine_for(todo: "Plan", settings: "Settings", *, name: str, address: str) -> "Iterator[Callable[[Ledger], Engine]]":
    """What makes the engine, once there is a ledger: a cluster that cannot be reached is noticed before one is made."""
    from methodlens.engine import children
    from methodlens.engine.jobs import job_of

    job = job_of(todo, settings)
    if common.one_of(EngineKind, name, "--engine") is EngineKind.RAY:
        from methodlens.engine.ray_cluster import Cluster

        with Cluster(address or "auto", cores=settings.workers) as cluster:
            yield _sending(cluster.hands(job, at_once=settings.workers), job, todo)
        return
    if address:
        raise InputError(f"--address {address!r} is for a cluster", "add --engine ray, or leave it out")
    if children.worth_it(todo, settings):
        with children.ChildHands(job, size=settings.worker_count) as hands:
            yield _sending(hands, job, todo)
        return
    from methodlens.engine.engine import LocalEngine
    from methodlens.engine.execute import Stages
    from methodlens.papers import WorkerPool
    from methodlens.retrieval import create

    with WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool:
        retriever = create(settings.retrieval, os.environ)
        stages = Stages(
            pool, retriever, todo.readers, todo.run.questions, settings.retrieval, todo.sidecars, settings.papers.max_file_mb
        )
        yield lambda ledger: LocalEngine(stages, ledger, at_once=settings.worker_count)


def _sending(hands: "Hands", job: "Job", todo: "Plan") -> "Callable[[Ledger], Engine]":
    from methodlens.engine.remote import ParcelEngine

    return lambda ledger: ParcelEngine(hands, job, ledger=ledger, readers=todo.readers, sidecars=todo.sidecars)


@contextmanager
def worked(
    todo: "Plan", settings: "Settings", *, engine: str, address: str, budget: "Budget"
) -> "Iterator[tuple[Summary, Ledger]]":
    """Do the plan; the ledger stays open, and ours, for the report."""
    from methodlens.cli.progress import progress
    from methodlens.engine import driver

    budget.check(todo.readers)
    with (
        engine_for(todo, settings, name=engine, address=address) as engine_on,
        common.open_ledger(settings, create=True) as ledger,
        ledger.lock(),
    ):
        with progress(common.console(stderr=True), papers=len(todo.papers), cells=todo.cells) as watch:
            summary = driver.run(todo, engine_on(ledger), ledger, budget=budget, watch=watch, say=_say)
        yield summary, ledger


def _say(text: str) -> None:
    typer.echo(text, err=True)
