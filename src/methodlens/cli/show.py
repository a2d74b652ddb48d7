"""methodlens show"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, OutputError

if TYPE_CHECKING:
    from methodlens.lens import Lens
    from methodlens.records import Box, Paper, Passage
    from methodlens.settings import Settings


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A paper, such as a PDF.")],
    passages: Annotated[bool, typer.Option("--passages/--no-passages", help="List the passages.")] = True,
    page: Annotated[
        int | None, typer.Option("--page", metavar="N", help="Only this page. [default: all; with --png the first]", min=1)
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Write an image of the page, with its passages boxed.")
    ] = None,
    quote: Annotated[
        str, typer.Option("--quote", metavar="TEXT", help="With --png: box this quote, on the page where it is.")
    ] = "",
    raw: Annotated[bool, typer.Option("--raw", help="Print the raw text of the file, without layout analysis.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Show a paper as methodlens reads it.

    Prints title, status, sections, hidden text, and passages with their pages. With --png, writes an image of a page that
    shows where passages or a quote were located.

    Example: methodlens show paper.pdf --png page.png --quote "trained on two GPUs"
    """
    settings = common.settings_from(settings_file, change)
    lens = common.lens_from(settings)
    if raw:
        _print_raw(lens, paper, page=page, json=json)
        return
    read = lens.read(paper)
    if png:
        _draw(lens, paper, read, page=page, quote=quote, png=png)
    elif json:
        common.print_json(_as_json(paper, read, settings, page=page, passages=passages))
    else:
        _print(read, settings, page=page, passages=passages)


def _print_raw(lens: "Lens", path: Path, *, page: int | None, json: bool) -> None:
    from methodlens.papers.files import printable_name
    from methodlens.records import PaperStatus

    with lens.open_pool() as pool:
        read = pool.text(path)
    if read.status is not PaperStatus.OK:
        raise InputError(f"{path} has no text to show", read.reason)
    pages = read.text.split("\f")
    if page and page > len(pages):
        raise InputError(f"{path} has {len(pages)} pages", f"choose a --page up to {len(pages)}")
    text = pages[page - 1] if page else read.text
    if json:
        common.print_json({"paper": printable_name(path), "text": text})
    else:
        typer.echo(text)


def _draw(lens: "Lens", path: Path, read: "Paper", *, page: int | None, quote: str, png: Path) -> None:
    if not read.pages:
        raise InputError(f"{path} has no pages to draw", "leave out --png to see its text")
    number, boxes = _boxes(read, lens.settings, page=page, quote=quote)
    with lens.open_pool() as pool:
        image = pool.render(path, number, boxes=boxes)
    if not image.png:
        raise InputError(f"{path}, page {number} cannot be drawn", image.reason)
    try:
        png.write_bytes(image.png)
    except OSError as err:
        raise OutputError(f"{png} cannot be written ({err.strerror})", "choose another path with --png") from err
    typer.echo(f"page {number} with {common.number(len(boxes), 'box', 'boxes')} written to {png}", err=True)


def _boxes(read: "Paper", settings: "Settings", *, page: int | None, quote: str) -> "tuple[int, list[tuple[Box, str]]]":
    from methodlens.papers import split
    from methodlens.records import Match
    from methodlens.text import locate, places

    if quote:
        located = locate(quote, read.text)
        if located.match is Match.ABSENT:
            raise InputError("the quote is not in the paper", "copy it from the output of 'methodlens show'")
        spots = places(read, located.start, located.end)
        if not spots:
            raise InputError("the quote is on no page of the paper", "leave out --png to see the text")
        chosen = next((place for place in spots if place.page == page), spots[0])
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
    from methodlens.papers.files import printable_name

    return {
        "paper": printable_name(path),
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


def _print(read: "Paper", settings: "Settings", *, page: int | None, passages: bool) -> None:
    from methodlens.records import PaperStatus
    from methodlens.text import passage_place

    typer.echo(f"title:   {read.title or '(not found)'}")
    typer.echo(f"authors: {'; '.join(read.authors) or '(not found)'}")
    typer.echo(f"year:    {read.year or '(not found)'}    DOI: {read.doi or '(not found)'}")
    typer.echo(f"status:  {read.status.value}" + (f" ({read.reason})" if read.reason else ""))
    if read.flags:
        typer.echo(f"flags:   {', '.join(read.flags)}")
    for hidden in read.hidden:
        if page in (None, hidden.page):
            typer.echo(f"hidden:  p. {hidden.page}, {hidden.why}: “{hidden.text}”")
    if read.status is not PaperStatus.OK:
        return
    unread = f", without legible text: {', '.join(map(str, read.unread))}" if read.unread else ""
    typer.echo(f"pages:   {len(read.pages) or '(none)'}{unread}")
    typer.echo("sections:")
    for section in _sections(read, page):
        page_mark = f"p. {section['page']:<3} " if read.pages else ""
        typer.echo(f"  {page_mark}{section['kind']:<17} {section['title'] or '(before the first heading)'}")
    for passage in _passages(read, settings, page) if passages else ():
        typer.echo(f"\n[{passage_place(passage)}]\n{passage.text}")


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
