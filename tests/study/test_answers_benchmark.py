"""benchmarks/answers.py: our rules against human judgements, and the handling of every known defect."""

import os
from pathlib import Path

import pytest

from benchmarks.answers import Labelled, fate_of, halves, labels, main
from methodlens.evaluation.counts import accuracy, count, kappa
from methodlens.records import Status
from methodlens.study.answer_files import load_study
from tests.study.study_data import CONTEXT, SAYS, as_records

SHARED = Path(os.environ.get("SHARED_DIR", Path(__file__).parents[2].parent / "shared"))


@pytest.mark.parametrize(
    ("raw", "status", "mark"),
    [
        ("", Status.FAILED, None),
        ("No response found", Status.FAILED, None),
        ("cards of the barge " * 2000, Status.FAILED, None),
        (f"{SAYS}\n\nReference(s):\n[1] An invented paper, 2031.", Status.REPORTED, "surplus cut"),
        ("The cards are not mentioned, but they were probably Kestrels.", Status.NOT_REPORTED, "supposition set aside"),
        (" ".join(f"Barge {n} was moored at berth {n}." for n in range(90)), Status.WITHHELD, "cut at 400 words"),
        ("The network was trained on eight A100 cards.", Status.WITHHELD, None),
    ],
    ids=["empty", "no response", "repeated words", "invented references", "supposition", "over-long", "invented cards"],
)
def test_each_known_defect_is_detected(raw: str, status: Status, mark: str | None) -> None:
    fate = fate_of(raw, "Which cards were used?", CONTEXT)
    assert (fate.status, fate.marks) == (status, (mark,) if mark else ())


def test_no_paper_is_in_both_halves(tmp_path: Path) -> None:
    labelled = list(labels(load_study(as_records(tmp_path))))
    assert len(labelled) == 5
    papers = [Labelled(f"{n}.pdf", "CQ1", "heron", True, True, True, True) for n in range(7)]
    seen, unseen = halves(papers)
    assert not seen & unseen
    assert len(seen | unseen) == 7


def test_it_prints_its_tables_and_skips_a_missing_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["answers.py", str(as_records(tmp_path))])
    assert main() == 0
    shown = capsys.readouterr().out
    assert "1 papers looked at" in shown
    assert "empty answer" in shown
    monkeypatch.setattr("sys.argv", ["answers.py", str(tmp_path / "nowhere")])
    assert main() == 0
    assert "nothing measured" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(not (SHARED / "study" / "records.jsonl.xz").is_file(), reason="the published study is not here")
def test_our_rules_agree_with_people_better_than_the_published_labels() -> None:
    labelled = list(labels(load_study(SHARED / "study")))
    for papers in ({each.paper for each in labelled}, *halves(labelled)):
        ours = count((each.human, each.ours) for each in labelled if each.paper in papers)
        published = count((each.human, each.published) for each in labelled if each.paper in papers)
        assert accuracy(ours) > accuracy(published)
        assert kappa(ours) > kappa(published)
