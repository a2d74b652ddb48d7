"""Repositories of papers: which belongs to which, and how a run reads and keeps them."""

import os
import subprocess
from pathlib import Path

import pytest

from methodlens.engine import driver
from methodlens.engine.pair_choice import PairChoice
from methodlens.engine.plan import Plan, Request, make_plan
from methodlens.engine.totals import Summary
from methodlens.errors import InputError
from methodlens.fakes import FakeEngine, FakeReader
from methodlens.ledger import repositories
from methodlens.ledger.store import Ledger
from methodlens.ledger.upkeep import check, copy
from methodlens.questions import QuestionSet
from methodlens.records import Question
from methodlens.records.code import Finding, Repository, RepositoryStatus, Topic
from methodlens.settings import Settings

SEED = "import random\nrandom.seed(42)\n"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    for name in ("newts.pdf", "toads.pdf"):
        _write(folder / name, "%PDF-1.4")
    return folder


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def planned(papers: Path, *given: str, find: bool = True) -> Plan:
    questions = QuestionSet("q", "q", "", (Question("Q1", "Which seed?", facts=("seeds",)),))
    request = Request((str(papers),), questions, (FakeReader({}),), code=PairChoice(tuple(given), find))
    return make_plan(request, settings=Settings())


def pairs(plan: Plan) -> dict[str, tuple[str, str]]:
    return {paper: (Path(source.location).name, source.at) for paper, source in (plan.code or {}).items()}


def refused(papers: Path, *given: str) -> str:
    with pytest.raises(InputError) as err:
        planned(papers, *given)
    return str(err.value)


