"""Anthropic's message batches. They carry no metadata, so a lost one is recognised by its size, its time and its results."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from methodlens.readers.batches.batch_api import BatchHttpSettings, Line, Phase, Progress, Request
from methodlens.readers.batches.batch_http import BatchHttp
from methodlens.readers.batches.result_lines import words

_PATH = "/messages/batches"
_VERSION = "2023-06-01"
_PAGE = 100
_MAX_PAGES = 50
_SKEW = timedelta(minutes=10)
"""By how much the provider's clock may differ from ours."""
_AGAIN = frozenset({"api_error", "overloaded_error", "rate_limit_error", "timeout_error"})


class AnthropicBatches:
    def __init__(self, settings: BatchHttpSettings) -> None:
        key = {"x-api-key": settings.key} if settings.key else {}
        self._http = BatchHttp(settings, headers={**key, "anthropic-version": _VERSION})

    def submit(self, batch_id: str, requests: Sequence[Request]) -> str:
        body = {"requests": [{"custom_id": request.custom_id, "params": request.body} for request in requests]}
        return self._http.field(self._http.post(_PATH, body), "id")

    def find(self, batch_id: str, *, size: int, since: str, known: Collection[str]) -> str | None:
        """The oldest batch of that size since then that is not one of our others.

        It may belong to someone else with the same key. Then none of its results has an id of ours, and the caller drops it.
        """
        earliest = datetime.fromisoformat(since) - _SKEW
        found: list[tuple[datetime, str]] = []
        after = ""
        for _ in range(_MAX_PAGES):
            query = urlencode({"limit": _PAGE} | ({"after_id": after} if after else {}))
            page = self._http.get(f"{_PATH}?{query}")
            batches = page.get("data") or []
            times = [datetime.fromisoformat(batch["created_at"]) for batch in batches]
            for batch, at in zip(batches, times, strict=True):
                if at >= earliest and batch["id"] not in known and _size(batch) == size:
                    found.append((at, batch["id"]))
            if not page.get("has_more") or min(times, default=earliest) < earliest:
                break
            after = batches[-1]["id"]
        return min(found)[1] if found else None

    def progress(self, provider_id: str) -> Progress:
        batch = self._http.get(f"{_PATH}/{provider_id}")
        counts = batch.get("request_counts") or {}
        done = _size(batch) - int(counts.get("processing") or 0)
        if batch.get("processing_status") != "ended":
            return Progress(Phase.WAITING, done)
        return Progress(Phase.ENDED, done, "it is missing from the results")

    def results(self, provider_id: str) -> Iterator[Line]:
        yield from map(_line, self._http.lines(f"{_PATH}/{provider_id}/results"))

    def close(self) -> None:
        self._http.close()


def _size(batch: Mapping[str, Any]) -> int:
    return sum(count for count in (batch.get("request_counts") or {}).values() if isinstance(count, int))


def _line(tree: Mapping[str, Any]) -> Line:
    custom_id, result = str(tree.get("custom_id")), tree.get("result")
    kind = result.get("type") if isinstance(result, dict) else None
    if isinstance(result, dict) and kind == "succeeded":
        return Line(custom_id, json.dumps(result.get("message")).encode())
    if isinstance(result, dict) and kind == "errored":
        error = result.get("error")
        inner = error.get("error") if isinstance(error, dict) and isinstance(error.get("error"), dict) else error
        again = isinstance(inner, dict) and inner.get("type") in _AGAIN
        return Line(custom_id, problem=words(error), again=again)
    return Line(custom_id, problem=f"the request was {'cancelled' if kind == 'canceled' else kind}")
