"""What code, configuration and scripts say, and where."""

import json
from pathlib import Path

import pytest

from methodlens.code.names import data
from methodlens.code.packages import packages
from methodlens.facts.gazetteer import gazetteer
from methodlens.records.code import Topic
from tests.code.repositories import on, read, values


def test_every_name_of_the_data_files_is_one_of_the_facts() -> None:
    def known(name: str) -> set[str]:
        return {entry.name for entry in gazetteer(name).entries}

    symbols = data("symbols")
    assert set(packages()["frameworks"].values()) <= known("frameworks")
    assert {*symbols["augmentations"].values(), *symbols["generator"].values()} <= known("augmentations")
    for table in ("losses", "metrics", "regularization"):
        assert set(symbols[table].values()) <= known(table)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("requirements.txt", "# GPU\ntorch==1.9.0+cu111  # pinned\n", ("PyTorch", "1.9.0", 2)),
        ("requirements-gpu.txt", "tensorflow-gpu>=2.4,<3\n", ("TensorFlow", None, 1)),
        ("pyproject.toml", '[project]\nname = "a"\ndependencies = [\n  "jax==0.4.1",\n]\n', ("JAX", "0.4.1", 4)),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.8"\ntorch = "^1.9"\n', ("PyTorch", None, 3)),
        (
            "setup.py",
            "from setuptools import setup\nNEEDS = ['keras==2.3.1']\nsetup(install_requires=NEEDS)\n",
            ("Keras", "2.3.1", 2),
        ),
        ("setup.cfg", "[options]\ninstall_requires =\n    mxnet==1.5.0\n", ("MXNet", "1.5.0", 3)),
        ("environment.yml", "name: a\ndependencies:\n  - pytorch=1.7.1=py3.8_cuda\n", ("PyTorch", "1.7.1", 3)),
        (
            "environment.yml",
            "dependencies:\n  - pip\n  - pip:\n    - transformers==4.1.0\n",
            ("Hugging Face Transformers", "4.1.0", 4),
        ),
        ("Pipfile", '[packages]\ntimm = "==0.5.4"\n', ("timm", "0.5.4", 2)),
        ("Pipfile.lock", '{"default": {\n"torch": {"version": "==1.8.0"}}}', ("PyTorch", "1.8.0", 2)),
        ("poetry.lock", '[[package]]\nname = "torch"\nversion = "2.0.1"\n', ("PyTorch", "2.0.1", 2)),
        ("Dockerfile", "FROM pytorch/pytorch:1.10.0-cuda11.3-cudnn8-runtime\n", ("PyTorch", "1.10.0", 1)),
        (
            "Dockerfile",
            "FROM python:3.8\nRUN apt-get update && \\\n  pip install tensorflow==2.6.0\n",
            ("TensorFlow", "2.6.0", 2),
        ),
        ("DESCRIPTION", "Package: frogs\nImports:\n    caret (>= 6.0),\n    dplyr\n", ("caret", None, 3)),
        ("renv.lock", '{"Packages": {\n"caret": {"Version": "6.0-93"}}}', ("caret", "6.0-93", 2)),
        ("Project.toml", '[deps]\nFlux = "587475ba"\n', ("Flux.jl", None, 2)),
        ("README.md", "# Requirements\n\n- PyTorch 1.4\n", ("PyTorch", "1.4", 3)),
    ],
)
def test_frameworks_and_versions_come_from_every_kind_of_dependency_file(
    tmp_path: Path, file: str, text: str, expected: tuple[str, str | None, int]
) -> None:
    found = [finding for finding in read(tmp_path, {file: text}).findings if finding.fact == "frameworks"]
    assert [(finding.value["name"], finding.value["version"], finding.line) for finding in found] == [expected]


def test_a_requirements_file_includes_another_one(tmp_path: Path) -> None:
    repository = read(tmp_path, {"requirements.txt": "-r needs/base.txt\n", "needs/base.txt": "torch==1.2.0\n"})
    assert values(repository, "frameworks") == [{"name": "PyTorch", "version": "1.2.0"}]


