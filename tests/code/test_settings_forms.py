"""The forms in which code sets a value: kept shares, fallbacks, expressions, names without a call."""

from pathlib import Path

import pytest

from tests.code.repositories import read, values

TORCH = "import torch\nfrom torch import nn, optim\nimport torchvision\n"


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("KEEP_PROB = 0.8\n", "dropout", 0.2),
        ("parser.add_argument('--dropout_keep_prob', default=0.9)\n", "dropout", 0.1),
        ("import tensorflow as tf\nx = tf.nn.dropout(x, keep_prob=0.75)\n", "dropout", 0.25),
        (TORCH + "x = nn.functional.dropout(x, 0.3)\n", "dropout", 0.3),
        ("layers = [PondDropout(rate=0.4)]\n", "dropout", 0.4),
        ("lr = given['lr'] if 'lr' in given else 3e-4\n", "learning_rate", 3e-4),
        ("config.max_epochs = wanted or 70\n", "epochs", 70),
        ("size = settings.get('batch_size', 24)\n", "batch_size", 24),
        ("size = getattr(args, 'batch_size', 24)\n", "batch_size", 24),
        ("hparams.add_hparam('learning_rate', 0.02)\n", "learning_rate", 0.02),
        ("WIDTH = 8\nBATCH_SIZE = WIDTH * 6\n", "batch_size", 48),
        ("learning_rate: float = 0.004\n", "learning_rate", 0.004),
        ("MAX_STEPS = int(2e5)\n", "iterations", 200_000),
        ("params = FrogDict(batch_size=12)\nparams = AttrDict(batch_size=12)\n", "batch_size", 12),
        ("parser.add_argument('--lr', default=None, help='step size (default: 0.003)')\n", "learning_rate", 0.003),
        ("parser.add_argument('--lr', nargs='+', default=[0.006])\n", "learning_rate", 0.006),
        ("NUM_EPOCHS_SMALL = 35\n", "epochs", 35),
        ("class PondConfig:\n    embedding_dropout = 0.35\n", "dropout", 0.35),
        ("def train(data, split_sizes=(0.7, 0.2, 0.1)):\n    pass\n", "split", {"train": 0.7, "validation": 0.2, "test": 0.1}),
        ("class PondTrainer:\n    def __init__(self, net, train_lr=0.07):\n        self.epochs = 65\n", "learning_rate", 0.07),
        ("class PondTrainer:\n    def __init__(self, net, train_lr=0.07):\n        self.epochs = 65\n", "epochs", 65),
        ("class PondBuffer:\n    def __init__(self, batch_size=40):\n        pass\n", "batch_size", 40),
        ("group.add('--train_steps', type=int, default=9000)\n", "iterations", 9000),
        ("config = {'split_ratio': [90, 10]}\n", "split", {"train": 0.9, "test": 0.1}),
    ],
)
def test_a_setting_is_read_in_the_form_that_the_code_gives_it(tmp_path: Path, text: str, fact: str, value: object) -> None:
    assert value in values(read(tmp_path, {"train.py": text}), fact)


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        (TORCH + "chosen = {'a': optim.SGD, 'b': optim.RMSprop}\n", "optimizers", "RMSprop"),
        (TORCH + "def train(net, optimizer=optim.Adadelta):\n    pass\n", "optimizers", "AdaDelta"),
        ("from torch.optim import Adagrad\n", "optimizers", "AdaGrad"),
        (TORCH + "class PatientAdam(optim.Optimizer):\n    pass\n", "optimizers", "Adam"),
        (TORCH + "opt = optim.Adam(net.parameters(), lr=0.1, amsgrad=True)\n", "optimizers", "AMSGrad"),
        (TORCH + "opt = optim.SGD(net.parameters(), lr=0.1, weight_decay=decay)\n", "regularization", "weight decay"),
        (TORCH + "net = torchvision.models.resnet34\n", "architectures", "ResNet-34"),
        ("from torchvision.models import vgg16\n", "architectures", "VGG-16"),
        (TORCH + "class NewtVAE(nn.Module):\n    pass\n", "architectures", "VAE"),
        (TORCH + "class Pond(PondGAN):\n    pass\n", "architectures", "GAN"),
        (TORCH + "def focal_loss(a, b):\n    pass\n", "loss", "focal loss"),
        (TORCH + "def random_flip(image):\n    pass\n", "augmentations", "flip"),
        (TORCH + "def calc_average_precision(recall, found):\n    pass\n", "metrics", "average precision (AP)"),
    ],
)
def test_what_is_only_named_or_defined_is_read_as_well(tmp_path: Path, text: str, fact: str, value: str) -> None:
    assert value in values(read(tmp_path, {"lib/pond.py": text}), fact)


