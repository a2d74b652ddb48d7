"""O1: what papers, models and readers say is shown as text: nothing of it is an element, an attribute or an address."""

import re
from html.parser import HTMLParser
from pathlib import Path

from methodlens.ledger.ledger import Ledger
from tests.web.conftest import Visitor, opened
from tests.web.hostile import hostile_run

OURS = frozenset(
    """a article aside bdi blockquote body button caption circle cite code details div fieldset form h1 h2 h3 head header html img
    input kbd label legend li link main meta nav ol option p path progress script section select span strong summary svg table
    tbody td textarea th thead time title tr ul""".split()
)


class Elements(HTMLParser):
    """Whatever a browser would make an element of."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def check(page: str) -> None:
    elements = Elements()
    elements.feed(page)
    for tag, attributes in elements.found:
        assert tag in OURS, tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action"):
            assert re.match(r"/|#|$", attributes.get(name) or ""), attributes
        if tag == "script":
            assert (attributes.get("src") or "").startswith("/static/") or attributes.get("type") == "application/json"
        if tag == "img":
            assert "onerror" not in attributes
            assert (attributes.get("alt") or "").startswith("Page")


def test_hostile_papers_answers_quotes_and_readers_stay_text(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "out")
    with Ledger.at(tmp_path / "out") as ledger:
        names = list(ledger.names(run))
    with opened(tmp_path / "out") as url:
        visitor = Visitor(url, "ann")
        papers = visitor.get("/api/matrix")["papers"]
        assert [one["name"] for one in papers] == names
        for path in ("/", "/agreement", "/add", "/api"):
            check(visitor.http.get(path).text)
        for paper in papers:
            for question in ("Q1", "Q2"):
                answer = visitor.http.get(f"/cells/{paper['sha256']}/{question}")
                assert answer.status_code == 200
                check(answer.text)
                assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", answer.text)
        for kind in ("csv", "jsonl", "xlsx"):
            answer = visitor.http.get(f"/api/export/cells.{kind}")
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment")
        assert visitor.http.get(f"/api/papers/{papers[0]['sha256']}/pages/1/picture").status_code == 404
