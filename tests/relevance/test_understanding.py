"""What a question asks for, read from its own words."""

import pytest

from methodlens.records import AnswerForm
from methodlens.relevance.forms import has_value, values
from methodlens.relevance.understanding import Kind, understand


@pytest.mark.parametrize(
    ("text", "kind", "form", "head"),
    [
        ("How many newts are in the pond?", Kind.HOW_MANY, AnswerForm.NUMBER, ("newt",)),
        ("What was the best accuracy?", Kind.WHICH, AnswerForm.NUMBER, ("accuracy",)),
        ("Which loss function is used?", Kind.WHICH, AnswerForm.NAME, ("loss", "function")),
        ("Which kind of net turned out best?", Kind.WHICH, AnswerForm.NAME, ("net",)),
        ("What perplexity did the network get?", Kind.WHICH, AnswerForm.NUMBER, ("perplexity",)),
        ("Which pond gave the most newts?", Kind.WHICH, AnswerForm.NAME, ("pond",)),
        ("Who funded the work?", Kind.WHO, AnswerForm.PERSON, ()),
        ("Where was the study conducted?", Kind.WHERE, AnswerForm.PLACE, ()),
        ("Where can the code be downloaded?", Kind.WHERE, AnswerForm.LINK, ()),
        ("When did the survey start?", Kind.WHEN, AnswerForm.DATE, ()),
        ("Was consent obtained?", Kind.YES_NO, AnswerForm.YES_NO, ()),
        ("Why were ponds left out?", Kind.WHY, AnswerForm.CLAUSE, ()),
        ("Eligibility criteria for newts", Kind.ITEM, AnswerForm.CLAUSE, ("eligibility", "criteria")),
    ],
)
def test_kind_form_and_head_noun(text: str, kind: Kind, form: AnswerForm, head: tuple[str, ...]) -> None:
    asked = understand(text)
    assert (asked.kind, asked.form, asked.head) == (kind, form, head)


def test_examples_are_not_words_to_cover() -> None:
    asked = understand("Which nets, such as seines or dip nets, were used in the pond (e.g. by night)?")
    assert asked.words == ("net", "pond")
    assert asked.examples == ("seine", "dip", "net", "night")


def test_a_condition_is_noticed() -> None:
    assert understand("If relevant, description of the nets").conditional
    assert not understand("When did the survey start?").conditional


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("The net weighs 2.5 kg.", AnswerForm.NUMBER),
        ("The survey began in March 2019.", AnswerForm.DATE),
        ("Newts were caught in Lower Saxony.", AnswerForm.PLACE),
        ("It was supported by the Pond Foundation.", AnswerForm.PERSON),
        ("Code: https://example.org/newts", AnswerForm.LINK),
    ],
)
def test_a_sentence_with_a_value_of_the_form(sentence: str, form: AnswerForm) -> None:
    assert has_value(sentence, form)
    assert not has_value("they were slow and rather small", form)


def test_the_year_of_a_citation_is_no_date() -> None:
    assert values("Newts are slow (Brook, in 2004).", AnswerForm.DATE) == []
