from methodlens.papers import from_text
from methodlens.records import Paper, Section, SectionKind
from methodlens.verdicts import subject

OWN = (
    "We trained a convolutional neural network with Keras. The learning rate was small. Each epoch took an hour. "
    "Dropout was used. A softmax layer gave the newt's name. The ResNet had been pre-trained. Batch size was 8."
)
NONE = "We counted newts by hand in forty ponds. A linear mixed model related the counts to the depth of the water. " * 4


def test_a_paper_that_trains_a_network_has_deep_learning_of_its_own() -> None:
    assert subject.subject(from_text([OWN])).deep_learning
    assert subject.flags(from_text([OWN])) == ()


def test_a_paper_that_counts_by_hand_is_flagged() -> None:
    assert subject.flags(from_text([NONE])) == (subject.NO_DL,)


def test_a_word_or_two_about_neural_networks_make_no_pipeline() -> None:
    assert subject.flags(from_text([NONE, "Others use neural networks. Deep learning may help one day."])) == (subject.NO_DL,)


def test_what_the_references_name_does_not_count() -> None:
    text = NONE + OWN
    sections = (Section(SectionKind.METHODS, "", 0, len(NONE)), Section(SectionKind.REFERENCES, "", len(NONE), len(text)))
    assert subject.flags(Paper("", "test", text=text, sections=sections)) == (subject.NO_DL,)


def test_plural_and_hyphen_make_no_new_sign() -> None:
    found = subject.subject(from_text(["Neural networks, a neural-network and one neural network."]))
    assert found.signs == {"neuralnetwork"}


def test_a_paper_that_could_not_be_read_is_not_flagged() -> None:
    assert subject.flags(Paper("", "test")) == ()
