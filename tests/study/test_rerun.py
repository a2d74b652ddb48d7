"""The published study run again: its settings, the files it wrote, and old against new verdicts. All papers are fictional."""

import csv
import json
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from methodlens.cli.app import main
from methodlens.errors import SettingsError
from methodlens.papers.chunks import chunk_spans
from methodlens.settings import Settings
from methodlens.settings_sources import load
from methodlens.study.rerun import published_defaults, with_slots
from methodlens.transcripts import instructions, lay_out, parse, render_reply
from tests.cli.conftest import Call, methodlens, one_line
from tests.loopback import FakeChatServer, Reply, chat_reply, chat_server
from tests.study.study_data import CONTEXT, MODELS, SAYS, SILENT, as_records

__all__ = ["methodlens"]  # the fixture
SHARED = Path(os.environ.get("SHARED_DIR", Path(__file__).parents[2].parent / "shared"))
SEEDS = SHARED / "seeds"
QUESTIONS = '[[question]]\nid = "CQ5"\ntext = "Which cards?"\n\n[[question]]\nid = "CQ10"\ntext = "Where is the code?"\n'


def answering(request: Any) -> Reply:
    """Knows the cards and not the code; judges its own answers."""
    prompt = request["messages"][-1]["content"]
    if "Reply with one word: yes or no" in prompt:
        return chat_reply("no" if SILENT in prompt else "Yes.")
    return chat_reply(SAYS if "Which cards?" in prompt else SILENT)


def write_settings(path: Path, url: str) -> Path:
    tables = [f'[study]\nslots = {json.dumps(MODELS)}\n[energy]\ngrid_g_per_kwh = 500\ncountry = "XX"\n']
    tables += [f'[readers.{name}]\nbase_url = "{url}"\nmodel = "fern-7b"\nwatts = 3600\n' for name in MODELS]
    path.write_text("\n".join(tables))
    return path


@pytest.fixture(scope="module")
def rerun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FakeChatServer]:
    """Two of the study's papers with a run of three other models in the returned folder, and the server they were asked on."""
    folder = tmp_path_factory.mktemp("rerun")
    (folder / "papers").mkdir()
    for number in (1, 2):
        canvas = Canvas(str(folder / "papers" / f"{number}.pdf"), pagesize=(600, 600), invariant=1)
        canvas.drawString(40, 500, CONTEXT)
        canvas.drawString(40, 486, f"This is harbour report {number} of the barge survey.")
        canvas.save()
    (folder / "q.toml").write_text(QUESTIONS)
    with chat_server(answering) as server, pytest.MonkeyPatch.context() as patch:
        settings = write_settings(folder / "s.toml", server.url)
        command = ["study", "run", folder / "papers", "--like-published", "--questions", folder / "q.toml"]
        patch.setattr(sys, "argv", ["methodlens", *map(str, [*command, "--settings", settings, "--out", folder / "again"])])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0
    return folder / "again", server


def read_rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_a_rerun_sends_the_published_prompt_and_writes_what_was_sent_and_replied(rerun: tuple[Path, FakeChatServer]) -> None:
    out, server = rerun
    asked = [request["messages"][0]["content"] for request in server.requests if len(request["messages"]) == 1]
    prompts = {prompt for prompt in asked if prompt.endswith("Helpful Answer:")}
    files = sorted((out / "Original_not_processed" / "heron").iterdir())
    assert [file.name for file in files] == [f"Publication_{n}.pdf_CQ{q}.txt" for n in (1, 2) for q in (10, 5)]
    for file in files:
        prompt, _, reply = file.read_bytes().decode().rpartition("\n")
        assert prompt in prompts
        assert reply in (SAYS, SILENT)
    assert len(server.requests) == 2 * 2 * 3 * 2  # papers, questions, models, and a second call for each verdict


def test_the_files_of_a_rerun_can_be_imported_as_a_study(
    rerun: tuple[Path, FakeChatServer], methodlens: Call, tmp_path: Path
) -> None:
    imported = json.loads(methodlens("study", "import", rerun[0], "--out", tmp_path / "imported", "--json").out)
    assert (imported["papers"], imported["questions"], imported["readers"]) == (2, 2, list(MODELS))
    assert imported["cells"] == {"reported": 6, "not_reported": 6}
    assert imported["defects"] == []


def test_emissions_follow_from_watts_seconds_and_the_grid_factor(rerun: tuple[Path, FakeChatServer]) -> None:
    rows = read_rows(rerun[0] / "emissions.csv")
    assert {(row["experiment_id"], row["paper"]) for row in rows} == {(f"chat:{m}", f"{n}.pdf") for m in MODELS for n in (1, 2)}
    for row in rows:
        assert row["country_iso_code"] == "XX"
        # 3,600 W for one second are 0.001 kWh; each of the two calls is rounded to a tenth of a millisecond
        assert float(row["energy_consumed"]) == pytest.approx(float(row["duration"]) / 1000, abs=1e-6)
        assert float(row["emissions"]) == pytest.approx(float(row["energy_consumed"]) * 0.5)


