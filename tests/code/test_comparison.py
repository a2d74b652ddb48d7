"""What a repository says next to what a paper reports."""

from typing import Any

import pytest

from methodlens.code.comparison import code_cell, compare, findings_on
from methodlens.code.entry_points import EntryPoints
from methodlens.code.paper_values import is_unsettled
from methodlens.questions import load
from methodlens.records import Answer, Cell, Evidence, Match, Question, Status, Verdict
from methodlens.records.code import CodeCell, Finding, Outcome, Repository, RepositoryStatus, Topic

HYPERPARAMETERS = Question("CQ13", "Which?", "Hyperparameters", facts=("learning_rate", "epochs", "optimizer", "split", "loss"))


def found(
    fact: str, value: Any, file: str = "train.py", line: int = 9, *, topic: Topic = Topic.HYPERPARAMETER, **more: Any
) -> Finding:
    return Finding(topic, file, line, f"{fact} = {value}", fact, value, **more)


def outcomes(
    facts: dict[str, Any], *findings: Finding, firm: bool = True, question: Question = HYPERPARAMETERS
) -> dict[str, str]:
    return {each.fact: str(each.outcome) for each in compare(question, Answer("", facts=facts), findings, firm=firm)}


def test_equal_numbers_agree_however_they_are_written() -> None:
    assert outcomes({"learning_rate": 0.001}, found("learning_rate", "1e-3")) == {"learning_rate": "agrees"}
    assert outcomes({"epochs": [50, 100]}, found("epochs", 100.0)) == {"epochs": "agrees"}


def test_a_single_other_value_is_put_as_a_question() -> None:
    finding = found("learning_rate", 0.02, "configs/base.yaml", kind="config")
    (compared,) = compare(HYPERPARAMETERS, Answer("", facts={"learning_rate": 0.001}), [finding])
    assert compared.outcome is Outcome.DIFFERS
    assert compared.sentence == (
        "Learning rate: the paper says 0.001; configs/base.yaml:9 says 0.02, which may be overridden. Which one was used?"
    )


@pytest.mark.parametrize(
    ("facts", "findings"),
    [
        ({"epochs": 100}, [found("epochs", 50), found("epochs", 60, "other.py")]),  # the code has several
        ({"epochs": [90, 100]}, [found("epochs", 50)]),  # the paper has several
        ({"optimizer": "SGD"}, [found("optimizers", "SGD with momentum")]),  # one may be short for the other
        (
            {"split": {"train": 0.7, "validation": 0.2, "test": 0.1}},
            [found("split", {"test": 0.2})],
        ),  # it may be called otherwise
        ({"loss": "focal loss"}, [found("loss", "cross-entropy")]),  # a run may have several
    ],
)
def test_what_a_person_would_not_uphold_is_not_called_a_difference(facts: dict[str, Any], findings: list[Finding]) -> None:
    assert set(outcomes(facts, *findings).values()) == {"other values in the code"}


def test_a_doubtful_value_of_the_paper_never_differs() -> None:
    answer = Answer("", facts={"epochs": 100}, fact_confidence={"epochs": {"100": 0.5}})
    assert [str(each.outcome) for each in compare(HYPERPARAMETERS, answer, [found("epochs", 5)])] == ["other values in the code"]
    assert outcomes({"epochs": 100}, found("epochs", 5), firm=False) == {"epochs": "other values in the code"}


def test_values_of_tests_examples_and_vendored_code_are_not_compared() -> None:
    others = [found("epochs", 1, file) for file in ("tests/a.py", "src/third_party/b.py", "examples/c.py", "test_d.py")]
    assert outcomes({"epochs": 100}, *others) == {"epochs": "not found in the code"}
    assert outcomes({}, *others) == {}


def test_names_agree_in_any_spelling_and_lists_as_sets() -> None:
    question = Question("F", "Which frameworks?", facts=("frameworks",))
    facts = {"frameworks": [{"name": "PyTorch", "version": "1.8"}, {"name": "torchaudio", "version": None}]}
    (compared,) = compare(question, Answer("", facts=facts), [found("frameworks", {"name": "pytorch", "version": None})])
    assert compared.sentence == "Frameworks: paper and code agree on PyTorch (train.py:9); the paper also says torchaudio."


def test_what_only_one_of_the_two_has_is_said() -> None:
    assert outcomes({"epochs": 90}, found("learning_rate", 0.1)) == {
        "learning_rate": "not found in the paper", "epochs": "not found in the code"
    }  # fmt: skip


