"""The chat reader against real servers on loopback."""

import json
import traceback

import pytest

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.chat import MOST_BYTES, ChatReader, from_settings
from methodlens.records import Answer, Hit, Match, Paper, Passage, Question
from methodlens.settings import ChatServer, Settings
from methodlens.transcripts import prompt
from methodlens.verdicts import judge
from tests.loopback import Reply, chat_reply, chat_server, closed_port, dripping_server

CANARY = "sk-canary-0123456789"
TEXT = "The fern model was trained on two Titan RTX cards. Ferns were counted by hand in June."
PAPER = Paper(sha256="0" * 64, parser="test", text=TEXT)
HITS = [
    Hit(Passage(0, len(TEXT), 1, "Methods", TEXT), 1.0, shown=True),
    Hit(Passage(0, 10, 1, "Methods", "never shown"), 0.5, shown=False),
]
QUESTION = Question("CQ20", "Which hardware is used for training?")


def reader(base_url: str, *, key: str | None = CANARY, timeout_s: float = 5.0) -> ChatReader:
    server = ChatServer(base_url=base_url, model="fern-7b", api_key_env="FERN_KEY", timeout_s=timeout_s)
    return ChatReader("fern", server, key)


def ask(reply: Reply) -> Answer:
    with chat_server(reply) as double:
        return reader(double.url).read(QUESTION, PAPER, HITS)


def failure(reply: Reply) -> ReaderFailed:
    with pytest.raises(ReaderFailed) as caught:
        ask(reply)
    return caught.value


def test_an_answer_comes_back_cleaned_quoted_and_counted() -> None:
    answer = ask(chat_reply("Answer: Two Titan RTX cards were used.\n\nReferences\n[1] Invented.", tokens=321))
    assert answer.text == "Two Titan RTX cards were used."
    assert [(each.quote, each.match) for each in answer.evidence] == [
        ("The fern model was trained on two Titan RTX cards.", Match.EXACT)
    ]
    assert (answer.unsupported, answer.tokens, answer.p_reported) == ((), 321, None)
    assert "Invented" in answer.raw
    assert judge(answer).status == "reported"


def test_what_the_passages_do_not_say_is_marked_unsupported() -> None:
    answer = ask(chat_reply("The fern model was trained on 8 A100 cards."))
    assert answer.unsupported == ("8", "A100")
    assert judge(answer).status == "withheld"


def test_the_model_is_sent_the_layout_with_the_shown_passages_only() -> None:
    with chat_server(chat_reply("Two Titan RTX cards.")) as double:
        reader(double.url + "/").read(QUESTION, PAPER, HITS)
    sent = double.requests[0]
    assert double.paths == ["/v1/chat/completions"]
    assert sent["messages"] == [{"role": "user", "content": prompt(QUESTION.text, [TEXT])}]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("fern-7b", 0.0, 800)
    assert double.headers[0]["authorization"] == f"Bearer {CANARY}"


def test_a_server_without_a_key_is_sent_none() -> None:
    with chat_server(chat_reply("Two Titan RTX cards.")) as double:
        reader(double.url, key=None).read(QUESTION, PAPER, HITS)
    assert "authorization" not in double.headers[0]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply("no such model", 404), "'fern-7b'"),
        (Reply("bad key", 401), "check the key in FERN_KEY"),
        (Reply("not yours", 403), "check the key in FERN_KEY"),
        (Reply("busy", 429), "HTTP 429"),
        (Reply("x" * 5000, 400), "HTTP 400"),
        (Reply("oops", 503), "HTTP 503 (oops)"),
        (Reply("", 302), "HTTP 302"),
        (Reply("<html>Sign in</html>", 200, "text/html"), "did not answer as a chat server (<html>Sign in</html>)"),
        (Reply('{"choices": [{"mess'), "did not answer as a chat server"),
        (Reply('{"choices": []}'), "did not answer as a chat server"),
        (Reply("[1, 2]"), "did not answer as a chat server"),
        (Reply("null"), "did not answer as a chat server"),
        (Reply(b"\xff\xfe\x00"), "did not answer as a chat server"),
        (Reply(b" " * (MOST_BYTES + 1)), "larger than"),
        (chat_reply(""), "the answer is empty"),
        (chat_reply(None), "the answer is empty"),
        (chat_reply("Answer:::"), "the answer is empty"),
        (chat_reply("Two Titan", finish_reason="length"), "raise max_tokens"),
        (chat_reply("<think>Hmm", finish_reason="length"), "raise max_tokens"),
        (chat_reply(prompt(QUESTION.text, [TEXT])), "gave the prompt back"),
        (chat_reply("cards of the ferns and " * 300), "repeats itself"),
    ],
)
def test_whatever_goes_wrong_is_one_line_with_what_to_do(reply: Reply, said: str) -> None:
    error = failure(reply)
    assert said in str(error)
    assert error.fix
    assert "\n" not in str(error)
    assert len(str(error)) < 400