TRAIN = """
import argparse
from dataclasses import dataclass
import torch.optim as optim
import torchvision.models as models
from torch import nn
from torchvision import transforms as T
from sklearn.model_selection import train_test_split, StratifiedKFold

parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", "--lr", type=float, default=1e-3)
parser.add_argument("--epochs", default=90, type=int)
args = parser.parse_args()
BATCH_SIZE = 2 * 16

@dataclass
class Config:
    dropout: float = 0.25
    seed: int = 7

def main():
    torch.manual_seed(1234)
    model = models.resnet50(pretrained=True)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 30)
    criterion = nn.CrossEntropyLoss()
    T.Compose([T.RandomHorizontalFlip(), T.ColorJitter(0.4)])
    train, test = train_test_split(data, test_size=0.2, random_state=42)
    folds = StratifiedKFold(n_splits=5)
    norm = nn.BatchNorm2d(8, momentum=0.01)
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""


def test_python_is_read_by_its_syntax(tmp_path: Path) -> None:
    repository = read(tmp_path, {"train.py": TRAIN})
    expected = {
        "learning_rate": [0.001, 0.1],
        "epochs": [90],
        "batch_size": [32],
        "dropout": [0.25],
        "seeds": [7, 1234, 42],
        "momentum": [0.9],
        "weight_decay": [0.0005],
        "optimizers": ["SGD with Nesterov momentum"],
        "loss": ["cross-entropy"],
        "augmentations": ["horizontal flip", "color jitter"],
        "split": [{"test": 0.2}],
        "cross_validation_folds": [5],
        "architectures": ["ResNet-50"],
    }
    assert {fact: values(repository, fact) for fact in expected} == expected
    assert [(finding.line, finding.kind) for finding in on(repository, Topic.TRAINING)] == [(13, "entry"), (32, "")]
    assert [finding.kind for finding in on(repository, Topic.WEIGHTS)] == ["backbone"]


def test_a_class_of_settings_may_set_them_when_it_is_created(tmp_path: Path) -> None:
    text = "class Options:\n    def __init__(self, net):\n        self.lr = 0.03\n        self.net = net\n"
    (finding,) = read(tmp_path, {"options.py": text}).findings
    assert (finding.fact, finding.value, finding.line) == ("learning_rate", 0.03, 3)
    assert not read(tmp_path / "other", {"newts.py": text.replace("Options", "Pond")}).findings


def test_python_2_and_broken_files_are_read_as_far_as_possible(tmp_path: Path) -> None:
    old = "import numpy as np\nprint 'seeding'\nnp.random.seed(13)\ntry:\n    pass\nexcept IOError, e:\n    print e\n"
    broken = "import random\nrandom.seed(17)\ndef f(:\n  if if\n"
    repository = read(tmp_path, {"old.py": old, "broken.py": broken})
    assert sorted(values(repository, "seeds"), key=str) == [13, 17]


def test_notebooks_give_the_line_of_the_file(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["seed"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch\n", "torch.manual_seed(99)"]},
    ]
    text = json.dumps({"cells": cells}, indent=1)
    finding = on(read(tmp_path, {"a.ipynb": text}), Topic.SEED)[0]
    assert (finding.value, finding.quote) == (99, "torch.manual_seed(99)")
    assert "manual_seed" in text.split("\n")[finding.line - 1]


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("base.yaml", "train:\n  optim:\n    lr: 0.02\n", 3),
        ("base.yaml", "train: {lr: 0.02, batch: [1\n", 1),
        ("base.json", '{\n  "train": {"lr": 0.02}}', 2),
        ("base.toml", "[train]\nlr = 0.02\n", 2),
        ("solver.prototxt", 'net: "a"\nbase_lr: 0.02\n', 2),
        ("base.gin", "train.learning_rate = 0.02\n", 1),
        ("run.sh", "LR=0.02\npython train.py \\\n  --lr $LR\n", 3),
        ("configs.py", "_C.SOLVER.BASE_LR = 0.02\n", 1),
        ("mm.py", "optimizer = dict(type='SGD', lr=0.02)\n", 1),
        ("model.R", "learning_rate <- 0.02\n", 1),
    ],
)
def test_settings_are_found_in_every_kind_of_configuration(tmp_path: Path, file: str, text: str, line: int) -> None:
    found = [finding for finding in read(tmp_path, {file: text}).findings if finding.fact == "learning_rate"]
    assert [(finding.value, finding.line) for finding in found] == [(0.02, line)]


def test_a_command_that_overrides_a_default_says_so_and_is_named_there(tmp_path: Path) -> None:
    script = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', default=0.1)\n"
    files = {"train.py": script, "README.md": "```\npython train.py --lr 0.01\n```\n"}
    default, command = sorted(
        (finding for finding in read(tmp_path, files).findings if finding.fact == "learning_rate"),
        key=lambda one: one.file,
        reverse=True,
    )
    assert (default.value, default.note) == (0.1, "a command sets 0.01 (README.md:2)")
    assert (command.value, command.note) == (0.01, "in a command that runs train.py; the default is 0.1 (train.py:3)")


def test_a_command_overrides_only_the_script_that_it_runs(tmp_path: Path) -> None:
    script = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', default={})\n"
    commands = "python pretrain.py --epochs 200\npython finetune.py --epochs 9\n"
    files = {"pretrain.py": script.format(100), "finetune.py": script.format(5), "run.sh": commands}
    notes = {finding.file: finding.note for finding in read(tmp_path, files).findings if finding.kind == "default"}
    assert notes == {"pretrain.py": "a command sets 200 (run.sh:1)", "finetune.py": "a command sets 9 (run.sh:2)"}


def test_a_command_may_give_settings_as_pairs_of_words(tmp_path: Path) -> None:
    files = {"README.md": "```\n$ python train.py SOLVER.MAX_ITER 7000\n```\n", "train.py": ""}
    assert values(read(tmp_path, files), "iterations") == [7000]


@pytest.mark.parametrize(
    "line",
    [
        "scaled = args.lr * args.batch_size / 256",
        "args.lr *= world_size",
        "optimizer = build(lr=args.lr * hvd.size())",
        "rate = config['lr'] * float(config['batch_size']) / 512",
    ],
)
def test_a_learning_rate_that_is_scaled_later_is_relative(tmp_path: Path, line: str) -> None:
    (finding,) = (
        each
        for each in read(tmp_path, {"train.py": f"import torch\n{line}\n", "base.yaml": "lr: 0.1\n"}).findings
        if each.fact == "learning_rate"
    )
    assert (finding.value, finding.relative, finding.note) == (0.1, True, "scaled in train.py:2")


@pytest.mark.parametrize(
    ("file", "line", "relative"),
    [
        ("base.yaml", "gradient_accumulation_steps: 8", True),
        ("base.yaml", "gradient_accumulation_steps: 1", False),
        ("train.py", "trainer = Trainer(accumulate_grad_batches=4)", True),
        ("train.py", "parser.add_argument('--accum_iter', type=int, default=2)", True),
        ("train.py", "parser.add_argument('--accum_iter', default=1, type=int)", False),
        ("run.sh", "python train.py --grad_accum_steps 16", True),
        ("train.py", "parser.add_argument('--accum-steps', type=int, default=4)", True),
        ("train.py", "rain.accumulate(8)", False),
    ],
)
def test_a_batch_size_is_relative_where_gradients_are_accumulated(tmp_path: Path, file: str, line: str, relative: bool) -> None:
    files = {"base.yaml": "batch_size: 16\n", "train.py": "import torch\n", "run.sh": "echo\n"}
    files[file] += f"{line}\n"
    (finding,) = (each for each in read(tmp_path, files).findings if each.fact == "batch_size")
    assert (finding.value, finding.relative) == (16, relative)


def test_a_decayed_learning_rate_is_not_scaled(tmp_path: Path) -> None:
    text = "import torch\nlr = 0.1\nnow = lr * 0.5 ** (epoch // 30)\n"
    assert [each.relative for each in read(tmp_path, {"train.py": text}).findings if each.fact == "learning_rate"] == [False]


def test_learning_rates_of_parts_of_a_model_are_read_and_relative(tmp_path: Path) -> None:
    text = (
        "a.add_argument('--critic_lr', default=3e-4)\na.add_argument('--min_lr', default=1e-6)\nCONFIG = {'lr_backbone': 1e-5}\n"
    )
    found = [each for each in read(tmp_path, {"train.py": text}).findings if each.fact == "learning_rate"]
    assert [(each.value, each.relative) for each in found] == [(0.0003, True), (1e-05, True)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import metrics\nprint(metrics.root_mean_squared_error(y, p))\n", "root mean squared error (RMSE)"),
        ("import tensorflow as tf\ntop = tf.metrics.accuracy(labels, predicted)\n", "accuracy"),
        ("def compute_auc(y, p):\n    return 1\n", "AUC"),
        ("test_acc = 100 * correct / total\n", "accuracy"),
        ("a.add_argument('--best_metric', default='newts-AUROC')\n", "AUC"),
        ("from detectron2.evaluation import COCOEvaluator\nclass Newts(COCOEvaluator):\n    pass\n", "average precision (AP)"),
    ],
)
def test_metrics_of_the_repository_itself_are_read(tmp_path: Path, text: str, name: str) -> None:
    assert values(read(tmp_path, {"evaluate.py": text}), "metrics") == [name]


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("net.py", "from torch import nn\nclass TidyUNet(nn.Module):\n    pass\n", "U-Net"),
        ("net.py", "import torch\nmodel = load_frozen_AlexNet(10)\n", "AlexNet"),
        ("net.py", "from tensorflow.keras import layers\nx = layers.CuDNNLSTM(12)(x)\n", "LSTM"),
        ("resnet50_newts.yaml", "lr: 0.1\n", "ResNet-50"),
    ],
)
def test_architectures_are_read_from_names(tmp_path: Path, file: str, text: str, name: str) -> None:
    assert values(read(tmp_path, {file: text}), "architectures") == [name]


def test_batch_jobs_name_the_hardware(tmp_path: Path) -> None:
    finding = on(read(tmp_path, {"job.sh": "#SBATCH --gres=gpu:a100:4\n"}), Topic.DEVICE)[0]
    assert (finding.fact, finding.value["count"], finding.value["kind"]) == ("hardware", 4, "GPU")


def test_code_of_others_is_told_from_the_projects_own(tmp_path: Path) -> None:
    seed = "import torch\ntorch.manual_seed(1)\n"
    copied = {"yolov5/LICENSE": "GPL", "yolov5/README.md": "# YOLO", "yolov5/train.py": seed}
    others = {
        f"{folder}/a.py": seed for folder in ("third_party/x", "node_modules/y", "venv/lib/site-packages/z", "build/lib", "sub")
    }
    modules = {".gitmodules": '[submodule "sub"]\n\tpath = sub\n'}
    repository = read(tmp_path, {"train.py": seed.replace("1", "2"), **copied, **others, **modules})
    assert values(repository, "seeds") == [2]
    assert all(
        any(folder in line for line in repository.skipped)
        for folder in ("third_party", "node_modules", "venv", "build", "sub", "yolov5")
    )


def test_unit_tests_say_nothing_about_the_method(tmp_path: Path) -> None:
    repository = read(tmp_path, {"tests/test_a.py": "import torch\ndef test_a():\n    torch.manual_seed(5)\n"})
    assert not on(repository, Topic.SEED)
    assert on(repository, Topic.TESTS)
