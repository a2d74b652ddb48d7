"""Annotated copies of papers: the quotes are under the highlights, and the pages stay as they are."""

import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pikepdf
import pypdfium2 as pdfium
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from benchmarks.highlighted_text import highlighted
from methodlens.errors import InputError
from methodlens.ledger.store import Run
from methodlens.papers import WorkerPool, sha256_of
from methodlens.records import Evidence, Match, Paper, PaperStatus, Row, Source, SourceKind, Status
from methodlens.reports.pdf import annotated_pdfs
from methodlens.reports.pdf.annotate import CannotAnnotate, annotate
from methodlens.reports.pdf.annotated_pdfs import AnnotatedPdfs
from methodlens.reports.pdf.marks import PALETTE, PaperMarks, group_colours, paper_marks
from methodlens.settings import Settings
from methodlens.text.places import places
from tests.conftest import MakePdf

MakeRow = Callable[..., Row]

AT = "D:20260101120000Z"
QUOTE = "Training ran on two Kestrel K9 cards for six hours."
TEXT = [
    *["The herons of the estuary were counted from a tower every morning in spring."] * 12,
    QUOTE,
    *["Each count was repeated by a second observer on the following day."] * 12,
]


@pytest.fixture(scope="module")
def heron_pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    path = tmp_path_factory.mktemp("herons") / "herons.pdf"
    canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
    for _ in range(2):
        for index, line in enumerate(TEXT):
            canvas.drawString(90, 500 - 14 * index, line)
        canvas.showPage()
    canvas.save()
    return path


def changed(
    path: Path, to: Path, change: Callable[[pikepdf.Pdf], None], *, encryption: pikepdf.Encryption | bool = False
) -> Path:
    with pikepdf.open(path) as pdf:
        change(pdf)
        pdf.save(to, encryption=encryption)
    return to


def marks_of(paper: Paper, make_row: MakeRow, **text: str) -> PaperMarks:
    """One reported question whose quote is the second page's."""
    start = paper.text.rindex(QUOTE)
    evidence = Evidence(QUOTE, Match.EXACT, start, start + len(QUOTE), places(paper, start, start + len(QUOTE)))
    row = make_row(**text)
    row = replace(row, cell=replace(row.cell, answer=replace(row.cell.answer, evidence=(evidence,))))
    return paper_marks(row.paper, [row], group_colours([row.question]))


def pixels(data: bytes, number: int, *, annotations: bool) -> NDArray[np.uint8]:
    document = pdfium.PdfDocument(data)
    image: NDArray[np.uint8] = document[number].render(scale=1.5, may_draw_forms=False, draw_annots=annotations).to_numpy().copy()
    document.close()
    return image


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_quote_is_under_its_highlight_and_the_pages_stay_the_same(
    rotation: int, heron_pdf: Path, tmp_path: Path, pool: WorkerPool, make_row: MakeRow
) -> None:
    def turn_and_crop(pdf: pikepdf.Pdf) -> None:
        """The page is rotated and its content the other way round, so that it is displayed upright."""
        cos, sin = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[rotation]
        turn = f"q {cos} {sin} {-sin} {cos} {300 - 300 * cos + 300 * sin} {300 - 300 * sin - 300 * cos} cm\n"
        for page in pdf.pages:
            page.contents_add(turn.encode(), prepend=True)
            page.contents_add(b"Q")
            page.rotate(rotation, relative=False)
            page.cropbox = pikepdf.Rectangle(60, 70, 570, 590)

    path = changed(heron_pdf, tmp_path / "turned.pdf", turn_and_crop)
    before = path.read_bytes()
    paper = pool.parse(path)
    after, note = annotate(before, marks_of(paper, make_row), at=AT, max_pages=10)
    covers = len(pdfium.PdfDocument(after)) - 2
    assert note == ""
    assert covers >= 1
    assert [found.text for found in highlighted(after)] == [QUOTE]
    assert [found.page for found in highlighted(after)] == [covers + 2]
    for number in range(2):
        assert np.array_equal(pixels(before, number, annotations=False), pixels(after, number + covers, annotations=False))
    plain, marked = pixels(before, 1, annotations=True), pixels(after, 1 + covers, annotations=True)
    rows, columns = np.nonzero((plain != marked).any(axis=2))
    (place,) = paper_places(paper)
    left, top, right, bottom = (1.5 * side for side in place)
    assert len(rows) > 0.5 * (right - left) * (bottom - top)
    assert rows.min() >= top - 2
    assert rows.max() <= bottom + 2
    assert columns.min() >= left - 2
    assert columns.max() <= right + 2


