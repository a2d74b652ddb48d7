"""OpenAI's batch API, which Groq has too: a file of requests, a batch of the file, and files of results and errors."""

import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from methodlens.readers.batches.batch_api import MARK, BatchHttpSettings, Line, Phase, Progress, Request
from methodlens.readers.batches.batch_http import BatchHttp
from methodlens.readers.batches.result_lines import line_of

_PAGE = 100
_MAX_PAGES = 50
_SKEW_S = 3600
"""By how much the provider's clock may differ from ours."""
_WAITING = frozenset({"validating", "in_progress", "finalizing", "cancelling"})


class OpenAIBatches:
    def __init__(self, settings: BatchHttpSettings) -> None:
        self._http = BatchHttp(settings)

    def submit(self, batch_id: str, requests: Sequence[Request]) -> str:
        file = self._http.upload("/files", (_line(request) for request in requests))
        body = {
            "input_file_id": file,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {MARK: batch_id},
        }
        return self._http.field(self._http.post("/batches", body), "id")

    def find(self, batch_id: str, *, size: int, since: str, known: Collection[str]) -> str | None:
        earliest = datetime.fromisoformat(since).timestamp() - _SKEW_S
        after = ""
        for _ in range(_MAX_PAGES):
            page = self._http.get(f"/batches?limit={_PAGE}" + (f"&after={after}" if after else ""))
            batches = [batch for batch in page.get("data") or [] if isinstance(batch, dict)]
            for batch in batches:
                if (batch.get("metadata") or {}).get(MARK) == batch_id:
                    return self._http.field(batch, "id")
            oldest = min((int(batch.get("created_at") or time.time()) for batch in batches), default=0)
            if not page.get("has_more") or oldest < earliest:
                return None
            after = self._http.field(batches[-1], "id")
        return None

    def progress(self, provider_id: str) -> Progress:
        batch = self._http.get(f"/batches/{provider_id}")
        status, counts = batch.get("status"), batch.get("request_counts") or {}
        done = int(counts.get("completed") or 0) + int(counts.get("failed") or 0)
        if status in _WAITING:
            return Progress(Phase.WAITING, done)
        if status == "failed":
            errors = (batch.get("errors") or {}).get("data") or []
            return Progress(Phase.REFUSED, reason="; ".join(str(error.get("message")) for error in errors[:3]))
        if status == "completed":
            return Progress(Phase.ENDED, done, "it is missing from the results")
        return Progress(Phase.ENDED, done, f"the batch {'was' if status == 'cancelled' else 'has'} {status}", again=False)

    def results(self, provider_id: str) -> Iterator[Line]:
        batch = self._http.get(f"/batches/{provider_id}")
        for file in (batch.get("output_file_id"), batch.get("error_file_id")):
            if file:
                yield from map(line_of, self._http.lines(f"/files/{file}/content"))

    def close(self) -> None:
        self._http.close()


def _line(request: Request) -> dict[str, Any]:
    return {"custom_id": request.custom_id, "method": "POST", "url": "/v1/chat/completions", "body": request.body}
