"""The chat client against servers that misbehave on purpose: deadlines, retries, pauses, refusals, and closing."""

import gzip
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.replies import InvalidReply
from tests.loopback import Reply, chat_reply, chat_server, closed_port, endless_server, json_reply
from tests.readers.chat_setup import HITS, PAPER, QUESTION, QUOTE, reader_at, server_at
from tests.waiting import PATIENCE_S, wait_until

ASKED = [{"role": "user", "content": "Which hardware?"}]
GOOD = json_reply(True, "Two Titan RTX cards.", QUOTE)


@contextmanager
def client_at(url: str, **changes: Any) -> Iterator[ChatClient]:
    with closing(ChatClient("chat:fern", server_at(url, **changes))) as client:
        yield client


# --- deadlines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "chunk"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
        (b"", b""),
    ],
    ids=["body", "headers", "silence"],
)
def test_a_response_that_never_ends_stops_at_the_deadline(opening: bytes, chunk: bytes) -> None:
    with (
        endless_server(opening, chunk) as url,
        client_at(url, timeout_s=0.3, attempts=1) as client,
        pytest.raises(ReaderFailed, match=r"within 0\.3 s.*raise timeout_s"),
    ):
        client.complete(ASKED, json=False)


def test_a_request_that_timed_out_is_retried() -> None:
    with (
        chat_server(chat_reply("late", delay_s=300), chat_reply("in time")) as double,
        client_at(double.url, timeout_s=1.0, attempts=20) as client,
    ):
        assert client.complete(ASKED, json=False).content == "in time"


def test_a_server_that_is_not_running_is_named_and_later_calls_try_it_only_once() -> None:
    url = closed_port()
    with client_at(url) as client:
        with pytest.raises(ReaderFailed, match="check that the server is running") as first:
            client.complete(ASKED, json=False)
        with pytest.raises(ReaderFailed) as second:
            client.complete(ASKED, json=False)
    assert url in str(first.value)
    assert (first.value.usage.requests, second.value.usage.requests) == (4, 1)


# --- rate limits -----------------------------------------------------------------------------------------------------------


def test_after_a_429_no_caller_sends_a_request_before_the_pause_is_over() -> None:
    busy = Reply("slow down", 429, headers={"Retry-After": "0.4"})
    with (
        chat_server(busy, GOOD) as double,
        client_at(double.url, concurrency=3, longest_wait_s=5.0) as client,
        ThreadPoolExecutor(3) as threads,
    ):
        first = threads.submit(client.complete, ASKED, json=False)
        wait_until(lambda: client._limiter._paused_until)  # the 429 has arrived
        others = [threads.submit(client.complete, ASKED, json=False) for _ in range(2)]
        replies = [future.result() for future in (first, *others)]
    assert len(double.requests) == 4
    assert min(double.received_at[1:]) - double.received_at[0] >= 0.4
    assert sorted(reply.usage.requests for reply in replies) == [1, 1, 2]


def test_an_absurd_pause_is_capped() -> None:
    busy = Reply("come back in a year", 429, headers={"Retry-After": "31536000"})
    with chat_server(busy, GOOD) as double, client_at(double.url, longest_wait_s=0.2) as client:
        assert client.complete(ASKED, json=False).usage.requests == 2
    assert double.received_at[1] - double.received_at[0] >= 0.2


def test_a_server_that_is_always_busy_fails_the_cell_after_the_last_attempt() -> None:
    with (
        chat_server(Reply("busy", 429)) as double,
        client_at(double.url, attempts=3) as client,
        pytest.raises(ReaderFailed, match=r"HTTP 429 \(busy\).*requests_per_minute") as caught,
    ):
        client.complete(ASKED, json=False)
    assert len(double.requests) == caught.value.usage.requests == 3


def test_all_callers_together_keep_to_requests_per_minute() -> None:
    with (
        chat_server(GOOD) as double,
        client_at(double.url, requests_per_minute=600, concurrency=4) as client,
        ThreadPoolExecutor(4) as threads,
    ):
        started = time.monotonic()
        list(threads.map(lambda _: client.complete(ASKED, json=False), range(5)))
        assert time.monotonic() - started >= 0.39
    assert len(double.requests) == 5