def paper_places(paper: Paper) -> Iterator[tuple[float, float, float, float]]:
    start = paper.text.rindex(QUOTE)
    for place in places(paper, start, start + len(QUOTE)):
        yield from place.boxes


@pytest.fixture
def heron_marks(heron_pdf: Path, pool: WorkerPool, make_row: MakeRow) -> PaperMarks:
    return marks_of(pool.parse(heron_pdf), make_row, answer="Two Kestrel K9 cards, 山 ≥ 2.")


def test_a_highlight_has_what_viewers_need(heron_pdf: Path, heron_marks: PaperMarks) -> None:
    after, _ = annotate(heron_pdf.read_bytes(), heron_marks, at=AT, max_pages=10)
    with pikepdf.open(BytesIO(after)) as pdf:
        (mark,) = pdf.pages[-1].Annots
        assert str(mark.Contents) == "CQ20 Hardware: reported\nTwo Kestrel K9 cards, 山 ≥ 2."
        assert str(mark["/T"]) == "methodlens (embedded)"
        assert [round(float(part), 3) for part in mark.C] == [round(part, 3) for part in PALETTE[0]]
        assert pikepdf.Name.Multiply == mark.AP.N.Resources.ExtGState.Blend.BM
        assert len(mark.QuadPoints) == 8


def test_outline_and_cover_lead_to_the_quote_and_page_numbers_stay(
    heron_pdf: Path, heron_marks: PaperMarks, tmp_path: Path
) -> None:
    def with_outline(pdf: pikepdf.Pdf) -> None:
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem("Herons", 0))
        labels = pikepdf.NumberTree.new(pdf)
        labels[0] = pikepdf.Dictionary(S=pikepdf.Name.D, St=41)
        pdf.Root.PageLabels = labels.obj

    path = changed(heron_pdf, tmp_path / "outlined.pdf", with_outline)
    after, _ = annotate(path.read_bytes(), heron_marks, at=AT, max_pages=10)
    document = pdfium.PdfDocument(after)
    entries = [(entry.level, entry.get_title(), entry.get_dest().get_index()) for entry in document.get_toc()]
    last = len(document) - 1
    assert entries == [(0, "Herons", last - 1), (0, "methodlens", 0), (1, "CQ20 Hardware: reported", last)]
    assert [document.get_page_label(index) for index in (0, last - 1, last)] == ["Verdicts i", "41", "42"]
    cover = document[0].get_textpage().get_text_range()
    assert "Counting moths at night" in cover
    assert "Two Kestrel K9 cards, ? >= 2." in cover
    with pikepdf.open(BytesIO(after)) as pdf:
        (link,) = pdf.pages[0].Annots
        assert link.Dest[0].objgen == pdf.pages[-1].objgen


def test_a_sentence_that_answers_two_questions_of_a_group_is_highlighted_once(make_row: MakeRow) -> None:
    rows = [make_row(question="CQ8", question_title="Code"), make_row(question="CQ10", question_title="Code link")]
    grouped = [replace(row, question=replace(row.question, group="Code")) for row in rows]
    (mark,) = paper_marks(rows[0].paper, grouped, group_colours(row.question for row in grouped)).highlights
    assert mark.subject == "CQ8 Code; CQ10 Code link"
    assert mark.note.count("reported\n") == 2
    apart = paper_marks(rows[0].paper, rows, group_colours(row.question for row in rows)).highlights
    assert [mark.colour for mark in apart] == list(PALETTE[:2])


