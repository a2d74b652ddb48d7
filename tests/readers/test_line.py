"""The line to a server that misbehaves on purpose: deadlines, patience, pauses, refusals, and giving up."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.readers.line import Line
from methodlens.readers.pace import Pace, retry_after
from methodlens.readers.replies import Garbled
from tests.loopback import Reply, chat_reply, chat_server, closed_port, dripping_server, json_reply
from tests.readers.asking import HITS, PAPER, QUESTION, QUOTE, reader_at, server_at
from tests.waiting import PATIENCE_S, wait_until

ASKED = [{"role": "user", "content": "Which hardware?"}]
GOOD = json_reply(True, "Two Titan RTX cards.", QUOTE)


class Closing:
    """A line that hangs up at the end of the block."""

    def __init__(self, url: str, **changes: Any) -> None:
        self.line = Line("chat:fern", server_at(url, **changes))

    def __enter__(self) -> Line:
        return self.line

    def __exit__(self, *_: object) -> None:
        self.line.close()


# --- L1: deadlines --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
        (b"", b""),
    ],
    ids=["body", "headers", "silence"],
)
def test_an_endless_drip_ends_at_the_deadline(opening: bytes, drop: bytes) -> None:
    with (
        dripping_server(opening, drop) as url,
        Closing(url, timeout_s=0.3, attempts=1) as line,
        pytest.raises(ReaderFailed, match=r"within 0\.3 s.*raise timeout_s"),
    ):
        line.complete(ASKED, json=False)


def test_a_request_that_timed_out_is_tried_again() -> None:
    with (
        chat_server(chat_reply("late", after_s=300), chat_reply("in time")) as double,
        Closing(double.url, timeout_s=1.0, attempts=20) as line,
    ):
        assert line.complete(ASKED, json=False).content == "in time"


def test_a_server_that_is_not_running_is_named_and_the_next_calls_find_out_at_once() -> None:
    url = closed_port()
    with Closing(url) as line:
        with pytest.raises(ReaderFailed, match="is the server running") as first:
            line.complete(ASKED, json=False)
        with pytest.raises(ReaderFailed) as second:
            line.complete(ASKED, json=False)
    assert url in str(first.value)
    assert (first.value.usage.requests, second.value.usage.requests) == (4, 1)


# --- L2: 429 and the pool -------------------------------------------------------------------------------------------------


def test_retry_after_is_understood_in_all_its_forms_and_never_beyond_the_cap() -> None:
    in_an_hour = datetime.now(UTC) + timedelta(hours=1)
    by_date = retry_after({"retry-after": format_datetime(in_an_hour, usegmt=True)}, longest=7200)
    assert by_date is not None
    assert 1800 < by_date <= 3600
    for value, seconds in [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("86400", 60),
        ("1e400", 60),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 0.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ]:
        assert retry_after({"retry-after": value}, longest=60) == seconds, value
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}, longest=60) == 0.25
    assert retry_after({}, longest=60) is None


def test_after_a_429_nobody_asks_that_server_before_the_pause_is_over() -> None:
    busy = Reply("slow down", 429, headers={"Retry-After": "0.4"})
    with (
        chat_server(busy, GOOD) as double,
        Closing(double.url, concurrency=3, longest_wait_s=5.0) as line,
        ThreadPoolExecutor(3) as threads,
    ):
        first = threads.submit(line.complete, ASKED, json=False)
        wait_until(lambda: line._pace._held_until)  # the 429 has arrived
        others = [threads.submit(line.complete, ASKED, json=False) for _ in range(2)]
        replies = [future.result() for future in (first, *others)]
    assert len(double.requests) == 4
    assert min(double.at[1:]) - double.at[0] >= 0.4
    assert sorted(reply.usage.requests for reply in replies) == [1, 1, 2]


def test_an_absurd_pause_is_cut_to_the_cap() -> None:
    busy = Reply("come back in a year", 429, headers={"Retry-After": "31536000"})
    with chat_server(busy, GOOD) as double, Closing(double.url, longest_wait_s=0.2) as line:
        assert line.complete(ASKED, json=False).usage.requests == 2
    assert double.at[1] - double.at[0] >= 0.2


def test_a_server_that_is_always_busy_fails_the_cell_after_bounded_tries() -> None:
    with (
        chat_server(Reply("busy", 429)) as double,
        Closing(double.url, attempts=3) as line,
        pytest.raises(ReaderFailed, match=r"HTTP 429 \(busy\).*requests_per_minute") as caught,
    ):
        line.complete(ASKED, json=False)
    assert len(double.requests) == caught.value.usage.requests == 3


def turns(pace: Pace, *, tokens: int, back: int) -> float:
    """How long three turns take, one after the other."""

    async def take() -> float:
        started = time.monotonic()
        for _ in range(3):
            await pace.turn(tokens)
            pace.count(back)
        return time.monotonic() - started

    return asyncio.run(take())


def test_turns_keep_to_requests_and_tokens_a_minute_those_that_come_back_included() -> None:
    assert turns(Pace(requests_per_minute=600), tokens=10, back=10) >= 0.19
    assert turns(Pace(tokens_per_minute=12_000), tokens=10, back=10) >= 0.19
    assert turns(Pace(tokens_per_minute=12_000), tokens=20, back=0) >= 0.19


def test_whoever_asks_a_server_keeps_to_its_limit_a_minute() -> None:
    started = time.monotonic()
    with (
        chat_server(GOOD) as double,
        Closing(double.url, requests_per_minute=600, concurrency=4) as line,
        ThreadPoolExecutor(4) as threads,
    ):
        list(threads.map(lambda _: line.complete(ASKED, json=False), range(5)))
    assert max(double.at) - started >= 0.39


def test_no_more_requests_are_under_way_than_the_server_takes() -> None:
    pair = threading.Barrier(2)

    def two_together(_request: Any) -> Reply:
        pair.wait(PATIENCE_S)
        return json_reply(False, "No.", after_s=0.05)

    with (
        chat_server(two_together) as double,
        Closing(double.url, concurrency=2) as line,
        ThreadPoolExecutor(6) as threads,
    ):
        list(threads.map(lambda _: line.complete(ASKED, json=False), range(6)))
    assert double.most_at_once == 2


# --- L3: what another try may mend ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [Reply("oops", 500), Reply("", 502), Reply("", 503), Reply(reset=True)])
def test_a_server_that_stumbles_is_asked_again_and_each_request_is_counted(bad: Reply) -> None:
    with chat_server(bad, bad, GOOD) as double, Closing(double.url) as line:
        assert line.complete(ASKED, json=False).usage.requests == 3
    assert len(double.requests) == 3


@pytest.mark.parametrize(("bad", "said"), [(Reply("oops", 503), r"HTTP 503 \(oops\)"), (Reply(reset=True), "broke")])
def test_tries_are_bounded(bad: Reply, said: str) -> None:
    with chat_server(bad) as double, Closing(double.url, attempts=2) as line, pytest.raises(ReaderFailed, match=said):
        line.complete(ASKED, json=False)
    assert len(double.requests) == 2


def test_a_server_that_speaks_no_http_is_a_failure() -> None:
    with (
        dripping_server(b"this is not HTTP\r\n\r\n", b"") as url,
        Closing(url, attempts=1) as line,
        pytest.raises(ReaderFailed, match="broke"),
    ):
        line.complete(ASKED, json=False)


# --- L6: refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply("no such model", 404), "'fern-7b'"),
        (Reply("bad key", 401), "check the key in FERN_KEY"),
        (Reply("not yours", 403), "check the key in FERN_KEY"),
        (Reply("no credit", 402), "wants to be paid"),
        (Reply("x" * 5000, 400), "HTTP 400"),
        (Reply("", 302), "HTTP 302"),
    ],
)
def test_a_refusal_is_not_tried_again_and_stops_the_run_with_what_to_do(reply: Reply, said: str) -> None:
    with chat_server(reply) as double, Closing(double.url) as line, pytest.raises(ReaderError, match=said) as caught:
        line.complete(ASKED, json=False)
    assert not isinstance(caught.value, ReaderFailed)
    assert len(double.requests) == 1
    assert caught.value.fix
    assert len(str(caught.value)) < 400


def test_a_400_about_one_cell_fails_that_cell_only() -> None:
    with chat_server(GOOD, Reply("odd characters", 400)) as double, Closing(double.url) as line:
        line.complete(ASKED, json=False)
        with pytest.raises(ReaderFailed, match="odd characters"):
            line.complete(ASKED, json=False)
    too_long = Reply('{"error": "this model\'s maximum context length is 512 tokens"}', 400)
    with chat_server(too_long) as double, Closing(double.url) as line, pytest.raises(ReaderFailed, match="lower context_tokens"):
        line.complete(ASKED, json=False)


# --- streams, and hanging up ----------------------------------------------------------------------------------------------


def streamed(*pieces: str, end: bool = True) -> Reply:
    lines = [f'data: {{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}' for piece in pieces]
    lines.append('data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}')
    return Reply("\n\n".join([": hello", *lines, *(["data: [DONE]"] if end else [])]) + "\n\n", 200, "text/event-stream")


def test_a_stream_is_put_together_and_one_without_its_end_is_no_answer() -> None:
    script = (streamed("Two Titan ", "RTX cards."), streamed("Two Titan ", end=False))
    with chat_server(*script) as double, Closing(double.url, stream=True) as line:
        reply = line.complete(ASKED, json=False)
        assert (reply.content, reply.usage.tokens_in, reply.usage.tokens_out) == ("Two Titan RTX cards.", 9, 4)
        with pytest.raises(Garbled):
            line.complete(ASKED, json=False)
    assert double.requests[0]["stream"] is True


def test_where_a_server_counts_no_tokens_they_are_estimated_and_marked() -> None:
    with chat_server(Reply('{"choices": [{"message": {"content": "12345678"}}]}')) as double, Closing(double.url) as line:
        usage = line.complete([{"role": "user", "content": "x" * 40}], json=False).usage
    assert (usage.tokens_in, usage.tokens_out, usage.estimated) == (10, 2, True)


def test_hanging_up_frees_whoever_waits_and_refuses_whoever_comes_later() -> None:
    caught: list[BaseException] = []
    with (
        chat_server(json_reply(True, "late", after_s=2 * PATIENCE_S)) as double,
        reader_at(double.url, timeout_s=PATIENCE_S) as reader,
    ):

        def wait() -> None:
            try:
                reader.read(QUESTION, PAPER, HITS)
            except ReaderAbandoned as err:
                caught.append(err)

        thread = threading.Thread(target=wait)
        thread.start()
        wait_until(lambda: double.requests)
        reader.close()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        with pytest.raises(ReaderAbandoned):
            reader.read(QUESTION, PAPER, HITS)
    assert len(caught) == 1


def test_half_a_character_in_a_paper_is_sent_as_a_question_mark() -> None:
    with chat_server(GOOD) as double, Closing(double.url) as line:
        line.complete([{"role": "user", "content": "two \ud83d cards"}], json=False)
    assert double.requests[0]["messages"][0]["content"] == "two ? cards"


def test_callers_who_find_out_together_that_json_is_refused_all_get_their_answer() -> None:
    def picky(request: Any) -> Reply:
        return Reply("response_format?", 400) if "response_format" in request else GOOD

    with chat_server(picky) as double, Closing(double.url, concurrency=4) as line, ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(lambda _: line.complete(ASKED, json=True), range(8)))
    assert len(replies) == 8
    assert line.schema == "none"
    assert len(double.requests) <= 8 + 2 * 4


def test_a_server_says_which_models_it_has() -> None:
    with chat_server(GOOD) as double, Closing(double.url) as line:
        assert line.models() == ["fern-7b", "moss-1b"]
