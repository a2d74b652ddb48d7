"""Readers that see: which tables and figures are sent, in which form, and what a quote from a picture is worth."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import methodlens as ml
from methodlens.engine.execute import ask
from methodlens.errors import ReaderError
from methodlens.fakes import FakePagePictures
from methodlens.papers import WorkerPool
from methodlens.papers.pdf.render import png as encode
from methodlens.readers.batched_chat import batched_reader
from methodlens.readers.chat import ChatReader
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.crops import relevant_crops
from methodlens.readers.grouped_chat import chat_reader
from methodlens.readers.replies import SCHEMA
from methodlens.readers.sight import PICTURE_SCHEMA
from methodlens.readers.wire import form_of
from methodlens.readers.wire.form import ChatCall
from methodlens.readers.wire.pictures import Picture
from methodlens.records import Cell, Hit, Line, Match, Page, Paper, Passage, Question, Status, Verdict, Word
from methodlens.reports.formats.export_rows import quote_location
from methodlens.settings import ChatServer, ReadingSettings, Settings
from tests.conftest import EXAMPLES, MakePdf
from tests.loopback import FakeChatServer, Reply, chat_server, json_reply
from tests.readers.chat_setup import reader_at, server_at

PDF = EXAMPLES / "papers" / "everything-reported.pdf"
QUESTION = "What is the batch size?"
HEAD = b"\x89PNG\r\n\x1a\n"


def small_png(width: int = 30, height: int = 20) -> bytes:
    import numpy as np

    return encode(np.full((height, width, 3), 200, dtype=np.uint8))


def saw(answer: str, *quotes: tuple[str, str]) -> Reply:
    """The reply of a model that was sent pictures: each quote with its picture."""
    quoted = [{"quote": quote, "picture": picture} for quote, picture in quotes]
    content = json.dumps({"reported": True, "answer": answer, "quotes": quoted})
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return Reply(json.dumps({"choices": [choice]}))


@contextmanager
def seeing_lens(reply: Reply) -> Iterator[tuple[ml.Lens, FakeChatServer]]:
    with chat_server(reply) as server:
        table = ChatServer(base_url=server.url, model="fern", vision=True)
        settings = Settings(workers=1, reading=ReadingSettings(ocr="off"), readers={"fern": table})
        with ml.Lens(["chat:fern"], [QUESTION], settings=settings) as lens:
            yield lens, server


def sent_pictures(request: Any) -> dict[str, bytes]:
    """By the name before it, in OpenAI's form."""
    content = request["messages"][-1]["content"]
    if isinstance(content, str):
        return {}
    names, images = content[1::2], content[2::2]
    data = [base64.b64decode(image["image_url"]["url"].removeprefix("data:image/png;base64,")) for image in images]
    return {name["text"]: one for name, one in zip(names, data, strict=True)}


def hit_on(paper: Paper, text: str) -> Hit:
    start = paper.text.index(text)
    return Hit(Passage(start, start + len(text), 1, "", text), 1.0)


# --- which part of which page ---------------------------------------------------------------------------------------


def test_a_table_is_cut_from_its_caption_to_its_last_row(pool: WorkerPool) -> None:
    paper = pool.parse(PDF)
    (crop,) = relevant_crops(paper, [hit_on(paper, "Table 1. Hyperparameters")], limit=2)
    assert (crop.label, crop.page) == ("Table 1", 2)
    assert crop.caption.startswith("Table 1. Hyperparameters of MarshNet and the values that were searched.")
    left, top, right, bottom = crop.box
    inside = [
        paper.text[line.start : line.end]
        for line in paper.lines
        if line.page == 2 and top <= line.top and line.bottom <= bottom and left <= line.words[0].x0 < right
    ]
    assert inside[0].startswith("Table 1.")
    assert inside[-1].startswith("Label smoothing")
    assert bottom - top < 200


def test_a_mention_brings_the_table_and_the_best_passage_comes_first(pool: WorkerPool) -> None:
    paper = pool.parse(PDF)
    context = [hit_on(paper, "Table 2 gives the results"), hit_on(paper, "Batch size 96")]
    assert [crop.label for crop in relevant_crops(paper, context, limit=5)] == ["Table 2", "Table 1"]
    assert [crop.label for crop in relevant_crops(paper, context, limit=1)] == ["Table 2"]
    assert relevant_crops(paper, [hit_on(paper, "cosine schedule")], limit=2) == []


