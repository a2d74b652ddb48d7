"""methodlens search"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET

if TYPE_CHECKING:
    from methodlens.retrieval.corpus_index import CorpusHit
    from methodlens.settings import Settings

_WIDEST = 320  # characters of a passage on a screen; --json has all of it


def command(
    papers: Annotated[list[Path], typer.Argument(metavar="PAPERS...", help="PDFs, or folders: every PDF below them.")],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for: words, a question, or an id such as CQ20.")],
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many passages to show.", min=1)] = 10,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Find the best passages over all papers, with paper, page and score.

    The index is kept in --out: the next search reads only papers that are new or changed. Interrupted, it goes on where it
    stopped.

    Example: methodlens search papers/ "data augmentation with mixup" --top 5
    """
    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    hits, names, problems = _search(papers, query, settings, top=top)
    for line in problems:
        typer.echo(line, err=True)
    if json:
        common.print_json([_as_json(hit, names) for hit in hits])
        return
    if not hits:
        typer.echo("Nothing found.")
    for number, (sha256, hit) in enumerate(hits, 1):
        text = " ".join(hit.passage.text.split())
        shown = text if len(text) <= _WIDEST else text[: _WIDEST - 3].rsplit(" ", 1)[0] + " …"
        typer.echo(f"{number:>2}. {names[sha256]}, p. {hit.passage.page}, {hit.passage.section}  [{hit.score:.2f}]\n    {shown}")


def _search(
    papers: list[Path], query: str, settings: "Settings", *, top: int
) -> "tuple[list[CorpusHit], dict[str, str], list[str]]":
    import os

    from methodlens.engine.indexing import build
    from methodlens.ledger.database import FILE
    from methodlens.papers import WorkerPool, find
    from methodlens.retrieval import create_fused
    from methodlens.retrieval.corpus_index import CorpusIndex

    asked = common.question_from(query, DEFAULT_SET)
    files = find(papers)
    encoder, retriever = create_fused(settings.retrieval, os.environ)
    folder = Path(settings.out)
    names: dict[str, str] = {}
    problems: list[str] = []
    ledger = common.open_ledger(settings) if settings.ledger or (folder / FILE).is_file() else None
    try:
        with (
            CorpusIndex.at(folder, encoder, retriever) as corpus,
            WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool,
        ):
            done = build(
                files, corpus, pool, ledger, passage_chars=settings.retrieval.passage_chars, workers=settings.worker_count
            )
            new = 0
            for one in done:
                if one.reason:
                    problems.append(f"{one.file.name}: not searched: {one.reason}")
                else:
                    names.setdefault(one.sha256, one.file.name)
                    new += not one.known
            if new:
                typer.echo(f"{new} papers indexed in {folder}", err=True)
            return corpus.search(asked, list(names), top=top), names, problems
    finally:
        if ledger:
            ledger.close()


def _as_json(found: "CorpusHit", names: dict[str, str]) -> dict[str, object]:
    passage = found.hit.passage
    return {
        "paper": names[found.sha256],
        "paper_sha256": found.sha256,
        "page": passage.page,
        "section": passage.section,
        "score": found.hit.score,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }
