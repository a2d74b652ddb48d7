"""Plugins: parts of installed packages are found by name, and parts that are plain objects are accepted by Lens."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import methodlens as ml
from methodlens import plugins
from methodlens.engine.factory import EngineKind
from methodlens.errors import InputError
from methodlens.facts import catalog, from_each_quote, one_or_list, types_of
from methodlens.fakes import FakeRetriever, FakeVote
from methodlens.papers import from_text, paper_suffixes, sha256_of
from methodlens.questions import load
from methodlens.readers import create as create_reader
from methodlens.readers.embedded import EmbeddedReader
from methodlens.reports.formats.csv_tables import Csv
from methodlens.reports.formats.format_registry import load_format
from methodlens.retrieval import LexicalRetriever
from methodlens.retrieval import create as create_retriever
from methodlens.settings import RetrievalSettings
from methodlens.verdicts import majority, voting_rule
from tests.cli.conftest import Call, methodlens, one_line
from tests.conftest import EXAMPLES

__all__ = ["methodlens"]  # the fixture

GULLS = "Gulls of a small harbour\n\nVolunteers walked a path of 12 km around the harbour each morning.\n"
QUICK = ml.Settings(retrieval=RetrievalSettings(ranking="lexical"), workers=1)
GROUPS = ("readers", "retrievers", "parsers", "voting_rules", "formats", "fact_types", "question_sets")


@pytest.fixture(autouse=True)
def fresh_catalog() -> Iterator[None]:
    """Fact types are loaded once per process."""
    for cached in (catalog, types_of):
        cached.cache_clear()
    yield
    for cached in (catalog, types_of):
        cached.cache_clear()


class Site:
    """A folder on `sys.path` with the metadata of installed packages, as pip writes it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, patch
        folder.mkdir()
        patch.syspath_prepend(str(folder))

    def install(self, package: str, groups: Mapping[str, Mapping[str, str]], *, code: str = "") -> None:
        about = self._folder / f"{package.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [
            line for group, entries in groups.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in entries.items()))
        ]
        (about / "entry_points.txt").write_text("\n".join(lines))
        if code:
            (self._folder / f"{package.replace('-', '_')}.py").write_text(code)
        self._patch.syspath_prepend(str(self._folder))  # again: forget what the finders have cached


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path / "site", monkeypatch)


@pytest.fixture
def gulls(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """examples/plugin as if installed, and a paper in its format."""
    project = tomllib.loads((EXAMPLES / "plugin" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    monkeypatch.syspath_prepend(str(EXAMPLES / "plugin" / "src"))
    site.install(project["name"], project["entry-points"])
    paper = tmp_path / "papers" / "gulls.txt"
    paper.parent.mkdir()
    paper.write_text(GULLS)
    return paper


# --- by name --------------------------------------------------------------------------------------------------------


def test_the_example_plugin_answers_its_own_question_on_a_paper_in_its_own_format(methodlens: Call, gulls: Path) -> None:
    assert "gulls: Field work" in methodlens("questions").out
    done = methodlens("ask", gulls, "G1", "--questions", "gulls", "--reader", "gulls")
    assert "The survey walk was 12 km long." in done.out
    assert "Volunteers walked a path of 12 km" in methodlens("show", gulls).out


def test_a_run_votes_by_a_plugin_and_is_exported_by_one(methodlens: Call, gulls: Path, tmp_path: Path) -> None:
    readers = ["--reader", "gulls:1", "--reader", "embedded", "--vote", "any-reader"]
    where = ["--out", tmp_path / "out"]
    done = methodlens("run", gulls.parent, "--questions", "gulls", *readers, *where, "--no-pages", "--json")
    assert json.loads(done.out)["summary"]["cells"] == {"reported": 2, "not_reported": 2}
    cells = [json.loads(line) for line in methodlens("export", *where).out.splitlines()]
    facts = {cell["reader"]: cell["facts"] for cell in cells if cell["question"] == "G1"}
    assert facts == {reader: {"walk_km": 12} for reader in ("gulls:1", "embedded", "vote", "final")}
    assert {cell["model"] for cell in cells if cell["reader"] == "vote"} == {"any-reader"}
    table = methodlens("export", "--format", "markdown", *where).out.splitlines()
    assert len(table) == 2 + len(cells)
    assert "| gulls.txt | G1 | gulls:1 | reported | The survey walk was 12 km long. |" in table
    again = methodlens("run", gulls.parent, "--questions", "gulls", *readers, *where, "--no-pages", "--json")
    assert json.loads(again.out)["summary"]["asked"] == 0


def test_watch_takes_papers_in_the_format_of_a_plugin(methodlens: Call, gulls: Path, tmp_path: Path) -> None:
    options = ["--questions", "gulls", "--reader", "gulls", "--out", tmp_path / "out", "--no-pages"]
    done = methodlens("watch", gulls.parent, "--once", "--every", "0.1", *options, "--json")
    assert json.loads(done.out)["summary"]["papers"] == {"ok": 1}


def test_a_retriever_is_named_in_the_settings(site: Site) -> None:
    code = "from methodlens.fakes import FakeRetriever"
    site.install("all-passages", {"methodlens.retrievers": {"everything": "all_passages:FakeRetriever"}}, code=code)
    assert isinstance(create_retriever(RetrievalSettings(ranking="everything"), {}), FakeRetriever)


@pytest.mark.usefixtures("gulls")
def test_an_argument_that_a_plugin_refuses_is_an_error_in_one_line(methodlens: Call, tmp_path: Path) -> None:
    line = one_line(methodlens("run", tmp_path, "--reader", "gulls:many"))
    assert "'gulls' of methodlens-gulls cannot be created (ValueError" in line
    assert "check its argument" in line


# --- errors ---------------------------------------------------------------------------------------------------------

USES: Mapping[str, Sequence[object]] = {
    "readers": ("run", EXAMPLES / "papers", "--dry-run", "--reader", "NAME"),
    "retrievers": ("ask", EXAMPLES / "papers" / "rented-cpu.pdf", "CQ20", "--set", "retrieval.ranking=NAME"),
    "parsers": ("ask", EXAMPLES / "papers" / "rented-cpu.pdf", "CQ20"),
    "voting_rules": ("run", EXAMPLES / "papers", "--dry-run", "--vote", "NAME"),
    "formats": ("export", "--format", "NAME"),
    "fact_types": ("questions", "dl-methods"),
    "question_sets": ("questions", "NAME"),
}
"""A command per group that loads the plugin called NAME."""


def _use(group: str, name: str) -> list[str]:
    return [str(word).replace("NAME", name) for word in USES[group]]


@pytest.mark.parametrize("group", GROUPS)
def test_the_error_for_a_plugin_that_cannot_be_imported_names_its_package(methodlens: Call, site: Site, group: str) -> None:
    site.install("broken-ferns", {f"methodlens.{group}": {"ferns": "no_such_module:Ferns"}})
    line = one_line(methodlens(*_use(group, "ferns")))
    assert "the plugin 'ferns' of broken-ferns cannot be loaded (ModuleNotFoundError" in line
    assert "update or uninstall broken-ferns" in line


@pytest.mark.parametrize("group", ["readers", "retrievers", "parsers", "voting_rules", "formats"])
@pytest.mark.parametrize(("value", "problem"), [("oops", "cannot be created (ZeroDivisionError"), ("nothing", "has no ")])
def test_the_error_for_a_plugin_that_fails_or_breaks_its_contract_names_its_package(
    methodlens: Call, site: Site, group: str, value: str, problem: str
) -> None:
    code = "def oops(*arguments):\n    return 1 / 0\n\n\ndef nothing(*arguments):\n    return None\n"
    site.install("broken-moss", {f"methodlens.{group}": {"moss": f"broken_moss:{value}"}}, code=code)
    assert f"the plugin 'moss' of broken-moss {problem}" in one_line(methodlens(*_use(group, "moss")))


@pytest.mark.parametrize("group", ["readers", "retrievers", "voting_rules", "formats", "question_sets"])
def test_the_error_for_an_unknown_name_lists_the_installed_plugins(methodlens: Call, site: Site, group: str) -> None:
    site.install("ferns", {f"methodlens.{group}": {"bracken": "ferns:BRACKEN"}})
    line = one_line(methodlens(*_use(group, "oracle")))
    assert "oracle" in line
    assert "bracken" in line


@pytest.mark.usefixtures("gulls")
def test_the_suffixes_of_plugins_are_named_where_a_folder_has_no_paper(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "ending in .pdf or .txt" in one_line(methodlens("run", tmp_path / "empty"))


@pytest.mark.usefixtures("gulls")
def test_a_misspelt_fact_of_a_plugin_is_refused_with_the_nearest(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "q.toml").write_text('[[question]]\nid = "G1"\ntext = "How long was the walk?"\nfacts = ["walk_kms"]\n')
    assert "did you mean 'walk_km'?" in one_line(methodlens("questions", tmp_path / "q.toml"))


def test_built_in_parts_cannot_be_shadowed(site: Site) -> None:
    taken = {
        "readers": "embedded",
        "retrievers": "lexical",
        "voting_rules": "majority",
        "formats": "csv",
        "question_sets": "dl-methods",
    }
    site.install("usurper", {f"methodlens.{group}": {name: "no_such_module:X"} for group, name in taken.items()})
    assert plugins.names("formats") == ("csv",)
    assert isinstance(create_reader("embedded", QUICK, {}), EmbeddedReader)
    assert isinstance(create_retriever(QUICK.retrieval, {}), LexicalRetriever)
    assert voting_rule("majority") is majority
    assert isinstance(load_format("csv"), Csv)
    assert len(load("dl-methods").questions) == 28


def test_a_built_in_fact_type_cannot_be_redefined(methodlens: Call, site: Site) -> None:
    code = 'from methodlens.facts import FactType\nEPOCHS = FactType(key="epochs", extract=lambda quotes: ())\n'
    site.install("usurper", {"methodlens.fact_types": {"mine": "usurper:EPOCHS"}}, code=code)
    assert "'mine' defines the fact 'epochs' again" in one_line(methodlens(*USES["fact_types"]))


# --- plain objects --------------------------------------------------------------------------------------------------


class Notes:
    suffixes = (".note",)
    fingerprint = "notes-1"

    def parse(self, path: Path) -> ml.Paper:
        return from_text([path.read_text(encoding="utf-8")])


class Yes:
    """Reports whatever it is asked, with the best passage as its quote."""

    info = ml.ReaderInfo("yes", model="first", fingerprint="yes-1", deterministic=True)

    def read(self, question: ml.Question, paper: ml.Paper, context: Sequence[ml.Hit]) -> ml.Answer:
        best = context[0].passage
        return ml.Answer("Yes.", (ml.Evidence(best.text, ml.Match.EXACT, best.start, best.end),), p_reported=0.9)


class No:
    info = ml.ReaderInfo("no", model="never", fingerprint="no-1", deterministic=True)

    def read(self, question: ml.Question, paper: ml.Paper, context: Sequence[ml.Hit]) -> ml.Answer:
        return ml.Answer("No.", p_reported=0.1)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "notes" / "gulls.note"
    path.parent.mkdir()
    path.write_text("The gulls of the harbour were counted from the pier every morning.\n")
    return path


def test_lens_takes_readers_a_retriever_and_parsers_as_objects(note: Path, tmp_path: Path) -> None:
    lens = ml.Lens([Yes()], ["Who counted?"], settings=QUICK, retriever=FakeRetriever(), parsers=[Notes()])
    paper = lens.read(note)
    assert (paper.parser, paper.sha256) == ("notes-1", sha256_of(note))  # of the file, whatever the parser gives
    assert lens.ask(note, "Q1").quotes[0].quote == paper.text
    review = lens.run(note.parent, out=tmp_path / "review", progress=False)
    assert [(row["paper"], row["reader"], row["status"]) for row in review.cells] == [("gulls.note", "yes", "reported")]


def test_a_parser_object_comes_before_a_plugin_for_the_same_suffix(gulls: Path) -> None:
    class Text(Notes):
        suffixes = (".txt",)

    assert paper_suffixes() == (".pdf", ".txt")
    assert ml.Lens(settings=QUICK).read(gulls).parser == "gulls-text-1"
    assert ml.Lens(settings=QUICK, parsers=[Text()]).read(gulls).parser == "notes-1"


def test_a_voting_rule_object_counts_in_answers_and_reviews_and_the_ledger_names_the_rule_of_the_settings(
    note: Path, tmp_path: Path
) -> None:
    rule = FakeVote(ml.Status.WITHHELD)
    lens = ml.Lens([Yes(), No()], ["Who counted?"], settings=QUICK, parsers=[Notes()], vote=rule)
    assert lens.ask(note, "Q1").status is ml.Status.WITHHELD
    review = lens.run(note.parent, out=tmp_path / "review", progress=False)
    assert [row["model"] for row in review.cells if row["reader"] == "vote"] == ["fake"]
    assert review.run.vote == "majority"
    assert [row["model"] for row in ml.open(tmp_path / "review").cells if row["reader"] == "vote"] == ["majority"]


def test_a_voting_rule_can_be_given_by_name(note: Path) -> None:
    lens = ml.Lens([Yes(), No()], ["Who counted?"], settings=QUICK, parsers=[Notes()], vote="1-of-2")
    assert lens.ask(note, "Q1").status is ml.Status.REPORTED
    with pytest.raises(InputError, match="unknown voting rule 'loudest'"):
        ml.Lens([Yes(), No()], ["Who counted?"], settings=QUICK, parsers=[Notes()], vote="loudest").ask(note, "Q1")


def test_a_fact_type_object_can_be_named_by_questions_and_replaced_but_not_shadow_a_built_in_one(
    note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["methodlens.facts.catalog"], "_added", {})
    note.write_text("The harbour of the gulls is 9 m deep at low tide, and the pier is 40 m long.")
    (tmp_path / "q.toml").write_text('[[question]]\nid = "H1"\ntext = "How deep is the harbour?"\nfacts = ["depth_m"]\n')

    def depth(pattern: str) -> ml.FactType:
        return ml.FactType(key="depth_m", extract=from_each_quote(re.compile(pattern).findall), merge=one_or_list)

    def lens(fact_type: ml.FactType) -> ml.Lens:
        return ml.Lens(questions=tmp_path / "q.toml", settings=QUICK, parsers=[Notes()], fact_types=[fact_type])

    review = lens(depth(r"\d+ m deep")).run(note, out=tmp_path / "review", progress=False)
    assert [row["facts"] for row in review.cells] == [{"depth_m": "9 m deep"}]
    assert lens(depth(r"\d+ m long")).ask(note, "H1").facts == {"depth_m": "40 m long"}
    with pytest.raises(InputError, match="the fact 'epochs' exists already"):
        ml.Lens(fact_types=[ml.FactType(key="epochs", extract=lambda quotes: ())])


@pytest.mark.parametrize("part", [{"retriever": FakeRetriever()}, {"parsers": [Notes()]}])
def test_an_object_that_a_cluster_cannot_create_is_refused(part: dict[str, Any], note: Path) -> None:
    lens = ml.Lens(settings=QUICK, **part)
    with (
        pytest.raises(InputError, match="install it as a plugin"),
        lens.open_engine(lens.plan([EXAMPLES / "papers"]), kind=EngineKind.RAY),
    ):
        pass


def test_a_folder_is_not_a_paper(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        ml.Lens().read(tmp_path)