def test_no_more_requests_are_in_progress_than_concurrency_allows() -> None:
    pair = threading.Barrier(2)

    def two_together(_request: Any) -> Reply:
        pair.wait(PATIENCE_S)
        return json_reply(False, "No.", delay_s=0.05)

    with (
        chat_server(two_together) as double,
        client_at(double.url, concurrency=2) as client,
        ThreadPoolExecutor(6) as threads,
    ):
        list(threads.map(lambda _: client.complete(ASKED, json=False), range(6)))
    assert double.max_in_progress == 2


# --- retries ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [Reply("oops", 500), Reply("", 502), Reply("", 503), Reply(reset=True)])
def test_server_errors_are_retried_and_each_request_is_counted(bad: Reply) -> None:
    with chat_server(bad, bad, GOOD) as double, client_at(double.url) as client:
        assert client.complete(ASKED, json=False).usage.requests == 3
    assert len(double.requests) == 3


@pytest.mark.parametrize(("bad", "problem"), [(Reply("oops", 503), r"HTTP 503 \(oops\)"), (Reply(reset=True), "broke")])
def test_attempts_are_bounded(bad: Reply, problem: str) -> None:
    with chat_server(bad) as double, client_at(double.url, attempts=2) as client, pytest.raises(ReaderFailed, match=problem):
        client.complete(ASKED, json=False)
    assert len(double.requests) == 2


def test_a_server_that_does_not_speak_http_is_a_failure() -> None:
    with (
        endless_server(b"this is not HTTP\r\n\r\n", b"") as url,
        client_at(url, attempts=1) as client,
        pytest.raises(ReaderFailed, match="broke"),
    ):
        client.complete(ASKED, json=False)


# --- refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply("no such model", 404), "'fern-7b'"),
        (Reply("bad key", 401), "check the key in FERN_KEY"),
        (Reply("not yours", 403), "check the key in FERN_KEY"),
        (Reply("no credit", 402), "requires payment"),
        (Reply("x" * 5000, 400), "HTTP 400"),
        (Reply("", 302), "HTTP 302"),
    ],
)
def test_a_refusal_is_not_retried_and_stops_the_run_with_a_fix(reply: Reply, problem: str) -> None:
    with chat_server(reply) as double, client_at(double.url) as client, pytest.raises(ReaderError, match=problem) as caught:
        client.complete(ASKED, json=False)
    assert not isinstance(caught.value, ReaderFailed)
    assert len(double.requests) == 1
    assert caught.value.fix
    assert len(str(caught.value)) < 400


def test_a_400_about_one_cell_fails_that_cell_only() -> None:
    with chat_server(GOOD, Reply("odd characters", 400)) as double, client_at(double.url) as client:
        client.complete(ASKED, json=False)
        with pytest.raises(ReaderFailed, match="odd characters"):
            client.complete(ASKED, json=False)
    too_long = Reply('{"error": "this model\'s maximum context length is 512 tokens"}', 400)
    with (
        chat_server(too_long) as double,
        client_at(double.url) as client,
        pytest.raises(ReaderFailed, match="lower context_tokens"),
    ):
        client.complete(ASKED, json=False)


# --- streams and closing --------------------------------------------------------------------------------------------------


def streamed(*pieces: str, end: bool = True) -> Reply:
    lines = [f'data: {{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}' for piece in pieces]
    lines.append('data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}')
    return Reply("\n\n".join([": hello", *lines, *(["data: [DONE]"] if end else [])]) + "\n\n", 200, "text/event-stream")


def test_a_stream_is_joined_and_an_incomplete_one_is_not_an_answer() -> None:
    script = (streamed("Two Titan ", "RTX cards."), streamed("Two Titan ", end=False))
    with chat_server(*script) as double, client_at(double.url, stream=True) as client:
        reply = client.complete(ASKED, json=False)
        assert (reply.content, reply.usage.tokens_in, reply.usage.tokens_out) == ("Two Titan RTX cards.", 9, 4)
        with pytest.raises(InvalidReply):
            client.complete(ASKED, json=False)
    assert double.requests[0]["stream"] is True