def test_old_and_new_verdicts_are_compared_per_model_question_and_vote(
    rerun: tuple[Path, FakeChatServer], methodlens: Call, tmp_path: Path
) -> None:
    out, study = rerun[0], as_records(tmp_path / "study")
    report = ["study", "report", "--out", out, "--against", study]
    figures = json.loads(methodlens(*report, "--json").out)
    assert figures["papers"] == 2
    # the new models say yes on CQ5 and no on CQ10 of both papers
    heron, otter = figures["models"]["heron"]["all"], figures["models"]["otter"]["all"]
    assert (heron["n"], heron["agreed"], heron["yes_to_no"], heron["no_to_yes"]) == (4, 3, 1, 0)
    assert (otter["n"], otter["agreed"], otter["yes_to_no"], otter["no_to_yes"]) == (4, 2, 1, 1)
    by_question = {row["name"]: row for row in figures["models"]["vote"]["questions"]}
    assert (by_question["CQ5"]["no_to_yes"], by_question["CQ10"]["yes_to_no"]) == (1, 1)
    assert {row["model"] for row in figures["energy"]} == {f"chat:{model}" for model in MODELS}
    text = methodlens(*report).out
    assert "The vote, by question" in text
    assert "kg CO2e" in text
    lines = read_rows(out / "study-against.csv")
    assert len(lines) == 2 * 2 * 4
    changed = {(row["paper"], row["question"], row["model"]): row["change"] for row in lines}
    assert changed["2.pdf", "CQ10", "otter"] == "yes->no"
    assert changed["2.pdf", "CQ5", "otter"] == "no->yes"
    assert changed["1.pdf", "CQ5", "heron"] == "same"
    assert "old" in (out / "study-against.html").read_text()


def test_a_run_without_a_common_paper_is_refused(rerun: tuple[Path, FakeChatServer], methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(
        '{"paper": "77.pdf", "question": "CQ5", "answers": {"heron": "Yes."}, "reported": {"heron": true}}\n'
    )
    assert "no paper in common" in one_line(methodlens("study", "report", "--out", rerun[0], "--against", tmp_path / "r.jsonl"))


def test_a_slot_without_a_model_is_named_with_the_table_to_add(methodlens: Call, tmp_path: Path) -> None:
    problem = one_line(methodlens("study", "run", tmp_path, "--like-published", "--out", tmp_path / "out"))
    assert '[readers."gemma-2-9b"]' in problem
    assert "--like-published" in one_line(methodlens("study", "run", tmp_path, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_the_published_settings_are_defaults_that_the_user_overrides() -> None:
    settings = _published({})
    chunks = settings.retrieval
    assert (chunks.passages, chunks.passage_chars, chunks.overlap_chars, chunks.shown_passages) == ("chunks", 1000, 50, 4)
    assert (chunks.ranking, settings.judge, len(settings.study.slots)) == ("prompt", "model", 5)
    assert _published({"retrieval": {"shown_passages": "6"}}).retrieval.shown_passages == 6


def _published(flags: dict[str, Any]) -> Settings:
    return load(environ={}, flags=flags, defaults=published_defaults())


def test_a_slot_keeps_a_prompt_of_its_own() -> None:
    readers = {"heron": {"base_url": "http://127.0.0.1:1", "prompt": "mine.toml"}, "otter": {"gguf": "otter.gguf"}}
    settings, names = with_slots(_published({"readers": readers, "study": {"slots": ["heron", "otter"]}}))
    assert [settings.readers[name].prompt for name in ("heron", "otter")] == ["mine.toml", "seeds"]
    assert names == ("chat:heron", "llama:otter")
    with pytest.raises(SettingsError, match="empty"):
        with_slots(_published({"study": {"slots": []}}))


def test_chunks_keep_to_the_size_and_repeat_no_more_than_the_overlap() -> None:
    text = "\n".join(f"Barge {n} carried " + "oak planks and rope, " * (n % 7) + "at dawn." for n in range(200))
    spans = list(chunk_spans(text, size=300, overlap=50))
    assert all(end - start <= 300 for start, end in spans)
    assert all(later[0] >= earlier[1] - 50 for earlier, later in pairwise(spans))
    covered = {offset for start, end in spans for offset in range(start, end)}
    assert {offset for offset, char in enumerate(text) if not char.isspace()} <= covered
    assert list(chunk_spans("", size=10)) == []
    assert [text for text in ("x" * 25,) for _ in chunk_spans(text, size=10)] == ["x" * 25] * 3


def test_a_reply_begins_on_the_next_line_unless_it_brings_white_space() -> None:
    for reply, rest in (("Two cards.\n", "\nTwo cards."), (" Two cards.", " Two cards."), ("\n\nTwo.", "\n\nTwo."), ("", "\n")):
        text = render_reply("Which cards?", [CONTEXT, "  The harbour\n\nwas calm.  "], reply)
        assert text == lay_out(f"{CONTEXT}\n\nThe harbour\nwas calm.", "Which cards?") + rest
        assert parse(text).query == "Which cards?"


def test_the_search_query_is_the_prompt_without_the_context() -> None:
    query = instructions("Which cards?")
    assert query.startswith("%INSTRUCTIONS:")
    assert query.endswith("Answer:::")
    assert 'Query: "Which cards?"' in query


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the published transcripts are not here")
def test_the_layout_equals_the_published_transcripts_to_the_byte() -> None:
    for path in SEEDS.glob("*.txt"):
        text = path.read_bytes().decode()
        context = text.partition("\n\n")[2].partition("\n\nQuestion: %INSTRUCTIONS:")[0]
        query = re.search(r'^Query: "(.*)"$', text, re.MULTILINE)
        assert query
        completion = text.partition("Helpful Answer:")[2]
        assert lay_out(context, query[1]) + completion == text
        assert render_reply(query[1], ["The only passage."], completion) == lay_out("The only passage.", query[1]) + completion