def test_findings_of_a_question_are_those_with_its_facts_then_those_of_its_topics() -> None:
    plain = Finding(Topic.SEED, "train.py", 1, "random.seed()")
    valued = found("seeds", 42, topic=Topic.SEED)
    repository = Repository("repo", "r", findings=(plain, valued, found("epochs", 3)))
    randomness = next(each for each in load("dl-methods").questions if each.id == "CQ24")
    assert findings_on(randomness, repository) == (valued, plain)
    assert findings_on(Question("CQ24", "Who counted the newts?", "Newts"), repository) == ()  # another set, the same id
    assert findings_on(Question("Q1", "Which seed?", like="CQ24"), repository) == (plain, valued)


def test_the_data_file_knows_the_title_of_every_shipped_question() -> None:
    from methodlens.code.comparison import _data

    shipped = {question.id: question.title for question in load("dl-methods").questions}
    assert {key: entry["title"] for key, entry in _data()["questions"].items()} == shipped


def test_no_comparison_without_a_read_paper_or_a_read_repository() -> None:
    repository = Repository("repo", "r", findings=(found("epochs", 3),))
    unread = Cell("", "", "CQ13", "embedded", "", Verdict(Status.UNREADABLE), Answer(""))
    assert code_cell(repository, HYPERPARAMETERS, unread).comparison == ()
    broken = Repository("repo", "r", RepositoryStatus.MALFORMED, "it is empty")
    assert code_cell(broken, HYPERPARAMETERS, unread) == CodeCell(broken)


def test_a_value_that_depends_on_another_never_differs() -> None:
    scaled = found("learning_rate", 0.02, relative=True)
    assert outcomes({"learning_rate": 0.3}, scaled) == {"learning_rate": "other values in the code"}
    assert outcomes({"learning_rate": 0.02}, scaled) == {"learning_rate": "agrees"}


@pytest.mark.parametrize(("paper", "code"), [(20, 20_000), (7000, 7), (0.4, 40)])
def test_a_number_that_may_be_misread_in_the_paper_never_differs(paper: float, code: float) -> None:
    assert outcomes({"epochs": paper}, found("epochs", code)) == {"epochs": "other values in the code"}


@pytest.mark.parametrize("code", ["Adam", "AdamW", "SGD with momentum"])
def test_gradient_descent_is_what_every_optimiser_does(code: str) -> None:
    question = Question("A", "Which optimiser?", facts=("optimizer",))
    assert outcomes({"optimizer": "gradient descent"}, found("optimizer", code), question=question) == {
        "optimizer": "other values in the code"
    }


def test_values_of_scripts_that_only_evaluate_are_set_aside() -> None:
    training, evaluation = found("epochs", 80), found("epochs", 1, "evaluate_newts.py")
    assert outcomes({"epochs": 30}, training, evaluation) == {"epochs": "differs"}
    assert outcomes({"epochs": 30}, evaluation) == {"epochs": "other values in the code"}  # shown, but not of training
    assert outcomes({"epochs": 1}, evaluation) == {"epochs": "agrees"}


def test_a_family_of_architectures_agrees_with_its_members() -> None:
    question = Question("A", "Which architecture?", facts=("architectures",))
    assert outcomes({"architectures": ["ResNet"]}, found("architectures", "ResNet-34"), question=question) == {
        "architectures": "agrees"
    }
    assert outcomes({"architectures": ["ResNet-18"]}, found("architectures", "ResNet-34"), question=question) == {
        "architectures": "other values in the code"
    }


def test_dropout_and_weight_decay_in_code_are_regularization() -> None:
    question = Question("R", "Which regularization?", facts=("regularization",))
    facts = {"regularization": ["dropout", "weight decay", "early stopping"]}
    (compared,) = compare(question, Answer("", facts=facts), [found("dropout", 0.3), found("weight_decay", 0.01)])
    assert compared.sentence == (
        "Regularization: paper and code agree on dropout and weight decay (train.py:9); the paper also says early stopping."
    )


@pytest.mark.parametrize(
    ("finding", "trainers", "outcome"),
    [
        (found("epochs", 80, "frogs/network.py"), (), "other values in the code"),  # nothing says that it is trained with
        (found("epochs", 80, "frogs/network.py"), ("frogs/network.py",), "differs"),
        (found("epochs", 80, "frogs/predictor.py"), ("frogs/predictor.py",), "other values in the code"),
        (found("epochs", 80, "frogs/inference/config.py"), (), "other values in the code"),
        (found("epochs", 80, "configs/frogs.yaml", kind="config"), (), "differs"),
        (found("epochs", 80, "README.md", kind="call"), (), "other values in the code"),  # shows how to call the package
        (found("epochs", 80, "README.md", kind="command", note="in a command that runs tools/train.py"), (), "differs"),
        (found("epochs", 80, "README.md", kind="command", note="in a command that runs demo.py"), (), "other values in the code"),
        (found("epochs", 80, kind="imported"), (), "other values in the code"),
        (found("epochs", 80, "frogs/vocoder/config.py"), (), "other values in the code"),  # of one part of the package
        (found("epochs", 80, "src/frogs/training/config.py"), (), "differs"),
    ],
)
def test_only_a_value_that_a_model_is_trained_with_differs(finding: Finding, trainers: tuple[str, ...], outcome: str) -> None:
    compared = compare(
        HYPERPARAMETERS,
        Answer("", facts={"epochs": 100}),
        [finding],
        trainers=frozenset(trainers),
        entries=EntryPoints(commands=1),
    )
    assert [str(each.outcome) for each in compared] == [outcome]


