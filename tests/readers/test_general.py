"""Questions that are not built in: what is quoted, what the answer says, and what silence needs."""

from collections.abc import Sequence

import pytest

from methodlens import retrieval
from methodlens.papers import from_text, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.general.facts_asked import FACT_FOUND, FACT_MISSING, types_asked_for, weigh_facts
from methodlens.readers.general.quotes import MOST_SHOWN, MOST_SHOWN_CHARS, hold_what_is_asked
from methodlens.readers.general.reading import NOT_REPORTED, SURELY_NOT, _of_absence
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
TRAINED = (
    *PAPER[:6],
    "A convolutional neural network was trained in PyTorch for 40 epochs, with a learning rate of 0.1 and a batch size of 8.",
    "The classifier was compared with an LSTM on the test set.",
    *PAPER[6:],
)
"""The same paper, in words of machine learning."""


def ask(text: str, blocks: Sequence[str] = PAPER, form: AnswerForm | None = None) -> Answer:
    paper = from_text(blocks)
    question = Question("mine", text, form=form)
    hits = retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(question)
    return EmbeddedReader().read(question, paper, hits)


def test_how_many_is_answered_with_the_number() -> None:
    answer = ask("How many parameters does the network have?", TRAINED)
    assert (answer.p_reported or 0) >= 0.6
    assert "3.2 million parameters" in answer.text


def test_a_stated_number_is_never_denied_though_papers_of_the_kind_rarely_report_it() -> None:
    answer = ask("How many parameters does the network have?")
    assert (answer.p_reported or 0) >= SURELY_NOT
    assert "3.2 million parameters" in answer.evidence[0].quote


def test_who_is_answered_with_the_body() -> None:
    assert "Amphibian Foundation" in ask("Who funded the work?").evidence[0].quote


def test_a_yes_or_no_question_is_answered_with_yes_or_no() -> None:
    answer = ask("Was the protocol approved by an ethics committee?")
    assert answer.text.startswith("Yes. The protocol was approved")


def test_the_number_of_the_thing_asked_for_comes_before_other_numbers() -> None:
    blocks = (
        "Methods",
        "We chose nets with two kinds of mesh, since the number of nets in use depends on the shore.",
        "Newts were counted by hand. In the end 48 blue nets were used.",
    )
    assert "48 blue nets" in ask("How many nets were used?", blocks).evidence[0].quote


def test_how_long_is_answered_with_a_time() -> None:
    blocks = (
        "Methods",
        "The survey of all 12 ponds was long and took place along the shore, in 3 boats.",
        "The survey took nine days.",
    )
    assert ask("How long did the survey take?", blocks).evidence[0].quote == "The survey took nine days."


def test_a_quote_in_the_words_of_the_topic_holds_the_thing_asked_for() -> None:
    texts = ("The weights were moved by Adam after every tenth pond.", "The boat was moved by Nora after every tenth pond.")
    table = SentenceTable([Chunk(0, "methods", text) for text in texts], load_model().encoder)
    relevance = load_model().score(Question("mine", "Which optimiser was chosen?"), table)
    assert hold_what_is_asked(relevance, [0])
    alone = SentenceTable([Chunk(0, "methods", texts[1])], load_model().encoder)
    assert not hold_what_is_asked(load_model().score(Question("mine", "Which optimiser was chosen?"), alone), [0])


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


def test_the_next_best_sentences_are_quoted_below_those_that_the_answer_is_written_from() -> None:
    answer = ask("How many parameters does the network have?", TRAINED)
    quotes = [each.quote for each in answer.evidence]
    assert "3.2 million parameters" in quotes[0]
    assert 1 < len(quotes) <= MOST_SHOWN
    assert sum(map(len, quotes)) <= MOST_SHOWN_CHARS
    assert len(set(quotes)) == len(quotes)
    assert "Pond University" not in answer.text


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


def test_a_fact_that_an_example_in_the_question_stands_for_is_an_answer() -> None:
    filler = "Newts were counted in every pond. The ponds were visited in May."
    sentence = "The newt network was built in TensorFlow 2.4."
    answer = ask("Which library, such as PyTorch, was the network built with?", ("Methods", f"{filler} {sentence}"))
    assert answer.evidence[0].quote == sentence
    assert (answer.p_reported or 0) >= 0.6


def test_a_question_for_a_fact_is_not_reported_by_a_paper_without_it() -> None:
    answer = ask("Which hardware, such as GPUs, was used?", ("Methods", "The nets of the pond were used twice. Hard nets tear."))
    assert (answer.p_reported or 0) <= FACT_MISSING


def test_a_fact_given_only_as_an_example_does_not_decide_alone() -> None:
    by_example = Question("mine", "Where does the newt counter run, for example on an NVIDIA A100?")
    assert [each.key for each in types_asked_for(by_example)] == ["hardware"]
    assert weigh_facts(by_example, 0.3, found=True) == 0.3  # a sentence on training names hardware, too
    assert weigh_facts(by_example, 0.7, found=False) == 0.7  # other answers are possible
    assert weigh_facts(by_example, 0.3, found=True, in_best=True) == FACT_FOUND


def test_a_fact_that_the_head_noun_names_decides_wherever_it_is() -> None:
    named = Question("mine", "Which hardware, such as an NVIDIA A100, was used?")
    assert weigh_facts(named, 0.3, found=True) == FACT_FOUND
    assert weigh_facts(named, 0.7, found=False) == FACT_MISSING


def test_facts_that_an_author_named_are_enough_but_not_necessary() -> None:
    named = Question("mine", "On what was it trained?", facts=("hardware",))
    assert weigh_facts(named, 0.7, found=False) == 0.7
    assert weigh_facts(named, 0.1, found=True) == FACT_FOUND


def test_probabilities_of_absence_keep_their_order() -> None:
    given = [number / 100 for number in range(3, 41)]
    said = [_of_absence(p) for p in given]
    assert said == sorted(set(said))
    assert said[-1] == NOT_REPORTED


def test_a_data_set_given_as_an_example_in_a_question_for_a_link_is_not_asked_for() -> None:
    question = Question("mine", "What is the link to the data, for example to ImageNet?")
    assert {each.key for each in types_asked_for(question)} == {"data_urls", "data_hosts"}


def test_a_question_for_a_link_is_answered_by_the_sentence_with_the_link() -> None:
    text = "The code counts newts. Newt code is slow. Our code is available at https://github.com/pond/newts."
    assert "github.com/pond" in ask("Where is the code available?", ("Methods", text)).evidence[0].quote
    assert {each.key for each in types_asked_for(Question("q", "Where can the data be accessed?"))} == {"data_urls", "data_hosts"}
