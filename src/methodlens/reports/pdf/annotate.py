"""A PDF with highlights, an outline and a cover added; its pages stay as they are. Runs only inside the worker process."""

from collections.abc import Callable
from contextlib import closing
from io import BytesIO

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name, Pdf, String

from methodlens.papers.pdf.extract import open_document
from methodlens.papers.pdf.glyphs import View, size_of
from methodlens.reports.pdf.cover import A4, cover_pages
from methodlens.reports.pdf.marks import Highlight, PaperMarks
from methodlens.reports.pdf.outline import add_outline

_PRINTED = 4  # annotation flag
_OPACITY = 0.5
_SMALLEST, _LARGEST = 200.0, 2000.0  # points: a page of another size gets a cover in A4
_DAMAGED = "its structure is damaged; save it again with another program"
_SIGNED = "the copy is not signed, because the signature covers only the original"

Point = tuple[float, float]
ToPdf = Callable[[float, float], Point]
"""From points from the displayed page's top left to the coordinates of the PDF, whatever its rotation and crop."""


class CannotAnnotate(Exception):
    """The message says why, and what to do."""


def annotate(data: bytes, marks: PaperMarks, *, at: str, max_pages: int) -> tuple[bytes, str]:
    """The new PDF, and a note for the user. Raises CannotAnnotate, or Unreadable if PDFium cannot open the file."""
    with closing(open_document(data, max_pages=max_pages)) as document, _open(data) as pdf:
        if len(pdf.pages) != len(document):
            raise CannotAnnotate("its list of pages is damaged; save it again with another program")
        pages = {mark.page for mark in marks.highlights} | {line.target[0] for line in marks.verdicts if line.target}
        if outside := [page for page in pages if not 1 <= page <= len(document)]:
            raise CannotAnnotate(f"it has no page {outside[0]}; run methodlens again")
        to_pdf = {page: _to_pdf(View(document[page - 1])) for page in pages}
        for mark in marks.highlights:
            _add_annotation(pdf.pages[mark.page - 1], _highlight(pdf, mark, to_pdf[mark.page], at))
        signed = _remove_signatures(pdf)
        targets = [_destination(pdf, line.target, to_pdf) for line in marks.verdicts]
        covers = cover_pages(pdf, marks, targets, size=_cover_size(size_of(document[0])), notes=[_SIGNED] if signed else [])
        add_outline(pdf, marks, targets, covers[0])
        _insert_covers(pdf, covers)
        return _saved(pdf, pages=len(document) + len(covers)), _SIGNED if signed else ""


def _open(data: bytes) -> Pdf:
    try:
        pdf = pikepdf.open(BytesIO(data))
    except pikepdf.PasswordError as err:
        raise CannotAnnotate("it is encrypted; save a copy without a password") from err
    except pikepdf.PdfError as err:
        raise CannotAnnotate(_DAMAGED) from err
    if pdf.is_encrypted and not (pdf.allow.modify_annotation and pdf.allow.modify_assembly):
        pdf.close()
        raise CannotAnnotate("it is protected: its author does not allow notes and pages to be added; ask for another copy")
    return pdf


def _to_pdf(view: View) -> ToPdf:
    area = view.a * view.d - view.b * view.c
    if not area:
        raise CannotAnnotate("a page has no area; save it again with another program")

    def convert(x: float, y: float) -> Point:
        right, down = x - view.dx, y - view.dy
        return (view.d * right - view.c * down) / area, (view.a * down - view.b * right) / area

    return convert


def _highlight(pdf: Pdf, mark: Highlight, to_pdf: ToPdf, at: str) -> Dictionary:
    # the order of corners that Acrobat uses: upper left, upper right, lower left, lower right, as the page is displayed
    quads = [[to_pdf(x, y) for y in (y0, y1) for x in (x0, x1)] for x0, y0, x1, y1 in mark.boxes]
    xs, ys = zip(*(corner for quad in quads for corner in quad), strict=True)
    rect = _numbers(min(xs), min(ys), max(xs), max(ys))
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Highlight,
            Rect=rect,
            QuadPoints=_numbers(*(value for quad in quads for corner in quad for value in corner)),
            C=_numbers(*mark.colour),
            CA=_OPACITY,
            F=_PRINTED,
            NM=String(mark.id),
            T=String(f"methodlens ({mark.author})"),
            Subj=String(mark.subject),
            Contents=String(mark.note),
            M=String(at),
            CreationDate=String(at),
            AP=Dictionary(N=_appearance(pdf, quads, rect, mark)),
        )
    )


