"""Sentences that hold the very amount that a question asks for: a number of the thing that it counts, a time, a share."""

from methodlens.relevance.sentence_table import COUNTED_WITHIN, NUMBER_WORD
from methodlens.relevance.understanding import Understanding
from methodlens.text import words
from methodlens.text.stems import stem


def holds_amount(sentence: str, asked: Understanding) -> bool:
    """Whether a number in the sentence counts or measures what is asked for; False if the question asks for no amount.

    >>> from methodlens.relevance.understanding import understand
    >>> asked = understand("How many nets were set?")
    >>> holds_amount("We set 48 large nets in two ponds.", asked), holds_amount("Nets were set in two ponds.", asked)
    (True, False)
    >>> holds_amount("The survey took about ten days.", understand("How long did the survey take?"))
    True
    """
    wanted = {stem(word) for word in asked.counted}
    if not wanted:
        return False
    tokens = words(sentence)
    numbers = [place for place, token in enumerate(tokens) if NUMBER_WORD.fullmatch(token)]
    return any(stem(token) in wanted for place in numbers for token in tokens[place + 1 : place + 1 + COUNTED_WITHIN])