def test_the_files_that_train_are_those_of_the_repository() -> None:
    training = Finding(Topic.TRAINING, "frogs/network.py", 30, "loss.backward()")
    repository = Repository("", "", findings=(found("epochs", 80, "frogs/network.py"), training))
    cell = Cell("", "", "CQ13", "embedded", "", Verdict(Status.REPORTED), Answer("", facts={"epochs": 100}))
    (compared,) = code_cell(repository, HYPERPARAMETERS, cell).comparison
    assert compared.outcome is Outcome.DIFFERS


def test_a_variant_of_the_same_optimiser_is_no_difference() -> None:
    assert outcomes({"optimizer": "AMSGrad"}, found("optimizers", "Adam")) == {"optimizer": "other values in the code"}
    assert outcomes({"optimizer": "Adam"}, found("optimizers", "AdamW")) == {"optimizer": "differs"}


def test_the_rate_of_one_of_several_optimisers_is_no_difference() -> None:
    rate = found("learning_rate", 0.01, kind="call")
    optimizers = [found("optimizers", name, kind="call") for name in ("SGD", "Adam")]
    assert outcomes({"learning_rate": 0.001}, rate, optimizers[0])["learning_rate"] == "differs"
    assert outcomes({"learning_rate": 0.001}, rate, *optimizers)["learning_rate"] == "other values in the code"


def test_what_a_share_leaves_is_the_share_of_the_others() -> None:
    paper = {"split": {"train": 0.8, "validation": 0.1, "test": 0.1}}
    assert outcomes(paper, found("split", {"test": 0.2})) == {"split": "other values in the code"}
    assert outcomes(paper, found("split", {"test": 0.3})) == {"split": "differs"}


def test_a_single_epoch_is_a_value_to_be_filled_in() -> None:
    assert outcomes({"epochs": 40}, found("epochs", 1)) == {"epochs": "other values in the code"}


def test_a_value_of_one_of_many_trained_models_is_no_difference() -> None:
    trainers = frozenset(f"agents/{name}.py" for name in ("frog", "newt", "toad", "eft"))
    few, half = [found("epochs", 80, "agents/frog.py")], [found("epochs", 80, f"agents/{name}.py") for name in ("frog", "newt")]
    shared = [found("epochs", 80, "settings.yaml", kind="config")]

    def outcome(findings: list[Finding]) -> str:
        (compared,) = compare(HYPERPARAMETERS, Answer("", facts={"epochs": 100}), findings, trainers=trainers)
        return str(compared.outcome)

    assert outcome(few) == "other values in the code"
    assert (outcome(half), outcome(shared)) == ("differs", "differs")


def test_what_an_optimiser_or_a_normalisation_does_by_itself_is_no_difference() -> None:
    default = found("learning_rate", 0.02, "lib/optimizers.py", kind="default")
    assert outcomes({"learning_rate": 0.1}, default) == {"learning_rate": "other values in the code"}
    question = Question("CQ13", "Which?", facts=("momentum",))
    assert outcomes({"momentum": 0.9}, found("momentum", 0.01), question=question) == {"momentum": "other values in the code"}
    assert outcomes({"momentum": 0.9}, found("momentum", 0.95), question=question) == {"momentum": "differs"}


def test_the_definition_of_an_optimiser_is_not_its_use() -> None:
    assert outcomes({"optimizer": "Adam"}, found("optimizers", "AdamW", "frogs/training/adamw.py")) == {
        "optimizer": "other values in the code"
    }


def test_the_end_of_a_range_in_the_paper_never_differs() -> None:
    def outcome(quote: str) -> str:
        answer = Answer("", (Evidence(quote, Match.EXACT),), facts={"epochs": 30})
        return str(compare(HYPERPARAMETERS, answer, [found("epochs", 12)])[0].outcome)

    assert outcome("We trained for 10 to 30 epochs.") == "other values in the code"
    assert outcome("We trained between 10 and 30 epochs.") == "other values in the code"
    assert outcome("We trained for 30 epochs.") == "differs"


