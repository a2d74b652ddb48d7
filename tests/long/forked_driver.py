"""A process that starts drivers by forking, so that a test can kill -9 a hundred of them without a hundred starts of Python.

It reads lines from stdin, each the JSON of a `Job`. For each it prints the process id of a driver, and then its exit status.
"""

import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from methodlens.engine import batches
from methodlens.engine.driver import run
from methodlens.ledger.store import Ledger
from methodlens.questions import QuestionSet
from methodlens.readers.batched_chat import batched_reader
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.grounded_answer import embedded_reader
from methodlens.readers.grouped_chat import chat_reader
from methodlens.records import Question
from methodlens.seams import Reader
from methodlens.settings import ChatServer
from tests.engine.local import local_engine, planned
from tests.engine.small_paper import SmallPapers


class Job(msgspec.Struct, frozen=True):
    papers: str
    out: str
    questions: int
    server: dict[str, Any]
    requests_per_batch: int = 2


def do(job: Job) -> int:
    batches.MAX_REQUESTS = job.requests_per_batch
    questions = tuple(Question(f"H{number}", f"Which hardware {number} trained the model?") for number in range(job.questions))
    server = msgspec.convert(job.server, ChatServer)
    chat = chat_reader("chat:fern", server, ChatClient("chat:fern", server))
    reader: Reader = batched_reader(chat, server, None) if server.batch else chat
    plan = planned([Path(job.papers)], QuestionSet("ours", "Ours", "", questions), [reader])
    with Ledger.at(Path(job.out), create=True) as ledger, ledger.lock():
        summary = run(plan, local_engine(plan, SmallPapers(), at_once=2), ledger)
    return 1 if summary.left or summary.pending else 0


def main() -> None:
    embedded_reader()
    for line in sys.stdin:
        job = msgspec.json.decode(line, type=Job)
        child = os.fork()
        if child == 0:
            status = 3
            try:
                status = do(job)
            finally:
                os._exit(status)
        print(child, flush=True)
        _, code = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(code), flush=True)


if __name__ == "__main__":
    main()
