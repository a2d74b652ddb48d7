"""The published study's search: the whole prompt is the query, and a fixed number of passages is shown."""

import json
from typing import Any

from methodlens.records import Hit, Passage, Question
from methodlens.retrieval import create, limit
from methodlens.settings import EmbeddingServer, RetrievalSettings
from tests.loopback import Reply, chat_server

PASSAGES = [Passage(0, 20, 1, "methods", text) for text in ("Oak planks.", "Two Kestrel K9 cards.", "Tides at dawn.")]


def embed(request: Any) -> Reply:
    """The passage on cards is nearest to a query that has the instructions."""
    rows = [[1.0, 0.0] if "cards" in text or "%INSTRUCTIONS" in text else [0.0, 1.0] for text in request["input"]]
    return Reply(json.dumps({"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]}))


def test_the_embeddings_server_gets_the_whole_prompt_as_the_query_and_every_passage_is_ranked() -> None:
    with chat_server(embed) as server:
        retriever = create(RetrievalSettings(ranking="prompt", embeddings=EmbeddingServer(server.url, "minilm")), {})
        hits = retriever.index(PASSAGES).rank(Question("CQ20", "Which hardware?", query="GPU NVIDIA"))
    assert [hit.passage.text for hit in hits] == ["Two Kestrel K9 cards.", "Oak planks.", "Tides at dawn."]
    (query,) = server.requests[-1]["input"]
    assert query.startswith("%INSTRUCTIONS:")
    assert 'Query: "Which hardware?"' in query
    assert "NVIDIA" not in query


def test_the_number_of_passages_shown_overrides_their_length() -> None:
    hits = [Hit(Passage(0, 1000, 1, "methods", "x" * 1000), 1.0)] * 9
    assert limit(hits, shown_chars=1500, kept_chars=1500, shown_passages=4)[1] == 4
    assert limit(hits, shown_chars=9000, kept_chars=9000, shown_passages=4)[1] == 4
    assert limit(hits, shown_chars=1500, kept_chars=1500)[1] == 1
    assert limit(hits[:2], shown_chars=1500, kept_chars=1500, shown_passages=4)[1] == 2
