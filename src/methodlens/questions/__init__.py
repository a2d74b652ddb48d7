"""Question sets: shipped as TOML, added by plugins, or a user's file: TOML, or plain text with one question per line."""

from methodlens.questions.loading import available, calibrated_questions, is_calibrated, load, shipped
from methodlens.questions.question_set import QuestionSet

__all__ = ["QuestionSet", "available", "calibrated_questions", "is_calibrated", "load", "shipped"]
