"""The completeness checklist: what counts, and what only looks like it."""

from pathlib import Path

import pytest

from methodlens.records.code import CheckItem
from tests.code.repositories import EXAMPLES, met, on, read, values

LOOP = "import torch\nloss.backward()\noptimizer.step()\n"


def test_the_example_repositories_meet_what_their_readme_promises() -> None:
    everything = read(EXAMPLES / "everything-reported", {})
    assert met(everything) == set(CheckItem) - {CheckItem.TESTS}
    assert values(everything, "learning_rate") == [0.001]
    silent = read(EXAMPLES / "silent-on-hardware", {})
    assert CheckItem.SEEDS in met(silent)
    assert {CheckItem.README_COMMANDS, CheckItem.MODELS, CheckItem.LICENSE}.isdisjoint(met(silent))


@pytest.mark.parametrize(
    ("item", "files", "counts"),
    [
        (CheckItem.TRAINING_CODE, {"a.py": LOOP}, True),
        (CheckItem.TRAINING_CODE, {"a.py": "from tensorflow import keras\nmodel.fit(x, y, epochs=3)\n"}, True),
        (CheckItem.TRAINING_CODE, {"a.py": "from sklearn.preprocessing import StandardScaler\nscaler.fit(x)\n"}, False),
        (CheckItem.TRAINING_CODE, {"a.py": "import torch\nmodel.eval()\nmodel(x)\n"}, False),
        (CheckItem.EVALUATION_CODE, {"train.py": LOOP + "def validate(model):\n    model.eval()\n"}, True),
        (CheckItem.EVALUATION_CODE, {"predict.py": "import torch\nmodel.eval()\nprint(model(x))\n"}, False),
        (CheckItem.MODELS, {"README.md": "Our pre-trained model: https://drive.google.com/file/d/abc\n"}, True),
        (
            CheckItem.MODELS,
            {"README.md": "Download the ImageNet pre-trained backbone https://drive.google.com/file/d/abc\n"},
            False,
        ),
        (CheckItem.MODELS, {"README.md": "Download the dataset: https://drive.google.com/file/d/abc\n"}, False),
        (CheckItem.MODELS, {"checkpoints/net.pth": "x" * 3000}, True),
        (CheckItem.MODELS, {"a.py": "import timm\ntimm.create_model('resnet50', pretrained=True)\n"}, False),
        (CheckItem.README_COMMANDS, {"README.md": "```\npython train.py\n```\n", "train.py": LOOP}, True),
        (CheckItem.README_COMMANDS, {"README.md": "Run `python tools/train.py --lr 1`.\n", "tools/train.py": LOOP}, True),
        (CheckItem.README_COMMANDS, {"README.md": "```\npython train.py\n```\n"}, False),
        (CheckItem.README_COMMANDS, {"README.md": "```\npip install .\npython setup.py install\n```\n", "setup.py": ""}, False),
        (
            CheckItem.README_COMMANDS,
            {
                "README.md": "```\nfrogs train a\n```\n",
                "pyproject.toml": '[project.scripts]\nfrogs = "frogs:main"\n[project]\ndependencies=["a"]\n',
            },
            True,
        ),
        (CheckItem.README_RESULTS, {"README.md": "| Model | mAP |\n|---|---|\n| a | 31.2 |\n| b | 33.0 |\n"}, True),
        (CheckItem.README_RESULTS, {"README.md": "| Option | Default |\n|---|---|\n| lr | 0.1 |\n| batch | 32 |\n"}, False),
        (CheckItem.PINNED, {"requirements.txt": "torch==1.1.0\nnumpy==1.2\n"}, True),
        (CheckItem.PINNED, {"requirements.txt": "torch==1.1.0\nnumpy\nscipy\n"}, False),
        (CheckItem.DEPENDENCIES, {"a.py": "import torch\n"}, False),
        (CheckItem.DEPENDENCIES, {"README.md": "```\npip install torch==1.2\n```\n"}, True),
        (CheckItem.LICENSE, {"LICENSE": "MIT License\n"}, True),
        (CheckItem.DATA_ACCESS, {"README.md": "The data set is at https://zenodo.org/record/1.\n"}, True),
        (CheckItem.DATA_ACCESS, {"README.md": "- [Newt dataset](https://newts.example.org/about)\n"}, True),
        (CheckItem.DATA_ACCESS, {"a.py": "p.add_argument('--data_path', default='/home/ann/newts')\n"}, False),
        (CheckItem.DATA_ACCESS, {"README.md": "```\npython a.py --data_dir=DIR\n```\n", "a.py": LOOP}, False),
        (
            CheckItem.EVALUATION_CODE,
            {"a.py": "from detectron2.evaluation import COCOEvaluator\nclass E(COCOEvaluator):\n    x = 1\n"},
            True,
        ),
        (CheckItem.EVALUATION_CODE, {"a.py": "import torch\nTrainer.test(cfg, model)\n"}, True),
        (CheckItem.DEPENDENCIES, {"README.md": "You need a GPU.\n\n- Install PyTorch version >= 1.4 on it.\n"}, True),
        (CheckItem.README_COMMANDS, {"README.md": "Run\n\n    $> ./go.py --file a.yaml\n", "go.py": LOOP}, True),
        (
            CheckItem.README_RESULTS,
            {"README.md": "# Checkpoints\n\n||S|M|\n|--|--|--|\n| a | 71% ([s](https://a.org/s)) | 73% |\n| b | 72% | 74% |\n"},
            True,
        ),
    ],
)
def test_an_item_is_met_by_what_a_careful_person_accepts(
    tmp_path: Path, item: CheckItem, files: dict[str, str], counts: bool
) -> None:
    assert (item in met(read(tmp_path, files))) is counts