def figure_paper(*lines: tuple[float, str]) -> Paper:
    """Lines by their upper edge on one page."""
    text, printed = "", []
    for top, line in lines:
        start = len(text)
        text += line + "\n"
        words = tuple(Word(0, len(line), 50.0 + 30 * n, 70.0 + 30 * n) for n, _ in enumerate(line.split()))
        printed.append(Line(start, start + len(line), 1, top, top + 10, words))
    return Paper("f" * 64, "test", text=text, pages=(Page(1, 400.0, 600.0),), lines=tuple(printed))


PROSE = "This line of the text has more words than any label"


@pytest.mark.parametrize(
    ("lines", "edges"),
    [
        (((100, PROSE), (200, "Axis label"), (300, "Fig. 3. Loss by epoch."), (330, PROSE)), (110.0, 316.0)),
        (((280, PROSE), (300, "Figure 3: Loss by epoch."), (500, PROSE)), (294.0, 500.0)),
        (((280, PROSE), (300, "Figure 3 Loss by epoch."), (320, PROSE)), (0.0, 600.0)),
    ],
    ids=["above its caption", "below its caption", "no room: the whole page"],
)
def test_a_figure_is_the_gap_at_its_caption(lines: tuple[tuple[float, str], ...], edges: tuple[float, float]) -> None:
    paper = figure_paper(*lines)
    passage = Passage(0, 0, 1, "", "The loss falls (see Fig. 3).")
    (crop,) = relevant_crops(paper, [Hit(passage, 1.0)], limit=2)
    assert (crop.label, crop.box) == ("Figure 3", (0.0, edges[0], 400.0, edges[1]))


def test_a_sentence_that_begins_with_a_label_is_not_a_caption() -> None:
    paper = figure_paper((100, "Table 4 shows that all of the runs ended after ten epochs."))
    assert relevant_crops(paper, [hit_on(paper, "Table 4 shows")], limit=2) == []


# --- what is sent ---------------------------------------------------------------------------------------------------

CALL = ChatCall(
    [{"role": "system", "content": "Look."}, {"role": "user", "content": "Which?"}, {"role": "assistant", "content": "Hm."}],
    8,
    pictures=[Picture("Table 1", small_png())],
)


def request_in(form: str) -> dict[str, Any]:
    server = ChatServer(base_url="http://a", model="m", form=form)  # type: ignore[arg-type]
    return form_of(server).request(server, CALL)[1]


@pytest.mark.parametrize("form", ["openai", "azure"])
def test_the_openai_form_sends_a_picture_as_a_data_url(form: str) -> None:
    _, user, assistant = request_in(form)["messages"]
    text, name, image = user["content"]
    assert (text, name) == ({"type": "text", "text": "Which?"}, {"type": "text", "text": "Picture: Table 1"})
    assert image["type"] == "image_url"
    kind, _, data = image["image_url"]["url"].partition(",")
    assert (kind, base64.b64decode(data)) == ("data:image/png;base64", small_png())
    assert assistant["content"] == "Hm."


def test_the_anthropic_form_sends_a_picture_as_a_base64_block() -> None:
    text, name, image = request_in("anthropic")["messages"][0]["content"]
    assert (text["text"], name["text"]) == ("Which?", "Picture: Table 1")
    assert image["type"] == "image"
    assert image["source"] | {"data": ""} == {"type": "base64", "media_type": "image/png", "data": ""}
    assert base64.b64decode(image["source"]["data"]) == small_png()


def test_the_gemini_form_sends_a_picture_as_inline_data() -> None:
    text, name, image = request_in("gemini")["contents"][0]["parts"]
    assert (text["text"], name["text"]) == ("Which?", "Picture: Table 1")
    assert image["inlineData"]["mimeType"] == "image/png"
    assert base64.b64decode(image["inlineData"]["data"]) == small_png()


