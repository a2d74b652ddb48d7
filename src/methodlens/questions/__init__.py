"""Question sets: shipped as TOML, or the user's own as TOML or as plain text with one question a line."""

from methodlens.questions.loading import load, shipped
from methodlens.questions.question_set import QuestionSet

__all__ = ["QuestionSet", "load", "shipped"]