def test_every_met_item_shows_its_findings() -> None:
    repository = read(EXAMPLES / "everything-reported", {})
    assert all(bool(check.findings) == check.met for check in repository.checks)
    assert not on(repository, "none")  # type: ignore[arg-type]


def test_a_command_that_fetches_models_and_scripts_listed_in_one_line_count(tmp_path: Path) -> None:
    scripts = "['newts=newts.cli:main', 'newts-train=newts.train:main']"
    setup = f"from setuptools import setup\\nsetup(entry_points={{'console_scripts': {scripts}}})\\n"
    files = {"setup.py": setup, "README.md": "# Newts\n\n```\nnewts-train --pond 3\nnewts download models\n```\n"}
    assert {CheckItem.README_COMMANDS, CheckItem.MODELS} <= met(read(tmp_path / "a", files))
    files["README.md"] = "# Newts\n\n```\nnewts-train --pond 3\nnewts download images\n```\n"
    assert CheckItem.MODELS not in met(read(tmp_path / "b", files))


@pytest.mark.parametrize("address", ["https://huggingface.co/models", "https://github.com/pond/newts/archive/master.zip"])
def test_a_list_of_models_and_an_archive_of_code_are_no_released_models(tmp_path: Path, address: str) -> None:
    readme = f"# Newts\n\nYou can find pretrained models [here]({address}).\n"
    assert CheckItem.MODELS not in met(read(tmp_path, {"README.md": readme}))


def test_a_script_without_suffix_that_is_installed_is_a_command_of_the_repository(tmp_path: Path) -> None:
    files = {"setup.py": "from setuptools import setup\nsetup(scripts=['bin/newts-count'])\n", "bin/newts-count": "#!/bin/sh\n"}
    files["README.md"] = "# Newts\n\n```\nnewts-count --pond 3\n```\n"
    assert CheckItem.README_COMMANDS in met(read(tmp_path, files))


def test_an_address_in_a_docstring_releases_nothing(tmp_path: Path) -> None:
    text = '"""A pretrained newt.\n\nSee https://zenodo.org/record/7 for checkpoints of others.\n"""\n'
    assert CheckItem.MODELS not in met(read(tmp_path, {"newts.py": text}))
