"""Input tokens per paper and grounded answers: grouped calls against single ones, with a server that counts.

    python -m benchmarks.grouping PAPERS [--gold FOLDER] [--limit 20]

The server stands for a model that reads perfectly what it is shown: it gives the embedded reader's answer (or the people's, with
--gold) if one of its quotes is in what it was sent, and says "not reported" otherwise. So the number of grounded answers falls
where grouping hides evidence. Tokens are those of the prompts, 4 characters each.
"""

import argparse
import json
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from methodlens.ledger.accounts import by_reader
from methodlens.lens import Lens
from methodlens.records import Status
from methodlens.settings import ChatServer, Settings

_DATA = re.compile(r"\[data \w+\]\n(.*)\n\[end of data", re.DOTALL)
_SPACE = re.compile(r"\s+")
_PLANS: Mapping[str, Mapping[str, Any]] = {
    "single": {},
    "passages": {"group": "passages"},
    "passages, 2,000 characters each": {"group": "passages", "context_tokens": 500},
    "paper": {"group": "paper"},
}

Known = dict[str, list[tuple[str, list[str]]]]
"""By the text of a question: what the embedded reader answers about each paper, with its quotes."""


def squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def answer(known: Known, question: str, shown: str) -> dict[str, Any]:
    for text, quotes in known.get(question, []):
        if any(squeezed(quote) in shown for quote in quotes):
            return {"reported": True, "answer": text, "quotes": quotes}
    return {"reported": False, "answer": "Not reported.", "quotes": []}


@contextmanager
def counting_server(known: Known) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = "".join(message["content"] for message in request["messages"])
            user = request["messages"][-1]["content"]
            found = _DATA.search(user)
            shown = squeezed(found[1] if found else user)
            listed = user.rpartition("Questions:\n")
            reply: Any = {}
            if listed[1]:
                for line in listed[2].splitlines():
                    key, _, question = line.partition(": ")
                    reply[json.loads(key)] = answer(known, question, shown)
            else:
                reply = answer(known, user.rpartition("Question: ")[2].strip(), shown)
            content = json.dumps(reply)
            usage = {"prompt_tokens": -(-len(text) // 4), "completion_tokens": -(-len(content) // 4)}
            body = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("papers", type=Path)
    arguments.add_argument("--gold", type=Path, help="a folder of people's quotes, one NAME.jsonl per paper, for the answers")
    arguments.add_argument("--limit", type=int, default=20, help="papers")
    options = arguments.parse_args()
    files = sorted(options.papers.glob("*.pdf"))[: options.limit]
    if not files:
        sys.exit(f"there is no PDF in {options.papers}")
    known = gold_quotes(files, options.gold) if options.gold else embedded_quotes(files)
    screen = Table("calls", "requests", "tokens in", "per paper", "times fewer", "grounded", "not shown")
    first = 0
    with counting_server(known) as url:
        for name, changes in _PLANS.items():
            tokens, requests, status = ask_all(files, url, changes)
            first = first or tokens
            silent = sum(map(len, known.values())) - status[Status.REPORTED] - status[Status.WITHHELD]
            per_paper = f"{tokens / len(files):,.0f}"
            screen.add_row(
                name, f"{requests}", f"{tokens:,}", per_paper, f"{first / tokens:.1f}", f"{status[Status.REPORTED]}", f"{silent}"
            )
    Console(width=120).print(f"{len(files)} papers, {sum(map(len, known.values()))} cells with an answer", screen)


def ask_all(files: Sequence[Path], url: str, changes: Mapping[str, Any]) -> tuple[int, int, Counter[Status]]:
    """Input tokens, requests, and cells by status."""
    server = ChatServer(model="counting", base_url=url, concurrency=4, price_in=0.0, price_out=0.0, **changes)
    with tempfile.TemporaryDirectory() as folder:
        lens = Lens(readers=["chat:one"], settings=Settings(out=folder, readers={"one": server}))
        review = lens.run(files, progress=False)
        status = Counter(row.cell.verdict.status for row in review.rows)
        with lens.open_ledger() as ledger:
            (account,) = by_reader(ledger, ledger.runs()[0])
    return account.tokens_in, account.requests, status


def embedded_quotes(files: Sequence[Path]) -> Known:
    """What the embedded reader reports."""
    known: Known = {}
    with tempfile.TemporaryDirectory() as folder:
        for row in Lens().run(files, folder, progress=False).rows:
            quotes = [evidence.quote for evidence in row.cell.answer.evidence]
            if row.cell.verdict.status is Status.REPORTED and quotes:
                known.setdefault(" ".join(row.question.text.split()), []).append((row.cell.answer.text, quotes))
    return known


def gold_quotes(files: Sequence[Path], folder: Path) -> Known:
    """What people found. Their quotes, if they are in the paper, are also their answers: they need no other support."""
    questions = {question.id: " ".join(question.text.split()) for question in Lens().questions.questions}
    known: Known = {}
    for file in files:
        path = folder / f"{file.stem}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            cell = json.loads(line)
            quotes = [quote["text"] for quote in cell["quotes"]]
            if cell["reported"] and quotes:
                known.setdefault(questions[f"CQ{cell['cq']}"], []).append((quotes[0], quotes))
    return known


if __name__ == "__main__":
    main()
