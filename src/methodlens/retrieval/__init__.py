"""Ranks the passages of a paper for a question.

A plugin is an entry point of the group `methodlens.retrievers`: a callable, such as a class, that takes no arguments and returns
a Retriever. `retrieval.ranking` in the settings names it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from methodlens import plugins
from methodlens.errors import RetrievalError
from methodlens.records import Hit
from methodlens.retrieval.lexical import LexicalRetriever
from methodlens.seams import Retriever
from methodlens.settings import RetrievalSettings

if TYPE_CHECKING:
    from methodlens.retrieval.fusion import FusedRetriever
    from methodlens.text.vectors import Encoder

__all__ = ["LexicalRetriever", "create", "create_fused", "limit"]

_FUSED = ("learned", "plain")
_PROMPT = "prompt"


def create(settings: RetrievalSettings, environ: Mapping[str, str]) -> Retriever:
    """The retriever that the settings name. numpy and the vectors are loaded here, not at import."""
    if settings.ranking in _FUSED:
        return create_fused(settings, environ)[1]
    if settings.ranking == "lexical":
        return LexicalRetriever()
    if settings.ranking == _PROMPT:
        from methodlens.retrieval.prompt_query import PromptRetriever

        return PromptRetriever(_encoder(settings, environ))
    retriever: Retriever | None = plugins.create("retrievers", settings.ranking)
    if retriever is None:
        known = ", ".join((*_FUSED, "lexical", _PROMPT, *plugins.names("retrievers")))
        raise RetrievalError(f"there is no ranking {settings.ranking!r}", f"set retrieval.ranking to one of {known}")
    return retriever


def create_fused(settings: RetrievalSettings, environ: Mapping[str, str]) -> "tuple[Encoder, FusedRetriever]":
    from methodlens.retrieval.fusion import FusedRetriever
    from methodlens.retrieval.ranking import load_ranking

    encoder = _encoder(settings, environ)
    return encoder, FusedRetriever(encoder, load_ranking(learned=settings.ranking == "learned"))


def _encoder(settings: RetrievalSettings, environ: Mapping[str, str]) -> "Encoder":
    from methodlens.text.vectors import load_vectors

    if settings.embeddings:
        from methodlens.retrieval.server import from_settings

        return from_settings(settings.embeddings, environ)
    return load_vectors(settings.vectors)


def limit(ranking: Sequence[Hit], *, shown_chars: int, kept_chars: int, shown_passages: int = 0) -> tuple[tuple[Hit, ...], int]:
    """The hits to keep (`kept_chars` or more, if there are as many) and how many of the first a reader is given.

    The best hit is always given, however long. With `shown_passages`, that many are given instead.
    """
    kept: list[Hit] = []
    used = shown = 0
    for hit in ranking:
        used += len(hit.passage.text)
        kept.append(hit)
        if len(kept) <= shown_passages if shown_passages else len(kept) == 1 or used <= shown_chars:
            shown = len(kept)
        if used >= max(kept_chars, shown_chars) and len(kept) >= shown_passages:
            break
    return tuple(kept), shown
