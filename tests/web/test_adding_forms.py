"""Papers in other forms than PDF, added in the browser: what is accepted, which files are one paper, and what is refused."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from methodlens.ledger import run_rows, supplements
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile
from methodlens.records import Match
from methodlens.web.http.uploads import RefusedFile, SavedUploads, Upload, UploadRules, save_all
from tests.conftest import EXAMPLES
from tests.web.conftest import COUNTED, TRAINED, Visitor, open_room, write_pdf
from tests.web.test_adding import HARDWARE, wait_for_jobs

FORMATS = EXAMPLES / "formats"
PDF = (EXAMPLES / "papers" / "rented-cpu.pdf").read_bytes()
JATS = (FORMATS / "rented-cpu.xml").read_bytes()
GPUS = b"All networks were trained on two NVIDIA A100 GPUs with 40 GB of memory each."
TEXT = b"Counting moths\n\nAnn Ostrander\n\nMethods\n\n" + GPUS + b" " + COUNTED.encode()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def visitor(out: Path) -> Iterator[Visitor]:
    with open_room(out, questions=HARDWARE) as url:
        yield Visitor(url, "ann")


def send(visitor: Visitor, *files: tuple[str, bytes]) -> list[dict[str, str]]:
    """The refused files."""
    answer = visitor.http.post("/api/papers", files=[("files", (name, body)) for name, body in files])
    assert answer.status_code == 202, answer.text
    jobs = wait_for_jobs(visitor)
    assert [job["state"] for job in jobs] == ["done"] * len(jobs), jobs
    return list(answer.json()["refused"])


def names(visitor: Visitor) -> list[str]:
    return [paper["name"] for paper in visitor.get("/api/matrix")["papers"]]


def save(folder: Path, *files: tuple[str, bytes], max_mb: int = 1) -> SavedUploads:
    return save_all([Upload(name, io.BytesIO(body)) for name, body in files], folder, UploadRules(lambda _: False, max_mb))


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()


LATEX = "\\documentclass{article}\\begin{document}\\section{Methods}" + GPUS.decode() + " " + COUNTED + "\\end{document}"


def test_every_form_is_read_and_shown_with_its_quote(visitor: Visitor, out: Path) -> None:
    forms = [
        (f"{suffix[1:]}{suffix}", (FORMATS / f"rented-cpu{suffix}").read_bytes()) for suffix in (".html", ".docx", ".xml", ".tex")
    ]
    forms += [("markdown.md", (FORMATS / "rented-cpu.md").read_bytes()), ("text.txt", TEXT), ("zip.zip", zipped(main__tex=LATEX))]
    assert send(visitor, *forms) == []
    assert names(visitor) == [name for name, _ in forms]
    for paper in visitor.get("/api/matrix")["papers"]:
        assert paper["marks"] == ["reported"], paper["name"]
        page = visitor.http.get(f"/cells/{paper['sha256']}/CQ20").text
        assert "<mark" in page, paper["name"]
    visitor.post("/api/questions", {"text": "How many gulls were counted?"})
    assert wait_for_jobs(visitor)[-1]["state"] == "done"
    with Ledger.at(out) as ledger:
        run = run_rows.latest(ledger)
    named = {Path(source).name for source in run.sources}
    assert named == {"uploads", "markdown.md", "text.txt", "zip.zip"}  # 'methodlens run' finds the others in the folder


def test_a_pdf_and_its_jats_sent_together_are_one_paper(visitor: Visitor, out: Path) -> None:
    assert send(visitor, ("rented-cpu.xml", JATS), ("rented-cpu.pdf", PDF)) == []
    assert names(visitor) == ["rented-cpu.pdf"]
    assert {path.name for path in (out / "uploads").iterdir()} == {"rented-cpu.pdf", "rented-cpu.xml"}
    with Ledger.at(out) as ledger:
        run = run_rows.latest(ledger)
        ((entry, parser),) = ledger.entries(run, page=0)
        assert "+xml-" in parser
        paper = ledger.paper(entry.sha256, parser)
        (row,) = run_rows.rows(ledger, run)
    assert paper is not None
    assert paper.pages
    assert paper.lines
    assert row.cell.answer.evidence[0].match is Match.EXACT


def test_files_of_another_upload_never_become_a_pair(tmp_path: Path) -> None:
    folder = tmp_path / "uploads"
    save(folder, ("a.pdf", PDF))
    (other,), _ = save(folder, ("a.xml", JATS))
    assert other.path.stem != "a"
    (third,), _ = save(folder, ("a.pdf", write_pdf(tmp_path / "x.pdf", [TRAINED]).read_bytes()), ("a.xml", JATS))
    assert third.path.stem not in ("a", other.path.stem)
    assert third.path.with_suffix(".xml").read_bytes() == JATS
    assert save(folder, ("a.pdf", PDF)).papers == (PaperFile(str(folder / "a.pdf"), "a.pdf"),)
    assert sorted(path.suffix for path in folder.iterdir()) == [".pdf", ".pdf", ".xml", ".xml"]


def test_of_several_forms_of_one_paper_one_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    docx = (FORMATS / "rented-cpu.docx").read_bytes()
    papers, refused = save(tmp_path / "up", ("a.txt", TEXT), ("a.docx", docx), ("b/a.html", b"<p>Welcome</p>"))
    assert [paper.name for paper in papers] == ["a.html"]
    assert {file.name for file in refused} == {"a.txt", "a.docx"}
    papers, refused = save(tmp_path / "up", ("c.pdf", PDF), ("c.html", b"<p>Welcome</p>"))
    assert ([paper.name for paper in papers], refused) == (
        ["c.pdf"],
        (RefusedFile("c.html", "'c.html' is the same paper as 'c.pdf'"),),
    )


def test_two_papers_of_the_same_name_in_one_upload_are_both_saved(tmp_path: Path) -> None:
    papers, refused = save(tmp_path / "up", ("a/x.txt", TEXT), ("b/x.txt", TEXT + b" More of it."), ("c/x.txt", TEXT))
    assert len(papers) == 2
    assert refused == ()


def test_a_supplement_named_after_a_paper_is_read_as_one(visitor: Visitor, out: Path, tmp_path: Path) -> None:
    paper = write_pdf(tmp_path / "a.pdf", [COUNTED]).read_bytes()
    assert (
        send(
            visitor,
            ("moths.pdf", paper),
            ("moths_S-I.txt", TEXT),
            ("moths-supplement.docx", (FORMATS / "rented-cpu.docx").read_bytes()),
        )
        == []
    )
    assert names(visitor) == ["moths.pdf", "moths_S-I.txt"]
    assert "moths-supplement.docx as a supplement of moths.pdf" in str(visitor.get("/api/jobs")[0]["what"])
    send(visitor, ("moths_appendix.txt", TEXT))
    with Ledger.at(out) as ledger:
        run = run_rows.latest(ledger)
        found = {key.file for key, _ in supplements.of_run(ledger, run)}
    assert (run.papers, found) == (2, {"moths-supplement.docx", "moths_appendix.txt"})
    (sha256,) = [paper["sha256"] for paper in visitor.get("/api/matrix")["papers"] if paper["name"] == "moths.pdf"]
    assert "In the supplement" in visitor.http.get(f"/cells/{sha256}/CQ20").text


BAD = [
    ("x.xml", b"<settings><article/></settings>", "not a JATS article"),
    ("x.nxml", b"", "is empty"),
    ("x.html", b"%PDF-1.7 body", "rename it to .pdf"),
    ("x.docx", b"\xd0\xcf\x11\xe0 old", "save it as .docx"),
    ("x.docx", b"words", "is not a .docx file"),
    ("x.zip", b"Rar!", "is not a .zip file"),
    ("x.tex", b"\\section{x}", "one .zip"),
    ("x.tex", b"\\documentclass{a}\n\\input{../../secret}", "one .zip"),
    ("x.md", b"\x00\x01\x02", "is not a .md file"),
    ("x.txt", b" \n ", "is empty"),
    ("x.csv", b"a,b", "choose a PDF, or another form"),
    ("x.txt", b"a" * (1 << 20) + b"b", "larger than 1 MB"),
]


@pytest.mark.parametrize(("name", "body", "reason"), BAD)
def test_a_file_that_cannot_be_a_paper_is_refused_and_the_others_are_saved(
    tmp_path: Path, name: str, body: bytes, reason: str
) -> None:
    folder = tmp_path / "uploads"
    papers, refused = save(folder, (name, body), ("good.txt", TEXT))
    assert [path.name for path in folder.iterdir()] == [paper.name for paper in papers] == ["good.txt"]
    assert [file.name for file in refused] == [name]
    assert reason in refused[0].reason


def test_a_comment_that_includes_a_file_does_not_refuse_a_paper(tmp_path: Path) -> None:
    papers, _ = save(tmp_path / "up", ("x.tex", b"\\documentclass{a} 50\\% of it % \\input{y}\n"))
    assert [paper.name for paper in papers] == ["x.tex"]


HOSTILE = [
    "../../etc/passwd.html",
    "CON.docx",
    "a\\b\\c.xml",
    ".hidden.md",
    "x" * 300 + ".txt",
    "n\u202efdp.tex",
    "-rf.zip",
    ".html",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_form_is_saved_in_the_folder_under_a_safe_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "uploads"
    bodies = {".xml": JATS, ".docx": b"PK\x03\x04", ".zip": b"PK\x03\x04", ".tex": LATEX.encode()}
    suffix = name[name.rindex(".") :]
    (saved,), _ = save(folder, (name, bodies.get(suffix, b"text")))
    assert list(folder.iterdir()) == [saved.path]
    assert saved.path.suffix == suffix
    assert saved.path.stat().st_mode & 0o077 == 0
    assert saved.name.isascii()
    assert not saved.name.startswith((".", "-"))
    assert len(saved.name) < 120
    assert saved.name.split(".")[0].lower() != "con"


def test_bombs_cost_only_their_own_row(visitor: Visitor, tmp_path: Path) -> None:
    entities = b'<!DOCTYPE article [<!ENTITY a "aaaaaaaaaa">]><article article-type="x"><front/><body>&a;</body></article>'
    deep = b'<article article-type="x"><front/>' + b"<sec>" * 5000 + b"</sec>" * 5000 + b"</article>"
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (80 << 20))
    send(
        visitor,
        ("entities.xml", entities),
        ("deep.xml", deep),
        ("bomb.docx", bomb.getvalue()),
        ("code.zip", zipped(x__py="1")),
        ("ok.txt", TEXT),
    )
    marks = {paper["name"]: paper["marks"] for paper in visitor.get("/api/matrix")["papers"]}
    assert marks.pop("ok.txt") == ["reported"]
    assert len(marks) == 4
    assert set(map(tuple, marks.values())) == {("unreadable",)}


def test_the_page_says_which_forms_it_takes(visitor: Visitor) -> None:
    page = visitor.http.get("/add").text
    for suffix in (".pdf", ".xml", ".html", ".docx", ".tex", ".zip", ".md", ".txt"):
        assert f"{suffix}," in page or f'{suffix}"' in page
