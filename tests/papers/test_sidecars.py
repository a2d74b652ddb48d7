"""Metadata from .bib, .ris and manifest.csv files in a folder of papers."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from methodlens.errors import InputError
from methodlens.papers.metadata.bibtex import bibtex_entries, latex_to_text, split_authors
from methodlens.papers.metadata.duplicates import DuplicateFinder, text_digest
from methodlens.papers.metadata.entries import Metadata
from methodlens.papers.metadata.manifest import manifest_entries
from methodlens.papers.metadata.ris import ris_entries
from methodlens.papers.metadata.sidecars import Sidecars, read_sidecars

NOTHING = Metadata()
BIB = r"""
% my library; mail me@example.org
@string{press = "Moss " # "Press"}
@Comment{jabref-meta: databaseType:bibtex;}
@Article{moss2019,
  author    = {Moss, Ada and {\"O}zt{\"u}rk, Bj{\o}rn and {Snail Watch, Inc.} and others},
  title     = {Counting {Garden} {S}nails \& slugs -- at night},
  journal   = press,
  year      = 2019, month = jun # "~1",
  doi       = {https://doi.org/10.5555/SNAIL.1},
}
@misc(fern, title = "A "  # {Quiet} # " {"} Life", date = {2020-05-01})
"""
RIS = """TY  - JOUR
AU  - Moss, Ada
AU  - Fern, Bruno
TI  - Counting garden snails
      at night
PY  - 2019/06/01/
DO  - 10.5555/Snail.1
L1  - file:///home/ada/My%20Papers/snails.pdf
UR  - https://example.org/other.pdf
ER  -

TY  - CONF
T1  - A quiet life
A1  - Lichen, Chloé
Y1  - 2020
ER  -
"""


def only_bib(text: str) -> Sidecars:
    return Sidecars([bibtex_entries(text, "library.bib")])


def test_a_bibtex_entry_gives_title_authors_year_and_doi_as_plain_text() -> None:
    moss, fern = bibtex_entries(BIB, "library.bib")
    assert moss.metadata == Metadata(
        "Counting Garden Snails & slugs – at night", ("Ada Moss", "Bjørn Öztürk", "Snail Watch, Inc."), 2019, "10.5555/snail.1"
    )
    assert (moss.key, moss.source) == ("moss2019", "library.bib:5")
    assert (fern.metadata.title, fern.metadata.year) == ('A Quiet " Life', 2020)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\"o}\"{o}\"o", "ööö"),
        (r"\'e \`{a} \^{\i} \~n \=a \.z", "é à î ñ ā ż"),
        (r"\c{c} {\v s} \H{o} \k{a} \r{a} \u{g}", "ç š ő ą å ğ"),
        (r"{\ss} \o{} {\L}ukasz {\AE}", "ß ø Łukasz Æ"),
        (r"\emph{in vivo} and {\it E. coli} $\beta$", "in vivo and E. coli β"),
        (r"100\% of \textbf{\textit{snails}}~\& slugs", "100% of snails & slugs"),
    ],
)
def test_latex_becomes_plain_text(latex: str, text: str) -> None:
    assert latex_to_text(latex) == text


def test_given_names_come_first_and_a_group_in_braces_is_kept() -> None:
    assert split_authors("King, Jr., Martin and van Moss, Ada and Bruno Fern and {Moss and Fern} and \\'Alvarez, J.") == (
        "Martin King Jr.", "Ada van Moss", "Bruno Fern", "Moss and Fern", "J. Álvarez",
    )  # fmt: skip


@pytest.mark.parametrize(
    "field",
    [
        "snails.pdf",
        ":snails.pdf:PDF",
        r":C\:\\Users\\ada\\papers\\snails.pdf:PDF",
        ":C$\\backslash$:/Users/ada/snails.pdf:pdf",
        "Full Text PDF:storage/AB12/snails.pdf:application/pdf;Snapshot:storage/CD/x.html:text/html",
        "/home/ada/Zotero/storage/AB12/snails.pdf",
        "other.pdf:other.pdf:PDF;:Snails.PDF:PDF",
    ],
)
def test_the_file_field_of_every_reference_manager_finds_its_paper(field: str) -> None:
    cars = only_bib(f"@article{{x, title={{Right}}, file = {{{field}}}}}")
    assert cars.lookup("snails.pdf", NOTHING).title == "Right"
    assert cars.lookup("slugs.pdf", NOTHING).title == ""


def test_an_entry_is_found_by_file_then_key_then_doi_then_title() -> None:
    cars = only_bib(
        "@a{k1, year=2001, title={By the title of it}}@a{k2, year=2002, doi={10.5555/x}}"
        "@a{Snails, year=2003}@a{k4, year=2004, file={snails.pdf}}"
    )
    known = Metadata("By the title, of it!", doi="10.5555/x")
    assert cars.lookup("a/snails.pdf", known).year == 2004
    assert cars.lookup("SNAILS.pdf", known).year == 2004
    assert cars.lookup("k2.pdf", NOTHING).year == 2002
    assert cars.lookup("z.pdf", known).year == 2002
    assert cars.lookup("z.pdf", Metadata("By the title, of it!")).year == 2001
    assert cars.lookup("z.pdf", NOTHING) == NOTHING


def test_a_path_with_folders_does_not_match_the_same_name_in_another_folder() -> None:
    cars = Sidecars([manifest_entries("file,year\na/1.pdf,2001\nb/1,2002\n", "manifest.csv")])
    assert [cars.lookup(name, NOTHING).year for name in ("a/1.pdf", "b/1.pdf", "c/1.pdf")] == [2001, 2002, None]


def test_values_missing_from_an_entry_come_from_the_pdf() -> None:
    known = Metadata("Counting snails", ("Ada Moss",), 2018, "10.5555/snail.1")
    assert only_bib("@a{x, year = 2019, doi={10.5555/snail.1}}").lookup("1.pdf", known) == known._replace(year=2019)


def test_ris_records_are_read_with_their_wrapped_lines_and_file_links() -> None:
    first, second = ris_entries(RIS, "library.ris")
    assert first.metadata == Metadata("Counting garden snails at night", ("Ada Moss", "Bruno Fern"), 2019, "10.5555/snail.1")
    assert second.metadata == Metadata("A quiet life", ("Chloé Lichen",), 2020)
    cars = Sidecars([(first, second)])
    assert cars.lookup("snails.pdf", NOTHING).year == 2019
    assert cars.lookup("other.pdf", NOTHING) == NOTHING  # a web link is not a local file


def test_the_columns_of_a_manifest_can_be_in_any_order() -> None:
    table = (
        'notes,Year,Filename,Authors,Title,DOI\nseen,2019,1.pdf,"Moss, Ada; Bruno Fern","Snails, at night",10.5555/x\n\n,,2.pdf\n'
    )
    entries = manifest_entries(table, "manifest.csv")
    assert entries[0].metadata == Metadata("Snails, at night", ("Ada Moss", "Bruno Fern"), 2019, "10.5555/x")
    assert entries[1].files == ("2.pdf",)
    assert manifest_entries("file;year\n1.pdf;2019\n", "manifest.csv")[0].metadata.year == 2019


def test_metadata_files_in_the_folder_are_read_and_the_manifest_takes_precedence(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_bytes(b"\xef\xbb\xbf@a{k,\r\n title={From BibTeX},\r\n year=2001,\r\n file={1.pdf}}\r\n")
    (tmp_path / "b.RIS").write_bytes("TY  - JOUR\r\nAU  - Öz, Bjørn\r\nL1  - 1.pdf\r\nER  - \r\n".encode("cp1252"))
    (tmp_path / "manifest.csv").write_text("file,title\n1.pdf,From the manifest\n", encoding="utf-8-sig")
    (tmp_path / "other.csv").write_text("anything")
    found = read_sidecars(tmp_path).lookup("1.pdf", NOTHING)
    assert found == Metadata("From the manifest", ("Bjørn Öz",), 2001)


def test_a_folder_without_such_files_changes_nothing(tmp_path: Path) -> None:
    assert read_sidecars(tmp_path).lookup("1.pdf", Metadata("Kept")) == Metadata("Kept")


def test_entries_that_match_no_paper_are_listed_and_are_not_an_error() -> None:
    cars = Sidecars([bibtex_entries(BIB, "library.bib"), manifest_entries("file\n1.pdf\n9.pdf\n", "manifest.csv")])
    assert cars.unused([("moss2019.pdf", NOTHING), ("1.pdf", NOTHING)]) == ("library.bib:12 fern", "manifest.csv:3 9.pdf")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.bib", "@article{x,\n title = {never closed\n", "a.bib:2: a brace or quote is never closed"),
        ("a.bib", "\n@article{x,\n title = {ok}\n", "a.bib:2: a brace or quote is never closed"),
        ("a.bib", "@article{x,\n title\n {ok}}", "a.bib:2: the field 'title' has no '='"),
        ("a.bib", "@article{x, title = }", "a.bib:1: the field 'title' has no value"),
        ("a.bib", "@article{x,\n title = {ok}\n year = 2019}", "a.bib:2: there is no comma after the field 'title'"),
        ("a.bib", "@article{title = {ok}}", "a.bib:1: there is a syntax error after 'title'"),
        ("a.bib", "<html>Please log in</html>", "a.bib:1: there is no BibTeX entry"),
        ("a.ris", "TY  - JOUR\nER  - \nTI  - lost\n", "a.ris:3: 'TI  - lost' is outside a record"),
        ("a.ris", "\nPlease log in", "a.ris:2: 'Please log in' is outside a record"),
        ("manifest.csv", "name,when\n1.pdf,2019\n", "manifest.csv:1: no column is called 'file'"),
        ("manifest.csv", "file,year\n1.pdf,soon\n", "manifest.csv:2: 'soon' is not a year"),
        ("manifest.csv", "file,doi\n\n1.pdf,none\n", "manifest.csv:3: 'none' is not a DOI"),
        ("manifest.csv", "file,title\n1.pdf,Snails, at night\n", "manifest.csv:2: 3 cells under 2 columns"),
        ("manifest.csv", 'file,title\n1.pdf,"Snails\n', "manifest.csv:2: "),
        ("manifest.csv", "file\n1.pdf\n2.pdf\n1.PDF\n", "manifest.csv:4: 1.PDF is already listed in line 2"),
        ("a.bib", "@article{\x00}", "is not a text file"),
    ],
)
def test_a_malformed_file_is_an_error_with_its_line_and_a_fix(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_sidecars(tmp_path)
    assert said in caught.value.problem
    assert caught.value.fix


@given(st.text() | st.text(alphabet='@article{},="#()% \n\\ab1'))
@example("@a{x, y = {" + "{" * 5000 + "}" * 5000 + "}}")
@example("@comment{" * 50)
def test_any_text_parsed_as_bibtex_raises_only_input_errors(text: str) -> None:
    try:
        entries = bibtex_entries(text, "a.bib")
    except InputError:
        return
    Sidecars([entries]).lookup("a.pdf", Metadata("Anything at all"))


@given(st.text() | st.text(alphabet="TYERAUL1 -\n/file:.pd"))
def test_any_text_parsed_as_ris_or_as_a_manifest_raises_only_input_errors(text: str) -> None:
    for read in (ris_entries, manifest_entries):
        try:
            entries = read(text, "a")
        except InputError:
            continue
        Sidecars([entries]).lookup("a.pdf", Metadata("Anything at all"))


def test_a_paper_with_the_doi_or_text_of_an_earlier_one_is_a_duplicate() -> None:
    papers = [("1", "10.5555/x", "aa"), ("2", "", "bb"), ("3", "10.5555/X", "cc"), ("4", "", "cc"), ("5", "", ""), ("6", "", "")]
    finder = DuplicateFinder()
    assert {name: original for name, doi, text in papers if (original := finder.add(name, doi, text))} == {"3": "1", "4": "1"}


def test_the_digest_depends_on_letters_and_digits_only() -> None:
    assert text_digest("Snails, at\nnight: ﬁrst 12") == text_digest("snails at night first (12)")
    assert text_digest("snails") != text_digest("slugs")
    assert text_digest(" \n--") == ""
