"""Entries of a .bib file, parsed by bibtexparser. LaTeX becomes plain text; a broken entry is an error that names its line."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from methodlens.errors import InputError
from methodlens.papers.metadata.entries import Entry, Metadata, find_doi, find_year, given_name_first

_COMMENT_LINE = re.compile(r"^[ \t]*%(?:[^{}\n]|\{[^{}\n]*\})*$", re.MULTILINE)
_FIX = "correct the entry, or export the file again"
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())  # its warnings would go to stderr; we raise errors


def bibtex_entries(text: str, source: str) -> tuple[Entry, ...]:
    """Every entry of a .bib file. Raises InputError with `source` and the line of an entry that cannot be parsed."""
    import bibtexparser  # here, because it takes a tenth of a second and most runs have no .bib file
    from bibtexparser import model

    library = bibtexparser.parse_string(_COMMENT_LINE.sub("", text), parse_stack=[])
    entries: list[Entry] = []
    macros: dict[str, str] = {}
    for block in library.blocks:
        if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
            block = block.ignore_error_block
        if isinstance(block, model.ParsingFailedBlock) and not block.raw.lower().startswith(("@comment", "@preamble")):
            raise _syntax_error(block, source)
        if isinstance(block, model.String):
            macros[block.key.lower()] = _evaluate(block, macros, source)
        if isinstance(block, model.Entry):
            fields = {field.key.lower(): _evaluate(field, macros, source) for field in reversed(block.fields)}
            entries.append(_entry(fields, f"{source}:{block.start_line + 1}", block.key))
    if all(isinstance(block, model.ImplicitComment) for block in library.blocks) and _COMMENT_LINE.sub("", text).strip():
        raise InputError(f"{source}:1: there is no BibTeX entry in the file", "export it again as BibTeX, or remove it")
    return tuple(entries)


def latex_to_text(value: str) -> str:
    r"""
    >>> latex_to_text(r"{G}{\"o}del \& Erd{\H o}s")
    'Gödel & Erdős'
    """
    if not re.search(r"[\\$~]|--|``|''", value):  # most values need no decoder, which takes about a millisecond
        return " ".join(re.sub(r"[{}]", "", value).split())
    value = re.sub(r"(?<!\\)([%&])", r"\\\1", value.replace(r"\url", ""))  # authors often forget to escape these two
    try:
        value = _decoder()(value)
    except Exception:  # such as thousands of nested braces; bibtexparser's own middleware also gives up on any error
        value = re.sub(r"[\\{}$]", "", value)
    return " ".join(value.split())


def split_authors(value: str) -> tuple[str, ...]:
    """The names in an author field, given name first. A name in braces is kept as it is."""
    from bibtexparser.middlewares.names import split_multiple_persons_names

    value = re.sub(r"(\sand\s+)\\", r"\1{}\\", value, flags=re.IGNORECASE)  # it would drop an accent that starts a name
    names = (
        latex_to_text(name) if re.fullmatch(r"\{[^}]*\}", name) else given_name_first(latex_to_text(name))
        for name in split_multiple_persons_names(value)
    )
    return tuple(name for name in names if name and name.lower() not in ("others", "et al."))


def _entry(fields: Mapping[str, str], source: str, key: str) -> Entry:
    title = ": ".join(filter(None, (latex_to_text(fields.get(name, "")) for name in ("title", "subtitle"))))
    doi = next((doi for name in ("doi", "url", "note") if (doi := find_doi(latex_to_text(fields.get(name, ""))))), "")
    year = find_year(fields.get("year") or fields.get("date", ""))
    metadata = Metadata(title, split_authors(fields.get("author", "")), year, doi)
    return Entry(metadata, source, tuple(_attachments(fields.get("file", ""))), key)


def _evaluate(field: Any, macros: Mapping[str, str], source: str) -> str:
    """The text of a value such as `{Moss} # " Press " # year`, which bibtexparser leaves as it is."""
    position = f"{source}:{field.start_line + 1}"
    parts: list[str] = []
    start = closed = depth = 0
    quoted = False
    for mark in re.finditer(r'(?<!\\)[{}"#]|$', field.value):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == '"' and not depth:
            quoted = not quoted
        if depth or quoted:
            continue
        if mark[0] in ("#", ""):
            if closed and field.value[closed : mark.start()].strip():
                raise InputError(f"{position}: there is no comma after the field {field.key!r}", _FIX)
            parts.append(field.value[start : mark.start()].strip())
            start, closed = mark.end(), 0
        else:
            closed = mark.end()
    if not all(parts):
        raise InputError(f"{position}: the field {field.key!r} has no value", _FIX)
    return "".join(part[1:-1] if part[0] in '{"' else macros.get(part.lower(), part) for part in parts)


def _attachments(value: str) -> Iterator[str]:
    """The paths in a `file` field: 'a.pdf', ':dir/a.pdf:PDF' (JabRef), 'Text:storage/1/a.pdf:application/pdf;...' (Zotero)."""
    value = value.replace("$\\backslash$", "\\").replace("{", "").replace("}", "").replace("\\_", "_")
    for attachment in re.split(r"(?<!\\);", value):
        paths = [part for part in re.split(r"\\?:", attachment) if part.strip().lower().endswith(".pdf")]
        if paths:
            yield re.sub(r"[\\/]+", "/", re.sub(r"\\(?=[;,&%# ])", "", paths[-1].strip()))


def _syntax_error(block: Any, source: str) -> InputError:
    """Names the line of the innermost unclosed brace, else the line where bibtexparser stopped."""
    reason, end = block.error.abort_reason, len(block.raw.rstrip())
    if "end of file" in reason or "block start" in reason:
        opened: list[int] = []
        for brace in re.finditer(r"(?<!\\)[{}]", block.raw):
            if brace[0] == "{":
                opened.append(brace.start())
            elif opened:
                opened.pop()
        reason, end = "a brace or quote is never closed", opened[-1] if opened else 0
    elif field := re.search(r"([\w-]+)\W*$", block.raw):
        reason = f"the field {field[1]!r} has no '='" if "`=`" in reason else f"there is a syntax error after {field[1]!r}"
    return InputError(f"{source}:{block.start_line + block.raw.count(chr(10), 0, end) + 1}: {reason}", _FIX)


@cache
def _decoder() -> Callable[[str], str]:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import get_default_latex_context_db

    decoder = LatexNodes2Text(math_mode="text")
    return partial(decoder.latex_to_text, latex_context=get_default_latex_context_db())  # not built again for each value
