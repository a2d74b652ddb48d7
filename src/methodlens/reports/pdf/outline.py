"""The outline: one entry per question, below the entries that the file already has. Runs only inside the worker process."""

from collections.abc import Sequence
from itertools import pairwise

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, String

from methodlens.reports.pdf.marks import PaperMarks

_TITLE = "methodlens"


def add_outline(pdf: Pdf, marks: PaperMarks, targets: Sequence[Array | None], cover: pikepdf.Page) -> None:
    """An entry for the cover, with an entry per question that leads to its first quote, or to the cover without one.

    The entries of the file are not read: they may be many, or form a loop.
    """
    top = Array([cover.obj, Name.Fit])
    parent = pdf.make_indirect(Dictionary(Title=String(_TITLE), Dest=top))
    entries = [
        pdf.make_indirect(Dictionary(Title=String(f"{line.title}: {line.status}"), Dest=target or top, Parent=parent))
        for line, target in zip(marks.verdicts, targets, strict=True)
    ]
    for entry, following in pairwise(entries):
        entry.Next, following.Prev = following, entry
    if entries:
        parent.First, parent.Last, parent.Count = entries[0], entries[-1], len(entries)
    _append(pdf, parent)
    if "/PageMode" not in pdf.Root:
        pdf.Root.PageMode = Name.UseOutlines


def _append(pdf: Pdf, entry: Dictionary) -> None:
    outlines = pdf.Root.get("/Outlines")
    last = outlines.get("/Last") if isinstance(outlines, Dictionary) else None
    if not isinstance(outlines, Dictionary) or not isinstance(last, Dictionary) or "/First" not in outlines:
        outlines = pdf.Root.Outlines = pdf.make_indirect(Dictionary(Type=Name.Outlines, First=entry))
    else:
        last.Next, entry.Prev = entry, last
    outlines.Last, entry.Parent = entry, outlines
    count = outlines.get("/Count", 0)
    outlines.Count = max(0, count if isinstance(count, int) else 0) + 1 + int(entry.get("/Count", 0))
