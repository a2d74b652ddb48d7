"""Replies that no honest server sends: broken JSON and HTTP, deep and huge values, bombs, drips of errors."""

import gzip
import json
import random
import zlib

from tests.loopback import Reply
from tests.readers.chat_setup import CANARY, QUOTE

_STATUSES = [*[200] * 40, 204, 301, 302, 400, 401, 403, 404, 418, 429, 500, 502, 503]
_TYPES = ["application/json"] * 4 + ["text/html", "text/event-stream", "image/png", "", "application/json; charset=utf-7"]
_FRAGMENTS = [
    '{"a":', "[", "<think>", "Ab-", "1,111", "ACGT", "\ud800", "\x00", "\u202e", "``", "```json", "A B C ", "not reported ",
    QUOTE, CANARY, "-", "(", "\\", "“", "e\u0301", "9" * 50, "1e999", "NaN", "the model was trained on ", "\n",
    "\r\n", '"', "]]>",
]  # fmt: skip


def hostile_reply(rng: random.Random) -> Reply:
    if rng.random() < 0.04:
        return Reply(reset=True)
    if rng.random() < 0.01:
        return Reply("{}", delay_s=5)
    body = _body(rng)
    headers: dict[str, str] = {}
    match rng.randrange(24):
        case 0:
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        case 1:
            body, headers["Content-Encoding"] = gzip.compress(gzip.compress(bytes(20 << 20))), "gzip, gzip"
        case 2:
            body, headers["Content-Encoding"] = zlib.compress(body)[: rng.randrange(1, 40)], "deflate"
        case 3:
            headers["Content-Encoding"] = rng.choice(["gzip", "br", "zstd", "moss", "gzip, gzip, gzip"])
        case 4:
            headers["Retry-After"] = rng.choice(["-1", "1e99", "Thu, 01 Jan 2099 00:00:00 GMT", "soon", "NaN", "0"])
        case 5:
            headers["Location"] = rng.choice(["file:///etc/passwd", "http://169.254.169.254/", "/v1/chat/completions", "//"])
    return Reply(body, rng.choice(_STATUSES), rng.choice(_TYPES), headers=headers)


def _body(rng: random.Random) -> bytes:
    content: object = _text(rng)
    if rng.random() < 0.8:
        content = json.dumps(
            {"reported": _value(rng), "answer": _value(rng), "quotes": rng.choice([[], [QUOTE], [_text(rng)], _value(rng)])}
        )
    if rng.random() < 0.1:
        content = _value(rng)
    usage = rng.choice(
        [{}, {"total_tokens": 10 ** rng.randrange(400)}, {"prompt_tokens": "x"}, {"completion_tokens": -5}, _value(rng)]
    )
    message = {"role": "assistant", "content": content, "tool_calls": _value(rng), "reasoning_content": _value(rng)}
    choices = [
        {
            "index": 0,
            "message": rng.choice([message] * 5 + [_value(rng)]),
            "finish_reason": rng.choice(["stop", "length", 7, None]),
        }
    ]
    reply = rng.choice([{"choices": choices, "usage": usage}] * 8 + [{"choices": []}, {"error": _value(rng)}, _value(rng), []])
    data = bytearray(json.dumps(reply).encode("utf-8", "surrogatepass"))
    if rng.random() < 0.05:
        data = bytearray(rng.choice([b'{"a":', b"[", b'{"choices":['])) * rng.choice([10, 1000, 200_000])
    for _ in range(rng.choice([0] * 8 + [1, 5])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)


def _text(rng: random.Random) -> str:
    parts = rng.choices(_FRAGMENTS, k=rng.randint(1, 4))
    return "".join(part * rng.choice([1, 1, 5, 2000]) for part in parts)


def _value(rng: random.Random, depth: int = 0) -> object:
    match rng.randrange(9 if depth < 3 else 7):
        case 0:
            return None
        case 1:
            return rng.random() < 0.5
        case 2:
            return rng.choice([0, -1, 10**30, 1e308, float("inf"), float("nan")])
        case 3 | 4 | 5:
            return _text(rng)
        case 6:
            return rng.choice(["yes", "no", "true", QUOTE])
        case 7:
            return [_value(rng, depth + 1) for _ in range(rng.randrange(4))]
        case _:
            return {_text(rng)[:20]: _value(rng, depth + 1) for _ in range(rng.randrange(4))}
