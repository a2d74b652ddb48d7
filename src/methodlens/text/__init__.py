"""Functions on text that several stages share: words, sentences, finding a quote and its place on the page."""

from methodlens.text.matching import Located, locate, squeeze
from methodlens.text.places import page_of, places
from methodlens.text.quotable import Quotable, quotable, quote
from methodlens.text.sentences import sentences
from methodlens.text.words import words

__all__ = ["Located", "Quotable", "locate", "page_of", "places", "quotable", "quote", "sentences", "squeeze", "words"]
