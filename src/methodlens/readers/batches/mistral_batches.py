"""Mistral's batch jobs: a file of requests, a job for one model, and files of results and errors."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from methodlens.readers.batches.batch_api import MARK, BatchHttpSettings, Line, Phase, Progress, Request
from methodlens.readers.batches.batch_http import BatchHttp
from methodlens.readers.batches.result_lines import line_of, words

_PAGE = 100
_MAX_PAGES = 50
_WAITING = frozenset({"QUEUED", "RUNNING", "CANCELLATION_REQUESTED"})
_ENDINGS = {"TIMEOUT_EXCEEDED": "the batch has expired", "CANCELLED": "the batch was cancelled"}


class MistralBatches:
    def __init__(self, settings: BatchHttpSettings, *, model: str) -> None:
        self._http, self._model = BatchHttp(settings), model

    def submit(self, batch_id: str, requests: Sequence[Request]) -> str:
        file = self._http.upload("/files", (_line(request) for request in requests))
        body = {
            "input_files": [file],
            "model": self._model,
            "endpoint": "/v1/chat/completions",
            "metadata": {MARK: batch_id},
        }
        return self._http.field(self._http.post("/batch/jobs", body), "id")

    def find(self, batch_id: str, *, size: int, since: str, known: Collection[str]) -> str | None:
        created = datetime.fromisoformat(since).replace(hour=0, minute=0, second=0, microsecond=0).isoformat()
        for number in range(_MAX_PAGES):
            query = urlencode({"page": number, "page_size": _PAGE, "created_after": created})
            page = self._http.get(f"/batch/jobs?{query}")
            jobs = page.get("data") or []
            for job in jobs:
                if (job.get("metadata") or {}).get(MARK) == batch_id:
                    return self._http.field(job, "id")
            if len(jobs) < _PAGE:
                return None
        return None

    def progress(self, provider_id: str) -> Progress:
        job = self._http.get(f"/batch/jobs/{provider_id}")
        status, done = str(job.get("status")), int(job.get("completed_requests") or 0)
        if status in _WAITING:
            return Progress(Phase.WAITING, done)
        if status == "FAILED" and not job.get("output_file"):
            return Progress(Phase.REFUSED, reason="; ".join(words(error) for error in (job.get("errors") or [])[:3]))
        reason = _ENDINGS.get(status, "it is missing from the results")
        return Progress(Phase.ENDED, done, reason, again=status not in _ENDINGS)

    def results(self, provider_id: str) -> Iterator[Line]:
        job = self._http.get(f"/batch/jobs/{provider_id}")
        for file in (job.get("output_file"), job.get("error_file")):
            if file:
                yield from map(line_of, self._http.lines(f"/files/{file}/content"))

    def close(self) -> None:
        self._http.close()


def _line(request: Request) -> dict[str, Any]:
    """The model is the job's."""
    return {"custom_id": request.custom_id, "body": {name: value for name, value in request.body.items() if name != "model"}}
