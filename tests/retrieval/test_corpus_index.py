"""The index on disk: whole papers or none, nothing twice, only what was asked for."""

from pathlib import Path

import pytest

from methodlens.errors import RetrievalError
from methodlens.records import Passage, Question
from methodlens.retrieval import create_fused
from methodlens.retrieval.corpus_index import FILE, CorpusIndex
from methodlens.settings import RetrievalSettings

GULLS = Question("Q1", "How were gulls counted?")


def passage(text: str) -> Passage:
    return Passage(0, len(text), 3, "methods", text)


def corpus(folder: Path) -> CorpusIndex:
    return CorpusIndex.at(folder, *create_fused(RetrievalSettings(), {}))


def found(index: CorpusIndex, question: Question, *papers: str, top: int = 10) -> list[tuple[str, str]]:
    return [(sha256, hit.passage.text) for sha256, hit in index.search(question, papers, top=top)]


def test_the_best_passage_of_all_papers_comes_first(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "p", [passage("The harbour opens at dawn."), passage("We walked along the quay.")])
        index.keep("b", "p", [passage("Gulls were counted by hand from the pier.")])
        assert found(index, GULLS, "a", "b")[0] == ("b", "Gulls were counted by hand from the pier.")
        assert found(index, GULLS, "a", "b", top=1) == found(index, GULLS, "a", "b")[:1]


def test_equal_passages_of_two_papers_keep_their_papers(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        for sha256 in ("a", "b"):
            index.keep(sha256, "p", [passage("Gulls were counted by hand from the pier.")])
        assert {sha256 for sha256, _ in found(index, GULLS, "a", "b")} == {"a", "b"}


def test_only_the_given_papers_are_searched(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "p", [passage("Gulls were counted by hand.")])
        assert found(index, GULLS, "b") == []
        assert found(index, GULLS) == []


def test_a_paper_is_indexed_again_if_its_bytes_parser_or_vectors_change(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "parser-1", [passage("Gulls.")])
    with corpus(tmp_path) as index:
        assert index.has("a", "parser-1")
        assert not index.has("a", "parser-2")
        assert not index.has("b", "parser-1")


def test_a_paper_that_is_indexed_again_replaces_the_old_one(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "p1", [passage("Gulls were counted by hand.")])
        index.keep("a", "p2", [passage("Gulls were counted by radar.")])
        assert found(index, GULLS, "a") == [("a", "Gulls were counted by radar.")]
        assert found(index, Question("Q1", "hand"), "a") == []


def test_an_interruption_leaves_only_whole_papers(tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    def broken() -> list[Passage]:
        class Passages(list[Passage]):
            def __iter__(self):  # type: ignore[no-untyped-def]
                yield passage("Gulls were counted at noon.")
                if self.seen:
                    raise Interrupted
                self.seen = True

            seen = False

        return Passages([passage("Gulls were counted at noon.")])

    with corpus(tmp_path) as index:
        index.keep("a", "p", [passage("Gulls were counted by hand.")])
        with pytest.raises(Interrupted):
            index.keep("a", "p2", broken())
        with pytest.raises(Interrupted):
            index.keep("b", "p", broken())
    with corpus(tmp_path) as index:
        assert index.has("a", "p")
        assert not index.has("b", "p")
        assert found(index, GULLS, "a", "b") == [("a", "Gulls were counted by hand.")]


def test_a_paper_without_passages_is_kept_and_finds_nothing(tmp_path: Path) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "p", [])
        assert index.has("a", "p")
        assert found(index, GULLS, "a") == []


@pytest.mark.parametrize("query", ['"', "gulls OR", "NEAR(", "*", "résumé ∂x", "a-b.c/d", "tokens:gulls"])
def test_queries_are_not_parsed_as_fts5_syntax(tmp_path: Path, query: str) -> None:
    with corpus(tmp_path) as index:
        index.keep("a", "p", [passage("Gulls were counted by hand.")])
        found(index, Question("Q1", query), "a")


def test_a_file_that_is_not_an_index_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is not a database, it is a note about gulls" * 50)
    with pytest.raises(RetrievalError, match="built again"):
        corpus(tmp_path)