def clone(folder: Path) -> str:
    """A repository with two commits; returns the first."""
    _write(folder / "train.py", SEED)
    for seed, day in (("42", "2021-05-04"), ("7", "2023-05-04")):
        (folder / "train.py").write_text(SEED.replace("42", seed))
        commands = (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "seed"])
        date = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
        for command in commands:
            names = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"]
            subprocess.run(
                ["git", *names, *command], cwd=folder, check=True, env={"PATH": "/usr/bin:/bin:/usr/local/bin", **date}
            )
    commit = ["git", "rev-list", "--max-parents=0", "HEAD"]
    return subprocess.run(commit, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


# --- which belongs to which -------------------------------------------------------------------------------------------


def test_folders_and_archives_with_the_name_of_a_paper_are_its_code(papers: Path) -> None:
    _write(papers / "newts" / "src" / "train.py", SEED)
    _write(papers / "code" / "toads.zip", "")
    plan = planned(papers)
    assert pairs(plan) == {"newts.pdf": ("newts", ""), "toads.pdf": ("toads.zip", "")}
    assert all(source.guessed for source in (plan.code or {}).values())
    assert pairs(planned(papers, find=False)) == {}


@pytest.mark.parametrize("name", ["newts", "newts.zip", "code/newts"])
def test_a_pipe_with_the_name_of_a_paper_is_not_its_code(papers: Path, name: str) -> None:
    (papers / "code").mkdir()
    os.mkfifo(papers / name)
    assert pairs(planned(papers)) == {}
    assert "neither a folder nor an archive" in refused(papers, f"newts.pdf={papers / name}")


def test_a_folder_of_papers_stays_one(papers: Path) -> None:
    _write(papers / "newts" / "supplement.pdf", "%PDF-1.4")
    _write(papers / "newts" / "table.py", SEED)
    _write(papers / "toads" / "notes.txt", "on toads")
    plan = planned(papers)
    assert pairs(plan) == {}
    assert plan.names == ("newts.pdf", "newts/supplement.pdf", "toads.pdf")


def test_pdfs_of_a_repository_are_not_papers_of_the_run(papers: Path) -> None:
    _write(papers / "newts" / "docs" / "poster.pdf", "%PDF-1.4")
    _write(papers / "newts" / "train.py", SEED)
    assert planned(papers).names == ("newts.pdf", "toads.pdf")
    assert "newts/docs/poster.pdf" in planned(papers, find=False).names


def test_the_user_comes_before_the_manifest_and_the_manifest_before_names(papers: Path, tmp_path: Path) -> None:
    for name in ("newts", "toads"):
        _write(papers / name / "train.py", SEED)
    _write(papers.parent / "clones" / "second" / "train.py", SEED)
    third = _write(tmp_path / "third" / "train.py", SEED).parent
    _write(papers / "manifest.csv", "file,code\nnewts.pdf,../clones/second\ntoads.pdf,../clones/second\n")
    assert pairs(planned(papers, f"toads.pdf={third}")) == {"newts.pdf": ("second", ""), "toads.pdf": ("third", "")}


def test_a_folder_of_repositories_is_matched_by_the_names_of_the_papers(papers: Path, tmp_path: Path) -> None:
    _write(tmp_path / "code" / "toads" / "train.py", SEED)
    assert pairs(planned(papers, str(tmp_path / "code"))) == {"toads.pdf": ("toads", "")}
    (tmp_path / "empty").mkdir()
    assert "no folder or archive in it has the name of a paper" in refused(papers, str(tmp_path / "empty"))


def test_an_unknown_paper_and_a_missing_path_are_refused_with_the_fix(papers: Path, tmp_path: Path) -> None:
    assert "did you mean newts.pdf?" in refused(papers, f"newt.pdf={tmp_path}")
    assert "nowhere does not exist" in refused(papers, "newts.pdf=nowhere")
    assert "there is no such folder" in refused(papers, "nowhere")
    assert "neither a folder nor an archive" in refused(papers, f"newts.pdf={papers / 'toads.pdf'}")
    _write(papers / "manifest.csv", "file,code\nnewts.pdf,../gone\n")
    assert "manifest.csv:2: " in refused(papers)


def test_a_date_or_commit_that_fits_nothing_is_refused(papers: Path, tmp_path: Path) -> None:
    plain = _write(tmp_path / "plain" / "train.py", SEED).parent
    assert "has no git history" in refused(papers, f"newts.pdf={plain}@2021-05-04")
    first = clone(tmp_path / "clone")
    for at in ("2021-05-04", first[:10], "2022", "publication"):
        assert pairs(planned(papers, f"newts.pdf={tmp_path / 'clone'}@{at}")) == {"newts.pdf": ("clone", at)}
    assert "no commit at or before 1999" in refused(papers, f"newts.pdf={tmp_path / 'clone'}@1999")
    assert "no commit" in refused(papers, f"newts.pdf={tmp_path / 'clone'}@beefbeef")


def test_a_path_with_an_at_sign_is_a_path(papers: Path, tmp_path: Path) -> None:
    odd = _write(tmp_path / "repo@2" / "train.py", SEED).parent
    assert pairs(planned(papers, f"newts.pdf={odd}")) == {"newts.pdf": ("repo@2", "")}


@pytest.mark.parametrize(
    ("table", "problem"),
    [("doi,code\n10.5555/a.1,x\n", "code but no file"), ("file,code_at\nnewts.pdf,2021\n", "code_at but no code")],
)
def test_a_manifest_row_that_cannot_be_used_names_its_line(papers: Path, table: str, problem: str) -> None:
    _write(papers / "manifest.csv", table)
    assert f"manifest.csv:2: the row has {problem}" in refused(papers)


# --- reading and keeping ----------------------------------------------------------------------------------------------


def run(plan: Plan, out: Path) -> Summary:
    with Ledger.at(out, create=True) as ledger:
        return driver.run(plan, FakeEngine(), ledger)


def kept(plan: Plan, out: Path) -> list[tuple[str, str]]:
    with Ledger.at(out) as ledger:
        assert list(check(ledger)) == []
        return [(paper, repository.status.value) for paper, repository in repositories.of_run(ledger, plan.run)]


def test_a_repository_is_read_once_and_again_when_it_changes(papers: Path, tmp_path: Path) -> None:
    file = _write(papers / "newts" / "train.py", SEED)
    plan, out = planned(papers), tmp_path / "out"
    assert run(plan, out).code == {RepositoryStatus.OK: 1}
    assert kept(plan, out) == [("newts.pdf", "ok")]
    assert run(plan, out).code_kept == 1
    file.write_text(SEED.replace("42", "43210"))
    assert run(plan, out).code_kept == 0
    with Ledger.at(out) as ledger:
        (_, repository), *_ = repositories.of_run(ledger, plan.run)
    assert 43210 in [finding.value for finding in repository.findings]
    run(planned(papers, find=False), out)  # turned off: the pair is forgotten
    assert kept(plan, out) == []


def test_the_state_at_a_date_or_at_publication_is_read(papers: Path, tmp_path: Path) -> None:
    first = clone(tmp_path / "clone")
    plan, out = planned(papers, f"newts.pdf={tmp_path / 'clone'}@2021-12"), tmp_path / "out"
    run(plan, out)
    with Ledger.at(out) as ledger:
        ((_, repository),) = repositories.of_run(ledger, plan.run)
    assert (repository.commit, repository.date[:10]) == (first, "2021-05-04")
    run(planned(papers, f"newts.pdf={tmp_path / 'clone'}@publication"), out)
    with Ledger.at(out) as ledger:
        ((_, unknown),) = repositories.of_run(ledger, plan.run)
    assert "the year of the paper is not known" in unknown.reason


def test_a_bad_repository_stops_nothing_and_a_guess_in_which_nothing_is_found_is_dropped(papers: Path, tmp_path: Path) -> None:
    broken = _write(tmp_path / "broken.zip", "not an archive")
    _write(papers / "newts.zip", "figures, not code")
    plan, out = planned(papers, f"toads.pdf={broken}"), tmp_path / "out"
    assert pairs(plan) == {"newts.pdf": ("newts.zip", ""), "toads.pdf": ("broken.zip", "")}
    summary = run(plan, out)
    assert sum(summary.papers.values()) == 2
    assert summary.code == {RepositoryStatus.MALFORMED: 1}
    assert kept(plan, out) == [("toads.pdf", "malformed")]


def test_copies_and_checks_cover_repositories(papers: Path, tmp_path: Path) -> None:
    plan = planned(papers)
    finding = Finding(Topic.SEED, "train.py", 2, "random.seed(42)", "seeds", 42)
    with Ledger.at(tmp_path / "out", create=True) as ledger, Ledger.at(tmp_path / "copy", create=True) as target:
        ledger.begin(plan.run, plan.names)
        repositories.keep(ledger, plan.run.id, "newts.pdf", "ab" * 32, Repository("newts", "r-1", findings=(finding,)))
        copy(ledger, target)
        assert [paper for paper, _ in repositories.of_run(target, plan.run)] == ["newts.pdf"]
        with ledger.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE repositories SET body = replace(body, '42', '43')")
        assert [fault.table for fault in check(ledger)] == ["repositories"]
        assert [code.status for _, code in repositories.of_run(ledger, plan.run)] == [RepositoryStatus.CRASHED]
        with target.engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM repositories")
        assert [fault.problem for fault in check(target)] == ["its repository is missing"]