def test_an_answer_cut_off_in_a_sentence_keeps_its_whole_ones() -> None:
    assert (
        ask(chat_reply("Two Titan RTX cards were used. They were in", finish_reason="length")).text
        == "Two Titan RTX cards were used."
    )


def test_a_server_that_is_not_running_is_named() -> None:
    url = closed_port()
    with pytest.raises(ReaderFailed, match="is the server running") as caught:
        reader(url).read(QUESTION, PAPER, HITS)
    assert url in str(caught.value)


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
    with dripping_server(opening, drop) as url, pytest.raises(ReaderFailed, match=r"within 0\.3 s"):
        reader(url, timeout_s=0.3).read(QUESTION, PAPER, HITS)


def test_a_connection_that_breaks_is_a_failure() -> None:
    with dripping_server(b"this is not HTTP\r\n\r\n", b"") as url, pytest.raises(ReaderFailed, match="broke"):
        reader(url).read(QUESTION, PAPER, HITS)


def test_without_a_passage_no_call_is_made() -> None:
    with chat_server(chat_reply("Two cards.")) as double, pytest.raises(ReaderFailed, match="no passage"):
        reader(double.url).read(QUESTION, PAPER, HITS[1:])
    assert double.requests == []


def test_the_key_is_in_no_message_repr_traceback_or_fingerprint() -> None:
    seen: list[str] = []
    for reply in (Reply(f"bad key {CANARY}", 401), Reply(json.dumps({"echo": CANARY})), Reply("", 500)):
        error = failure(reply)
        seen += [str(error), repr(error), "".join(traceback.format_exception(error))]
    one = reader("http://user:secret@127.0.0.1:1/v1")
    seen += [repr(one), one.fingerprint, one.name, one.model]
    with pytest.raises(ReaderError) as caught:
        reader("http://127.0.0.1:1/v1", key=f"{CANARY}\né")
    seen.append("".join(traceback.format_exception(caught.value)))
    assert not any(CANARY in each or "secret" in each for each in seen)


def test_the_fingerprint_changes_with_what_the_answer_depends_on_and_with_nothing_else() -> None:
    base = ChatServer(base_url="http://a/v1", model="m")
    others = [
        ChatServer(base_url="http://b/v1", model="m"),
        ChatServer(base_url="http://a/v1", model="n"),
        ChatServer(base_url="http://a/v1", model="m", temperature=0.5),
        ChatServer(base_url="http://a/v1", model="m", max_tokens=9),
    ]
    assert ChatReader("x", base, "k1").fingerprint == ChatReader("y", base, "k2").fingerprint
    assert len({ChatReader("x", each).fingerprint for each in [base, *others]}) == 5


def test_a_reader_that_is_not_configured_is_refused_with_those_that_are() -> None:
    settings = Settings(readers={"moss": ChatServer(base_url="http://a/v1", model="m")})
    with pytest.raises(ReaderError, match=r"configured: chat:moss\).*\[readers\.fern\]"):
        from_settings("fern", settings, {})
    assert from_settings("moss", settings, {}).name == "chat:moss"


def test_a_key_that_is_named_and_not_set_is_refused() -> None:
    settings = Settings(readers={"moss": ChatServer(base_url="http://a/v1", model="m", api_key_env="MOSS_KEY")})
    for environ in ({}, {"MOSS_KEY": "  "}):
        with pytest.raises(ReaderError, match="MOSS_KEY is not set"):
            from_settings("moss", settings, environ)
    assert from_settings("moss", settings, {"MOSS_KEY": f"{CANARY}\n"}).model == "m"
