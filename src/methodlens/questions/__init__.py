"""Question sets: shipped as TOML, added by plugins, or a user's file: TOML, or plain text with one question per line."""

from methodlens.questions.loading import available, calibrated_questions, calibration_mark, is_calibrated, load, shipped
from methodlens.questions.question_set import QuestionSet
from methodlens.questions.refusal import refuse_unanswerable, refuse_unreadable

__all__ = [
    "QuestionSet",
    "available",
    "calibrated_questions",
    "calibration_mark",
    "is_calibrated",
    "load",
    "refuse_unanswerable",
    "refuse_unreadable",
    "shipped",
]
