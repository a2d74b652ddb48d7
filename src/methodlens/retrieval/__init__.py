"""Which passages of a paper a question should look at, best first."""

from methodlens.retrieval.lexical import LexicalRetriever
from methodlens.retrieval.shown import mark_shown

__all__ = ["LexicalRetriever", "mark_shown"]
