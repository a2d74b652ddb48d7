"""Questions that are not built in: what is quoted, what the answer says, and what silence needs."""

from collections.abc import Sequence

import pytest

from methodlens import retrieval
from methodlens.papers import from_text, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.general.reading import SURELY_NOT
from methodlens.records import Answer, AnswerForm, Question
from methodlens.relevance.cell_features import NEVER_LOWERS, cell_features
from methodlens.relevance.model import load_model
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.settings import RetrievalSettings

PAPER = (
    "Newts of the lower pond",
    "Introduction",
    "Newts are slow and hard to count. Brook et al. (2004) used 12 nets in another valley.",
    "Methods",
    "The survey was conducted in Lower Saxony in the spring of 2019. We placed 48 nets along the shore of the pond.",
    "Each net was emptied twice a day. The network has 3.2 million parameters and was trained with the focal loss function.",
    "Ethics",
    "The protocol was approved by the ethics committee of the Pond University.",
    "Acknowledgements",
    "This work was funded by the Amphibian Foundation under grant 77.",
)


def ask(text: str, blocks: Sequence[str] = PAPER, form: AnswerForm | None = None) -> Answer:
    paper = from_text(blocks)
    question = Question("mine", text, form=form)
    hits = retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(question)
    return EmbeddedReader().read(question, paper, hits)


def test_how_many_is_answered_with_the_number() -> None:
    answer = ask("How many parameters does the network have?")
    assert (answer.p_reported or 0) >= 0.6
    assert "3.2 million parameters" in answer.text


def test_who_is_answered_with_the_body() -> None:
    assert "Amphibian Foundation" in ask("Who funded the work?").evidence[0].quote


def test_a_yes_or_no_question_is_answered_with_yes_or_no() -> None:
    answer = ask("Was the protocol approved by an ethics committee?")
    assert answer.text.startswith("Yes. The protocol was approved")


def test_a_question_on_another_subject_is_not_reported() -> None:
    answer = ask("Which telescope observed the galaxies?")
    assert (answer.p_reported or 0) <= SURELY_NOT
    assert answer.evidence == ()
    assert answer.text.startswith("The paper does not report an answer to this question")


def test_a_quote_without_the_thing_that_was_asked_for_is_withheld() -> None:
    answer = ask("What is the sampling rate?", ("Methods", "The learning rate was 0.01. Each net was sampled by hand."))
    assert (answer.p_reported or 0) < 0.6


def test_work_of_others_is_not_quoted_before_the_authors_own() -> None:
    assert "48 nets" in ask("How many nets were used?").evidence[0].quote


def test_a_fact_that_the_question_names_is_an_answer() -> None:
    paper = from_text(("Methods", "All nets were trained on two NVIDIA A100 GPUs. Newts were counted twice a day."))
    question = Question("mine", "Which hardware was it?", facts=("hardware",))
    hits = retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(question)
    answer = EmbeddedReader().read(question, paper, hits)
    assert (answer.p_reported or 0) >= 0.6
    assert answer.facts["hardware"][0]["name"] == "NVIDIA A100"


@pytest.mark.parametrize(
    ("text", "sentence", "key"),
    [
        ("Which loss function is used?", "The newt network was trained with a binary cross-entropy loss.", "loss"),
        ("What batch size was chosen?", "We used a batch size of 48 for the newt network.", "batch_size"),
        ("How many epochs did it take?", "The newt network was trained for 70 epochs.", "epochs"),
    ],
)
def test_a_setting_that_the_words_of_a_question_name_is_found(text: str, sentence: str, key: str) -> None:
    filler = "Newts were counted in every pond. The loss of ponds is a threat. The ponds were visited in May."
    answer = ask(text, ("Methods", f"{filler} {sentence}"))
    assert answer.evidence[0].quote == sentence
    assert key in answer.facts


def test_every_quote_is_text_of_the_paper() -> None:
    paper = from_text(PAPER)
    for text in ("How many nets were placed?", "Where was the survey conducted?", "Which loss function was used?"):
        for evidence in ask(text).evidence:
            assert paper.text[evidence.start : evidence.end] == evidence.quote


def test_a_stated_form_overrules_the_wording() -> None:
    model = load_model()
    assert model.asked(Question("q", "The nets", form=AnswerForm.NUMBER)).understanding.form is AnswerForm.NUMBER


def test_an_empty_paper_reports_nothing() -> None:
    assert (ask("Which nets were used?", ("",)).p_reported or 0) <= SURELY_NOT


def test_each_feature_of_a_cell_has_its_direction() -> None:
    model = load_model()
    table = SentenceTable([Chunk(0, "other", "We placed 48 nets. They were small.")], model.encoder)
    relevance = model.score(Question("q", "How many nets were placed?"), table)
    assert len(cell_features(relevance.asked, relevance.rows, relevance.scores, table)) == len(NEVER_LOWERS)
