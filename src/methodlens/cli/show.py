"""methodlens show"""

from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A PDF.")],
    passages: Annotated[bool, typer.Option("--passages/--no-passages", help="List the passages too.")] = True,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Show a paper as methodlens reads it: title, status, sections, passages with their pages."""
    from methodlens.papers import split
    from methodlens.records import PaperStatus
    from methodlens.text import page_of

    settings = common.settings_from(settings_file, change)
    read = common.paper_from(paper, settings)
    cut = split(read, size=settings.retrieval.passage_chars) if passages else ()
    sections = [
        {"kind": s.kind, "title": s.title, "page": page_of(read, s.start), "characters": s.end - s.start} for s in read.sections
    ]
    if json:
        facts = {"paper": str(paper), "sha256": read.sha256, "status": read.status, "reason": read.reason, "title": read.title}
        common.print_json({**facts, "pages": len(read.pages), "sections": sections, "passages": cut})
        return
    typer.echo(f"title:   {read.title or '(none found)'}")
    typer.echo(f"status:  {read.status.value}" + (f" ({read.reason})" if read.reason else ""))
    if read.status is not PaperStatus.OK:
        return
    typer.echo(f"pages:   {len(read.pages)}")
    typer.echo("sections:")
    for section in sections:
        typer.echo(f"  p. {section['page']:<3} {section['kind']:<17} {section['title'] or '(before the first heading)'}")
    for passage in cut:
        typer.echo(f"\n[p. {passage.page}, {passage.section}]\n{passage.text}")