def test_tokens_are_estimated_and_marked_when_the_server_does_not_count_them() -> None:
    with chat_server(Reply('{"choices": [{"message": {"content": "12345678"}}]}')) as double, client_at(double.url) as client:
        usage = client.complete([{"role": "user", "content": "x" * 40}], json=False).usage
    assert (usage.tokens_in, usage.tokens_out, usage.estimated) == (10, 2, True)


def test_closing_releases_waiting_callers_and_refuses_new_ones() -> None:
    caught: list[BaseException] = []
    with (
        chat_server(json_reply(True, "late", delay_s=2 * PATIENCE_S)) as double,
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


def test_closing_releases_callers_that_wait_for_a_slot() -> None:
    late = json_reply(True, "late", delay_s=2 * PATIENCE_S)
    with chat_server(late) as double, client_at(double.url, timeout_s=PATIENCE_S) as client, ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(client.complete, ASKED, json=False) for _ in range(3)]
        wait_until(lambda: double.requests)
        client.close()
        errors = [call.exception(PATIENCE_S) for call in calls]
    assert [type(error) for error in errors] == [ReaderAbandoned] * 3
    assert len(double.requests) == 1


def test_a_lone_surrogate_in_a_paper_is_sent_as_a_question_mark() -> None:
    with chat_server(GOOD) as double, client_at(double.url) as client:
        client.complete([{"role": "user", "content": "two \ud83d cards"}], json=False)
    assert double.requests[0]["messages"][0]["content"] == "two ? cards"


def test_concurrent_callers_all_get_an_answer_when_response_formats_are_refused() -> None:
    def picky(request: Any) -> Reply:
        return Reply("response_format?", 400) if "response_format" in request else GOOD

    with chat_server(picky) as double, client_at(double.url, concurrency=4) as client, ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(lambda _: client.complete(ASKED, json=True), range(8)))
    assert len(replies) == 8
    assert client.schema == "none"
    assert len(double.requests) <= 8 + 2 * 4


def test_a_caller_may_ask_for_json_of_its_own_schema() -> None:
    own = {"type": "object", "properties": {"CQ1": {"type": "boolean"}}}
    with chat_server(GOOD) as double, client_at(double.url) as client:
        client.complete(ASKED, json=True, schema=own)
        client.complete(ASKED, json=False, schema=own)
    assert double.requests[0]["response_format"]["json_schema"]["schema"] == own
    assert "response_format" not in double.requests[1]


def test_a_small_reply_that_unpacks_to_gigabytes_is_refused_unpacked_only_once() -> None:
    once = gzip.compress(bytes(50_000_000))
    for body, encoding, problem in ((once, "gzip", "larger than"), (gzip.compress(once), "gzip, gzip", "not asked for")):
        reply = Reply(body, headers={"Content-Encoding": encoding})
        with chat_server(reply) as server, client_at(server.url, attempts=1) as client:
            with pytest.raises(ReaderFailed, match=problem):
                client.complete(ASKED, json=False)
            assert {name.lower(): value for name, value in server.headers[0].items()}["accept-encoding"] == "identity"


def test_a_server_that_compresses_all_the_same_is_understood() -> None:
    reply = Reply(gzip.compress(GOOD.body), headers={"Content-Encoding": "gzip"})
    with chat_server(reply) as server, client_at(server.url) as client:
        assert "Titan RTX" in client.complete(ASKED, json=False).content


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ('{"choices": ' + "[" * 100_000, None),
        ('{"choices": [{"message": {"content": "half \\ud800 a pair"}}]}', "half ? a pair"),
        (f'{{"choices": [{{"message": {{"content": "yes"}}}}], "usage": {{"prompt_tokens": {10**30}}}}}', "yes"),
    ],
    ids=["deep", "surrogate", "tokens"],
)
def test_hostile_json_is_an_invalid_reply_or_harmless(body: str, content: str | None) -> None:
    with chat_server(Reply(body)) as server, client_at(server.url, attempts=1) as client:
        if content is None:
            with pytest.raises(InvalidReply):
                client.complete(ASKED, json=False)
            return
        reply = client.complete(ASKED, json=False)
    assert reply.content == content
    assert reply.usage.tokens_in < 10**9


def test_the_models_of_a_server_are_listed() -> None:
    with chat_server(GOOD) as double, client_at(double.url) as client:
        assert client.models() == ["fern-7b", "moss-1b"]
