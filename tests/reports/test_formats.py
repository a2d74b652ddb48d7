"""Export formats are found by name, whether built in or from an installed package."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from methodlens.errors import InputError
from methodlens.records import Row
from methodlens.reports.formats.export_format import RunFormat, StreamFormat
from methodlens.reports.formats.format_registry import BUILT_IN, OF_A_CHECKLIST, file_formats, format_names, load_format

MakeRow = Callable[..., Row]

NAMES_ONLY = """
from methodlens.reports.formats.export_format import StreamFormat

class NamesOnly(StreamFormat):
    name, suffix, description = "names", ".txt", "the names of the papers"

    def stream(self, rows):
        return (f"{row.paper.name}\\n".encode() for row in rows)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with the format `names`, which also tries to replace `csv`."""
    package = tmp_path / "some_formats-1.0.dist-info"
    package.mkdir()
    (tmp_path / "some_formats.py").write_text(NAMES_ONLY)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: some-formats\nVersion: 1.0\n")
    points = "names = some_formats:NamesOnly\ncsv = some_formats:NamesOnly\nbroken = some_formats:Missing\n"
    (package / "entry_points.txt").write_text(f"[methodlens.formats]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "some_formats", raising=False)


@pytest.mark.parametrize(
    "name", [name for name in BUILT_IN if not isinstance(load_format(name), RunFormat) and BUILT_IN[name] not in OF_A_CHECKLIST]
)
def test_a_built_in_format_writes_what_its_suffix_says(name: str, make_row: MakeRow, tmp_path: Path) -> None:
    export_format = load_format(name)
    path = tmp_path / f"cells{export_format.suffix}"
    assert export_format.name == name
    assert export_format.description
    assert export_format.write(iter([make_row(), make_row(question="CQ21")]), path).cells == 2
    assert path.is_file() if export_format.suffix else path.is_dir()


@pytest.mark.usefixtures("installed")
def test_a_format_of_an_installed_package_is_used_like_a_built_in_one(make_row: MakeRow, tmp_path: Path) -> None:
    names = load_format("names")
    assert names.write([make_row("a.pdf"), make_row("b.pdf")], tmp_path / "names.txt").cells == 2
    assert (tmp_path / "names.txt").read_text() == "a.pdf\nb.pdf\n"
    assert isinstance(names, StreamFormat)


@pytest.mark.usefixtures("installed")
def test_the_error_for_an_unknown_format_lists_all_names() -> None:
    names = (
        "jsonl, csv, xlsx, transcripts, checklist, docx, pdf, annotations, ris, ttl, jsonld, nq, parquet, ro-crate,"
        " dome, odmap, neurips, broken, names"
    )
    with pytest.raises(InputError, match=f"'odt': choose one of: {names}"):
        load_format("odt")


@pytest.mark.usefixtures("installed")
def test_a_plugin_cannot_replace_a_built_in_format() -> None:
    assert load_format("csv").suffix == ".csv"
    assert format_names().count("csv") == 1


@pytest.mark.usefixtures("installed")
def test_the_error_for_a_broken_plugin_names_its_package() -> None:
    with pytest.raises(InputError, match="'broken' of some-formats cannot be loaded"):
        load_format("broken")
    names = ["jsonl", "csv", "xlsx", "checklist", "annotations", "ris", "ttl", "jsonld", "nq", "ro-crate", "names"]
    assert list(file_formats()) == names
