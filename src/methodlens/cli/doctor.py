"""methodlens doctor"""

import platform
import re
import shutil
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

import typer

from methodlens._version import __version__
from methodlens.cli import common
from methodlens.errors import LedgerError, MethodlensError
from methodlens.settings import Settings

_MIN_FREE_MB = 200


class Finding(NamedTuple):
    ok: bool
    what: str
    detail: str
    fix: str = ""


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Check the installation, settings, ledger and readers.

    Shows how to fix each problem; the exit code is then 1. Sends one short question to each configured language model.

    Example: methodlens doctor --out review
    """
    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    findings = [
        Finding(True, "methodlens", f"{__version__} on Python {platform.python_version()} ({platform.system()})"),
        *_dependencies(),
        _worker(settings),
        _ledger(settings),
        *_readers(settings),
    ]
    if json:
        common.print_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            typer.echo(f"{'ok ' if finding.ok else 'BAD'}  {finding.what:<12} {finding.detail}")
            if finding.fix:
                typer.echo(f"     {'':<12} -> {finding.fix}")
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


def _dependencies() -> Iterator[Finding]:
    """From the package's metadata, so that none is forgotten."""
    by_extra: dict[str, list[str]] = {"": []}
    try:
        requirements = requires("methodlens") or []
    except PackageNotFoundError:
        yield Finding(False, "packages", "methodlens is not installed, so its dependencies are unknown", "pip install methodlens")
        return
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if name:
            by_extra.setdefault(extra[1] if extra else "", []).append(name[0])
    yield from map(_package, sorted(by_extra.pop("")))
    by_extra.pop("dev", None)  # for contributors
    for extra_name, packages in sorted(by_extra.items()):
        yield _extra(extra_name, packages)


def _package(name: str) -> Finding:
    try:
        return Finding(True, name, version(name))
    except PackageNotFoundError:
        return Finding(False, name, "missing", "pip install --upgrade methodlens")


def _extra(name: str, packages: Sequence[str]) -> Finding:
    if all(_package(package).ok for package in packages):
        return Finding(True, f"[{name}]", ", ".join(f"{package} {version(package)}" for package in packages))
    return Finding(True, f"[{name}]", f"not installed (optional): pip install 'methodlens[{name}]'")


def _worker(settings: Settings) -> Finding:
    """Reads a tiny PDF in a worker process."""
    import tempfile

    from methodlens.records import PaperStatus

    with tempfile.TemporaryDirectory() as folder, common.lens_from(settings).open_pool() as pool:
        path = Path(folder, "probe.pdf")
        path.write_bytes(_PROBE)
        paper = pool.parse(path)
    if paper.status is PaperStatus.OK and "methodlens" in paper.text:
        return Finding(True, "PDF worker", paper.parser)
    return Finding(False, "PDF worker", f"{paper.status.value}: {paper.reason}", "pip install --force-reinstall pypdfium2")


def _ledger(settings: Settings) -> Finding:
    from methodlens.ledger.database import FILE

    folder = Path(settings.out)
    if not settings.ledger and not (folder / FILE).is_file():
        return Finding(True, "ledger", f"none in {folder} yet; 'methodlens run' creates one")
    try:
        with common.open_ledger(settings) as ledger:
            runs, location = ledger.runs(), ledger.name
    except LedgerError as err:
        return Finding(False, "ledger", err.problem, err.fix)
    listing = "; ".join(f"{run.id[:8]}: {common.number(run.papers, 'paper')}, {', '.join(run.readers)}" for run in runs[:5])
    detail = f"{location}, {common.number(len(runs), 'run')} ({listing})"
    if settings.ledger:
        return Finding(True, "ledger", detail)
    free = shutil.disk_usage(folder).free >> 20
    fix = "free some disk space" if free < _MIN_FREE_MB else ""
    return Finding(not fix, "ledger", f"{detail}, {free} MB free on disk", fix)


def _readers(settings: Settings) -> list[Finding]:
    """Creates each reader as a run does, and sends language models one short question."""
    from methodlens.readers import EMBEDDED, configured
    from methodlens.readers.chat import ChatReader

    findings = []
    for name in (EMBEDDED, *configured(settings)):
        try:
            with common.lens_from(settings, [name]) as lens:
                (reader,) = lens.readers
                findings.append(Finding(True, name, reader.check() if isinstance(reader, ChatReader) else reader.info.model))
        except MethodlensError as err:
            findings.append(Finding(False, name, err.problem, err.fix))
    return findings


_PROBE = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>endobj "
    b"4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj "
    b"5 0 obj<</Length 66>>stream\nBT /F 12 Tf 20 100 Td (methodlens doctor reads this text) Tj ET   \nendstream endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF\n"
)
