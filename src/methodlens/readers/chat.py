"""A reader that asks a language model through any OpenAI-compatible server."""

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from methodlens import transcripts
from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.cleaning import clean
from methodlens.readers.grounding import support, unsupported
from methodlens.records import Answer, Hit, Paper, Question
from methodlens.settings import ChatServer, Settings
from methodlens.text import sentences

if TYPE_CHECKING:
    import httpx

REVISION = 1
"""Raised when the same reply would give another answer: cells kept by an older revision are asked again."""

MOST_BYTES = 1_000_000
_SHOWN = 120  # characters of a server's own words in a message


def from_settings(name: str, settings: Settings, environ: Mapping[str, str]) -> "ChatReader":
    """The reader [readers.NAME] describes. Raises ReaderError when it is not there, or when its key is not set."""
    server = settings.readers.get(name)
    if server is None:
        known = ", ".join(f"chat:{each}" for each in sorted(settings.readers)) or "none"
        raise ReaderError(
            f"there is no reader chat:{name} (configured: {known})",
            f"describe the server under [readers.{name}] in methodlens.toml, with its base_url and model",
        )
    key = environ.get(server.api_key_env, "").strip() if server.api_key_env else None
    if key == "":
        raise ReaderError(f"chat:{name} needs a key, and {server.api_key_env} is not set", f"export {server.api_key_env}=...")
    return ChatReader(name, server, key)


class ChatReader:
    """One request a cell, with a deadline for the whole of it. Whatever goes wrong is a ReaderFailed with what to do."""

    def __init__(self, name: str, server: ChatServer, api_key: str | None = None) -> None:
        if api_key is not None and not re.fullmatch(r"[!-~]+", api_key):
            # an HTTP library would show the offending header, key and all
            raise ReaderError(
                f"the key in {server.api_key_env or 'use'} has blanks or odd characters", "set it again, without quotes"
            )
        self.name = f"chat:{name}"
        self.model = server.model
        self._server = server
        self._key = api_key
        self._url = f"{server.base_url.rstrip('/')}/chat/completions"
        self._shown_url = re.sub(r"//[^/@]*@", "//", self._url)
        self.fingerprint = self._fingerprint()

    def __repr__(self) -> str:
        return f"ChatReader({self.name!r}, model={self.model!r}, url={self._shown_url!r})"

    def read(self, question: Question, paper: Paper, hits: Sequence[Hit]) -> Answer:
        passages = [hit.passage.text for hit in hits if hit.shown]
        if not passages:
            raise self._failed("there is no passage to read", "retrieval found nothing for this question in the paper")
        reply = self._reply(asyncio.run(self._post(transcripts.prompt(question.text, passages))))
        text = self._usable(reply)
        evidence = support(text, paper, hits, question=question.text)
        return Answer(
            text=text,
            evidence=evidence,
            unsupported=unsupported(text, evidence, question=question.text),
            raw=reply["content"],
            tokens=reply["tokens"],
        )

    def _fingerprint(self) -> str:
        server = self._server
        parts = [REVISION, server.model, server.base_url, transcripts.LAYOUT_SHA256, server.temperature, server.max_tokens]
        return f"chat-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"

    def _failed(self, problem: str, fix: str) -> ReaderFailed:
        return ReaderFailed(f"{self.name}: {problem}", fix)

    async def _post(self, prompt: str) -> bytes:
        """The body of a reply with status 200. The clock covers all of it: connecting, headers and every drop of the body."""
        import httpx

        body = {
            "model": self._server.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self._server.temperature,
            "max_tokens": self._server.max_tokens,
        }
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # a proxy from the environment has no business between us and a server on this machine
        trust_env = httpx.URL(self._url).host not in ("localhost", "127.0.0.1", "::1")
        try:
            async with (
                asyncio.timeout(self._server.timeout_s),  # httpx counts each read for itself, and a drip has many
                httpx.AsyncClient(timeout=self._server.timeout_s, trust_env=trust_env) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                content = await self._body(response)
        except (TimeoutError, httpx.TimeoutException) as err:
            raise self._failed(
                f"no whole answer from {self._shown_url} within {self._server.timeout_s:g} s",
                "raise timeout_s, or ask a faster model",
            ) from err
        except httpx.ConnectError as err:
            raise self._failed(f"cannot connect to {self._shown_url}", "is the server running there?") from err
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            raise self._failed(
                f"the connection to {self._shown_url} broke ({type(err).__name__})", "look at the server's log, then run again"
            ) from err
        if response.status_code != 200:
            raise self._refused(response.status_code, content)
        return content

    async def _body(self, response: "httpx.Response") -> bytes:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > MOST_BYTES:
                raise self._failed(
                    f"the answer is larger than {MOST_BYTES:,} bytes", "this is no chat server, or it has run wild"
                )
        return bytes(content)

    def _refused(self, status: int, content: bytes) -> ReaderFailed:
        said = self._excerpt(content)
        if status in (401, 403):
            where = (
                f"check the key in {self._server.api_key_env}"
                if self._server.api_key_env
                else "name the key's variable in api_key_env"
            )
            return self._failed(f"the server refused the key (HTTP {status}) {said}".strip(), where)
        if status == 404:
            fix = f"check that model {self.model!r} exists there and that base_url ends as the server's manual says (often /v1)"
            return self._failed(f"nothing at {self._shown_url} (HTTP 404) {said}".strip(), fix)
        fix = {429: "wait, or ask for less at once"}.get(
            status, "look at the server's log" if status >= 500 else "check model and max_tokens"
        )
        return self._failed(f"the server answered HTTP {status} {said}".strip(), fix)

    def _excerpt(self, content: bytes) -> str:
        """A few of the server's own words on one line; should it repeat the key, without it."""
        text = " ".join(content.decode("utf-8", "replace").split())
        if self._key:
            text = text.replace(self._key, "***")
        text = "".join(char for char in text if char.isprintable())
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        return f"({shown})" if shown else ""

    def _reply(self, content: bytes) -> dict[str, Any]:
        try:
            tree = json.loads(content)
            choice = tree["choices"][0]
            said = choice["message"].get("content")
        except (ValueError, LookupError, TypeError, AttributeError) as err:
            raise self._failed(
                f"{self._shown_url} did not answer as a chat server {self._excerpt(content)}".strip(),
                "check base_url: it often ends in /v1",
            ) from err
        usage = tree.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
        return {
            "content": said if isinstance(said, str) else "",
            "tokens": tokens if isinstance(tokens, int) else None,
            "at_limit": choice.get("finish_reason") == "length",
        }

    def _usable(self, reply: Mapping[str, Any]) -> str:
        """The cleaned answer. Nothing usable is a failure, never a "no"."""
        cleaned = clean(reply["content"])
        text = cleaned.text
        if cleaned.looped:
            raise self._failed("the model repeats itself", "ask another model, or a higher temperature")
        if reply["at_limit"]:
            whole = [span for span in sentences(text) if text[span[1] - 1] in '.!?"”)]']
            text = text[: whole[-1][1]] if whole else ""
            if not text:
                raise self._failed(f"the answer was cut off after max_tokens = {self._server.max_tokens}", "raise max_tokens")
        if not text:
            why = "the model gave the prompt back" if cleaned.echoed else "the answer is empty"
            raise self._failed(why, "ask another model, or look at the server's chat template")
        return text