def test_a_value_that_the_paper_only_supposes_never_differs() -> None:
    def outcome(*quotes: str) -> str:
        answer = Answer("", tuple(Evidence(quote, Match.EXACT) for quote in quotes), facts={"epochs": 30})
        return str(compare(HYPERPARAMETERS, answer, [found("epochs", 12)])[0].outcome)

    assert outcome("For instance, frogs may need 30 epochs.") == "other values in the code"
    assert outcome("This command trains newts for 30 epochs.") == "other values in the code"
    assert outcome("If you have many newts, train for 30 epochs.") == "other values in the code"
    assert outcome("We trained for 30 epochs, for example on newts.") == "differs"
    assert outcome("On the toy pond, 30 epochs took a minute.") == "other values in the code"
    assert is_unsettled("epochs", 3, ["On the toy pond, three epochs took a minute."])
    assert outcome("Defaults: 30 epochs for training newts.") == "other values in the code"
    assert outcome("Training newts for 30 epochs works well.") == "other values in the code"
    assert outcome("from ponds import newts\nfit_newts(epochs=30)") == "other values in the code"
    assert outcome("For example, frogs are found. Newts are trained for 30 epochs.") == "differs"
    assert outcome("For instance, frogs may need 30 epochs.", "All newts had 30 epochs.") == "differs"


@pytest.mark.parametrize("paper", ["PPO", "REINFORCE", "genetic algorithm"])
def test_a_way_to_train_is_no_other_optimiser(paper: str) -> None:
    assert outcomes({"optimizer": paper}, found("optimizers", "Adam")) == {"optimizer": "other values in the code"}


@pytest.mark.parametrize(("paper", "differs"), [(20_000, False), (19_000, False), (18_000, True), (19_100, True)])
def test_a_rounded_number_of_steps_never_differs(paper: int, differs: bool) -> None:
    question = Question("CQ13", "Which?", facts=("iterations",))
    expected = "differs" if differs else "other values in the code"
    assert outcomes({"iterations": paper}, found("iterations", 19_200), question=question) == {"iterations": expected}


def test_a_set_of_nothing_is_no_share() -> None:
    paper = {"split": {"validation": 0.0}}
    assert outcomes(paper, found("split", {"validation": 0.1})) == {"split": "other values in the code"}


@pytest.mark.parametrize(
    ("finding", "outcome"),
    [
        (found("split", {"test": 0.3}, "frogs/data.py", kind="call"), "differs"),
        (found("split", {"test": 0.3}, "frogs/train.py", kind="call"), "differs"),
        (found("split", {"test": 0.3}, "frogs/data.py", kind="parameter"), "other values in the code"),
        (found("split", {"test": 0.3}, "frogs/newts/data.py", kind="call"), "other values in the code"),
        (found("split", {"test": 0.3}, "frogs/comparison.py", kind="call"), "other values in the code"),
        (found("split", {"test": 0.3}, "README.md", kind="call"), "other values in the code"),
    ],
)
def test_only_a_split_of_the_training_data_differs(finding: Finding, outcome: str) -> None:
    assert outcomes({"split": {"test": 0.1}}, finding) == {"split": outcome}


def test_an_optimiser_that_is_named_without_its_use_never_differs() -> None:
    def outcome(quote: str) -> str:
        answer = Answer("", (Evidence(quote, Match.EXACT),), facts={"optimizer": "Adam"})
        return str(compare(HYPERPARAMETERS, answer, [found("optimizers", "AdamW")])[0].outcome)

    assert outcome("We list the norm of the second moment of Adam.") == "other values in the code"
    assert outcome("Newts are trained with Adam.") == "differs"


def test_a_learning_rate_of_one_or_more_in_the_paper_never_differs() -> None:
    assert outcomes({"learning_rate": 1}, found("learning_rate", 0.05)) == {"learning_rate": "other values in the code"}


def test_values_of_scripts_that_verify_something_are_set_aside() -> None:
    assert outcomes({"epochs": 30}, found("epochs", 12, "scripts/verify_frogs.py")) == {"epochs": "other values in the code"}


def test_a_batch_of_several_steps_or_devices_in_the_paper_never_differs() -> None:
    question = Question("CQ13", "Which?", facts=("batch_size",))

    def outcome(quote: str) -> str:
        answer = Answer("", (Evidence(quote, Match.EXACT),), facts={"batch_size": 64})
        return str(compare(question, answer, [found("batch_size", 8)])[0].outcome)

    assert outcome("Newts have an effective batch size of 64.") == "other values in the code"
    assert outcome("Newts have a batch size of 64.") == "differs"