def test_a_module_may_be_named_after_its_model(tmp_path: Path) -> None:
    files = {"nets/unet.py": TORCH, "frogs/vae/encoder.py": TORCH, "tools/unet_plot.py": "print('no framework')\n"}
    assert sorted(map(str, values(read(tmp_path, files), "architectures"))) == ["U-Net", "VAE"]


@pytest.mark.parametrize(
    "text",
    [
        "KEEP_PROB = 1.0\n",  # keeps all
        "val_num_epochs = 3\n",
        "epochs_per_evaluation = 3\n",
        "def train(reduce_lr=10):\n    pass\n",
        "split_sizes = [800, 100, 100]\n",  # numbers of images
        "lr = float(open('lr.txt').read())\n",
        "parser.add_argument('--lr', help='no default')\n",
        "class PondSGD(Optimizer):\n    def __init__(self, params, lr=0.1):\n        pass\n",
        "self.epochs = 0\nself.epochs += 1\nsaved = {'epoch': self.epochs + 1}\n",
    ],
)
def test_what_is_no_such_setting_is_left_out(tmp_path: Path, text: str) -> None:
    repository = read(tmp_path, {"train.py": text})
    assert not [each for fact in ("learning_rate", "epochs", "dropout", "split") for each in values(repository, fact)]


def test_a_batch_that_is_divided_among_devices_is_given_as_a_whole(tmp_path: Path) -> None:
    options = "parser.add_argument('--batch_size', type=int, default=64)\n"
    whole = read(tmp_path / "a", {"train.py": options + "size = args.batch_size // n_gpus\n"})
    each = read(tmp_path / "b", {"train.py": options + "size = args.batch_size * n_gpus\n"})
    assert [finding.relative for finding in whole.findings if finding.fact == "batch_size"] == [False]
    assert [finding.relative for finding in each.findings if finding.fact == "batch_size"] == [True]


@pytest.mark.parametrize(
    ("file", "text", "fact", "value"),
    [
        ("a.yaml", "optimizer:\n  type: AdamW\n", "optimizers", "AdamW"),
        ("a.yaml", "loss:\n  _target_: torch.nn.BCELoss\n", "loss", "binary cross-entropy"),
        ("a.yaml", "Epoch:\n  description: how long\n  value: 20\n", "epochs", 20),
        ("a.yaml", "split: {random: [0.8, 0.1, 0.1]}\n", "split", {"train": 0.8, "validation": 0.1, "test": 0.1}),
    ],
)
def test_nested_configurations_are_read(tmp_path: Path, file: str, text: str, fact: str, value: object) -> None:
    assert value in values(read(tmp_path, {file: text}), fact)


def test_numbers_too_large_to_compute_with_are_passed_over(tmp_path: Path) -> None:
    huge = "9" * 4000
    large = f"seen.add({huge})\nsplit_sizes = [{huge}, 1]\nLR = float({huge})\nBATCH_SIZE = {huge} * 2\n"
    deep = "x" + ".y" * 90 + " += 1\n"
    assert values(read(tmp_path, {"train.py": f"{large}{deep}EPOCHS = 12\n"}), "epochs") == [12]


def test_the_optimiser_of_single_tensors_is_not_that_of_a_model(tmp_path: Path) -> None:
    text = TORCH + "a = optim.Adam([shifts, turns], lr=0.02)\nb = optim.SGD([{'params': net.parameters()}], lr=0.1)\n"
    found = [each for each in read(tmp_path, {"refine.py": text}).findings if each.fact in ("optimizers", "learning_rate")]
    assert {(each.value, each.relative) for each in found if each.kind == "call"} == {
        ("Adam", True), (0.02, True), ("SGD", False), (0.1, False),
    }  # fmt: skip
