"""Annotations as files: nothing is lost on the way out and back, and nothing unusable comes in unnoticed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.evaluation.table_files import read_table
from methodlens.records import Annotation, Evidence, Match, PaperEntry, Place, Question, Status
from methodlens.reports.annotation_files import AnnotationFormat, annotation_lines, has_annotations, read_annotations

PAPER = PaperEntry("gulls.pdf", "ab" * 32, title="Gulls, and “other” birds")
QUESTION = Question("CQ20", "Which hardware?")
EVIDENCE = Evidence("We used one Kestrel.", Match.EXACT, 4, 24, (Place(2, ((1.5, 2.0, 30.25, 4.0),)),))
FULL = Annotation(
    PAPER.sha256,
    "CQ20",
    "ann",
    Status.REPORTED,
    "2026-05-04T10:00:00.000000+00:00",
    note="see Table 2; =1+1 stays a text",
    answer="One Kestrel, “new”.",
    evidence=(EVIDENCE,),
    blind=True,
    facts={"hardware": [{"name": "Kestrel", "count": 1}]},
    adjudicates=True,
    tags=("check", "to do"),
)
BARE = Annotation(PAPER.sha256, "CQ20", "bob", Status.WITHHELD, "2026-05-04T11:00:00.000000+00:00")
NO_FACTS = replace(BARE, annotator="eve", status=Status.NOT_REPORTED, facts={})


def written(format: AnnotationFormat, folder: Path) -> Path:
    path = folder / f"annotations.{format}"
    path.write_bytes(b"".join(annotation_lines([(PAPER, each) for each in (FULL, BARE, NO_FACTS)], [QUESTION], format)))
    return path


@pytest.mark.parametrize("format", AnnotationFormat)
def test_annotations_come_back_as_they_were(format: AnnotationFormat, tmp_path: Path) -> None:
    rows = read_table(written(format, tmp_path))
    assert has_annotations(rows)
    found = read_annotations(rows, [PAPER], [QUESTION])
    assert (found.annotations, found.problems) == ((FULL, BARE, NO_FACTS), ())


def test_line_breaks_survive_in_json_lines(tmp_path: Path) -> None:
    long = replace(FULL, answer="One.\n\nTwo.")
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(annotation_lines([(PAPER, long)], [QUESTION], AnnotationFormat.JSONL)))
    assert read_annotations(read_table(path), [PAPER], [QUESTION]).annotations == (long,)


@pytest.mark.parametrize(
    ("change", "kind", "what"),
    [
        ({"label": "maybe"}, "odd annotation", "'maybe' is not a label"),
        ({"annotator": "published:model"}, "odd annotation", "cannot be the name"),
        ({"facts": "{"}, "odd annotation", ""),
        ({"evidence": [{"quote": 1}]}, "odd annotation", ""),
        ({"paper_sha256": "cd" * 32}, "unknown paper", "gulls.pdf"),
        ({"question": "CQ99"}, "unknown question", "CQ99"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(change: dict[str, object], kind: str, what: str, tmp_path: Path) -> None:
    first, *others = read_table(written(AnnotationFormat.JSONL, tmp_path))
    found = read_annotations([first._replace(values={**first.values, **change}), *others], [PAPER], [QUESTION])
    assert found.annotations == (BARE, NO_FACTS)
    (problem,) = found.problems
    assert (problem.kind, problem.where) == (kind, "annotations.jsonl, line 1")
    assert what in problem.what


def test_a_label_sheet_is_no_file_of_annotations(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("paper,question,label\ngulls.pdf,CQ20,yes\n", encoding="utf-8")
    assert not has_annotations(read_table(path))
