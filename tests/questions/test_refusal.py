"""Questions that no paper can answer are refused before anything is read, with the reason."""

import pytest

from methodlens.errors import QuestionsError
from methodlens.questions import refuse_unanswerable


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("CQ99", "there is no question"),
        ("?!", "not a question"),
        ("asdf qwer zxcv", "not a question in English"),
        ("Wie viele Bilder enthält der Testdatensatz?", "German"),
        ("Quelle fonction de perte est utilisée ?", "French"),
        ("的模型", "Latin alphabet"),
        ("Is this paper good?", "opinion"),
        ("Do you think the method is novel?", "opinion"),
        ("Who labelled the images, and how long did it take?", "2 things at once"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(QuestionsError, match=reason):
        refuse_unanswerable(text)


@pytest.mark.parametrize(
    "text",
    [
        "How many images are in the test set?",
        "What was the best accuracy?",
        "Sources of funding",
        "Which ViT variant was used for CIFAR-10?",
        "What are the inclusion and exclusion criteria?",
    ],
)
def test_questions_and_checklist_items_are_not_refused(text: str) -> None:
    refuse_unanswerable(text)
