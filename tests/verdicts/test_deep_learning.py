from methodlens.papers import from_text
from methodlens.records import Paper, Section, SectionKind
from methodlens.verdicts import NO_DL, paper_flags
from methodlens.verdicts.deep_learning import deep_learning_signals

OWN = (
    "We trained a convolutional neural network with Keras. The learning rate was small. Each epoch took an hour. "
    "Dropout was used. A softmax layer gave the newt's name. The ResNet had been pre-trained. Batch size was 8."
)
NONE = "We counted newts by hand in forty ponds. A linear mixed model related the counts to the depth of the water. " * 4


def test_a_paper_that_trains_a_network_uses_deep_learning() -> None:
    assert deep_learning_signals(from_text([OWN])).uses_deep_learning
    assert paper_flags(from_text([OWN])) == ()


def test_a_paper_without_deep_learning_is_flagged() -> None:
    assert paper_flags(from_text([NONE])) == (NO_DL,)


def test_a_brief_mention_of_neural_networks_is_not_enough() -> None:
    assert paper_flags(from_text([NONE, "Others use neural networks. Deep learning may help one day."])) == (NO_DL,)


def test_the_references_do_not_count() -> None:
    text = NONE + OWN
    sections = (Section(SectionKind.METHODS, "", 0, len(NONE)), Section(SectionKind.REFERENCES, "", len(NONE), len(text)))
    assert paper_flags(Paper("", "test", text=text, sections=sections)) == (NO_DL,)


def test_plural_and_hyphen_do_not_make_a_new_term() -> None:
    result = deep_learning_signals(from_text(["Neural networks, a neural-network and one neural network."]))
    assert result.signs == {"neuralnetwork"}


def test_an_unreadable_paper_is_not_flagged() -> None:
    assert paper_flags(Paper("", "test")) == ()


def test_a_short_paper_with_few_but_telling_sentences_uses_deep_learning() -> None:
    told = "We trained a ResNet-18 in PyTorch. The learning rate was 0.01. It took 40 epochs. The network is convolutional. "
    assert deep_learning_signals(from_text([told + "The pond froze early. " * 20])).uses_deep_learning
    assert not deep_learning_signals(from_text([told + "The pond froze early. " * 60])).uses_deep_learning