def _appearance(pdf: Pdf, quads: list[list[Point]], rect: Array, mark: Highlight) -> pikepdf.Stream:
    """Multiplies the colour of the page, so that black text stays black. One path: where boxes overlap it is no darker."""
    path = [f"{left} m {right} l {low_right} l {low_left} l h" for left, right, low_left, low_right in _as_text(quads)]
    colour = " ".join(f"{part:.4f}" for part in mark.colour)
    blend = Dictionary(Type=Name.ExtGState, BM=Name.Multiply, ca=_OPACITY, CA=_OPACITY)
    return pikepdf.Stream(
        pdf,
        "\n".join(["/Blend gs", f"{colour} rg", *path, "f"]).encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=rect,
        Group=Dictionary(S=Name.Transparency),
        Resources=Dictionary(ExtGState=Dictionary(Blend=blend)),
    )


def _as_text(quads: list[list[Point]]) -> list[list[str]]:
    return [[f"{x:.3f} {y:.3f}" for x, y in quad] for quad in quads]


def _numbers(*values: float) -> Array:
    return Array([round(value, 3) for value in values])


def _add_annotation(page: pikepdf.Page, annotation: Dictionary) -> None:
    """To a new list: pages may share the old one."""
    existing = page.obj.get("/Annots")
    page.obj.Annots = Array([*(existing if isinstance(existing, Array) else ()), annotation])


def _destination(pdf: Pdf, target: tuple[int, float] | None, to_pdf: dict[int, ToPdf]) -> Array | None:
    """Shows the page with the quote near the top."""
    if target is None:
        return None
    page, top = target
    x, y = to_pdf[page](0, max(0.0, top - 36))
    return Array([pdf.pages[page - 1].obj, Name.XYZ, round(x, 1), round(y, 1), 0])


def _cover_size(first: Point) -> Point:
    return first if all(_SMALLEST <= side <= _LARGEST for side in first) else A4


def _insert_covers(pdf: Pdf, covers: list[pikepdf.Page]) -> None:
    """In front, without changing the labels of the pages: 'p. 8' stays page 8 in the viewer."""
    for index, cover in enumerate(covers):
        pdf.pages.insert(index, cover)
    labels = pdf.Root.get("/PageLabels")
    old = dict(pikepdf.NumberTree(labels)) if isinstance(labels, Dictionary) else {0: Dictionary(S=Name.D)}
    tree = pikepdf.NumberTree.new(pdf)
    tree[0] = Dictionary(P=String("Verdicts "), S=Name.r)
    for number, label in old.items():
        tree[number + len(covers)] = label
    pdf.Root.PageLabels = tree.obj


def _remove_signatures(pdf: Pdf) -> bool:
    """The signature of a changed file would be shown as forged."""
    form = pdf.Root.get("/AcroForm")
    if "/Perms" not in pdf.Root and not (isinstance(form, Dictionary) and "/SigFlags" in form):
        return False
    signed = "/Perms" in pdf.Root
    if signed:
        del pdf.Root.Perms
    for field in pdf.objects:
        if isinstance(field, Dictionary) and field.get("/FT") == Name.Sig and "/V" in field:
            del field.V
            signed = True
    if isinstance(form, Dictionary) and "/SigFlags" in form:
        del form.SigFlags
    return signed


def _saved(pdf: Pdf, *, pages: int) -> bytes:
    """Raises CannotAnnotate if the new file does not open with all its pages: the old one may be damaged in odd ways."""
    out = BytesIO()
    try:
        pdf.save(out, encryption=pdf.is_encrypted)
        with closing(pdfium.PdfDocument(out.getvalue())) as copy:
            complete = len(copy) == pages
    except (pikepdf.PdfError, pdfium.PdfiumError) as err:
        raise CannotAnnotate(_DAMAGED) from err
    if not complete:
        raise CannotAnnotate(_DAMAGED)
    return out.getvalue()