def test_a_picture_counts_towards_the_tokens_where_the_server_does_not_count() -> None:
    with chat_server(saw("Not known.")) as server:
        client = ChatClient("chat:a", server_at(server.url), None)
        message = {"role": "user", "content": "four"}
        plain = client.complete([message], json=True).usage.tokens_in
        seen = client.complete([message], json=True, pictures=[Picture("Table 1", small_png(750, 100))]).usage.tokens_in
        client.close()
    assert seen - plain == 100


# --- what a quote from a picture is worth ---------------------------------------------------------------------------


def test_a_quote_that_is_only_in_a_picture_is_withheld_with_the_box_of_the_picture() -> None:
    with seeing_lens(saw("The batch size is 512.", ("Batch size: 512 per card", "Table 1"))) as (lens, server):
        cell = lens.ask(PDF, QUESTION).row.cell
    (request,) = server.requests
    shown = sent_pictures(request)
    assert "Picture: Table 1" in shown
    assert all(data.startswith(HEAD) for data in shown.values())
    prompt = request["messages"][-1]["content"][0]["text"]
    fenced, _, instructions = prompt.partition("[end of data")
    assert "Table 1. Hyperparameters of MarshNet" in fenced
    assert "They are data like the passages" in instructions
    assert request["response_format"]["json_schema"]["schema"] == PICTURE_SCHEMA
    assert cell.verdict.status is Status.WITHHELD
    assert cell.verdict.reason == "read from Table 1, which a person should check"
    (evidence,) = cell.answer.evidence
    assert (evidence.match, evidence.picture, evidence.page) == (Match.ABSENT, "Table 1", 2)
    assert len(evidence.places[0].boxes) == 1
    assert quote_location(evidence) == "read from Table 1, p. 2"


SENTENCE = "The learning rate followed a cosine schedule after a warm-up of three epochs."
COSINE = "A cosine schedule after a warm-up of three epochs."


def cell_of(reply: Reply, paper: Paper) -> Cell:
    """That of a reader that was shown Table 1."""
    hits = (hit_on(paper, SENTENCE), hit_on(paper, "Batch size 96"))
    with chat_server(reply) as server, reader_at(server.url, vision=True) as reader:
        reader.look_at(FakePagePictures([paper.sha256], small_png()))
        cell = ask(paper, Question("Q1", QUESTION), reader, hits, shown=2)
    assert list(sent_pictures(server.requests[0])) == ["Picture: Table 1"]
    return cell


def test_a_quote_that_is_in_the_text_is_located_there_whatever_picture_it_names(pool: WorkerPool) -> None:
    cell = cell_of(saw(COSINE, (SENTENCE, "Table 1")), pool.parse(PDF))
    assert cell.verdict.status is Status.REPORTED
    (evidence,) = cell.answer.evidence
    assert (evidence.match, evidence.picture) == (Match.EXACT, "")


def test_a_picture_that_was_not_sent_gives_no_box(pool: WorkerPool) -> None:
    cell = cell_of(saw("The batch size is 512.", ("Batch size: 512 per card", "Table 9")), pool.parse(PDF))
    assert cell.verdict == Verdict(Status.WITHHELD, "no quote of the answer was found in the paper")
    assert cell.answer.evidence[0].places == ()


def test_text_that_supports_the_whole_answer_outweighs_a_quote_from_a_picture(pool: WorkerPool) -> None:
    paper, picture = pool.parse(PDF), ("Schedule: cosine, 512 steps", "Table 1")
    assert cell_of(saw(COSINE, (SENTENCE, ""), picture), paper).verdict.status is Status.REPORTED
    verdict = cell_of(saw("A cosine schedule after 512 steps.", (SENTENCE, ""), picture), paper).verdict
    assert verdict == Verdict(Status.WITHHELD, "read from Table 1, which a person should check")


def test_a_run_sends_pictures_and_the_ledger_keeps_the_box(tmp_path: Path) -> None:
    with seeing_lens(saw("The batch size is 512.", ("Batch size: 512 per card", "Table 1"))) as (lens, server):
        (row,) = lens.run(PDF, out=tmp_path / "review", progress=False).cells
    assert sent_pictures(server.requests[0])
    assert row["reason"] == "read from Table 1, which a person should check"
    (evidence,) = row["evidence"]
    assert (evidence["match"], evidence["picture"]) == ("absent", "Table 1")
    assert evidence["places"][0]["page"] == 2
    assert len(evidence["places"][0]["boxes"]) == 1


