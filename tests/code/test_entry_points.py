"""Where training starts, and which defaults it uses: only these can differ from what a paper reports."""

from pathlib import Path

import pytest

from methodlens.code.comparison import code_cell
from methodlens.code.entry_points import entry_points
from methodlens.records import Answer, Cell, Question, Status, Verdict
from methodlens.records.code import CheckItem, Repository, Topic
from tests.code.repositories import met, on, read

EPOCHS = Question("CQ13", "Which?", "Hyperparameters", facts=("epochs",))
OPTION = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--epochs', type=int, default=80)\n"
LOOP = "import torch\ndef train(net, epochs):\n    for _ in range(epochs):\n        net().backward()\n        step.step()\n"
RUN = "if __name__ == '__main__':\n    main()\n"
COMMAND = "# Newts\n\n```\npython train.py --epochs 80\n```\n"
PARAMETER = "import torch\ndef fit(net, epochs=80):\n    net().backward()\n    step.step()\n"


def outcome(repository: Repository, paper: int = 100) -> str:
    cell = Cell("", "", "CQ13", "embedded", "", Verdict(Status.REPORTED), Answer("", facts={"epochs": paper}))
    (compared,) = code_cell(repository, EPOCHS, cell).comparison
    return str(compared.outcome)


DIFFERS = {
    "an option of the script that trains": {"train.py": OPTION + LOOP + RUN},
    "options of the only script": {"frogs/options.py": OPTION, "train_frogs.py": LOOP + RUN},
    "a script without a guard": {"train.py": OPTION + "args = parser.parse_args()\n" + LOOP},
    "a parameter of what is run": {"train.py": LOOP + "def main(epochs=80):\n    train(newt, epochs)\n" + RUN},
    "a script that main.py hands over to": {"train.py": OPTION + LOOP + RUN, "main.py": "import train\n" + RUN},
    "an option that every script has": {f"train_{name}.py": OPTION + LOOP + RUN for name in ("newts", "toads")},
    "the only configuration": {"newts.yaml": "epochs: 80\n"},
    "the general one of several configurations": {"train.yaml": "epochs: 80\n", "toads.yaml": "batch_size: 8\n"},
    "training that was interrupted": {"train.py": OPTION + LOOP + "for _ in range(start_epoch + args.epochs):\n    pass\n" + RUN},
    "the only command": {"README.md": COMMAND, "train.py": LOOP + RUN},
    "a call": {"frogs/trainer.py": LOOP + "class Pond:\n    def go(self):\n        train(net, epochs=80)\n"},
    "two sizes of one model": {"train.py": OPTION + "parser.add_argument('--model', choices=['small', 'big'])\n" + LOOP + RUN},
}
OTHER = {
    "a parameter that callers may give": {"frogs/training.py": PARAMETER},
    "a parameter in a script": {"train.py": PARAMETER + "if __name__ == '__main__':\n    fit(newt, given)\n"},
    "one of two parts of training": {
        "train.py": OPTION + LOOP + "for _ in range(args.epochs + args.epochs_decay):\n    pass\n" + RUN
    },
    "a parameter next to a script": {"frogs/training.py": PARAMETER, "train.py": LOOP + RUN},
    "a call in a parameter": {
        "frogs/training.py": LOOP
        + "def learn(\n    net,\n    trainer=partial(\n        Pond,\n        epochs=80,\n    ),\n):\n    pass\n"
    },
    "options without a script": {"frogs/options.py": OPTION, "frogs/training.py": LOOP},
    "options of several scripts": {"options.py": OPTION, "train_newts.py": LOOP + RUN, "train_toads.py": LOOP + RUN},
    "an option of one of two scripts": {"train_newts.py": OPTION + LOOP + RUN, "train_toads.py": LOOP + RUN},
    "an option for a choice of models": {
        "train.py": OPTION + "parser.add_argument('--model', choices=['newt', 'toad', 'eft'])\n" + LOOP + RUN
    },
    "an option for registered models": {
        "train.py": OPTION + "parser.add_argument('--arch', choices=sorted(MODELS))\n" + LOOP + RUN
    },
    "an option for any model": {"train.py": OPTION + "parser.add_argument('--model_name_or_path')\n" + LOOP + RUN},
    "options of a package that registers models": {
        "train.py": OPTION + LOOP + RUN,
        "frogs/models.py": "".join(f"@register('{name}')\ndef {name}():\n    pass\n" for name in ("newt", "toad", "eft")),
    },
    "one of several commands": {"README.md": COMMAND + "```\npython train.py --model toad\n```\n", "train.py": LOOP + RUN},
    "a command for a check": {"README.md": COMMAND.replace("--epochs", "--data toy_ponds --epochs"), "train.py": LOOP + RUN},
    "a command that runs nothing here": {"README.md": COMMAND, "frogs/training.py": LOOP},
    "a module that checks itself": {
        "frogs/network.py": "import keras\nif __name__ == '__main__':\n    model.fit(x, y, epochs=80)\n"
    },
    "few epochs, for a first try": {"train.py": OPTION.replace("80", "3") + LOOP + RUN},
    "one of several configurations": {"newts.yaml": "epochs: 80\n", "toads.yaml": "batch_size: 8\n"},
    "defaults of a package's configuration": {"frogs/config.py": "class Config:\n    epochs = 80\n", "frogs/training.py": LOOP},
}


@pytest.mark.parametrize("files", DIFFERS.values(), ids=DIFFERS)
def test_a_value_that_the_entry_point_uses_can_differ(files: dict[str, str], tmp_path: Path) -> None:
    assert outcome(read(tmp_path, files)) == "differs"


@pytest.mark.parametrize("files", OTHER.values(), ids=OTHER)
def test_a_default_that_callers_may_override_never_differs(files: dict[str, str], tmp_path: Path) -> None:
    repository = read(tmp_path, files)
    assert outcome(repository) == "other values in the code"
    (value,) = {finding.value for finding in repository.findings if finding.fact == "epochs"}
    assert outcome(repository, paper=value) == "agrees"


def test_entry_points_are_listed_and_are_no_training_code_by_themselves(tmp_path: Path) -> None:
    repository = read(tmp_path, {"train_newts.py": "from ponds import learn\nif __name__ == '__main__':\n    learn()\n"})
    (entry,) = on(repository, Topic.TRAINING)
    assert (entry.file, entry.line, entry.kind) == ("train_newts.py", 2, "entry")
    assert entry_points(repository.findings).scripts == {"train_newts.py"}
    assert CheckItem.TRAINING_CODE not in met(repository)


def test_the_definition_of_an_optimiser_says_not_that_it_is_used(tmp_path: Path) -> None:
    defined = "import torch\nclass AdamW(torch.optim.Optimizer):\n    def step(self):\n        loss.backward()\n"
    question = Question("CQ15", "Which?", "Optimiser", facts=("optimizer",))
    cell = Cell("", "", "CQ15", "embedded", "", Verdict(Status.REPORTED), Answer("", facts={"optimizer": "Adam"}))
    for name in ("frogs/training.py", "frogs/optimization.py"):
        (compared,) = code_cell(read(tmp_path / name, {name: defined}), question, cell).comparison
        assert str(compared.outcome) == "other values in the code"
