"""Whether a paper shows that it does not report something. Not having found an answer is not enough."""

from methodlens.relevance.features import FORMS, NAMES
from methodlens.relevance.model import Relevance

_SURE = 0.25  # a probability up to here is enough on its own
_NEAR = 0.55  # the share of the question's words, weighted by rarity, that a sentence on its subject has


def is_absent(relevance: Relevance, p: float) -> bool:
    """The whole text was compared with the question: no sentence is on its subject, or none of those that are holds a value of
    the form that it asks for."""
    if p <= _SURE:
        return True
    on_subject = relevance.rows[:, NAMES.index("near_words")] >= _NEAR
    if not on_subject.any():
        return True
    form = relevance.asked.understanding.form
    return form in FORMS and not bool((relevance.rows[on_subject, NAMES.index(f"form.{form.value}")] > 0).any())