# --- text alone -----------------------------------------------------------------------------------------------------


def test_a_model_that_does_not_see_is_sent_no_picture(pool: WorkerPool) -> None:
    paper = pool.parse(PDF)
    pictures = FakePagePictures([paper.sha256], small_png())
    with chat_server(json_reply(False, "Not reported.")) as server, reader_at(server.url) as reader:
        reader.look_at(pictures)
        reader.read(Question("Q1", QUESTION), paper, [hit_on(paper, "Batch size 96")])
    assert pictures.asked == []
    assert isinstance(server.requests[0]["messages"][-1]["content"], str)
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_without_the_file_the_text_alone_is_asked(make_pdf: MakePdf, tmp_path: Path) -> None:
    copy = tmp_path / "copy.pdf"
    copy.write_bytes(PDF.read_bytes())
    with seeing_lens(json_reply(False, "Not reported.")) as (lens, server):
        paper = lens.read(copy)
        copy.unlink()
        lens.ask(paper, QUESTION)
        copy.write_bytes(make_pdf("other.pdf", [["Another paper."]]).read_bytes())
        lens.ask(paper, QUESTION)
    assert [sent_pictures(request) for request in server.requests] == [{}, {}]
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_picture_that_cannot_be_had_is_left_out(pool: WorkerPool) -> None:
    paper = pool.parse(PDF)
    hits = [hit_on(paper, "Table 2 gives the results")]
    with chat_server(json_reply(False, "Not reported.")) as server, reader_at(server.url, vision=True) as reader:
        for known in ((), (paper.sha256,)):
            pictures = FakePagePictures(known, small_png())
            reader.look_at(pictures)
            reader.read(Question("Q1", QUESTION), paper, hits)
            assert pictures.asked == [3]
    assert [list(sent_pictures(request)) for request in server.requests] == [[], ["Picture: Table 2"]]


@pytest.mark.parametrize(
    "message", ["image input is not supported - you may need to provide the mmproj", "This model does not support vision."]
)
def test_a_model_that_takes_no_pictures_stops_the_run_with_the_fix(pool: WorkerPool, message: str) -> None:
    paper = pool.parse(PDF)
    refused = Reply(json.dumps({"error": {"message": message}}), 400)
    with chat_server(refused, json_reply(True, "ok"), refused) as server, reader_at(server.url, vision=True) as reader:
        reader.look_at(FakePagePictures([paper.sha256], small_png()))
        with pytest.raises(ReaderError, match=r"takes no pictures.*remove vision"):
            reader.read(Question("Q1", QUESTION), paper, [hit_on(paper, "Batch size 96")])


# --- settings -------------------------------------------------------------------------------------------------------


def test_vision_changes_the_fingerprint_only_of_readers_that_see() -> None:
    def fingerprint(**changes: Any) -> str:
        with reader_at("http://127.0.0.1:1/v1", **changes) as reader:
            return reader.info.fingerprint

    assert fingerprint() == fingerprint(vision_pictures=5)
    assert len({fingerprint(), fingerprint(vision=True), fingerprint(vision=True, vision_pictures=5)}) == 3


@pytest.mark.parametrize("changes", [{"group": "paper"}, {"prompt": "seeds"}])
def test_settings_that_leave_no_room_for_pictures_are_refused(changes: dict[str, Any]) -> None:
    server = replace(server_at("http://127.0.0.1:1/v1", vision=True), **changes)
    with pytest.raises(ReaderError, match="vision = true needs"):
        chat_reader("chat:fern", server, ChatClient("chat:fern", server, None))


def test_batches_with_pictures_are_refused() -> None:
    server = server_at("http://127.0.0.1:1/v1", vision=True)
    with pytest.raises(ReaderError, match="batches send no pictures"):
        batched_reader(ChatReader("chat:fern", server, ChatClient("chat:fern", server, None)), server, None)
