"""methodlens show"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, OutputError

if TYPE_CHECKING:
    from methodlens.papers import WorkerPool
    from methodlens.records import Box, Paper, Passage
    from methodlens.settings import Settings


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A PDF.")],
    passages: Annotated[bool, typer.Option("--passages/--no-passages", help="List the passages too.")] = True,
    page: Annotated[
        int | None, typer.Option("--page", metavar="N", help="Only this page; with --png, the page to draw.", min=1)
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="OUT", help="Draw the page with its passages boxed, as a picture.")
    ] = None,
    quote: Annotated[
        str, typer.Option("--quote", metavar="TEXT", help="With --png: box this quote instead, on its own page.")
    ] = "",
    raw: Annotated[
        bool, typer.Option("--raw", help="The text as the file has it, to compare when something looks wrong.")
    ] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Show a paper as methodlens reads it: title, status, sections, hidden text, passages with their pages.

    With --png it draws a page with the passages, or a quote, boxed: the proof that places are right.

    Example: methodlens show paper.pdf --png page.png --quote "trained on two GPUs"
    """
    from methodlens.papers import Parsers, WorkerPool, plugin_parsers

    settings = common.settings_from(settings_file, change)
    path = common.only_paper(paper)
    with WorkerPool(1, settings.papers, settings.reading) as pool:
        if raw:
            _say_raw(pool, path, page=page, json=json)
            return
        read = Parsers(pool, plugin_parsers()).parse(path)
        if png:
            _draw(pool, path, read, settings, page=page, quote=quote, png=png)
            return
    if json:
        common.print_json(_as_json(path, read, settings, page=page, passages=passages))
    else:
        _say(read, settings, page=page, passages=passages)


def _say_raw(pool: "WorkerPool", path: Path, *, page: int | None, json: bool) -> None:
    from methodlens.records import PaperStatus

    read = pool.text(path)
    if read.status is not PaperStatus.OK:
        raise InputError(f"{path} has no text to show", read.reason)
    pages = read.text.split("\f")
    if page and page > len(pages):
        raise InputError(f"{path} has {len(pages)} pages", f"there is no page {page}")
    text = pages[page - 1] if page else read.text
    if json:
        common.print_json({"paper": str(path), "text": text})
    else:
        typer.echo(text)


def _draw(
    pool: "WorkerPool", path: Path, read: "Paper", settings: "Settings", *, page: int | None, quote: str, png: Path
) -> None:
    number, boxes = _boxes(read, settings, page=page, quote=quote)
    picture = pool.render(path, number, boxes=boxes)
    if not picture.png:
        raise InputError(f"{path}, page {number} cannot be drawn", picture.reason)
    try:
        png.write_bytes(picture.png)
    except OSError as err:
        raise OutputError(f"{png} cannot be written ({err.strerror})", "choose another path with --png") from err
    typer.echo(f"page {number} with {len(boxes)} boxes written to {png}", err=True)


def _boxes(read: "Paper", settings: "Settings", *, page: int | None, quote: str) -> "tuple[int, list[tuple[Box, str]]]":
    from methodlens.papers import split
    from methodlens.records import Match
    from methodlens.text import locate, places

    if quote:
        found = locate(quote, read.text)
        if found.match is Match.ABSENT:
            raise InputError("that quote does not stand in the paper", "copy it from 'methodlens show'")
        spots = places(read, found.start, found.end)
        chosen = next((spot for spot in spots if spot.page == page), spots[0])
        return chosen.page, [(box, "quote") for box in chosen.boxes]
    number = page or 1
    boxes = [
        (box, "passage-odd" if index % 2 else "passage")
        for index, passage in enumerate(split(read, size=settings.retrieval.passage_chars))
        for place in places(read, passage.start, passage.end)
        if place.page == number
        for box in place.boxes
    ]
    return number, boxes


def _as_json(path: Path, read: "Paper", settings: "Settings", *, page: int | None, passages: bool) -> dict[str, object]:
    return {
        "paper": str(path),
        "sha256": read.sha256,
        "status": read.status,
        "reason": read.reason,
        "title": read.title,
        "authors": read.authors,
        "year": read.year,
        "doi": read.doi,
        "pages": len(read.pages),
        "flags": read.flags,
        "unread_pages": read.unread,
        "hidden_text": read.hidden,
        "sections": _sections(read, page),
        "passages": _passages(read, settings, page) if passages else [],
    }


def _say(read: "Paper", settings: "Settings", *, page: int | None, passages: bool) -> None:
    from methodlens.records import PaperStatus

    typer.echo(f"title:   {read.title or '(none found)'}")
    typer.echo(f"authors: {'; '.join(read.authors) or '(none found)'}")
    typer.echo(f"year:    {read.year or '(none found)'}    DOI: {read.doi or '(none found)'}")
    typer.echo(f"status:  {read.status.value}" + (f" ({read.reason})" if read.reason else ""))
    if read.flags:
        typer.echo(f"flags:   {', '.join(read.flags)}")
    for hidden in read.hidden:
        if page in (None, hidden.page):
            typer.echo(f"hidden:  p. {hidden.page}, {hidden.why}: “{hidden.text}”")
    if read.status is not PaperStatus.OK:
        return
    typer.echo(
        f"pages:   {len(read.pages)}" + (f", without legible text: {', '.join(map(str, read.unread))}" if read.unread else "")
    )
    typer.echo("sections:")
    for section in _sections(read, page):
        typer.echo(f"  p. {section['page']:<3} {section['kind']:<17} {section['title'] or '(before the first heading)'}")
    for passage in _passages(read, settings, page) if passages else ():
        typer.echo(f"\n[p. {passage.page}, {passage.section}]\n{passage.text}")


def _sections(read: "Paper", page: int | None) -> list[dict[str, object]]:
    from methodlens.text import page_of

    listed = [(page_of(read, section.start), section) for section in read.sections]
    return [
        {"kind": section.kind.value, "title": section.title, "page": number, "characters": section.end - section.start}
        for number, section in listed
        if page in (None, number)
    ]


def _passages(read: "Paper", settings: "Settings", page: int | None) -> "list[Passage]":
    from methodlens.papers import split

    return [passage for passage in split(read, size=settings.retrieval.passage_chars) if page in (None, passage.page)]
