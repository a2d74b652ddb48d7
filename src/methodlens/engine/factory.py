"""Opens the engine for a plan: this process, child processes, or a Ray cluster."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum

from methodlens.engine.children import ChildEngine, should_use_children
from methodlens.engine.engines import Engine, LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.messages import job_of
from methodlens.engine.plan import Plan
from methodlens.errors import InputError
from methodlens.settings import Settings


class EngineKind(StrEnum):
    LOCAL = "local"
    RAY = "ray"


@contextmanager
def open_engine(
    plan: Plan,
    settings: Settings,
    stages: Callable[[], AbstractContextManager[Stages]],
    *,
    kind: EngineKind = EngineKind.LOCAL,
    address: str = "",
    portable: bool = True,
) -> Iterator[Engine]:
    """`stages` are opened only if this process does the work. Not `portable`: a part is an object of this process."""
    if kind is EngineKind.RAY:
        from methodlens.engine.ray_cluster import RayCluster

        if not portable:
            raise InputError("a parser, retriever or fact type object cannot be sent to a cluster", "install it as a plugin")
        with RayCluster(address or "auto", cores=settings.workers) as cluster:
            yield cluster.engine(job_of(plan, settings), at_once=settings.workers)
        return
    if address:
        raise InputError(f"--address {address!r} is for a cluster", "add --engine ray, or leave it out")
    if portable and should_use_children(len(plan.papers), settings):
        with ChildEngine(job_of(plan, settings), size=settings.worker_count) as engine:
            yield engine
        return
    with stages() as parts:
        yield LocalEngine(parts, at_once=settings.worker_count)