def test_what_people_decided_is_drawn_and_they_are_named(make_row: MakeRow) -> None:
    source = Source(SourceKind.PERSON, ("ann", "bob"), "2026-01-01T12:00:00Z")
    row = replace(make_row(reader="final"), final=source)
    marks = paper_marks(row.paper, [row], group_colours([row.question]))
    assert marks.highlights[0].author == "ann, bob"
    assert marks.about[-1].endswith(", ann, bob")


def test_the_copy_of_a_signed_file_is_not_signed(heron_pdf: Path, heron_marks: PaperMarks, tmp_path: Path) -> None:
    def sign(pdf: pikepdf.Pdf) -> None:
        signature = pikepdf.Dictionary(Type=pikepdf.Name.Sig, Filter=pikepdf.Name("/Adobe.PPKLite"), Contents=b"0" * 40)
        field = pdf.make_indirect(pikepdf.Dictionary(FT=pikepdf.Name.Sig, T=pikepdf.String("s"), V=signature))
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([field]), SigFlags=3)

    path = changed(heron_pdf, tmp_path / "signed.pdf", sign)
    after, note = annotate(path.read_bytes(), heron_marks, at=AT, max_pages=10)
    assert "the copy is not signed" in note
    with pikepdf.open(BytesIO(after)) as pdf:
        assert "/V" not in pdf.Root.AcroForm.Fields[0]
        assert "/SigFlags" not in pdf.Root.AcroForm
    assert "not signed" in pdfium.PdfDocument(after)[0].get_textpage().get_text_range()


@pytest.mark.parametrize(("allowed", "refusal"), [(True, ""), (False, "its author does not allow notes")])
def test_protection_is_kept_and_a_ban_on_notes_is_respected(
    allowed: bool, refusal: str, heron_pdf: Path, heron_marks: PaperMarks, tmp_path: Path
) -> None:
    permissions = pikepdf.Permissions(modify_annotation=allowed, modify_assembly=True, print_highres=False)
    protection = pikepdf.Encryption(owner="secret", user="", allow=permissions)
    path = changed(heron_pdf, tmp_path / "protected.pdf", lambda _: None, encryption=protection)
    if refusal:
        with pytest.raises(CannotAnnotate, match=refusal):
            annotate(path.read_bytes(), heron_marks, at=AT, max_pages=10)
        return
    after, _ = annotate(path.read_bytes(), heron_marks, at=AT, max_pages=10)
    with pikepdf.open(BytesIO(after)) as pdf:
        assert pdf.is_encrypted
        assert not pdf.allow.print_highres


def run_of(*sources: Path) -> Run:
    return Run("r", tuple(map(str, sources)), (), ("embedded",))


