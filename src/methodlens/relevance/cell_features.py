"""From the scored sentences of a paper to the features of its answer: how good the best are, alone and against the rest."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from methodlens.records import AnswerForm
from methodlens.relevance.cues import CUES
from methodlens.relevance.features import FORMS, NAMES, AskedQuestion
from methodlens.relevance.sentence_table import SentenceTable
from methodlens.relevance.understanding import Kind
from methodlens.text.vectors import Matrix

_OF_THE_BEST = (
    "same_words",
    "near_words",
    "rarest_here",
    "head_same",
    "head_near",
    "meaning",
    "text_meaning",
    "examples",
    "examples_mean",
    "examples_same",
    "heading_words",
    "heading_meaning",
    "around",
    "pairs",
    "pairs_around",
    "around_meaning",
    "rare_words",
    "rarest",
    "topic_said",
    "topic_rarest",
    "topic_around",
    "names_same",
    "names_around",
    "wide",
    "amount",
    "cue_around",
    "cited",
    "own",
    "general",
    "section.methods",
    "section.introduction",
)
NEAR, HEAD = NAMES.index("near_words"), NAMES.index("head_same")
_SAID, _RAREST = NAMES.index("topic_said"), NAMES.index("topic_rarest")
_AT = [NAMES.index(name) for name in _OF_THE_BEST]


_NEUTRAL = ("cited", "own", "general", "section.methods", "section.introduction")
_AROUND = 2  # sentences
_ABOUT_QUESTION = 5 + len(Kind) + len(AnswerForm) + len(CUES)
NEVER_LOWERS = (
    *(True, False, *[True] * 8),
    *[True] * 9,
    *(name not in _NEUTRAL for name in _OF_THE_BEST for _ in range(3)),
    *(True, False, True, *[False] * _ABOUT_QUESTION),
)
"""Which features, in the order of `cell_features`, can only raise the probability as they grow."""
PRIOR = len(NEVER_LOWERS) - _ABOUT_QUESTION - 1
"""The place of `prior_log_odds` among the features."""


def prior_log_odds(asked: AskedQuestion, kinds: Sequence[float]) -> float:
    """Of a paper of these kinds reporting what the question asks for, before it is read: the mean of its main topics, 0 if it is
    on none that is listed."""
    rates = [sum(share * rate for share, rate in zip(kinds, topic.rates, strict=True)) for topic in asked.main_topics]
    return sum(math.log(rate / (1 - rate)) for rate in rates) / max(1, len(rates))


def question_row(asked: AskedQuestion, kinds: Sequence[float]) -> Matrix:
    """What the trees know of the question itself, put to a paper of these kinds."""
    understanding = asked.understanding
    return np.array(
        [
            prior_log_odds(asked, kinds),
            len(asked.topics),
            len(understanding.words),
            len(understanding.examples),
            understanding.conditional,
            len(asked.names),
            *(float(understanding.kind is kind) for kind in Kind),
            *(float(understanding.form is form) for form in AnswerForm),
            *asked.cues,
        ],
        np.float32,
    )


def cell_features(
    asked: AskedQuestion, rows: Matrix, scores: npt.NDArray[np.float64], table: SentenceTable
) -> npt.NDArray[np.float64]:
    order = np.argsort(-scores, kind="stable")
    best, some = order[0], order[:3]
    top = scores[order[: min(10, len(order))]]
    text = ~table.is_heading
    values = [
        top[0],
        top[0] - top[min(1, len(top) - 1)],
        top[0] - top[min(4, len(top) - 1)],
        top[0] - top[-1],
        top[0] - (float(np.median(scores[text])) if text.any() else 0.0),
        top[: min(3, len(top))].mean(),
        *(math.sqrt(float((rows[text, NEAR] > share).sum())) for share in (0.4, 0.6, 0.8)),
        math.sqrt(float((rows[text, HEAD] >= 1).sum())),
    ]
    values += _topic_values(rows, table, some)
    values += _covered(asked, table, some)
    for column in _AT:
        here = rows[:, column]
        values += [here[best], here[some].mean(), here[text].max() if text.any() else 0.0]
    fits = 1.0
    if asked.understanding.form in FORMS:
        fits = float(rows[some, NAMES.index(f"form.{asked.understanding.form.value}")].mean())
    return np.array([*values, fits, math.log(1 + len(rows)), *question_row(asked, table.kinds)], np.float64)


def _topic_values(rows: Matrix, table: SentenceTable, best: npt.NDArray[np.int64]) -> list[float]:
    """How many sentences have words of the question's topics, and how much the headings say on them."""
    text = ~table.is_heading
    under = [float(rows[heading, _SAID]) if (heading := table.headings[number]) >= 0 else 0.0 for number in best]
    headings = rows[table.is_heading, _SAID]
    return [
        *(math.sqrt(float((rows[text, _RAREST] > rarity).sum())) for rarity in (0.3, 0.5, 0.7)),
        float(headings.max()) if len(headings) else 0.0,
        under[0],
        sum(under) / len(under),
    ]


def _covered(asked: AskedQuestion, table: SentenceTable, best: npt.NDArray[np.int64]) -> list[float]:
    """The share of the question's topics that come up around the best sentence, around the best few, and anywhere."""
    if not asked.topics:
        return [0.0, 0.0, 0.0]
    places = [{number for term in topic.said for number in table.with_term(term)} for topic in asked.topics]
    near = [range(number - _AROUND, number + _AROUND + 1) for number in best.tolist()]
    shares = [sum(not said.isdisjoint(around) for said in places) / len(places) for around in near]
    return [shares[0], sum(shares) / len(shares), sum(map(bool, places)) / len(places)]
