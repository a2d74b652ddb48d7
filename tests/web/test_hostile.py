"""Text of papers, models and readers is shown as text: it never becomes an element, an attribute or a URL."""

import re
from html.parser import HTMLParser
from pathlib import Path

from methodlens.ledger.store import Ledger
from tests.web.conftest import Visitor, open_room
from tests.web.hostile import hostile_run

EXPECTED_TAGS = frozenset(
    """a article aside bdi blockquote body button caption circle cite code datalist dd details dialog div dl dt fieldset form
    h1 h2 h3 head header html img input kbd label legend li link main meta nav ol option p path progress script section
    select span strong summary svg table tbody td textarea th thead time title tr ul""".split()
)


class ElementParser(HTMLParser):
    """Collects every element with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def assert_harmless(page: str) -> None:
    parser = ElementParser()
    parser.feed(page)
    for tag, attributes in parser.elements:
        assert tag in EXPECTED_TAGS, tag
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
    with open_room(tmp_path / "out") as url:
        visitor = Visitor(url, "ann")
        papers = visitor.get("/api/matrix")["papers"]
        assert [paper["name"] for paper in papers] == names
        for path in ("/", "/agreement", "/add", "/api"):
            assert_harmless(visitor.http.get(path).text)
        for paper in papers:
            for question in ("Q1", "Q2"):
                response = visitor.http.get(f"/cells/{paper['sha256']}/{question}")
                assert response.status_code == 200
                assert_harmless(response.text)
                assert '<h2 id="in-code">' in response.text
                assert '<h2 id="in-supplement">' in response.text
                assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", response.text)
        for kind in ("csv", "jsonl", "xlsx"):
            response = visitor.http.get(f"/api/export/cells.{kind}")
            assert response.status_code == 200
            assert response.headers["content-disposition"].startswith("attachment")
        assert visitor.http.get(f"/api/papers/{papers[0]['sha256']}/pages/1/picture").status_code == 404
