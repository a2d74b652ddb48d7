"""Functions on text that several stages share: words, sentences, finding a quote and its place on the page."""

from methodlens.text.matching import Located, locate, squeeze
from methodlens.text.places import evidence_at, page_of, passage_place, places, section_place
from methodlens.text.quotable import Quotable, quotable, quote
from methodlens.text.sentences import sentences
from methodlens.text.words import words

__all__ = [
    "Located",
    "Quotable",
    "evidence_at",
    "locate",
    "page_of",
    "passage_place",
    "places",
    "quotable",
    "quote",
    "section_place",
    "sentences",
    "squeeze",
    "words",
]
