"""Several questions in one call: each answer is grounded on its own, and what is missing is asked again."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.group_replies import parse_group
from methodlens.readers.grouped_chat import GroupedChatReader, chat_reader
from methodlens.readers.grouping import cluster, shares
from methodlens.readers.prompting import load
from methodlens.records import Answer, Hit, Match, Passage, Question, Usage
from tests.engine.serving import asked_ids, group_reply
from tests.loopback import Reply, Script, chat_reply, chat_server
from tests.readers.chat_setup import HITS, PAPER, QUOTE, TEXT, server_at

QUESTIONS = [
    Question("CQ20", "Which hardware is used for training?"),
    Question("CQ21", "When were ferns counted?"),
    Question("CQ22", "Which licence does the code have?"),
]
HARDWARE = {"reported": True, "answer": "Two Titan RTX cards.", "quotes": [QUOTE]}
JUNE = {"reported": True, "answer": "In June.", "quotes": ["Ferns were counted by hand in June."]}
SILENT = {"reported": False, "answer": "Not reported.", "quotes": []}
ALL = {"CQ20": HARDWARE, "CQ21": JUNE, "CQ22": SILENT}


def ask(
    *script: Script, questions: Sequence[Question] = QUESTIONS, **changes: Any
) -> tuple[list[Answer | ReaderFailed], list[Any]]:
    """The answers, and the requests that the server received."""
    with chat_server(*script) as double:
        server = server_at(double.url, **{"group": "passages", "attempts": 1, **changes})
        reader = GroupedChatReader("chat:fern", server, ChatClient("chat:fern", server))
        try:
            return reader.read_group(questions, PAPER, [HITS] * len(questions)), double.requests
        finally:
            reader.close()


def texts(answers: Sequence[Answer | ReaderFailed]) -> list[str]:
    return [answer.text if isinstance(answer, Answer) else "failed" for answer in answers]


def answering(request: Any) -> Reply:
    return group_reply({key: ALL[key] for key in asked_ids(request)})


def test_one_call_answers_every_question_and_locates_each_quote() -> None:
    answers, requests = ask(answering)
    assert len(requests) == 1
    assert texts(answers) == ["Two Titan RTX cards.", "In June.", "Not reported."]
    first = answers[0]
    assert isinstance(first, Answer)
    assert first.evidence[0].match is Match.EXACT


def test_the_schema_names_every_question() -> None:
    _, requests = ask(answering)
    schema = requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["CQ20", "CQ21", "CQ22"]
    assert schema["properties"]["CQ21"]["required"] == ["reported", "answer", "quotes"]


def test_usage_is_divided_so_that_the_cells_add_up_to_the_call() -> None:
    answers, _ = ask(answering, price_in=1.0, price_out=2.0)
    total = sum((answer.usage for answer in answers if answer.usage), Usage())
    assert (total.tokens_in, total.tokens_out, total.requests) == (100, 31, 1)
    assert total.cost == pytest.approx(162e-6)


@pytest.mark.parametrize("count", [1, 3, 28])
def test_shares_of_any_usage_add_up(count: int) -> None:
    usage = Usage(1003, 59, 2, None, 30.0, estimated=True, tokens_cached=17)
    assert sum(shares(usage, count), Usage()) == usage


def test_a_missing_part_is_asked_again_alone() -> None:
    answers, requests = ask(group_reply({"CQ20": HARDWARE, "CQ22": SILENT}), answering)
    assert [asked_ids(request) for request in requests] == [["CQ20", "CQ21", "CQ22"], ["CQ21"]]
    assert texts(answers) == ["Two Titan RTX cards.", "In June.", "Not reported."]


@pytest.mark.parametrize("bad", [{"reported": "perhaps"}, {"reported": True, "answer": ""}, "yes", None, []])
def test_an_unusable_part_is_asked_again_alone_and_spoils_no_other(bad: Any) -> None:
    answers, requests = ask(group_reply({**ALL, "CQ21": bad}), answering)
    assert [asked_ids(request) for request in requests[1:]] == [["CQ21"]]
    assert texts(answers) == ["Two Titan RTX cards.", "In June.", "Not reported."]


def test_what_a_cut_off_reply_contains_is_used_and_the_rest_asked_again() -> None:
    whole = json.dumps(ALL)
    answers, requests = ask(chat_reply(whole[: whole.index("In June") + 3], finish_reason="length"), answering)
    assert [asked_ids(request) for request in requests[1:]] == [["CQ21", "CQ22"]]
    assert texts(answers) == ["Two Titan RTX cards.", "In June.", "Not reported."]


def test_a_reply_without_any_usable_part_falls_back_to_smaller_groups() -> None:
    many = [Question(f"Q{number}", "When were ferns counted?") for number in range(8)]

    def only_pairs(request: Any) -> Reply:
        ids = asked_ids(request)
        return group_reply(dict.fromkeys(ids, JUNE)) if len(ids) <= 2 else chat_reply("I cannot do that.")

    answers, requests = ask(only_pairs, questions=many)
    assert [len(asked_ids(request)) for request in requests] == [8, 2, 2, 2, 2]
    assert texts(answers) == ["In June."] * 8


def test_a_call_that_is_refused_for_its_size_is_made_in_smaller_groups() -> None:
    many = [Question(f"Q{number}", "When were ferns counted?") for number in range(8)]

    def small_context(request: Any) -> Reply:
        ids = asked_ids(request)
        return group_reply(dict.fromkeys(ids, JUNE)) if len(ids) <= 2 else Reply("context too long", status=413)

    answers, requests = ask(small_context, questions=many)
    assert texts(answers) == ["In June."] * 8
    assert len(requests) == 5


def test_a_server_that_is_down_fails_the_group_after_a_few_requests() -> None:
    many = [Question(f"Q{number}", "When were ferns counted?") for number in range(28)]
    answers, requests = ask(Reply("down", status=503), questions=many)
    assert texts(answers) == ["failed"] * 28
    assert len(requests) <= 4


def test_a_refused_key_stops_the_run() -> None:
    with pytest.raises(ReaderError, match="refused the key"):
        ask(Reply("no", status=401))


def test_with_the_whole_paper_the_calls_differ_only_in_their_questions() -> None:
    _, requests = ask(group_reply({"CQ20": HARDWARE, "CQ22": SILENT}), answering, group="paper")
    system = {request["messages"][0]["content"] for request in requests}
    starts = {request["messages"][1]["content"].partition("Questions:")[0] for request in requests}
    assert len(system) == len(starts) == 1
    assert TEXT in starts.pop()


def test_the_cacheable_prompt_puts_only_the_question_after_the_passages() -> None:
    prompt = load("strict-2")
    one, two = (prompt.messages(question.text, [TEXT]) for question in QUESTIONS[:2])
    assert one[0] == two[0]
    assert one[1]["content"].partition("Question:")[0] == two[1]["content"].partition("Question:")[0]


def test_prompts_keep_the_hashes_that_stored_cells_have() -> None:
    assert load("strict").sha256 == "da066414c3ffbc84fe8eb20a301947b9868c6cfd33fe5bd2b19f1dca53f27844"
    assert load("judge").sha256 == "af9d64595006f835c24532fa77a8b0fae1574407ebef459832de8d4e704e1fdb"


def test_a_prompt_of_the_user_cannot_be_grouped() -> None:
    server = server_at("http://127.0.0.1:9/v1", group="paper", prompt="seeds")
    with pytest.raises(ReaderError, match="has a prompt of its own"):
        chat_reader("chat:fern", server, ChatClient("chat:fern", server))


def test_the_grouping_is_part_of_the_fingerprint_and_single_calls_keep_theirs() -> None:
    servers = [server_at("http://127.0.0.1:9/v1", **changes) for changes in ({}, {"group": "passages"}, {"group": "paper"})]
    readers = [chat_reader("chat:fern", server, ChatClient("chat:fern", server)) for server in servers]
    assert len({reader.info.fingerprint for reader in readers}) == 3
    assert readers[0].info.fingerprint == "chat-a8b6a878888b4a03e5946e6b92f5c8e1"
    assert [reader.info.grouped for reader in readers] == [False, True, True]


def hits(*spans: tuple[int, int]) -> list[Hit]:
    return [Hit(Passage(start, end, 1, "", "x" * (end - start)), 1.0) for start, end in spans]


def test_questions_that_share_passages_share_a_call() -> None:
    contexts = [hits((0, 100)), hits((500, 600)), hits((0, 100), (100, 150)), hits((500, 600))]
    assert cluster(contexts, max_chars=200, max_questions=9) == [[0, 2], [1, 3]]


def test_every_question_is_in_one_group_however_long_its_passages() -> None:
    contexts = [hits((0, 1000)), [], hits((0, 10)), hits((2000, 9000))]
    groups = cluster(contexts, max_chars=500, max_questions=2)
    assert sorted(index for group in groups for index in group) == [0, 1, 2, 3]
    assert max(map(len, groups)) <= 2


def test_an_id_inside_an_answer_is_not_an_answer() -> None:
    trap = {"A": {"reported": True, "answer": 'see "B": {"reported": false, "answer": ""}', "quotes": []}}
    assert set(parse_group(json.dumps(trap), ["A", "B"])) == {"A"}


def test_the_later_of_two_answers_counts_and_thoughts_do_not() -> None:
    reply = f'<think>{{"A": {json.dumps(SILENT)}}}</think>{{"A": {json.dumps(SILENT)}}} Wait: {{"A": {json.dumps(JUNE)},}}'
    assert parse_group(reply, ["A"])["A"].answer.text == "In June."
