"""A question of the user's own as a search: the words that ask are dropped, those that are asked for stay."""

from methodlens.text import words

_ASKING = frozenset(
    """use used using uses deep learning model models pipeline paper study author authors report reported describe described give
    given apply applied one many much kind type name named employ employed say said way which example instance was done made
    method technique approach during before after between within step strategy process procedure through under about""".split()
)


def content_words(text: str) -> list[str]:
    """
    >>> content_words("Which GPUs were used for training the deep learning model?")
    ['gpu', 'training']
    """
    asked = words(text)
    return [word for word in asked if word not in _ASKING] or asked
