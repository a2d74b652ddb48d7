"""What kind of answer a question asks for, from its wording."""

import re

from methodlens.records import AnswerForm

_QUANTITY = (
    r"number|percentage|percent|proportion|share|fraction|ratio|rate|size|amount|accuracy|score|value|length|duration|price|cost|"
    r"temperature|resolution|threshold|dose|age|mean|median|depth|height|width|weight|frequency|power|budget|speed"
)
_PERSON = (
    r"person|people|authors?|organi[sz]ations?|institutions?|institutes?|compan(?:y|ies)|funders?|sponsors?|agenc(?:y|ies)|"
    r"committees?|boards?|experts?|annotators?|reviewers?|labs?|laborator(?:y|ies)|universit(?:y|ies)|users?"
)
_PLACE = r"country|countries|region|regions|city|cities|location|locations|sites?|continent|ocean|lake|area|areas|hospitals?"
_OBTAIN = r"available|found|obtained|downloaded|accessed|published|archived|deposited|released|hosted|registered|cited"
_RULES: tuple[tuple[AnswerForm, re.Pattern[str]], ...] = tuple(
    (form, re.compile(pattern, re.IGNORECASE))
    for form, pattern in (
        (
            AnswerForm.NUMBER,
            r"(?:for |over |after |in |by |at |to )?how (?:many|much|long|large|big|often|old|far|high|deep|fast|wide)\b",
        ),
        (AnswerForm.NUMBER, rf"(?:what|which) (?:is |are |was |were )?(?:the )?(?:[\w-]+ ){{0,3}}(?:{_QUANTITY})\b"),
        (
            AnswerForm.DATE,
            r"(?:since |until )?when\b|(?:in |on |at )?(?:what|which) (?:year|years|date|dates|day|month|period)\b",
        ),
        (
            AnswerForm.PERSON,
            rf"(?:by |with |from |to )?(?:who|whom|whose)\b|(?:by |from )?(?:what|which) (?:[\w-]+ ){{0,2}}(?:{_PERSON})\b",
        ),
        (
            AnswerForm.LINK,
            rf"where\b[^?]{{0,200}}\b(?:{_OBTAIN})\b|(?:what|which) [^?]{{0,60}}\b(?:url|link|doi|web ?site|address)\b",
        ),
        (AnswerForm.PLACE, rf"where\b|(?:in |from |at )?(?:what|which) (?:[\w-]+ ){{0,2}}(?:{_PLACE})\b"),
        (AnswerForm.YES_NO, r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b"),
        (AnswerForm.CLAUSE, r"(?:how|why)\b|for what\b|what (?:is|are|was|were|do|does|did)\b"),
        (AnswerForm.NAME, r"(?:\w+ )?(?:which|what) (?:[\w-]+ ){1,4}?(?:is|was|has)\b"),
        (
            AnswerForm.LIST,
            r"(?:\w+ )?(?:which|what) (?:[\w-]+ ){1,4}?(?:are|were|have)\b|(?:\w+ )?(?:which|what) [\w-]{2,}(?<![sui])s\b",
        ),
        (AnswerForm.NAME, r"(?:\w+ )?(?:which|what)\b"),
    )
)


def infer_form(text: str) -> AnswerForm:
    """The form of a question's answer; a description in words if the wording does not tell.

    >>> infer_form("How many images are in the test set?").value
    'number'
    >>> infer_form("Where can the code be obtained?").value
    'link'
    """
    start = text.strip()
    return next((form for form, pattern in _RULES if pattern.match(start)), AnswerForm.CLAUSE)
