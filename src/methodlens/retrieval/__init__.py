"""Ranks the passages of a paper for a question."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from methodlens.retrieval.lexical import LexicalRetriever
from methodlens.retrieval.shown import limit
from methodlens.seams import Retriever
from methodlens.settings import RetrievalSettings

if TYPE_CHECKING:
    from methodlens.retrieval.fusion import FusedRetriever
    from methodlens.retrieval.vectors import Encoder

__all__ = ["LexicalRetriever", "create", "create_fused", "limit"]


def create(settings: RetrievalSettings, environ: Mapping[str, str]) -> Retriever:
    """The retriever that the settings name. numpy and the vectors are loaded here, not at import."""
    return LexicalRetriever() if settings.ranking == "lexical" else create_fused(settings, environ)[1]


def create_fused(settings: RetrievalSettings, environ: Mapping[str, str]) -> "tuple[Encoder, FusedRetriever]":
    from methodlens.retrieval.fusion import FusedRetriever
    from methodlens.retrieval.ranking import load_ranking
    from methodlens.retrieval.vectors import load_vectors

    encoder: Encoder
    if settings.embeddings:
        from methodlens.retrieval.server import from_settings

        encoder = from_settings(settings.embeddings, environ)
    else:
        encoder = load_vectors(settings.vectors)
    return encoder, FusedRetriever(encoder, load_ranking(learned=settings.ranking == "learned"))