def test_a_paper_that_cannot_be_annotated_is_named_and_the_others_are_written(
    heron_pdf: Path, tmp_path: Path, pool: WorkerPool, make_row: MakeRow
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("good.pdf", "changed.pdf", "broken.pdf"):
        shutil.copy(heron_pdf, papers / name)
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"nothing of use\n" * 50)
    marked = make_row(quote=QUOTE)
    start = (parsed := pool.parse(heron_pdf)).text.index(QUOTE)
    evidence = Evidence(QUOTE, Match.EXACT, start, start + len(QUOTE), places(parsed, start, start + len(QUOTE)))

    def row(name: str, sha256: str, status: PaperStatus = PaperStatus.OK) -> Row:
        paper = replace(marked.paper, name=name, sha256=sha256, status=status, reason="it is encrypted")
        return replace(marked, paper=paper, cell=replace(marked.cell, answer=replace(marked.cell.answer, evidence=(evidence,))))

    rows = [
        row("good.pdf", sha256_of(papers / "good.pdf")),
        row("changed.pdf", "ab" * 32),
        row("broken.pdf", sha256_of(papers / "broken.pdf")),
        row("gone.pdf", "cd" * 32),
        row("locked.pdf", "ef" * 32, PaperStatus.ENCRYPTED),
    ]
    run = replace(run_of(papers), questions=(marked.question,))
    exported = AnnotatedPdfs(run, Settings(workers=1)).write(iter(rows), tmp_path / "out")
    assert exported.lines == "1 of 5 papers"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.pdf"]
    assert [found.text for found in highlighted((tmp_path / "out" / "good.pdf").read_bytes())] == [QUOTE]
    reasons = dict(line.split(": no annotated PDF: ") for line in exported.note.splitlines())
    assert reasons["changed.pdf"].startswith("its file was changed after the run")
    assert reasons["broken.pdf"].startswith("it is not a PDF that can be opened")
    assert reasons["gone.pdf"].startswith("its PDF was not found")
    assert reasons["locked.pdf"] == "encrypted: it is encrypted"


def test_copies_are_whole_when_workers_are_restarted_and_a_copy_takes_several_messages(
    heron_pdf: Path, tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotated_pdfs, "_PAPERS_PER_WORKER", 1)
    monkeypatch.setattr(annotated_pdfs, "_BLOCK", 1000)
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("a.pdf", "b.pdf"):
        shutil.copy(heron_pdf, papers / name)
    rows = [make_row(name, status=Status.NOT_REPORTED) for name in ("a.pdf", "b.pdf")]
    rows = [replace(row, paper=replace(row.paper, sha256=sha256_of(heron_pdf))) for row in rows]
    run = replace(run_of(papers), questions=(rows[0].question,))
    AnnotatedPdfs(run, Settings(workers=1)).write(rows, tmp_path / "out")
    assert [len(pdfium.PdfDocument(path)) for path in sorted((tmp_path / "out").iterdir())] == [3, 3]


def test_a_copy_never_replaces_an_original(heron_pdf: Path, tmp_path: Path, make_row: MakeRow) -> None:
    original = tmp_path / "herons.pdf"
    shutil.copy(heron_pdf, original)
    row = make_row("herons.pdf", status=Status.NOT_REPORTED)
    row = replace(row, paper=replace(row.paper, sha256=sha256_of(original)))
    exported = AnnotatedPdfs(replace(run_of(tmp_path), questions=(row.question,)), Settings(workers=1)).write([row], tmp_path)
    assert "would replace a paper of the run" in exported.note
    assert sha256_of(original) == row.paper.sha256


def test_without_pikepdf_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(annotated_pdfs, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'methodlens\[pdf\]'"):
        AnnotatedPdfs(run_of(tmp_path)).write([], tmp_path / "out")


def test_hostile_text_stays_text(hostile_row: Row, heron_pdf: Path) -> None:
    row = replace(hostile_row, cell=replace(hostile_row.cell, answer=replace(hostile_row.cell.answer, evidence=())))
    marks = paper_marks(row.paper, [row], group_colours([row.question]))
    after, _ = annotate(heron_pdf.read_bytes(), marks, at=AT, max_pages=10)
    document = pdfium.PdfDocument(after)
    assert 3 <= len(document) <= 4
    assert document[0].get_textpage().count_chars() > 0


def test_a_paper_made_by_hand_is_annotated_too(make_pdf: MakePdf, make_row: MakeRow, pool: WorkerPool) -> None:
    """A page without /Annots, and with the quote over two lines."""
    first, second = QUOTE[:30].rstrip(), QUOTE[30:].lstrip()
    path = make_pdf("two-lines.pdf", [[*TEXT[:12], first, second, *TEXT[13:]]])
    paper = pool.parse(path)
    after, _ = annotate(path.read_bytes(), marks_of(paper, make_row), at=AT, max_pages=10)
    assert [found.text for found in highlighted(after)] == [QUOTE]
