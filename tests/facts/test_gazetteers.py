"""Promises of the data files and of looking names up in them."""

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.facts.gazetteer import OTHER_MEANING, gazetteer, squeezed
from methodlens.facts.naming import distinct

OTHERS = {"hardware", "hosts", "power"}  # with schemas of their own
FILES = sorted(
    file.name.removesuffix(".toml")
    for file in (resources.files("methodlens.facts") / "data").iterdir()
    if file.name.endswith(".toml") and file.name.removesuffix(".toml") not in OTHERS
)


def _names(which: str, text: str) -> list[str]:
    return [mention.name for mention in gazetteer(which).mentions(text)]


@pytest.mark.parametrize("name", FILES)
def test_aliases_are_unique_and_not_empty(name: str) -> None:
    loose: dict[str, str] = {}
    exact: dict[str, str] = {}
    for entry in gazetteer(name).entries:
        assert entry.name
        assert entry.kind
        for alias in entry.spellings:
            key = squeezed(alias).lower()
            assert key, f"{name}: an alias of {entry.name} has no letters"
            assert key not in loose, f"{name}: {alias!r} is {entry.name} and {loose[key]}"
            loose[key] = entry.name
        for alias in entry.exact:
            assert squeezed(alias) not in exact, f"{name}: {alias!r} is there twice"
            exact[squeezed(alias)] = entry.name


@pytest.mark.parametrize("name", FILES)
def test_every_name_is_found_by_itself(name: str) -> None:
    for entry in gazetteer(name).entries:
        if not entry.needs and not entry.common and entry.kind != OTHER_MEANING:
            assert entry.name in _names(name, f"We used {entry.name}.") or entry.exact, entry.name


def test_every_gazetteer_documents_its_fields() -> None:
    for name in FILES:
        head = (resources.files("methodlens.facts") / "data" / f"{name}.toml").read_text(encoding="utf-8").split("entries =")[0]
        assert all(field in head for field in ("name", "kind", "aliases", "exact")), name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ResNet-50", ["ResNet-50"]),
        ("ResNet50", ["ResNet-50"]),
        ("Res Net 50", ["ResNet-50"]),
        ("a Res-\nNet50 backbone", ["ResNet-50"]),
        ("a 50-layer residual network", ["ResNet-50"]),
        ("ResNet (18 and 34 layers)", ["ResNet-18", "ResNet-34"]),
        ("EfficientNetB3 and EfficientNet-B0", ["EfficientNet-B3", "EfficientNet-B0"]),
        ("YOLOv5s, YOLO v3 and YOLOv8-n", ["YOLOv5s", "YOLOv3", "YOLOv8n"]),
        ("InceptionV3", ["Inception V3"]),
        ("DeepLabv3+", ["DeepLabv3+"]),
        ("Mask R-CNN and Faster RCNN", ["Mask R-CNN", "Faster R-CNN"]),
        ("U-Net++", ["U-Net++"]),
        ("two LSTMs", ["LSTM"]),
        ("a bidirectional LSTM", ["BiLSTM"]),
        ("convolutional neural networks", ["CNN"]),
        ("in a perch of cod", []),
        ("the masked autoencoder", ["masked autoencoder (MAE)"]),
    ],
)
def test_spellings_of_an_architecture_give_one_name(text: str, expected: list[str]) -> None:
    assert _names("architectures", f"We trained {text} on newts.") == expected


@pytest.mark.parametrize(
    ("which", "text", "expected"),
    [
        ("optimizers", "AdamW", ["AdamW"]),
        ("optimizers", "Adam", ["Adam"]),
        ("optimizers", "Adam and Eve et al", ["Adam"]),
        ("optimizers", "the work of Adam et al. (2001)", []),
        ("optimizers", "the lamb of the farmer", []),
        ("metrics", "balanced accuracy", ["balanced accuracy"]),
        ("metrics", "a map of the ponds", []),
        ("metrics", "mAP and AP50", ["mean average precision (mAP)", "AP50"]),
        ("metrics", "accuracies and F1-scores", ["accuracy", "F1"]),
        ("metrics", "accu-racy and pre-cision", ["accuracy", "precision"]),
        ("metrics", "mean absolute error (MAE)", ["mean absolute error (MAE)"] * 2),
        ("metrics", "R² and r-squared", ["R2", "R2"]),
        ("augmentations", "horizontal and vertical flips", ["horizontal flip", "vertical flip"]),
        ("augmentations", "width and height shifts", ["width shift", "height shift"]),
        ("augmentations", "colour jittering", ["color jitter"]),
        ("regularization", "L2 regularisation", ["L2 regularization"]),
        ("frameworks", "scikit-learn and fast.ai", ["scikit-learn", "fastai"]),
    ],
)
def test_the_longest_name_in_the_right_case_wins(which: str, text: str, expected: list[str]) -> None:
    assert _names(which, f"We chose {text}.") == expected


@pytest.mark.parametrize(
    "text",
    [
        "We used no dropout.",
        "We did not use dropout or weight decay.",
        "The net was trained without any dropout.",
        "Dropout was not used.",
        "Dropout layers were left out.",
        "We chose small nets rather than dropout.",
    ],
)
def test_negated_names_are_not_facts(text: str) -> None:
    assert _names("regularization", text) == []


def test_a_negation_ends_with_its_clause() -> None:
    assert _names("regularization", "We used dropout and we did not use label smoothing.") == ["dropout"]
    assert _names("regularization", "We used not only dropout but also weight decay.") == ["dropout", "weight decay"]


def test_a_specific_name_replaces_a_general_one() -> None:
    text = "Our convolutional neural network is a ResNet; the ResNet-18 saw flips and horizontal flips."
    assert distinct(gazetteer("architectures").mentions(text)) == ["ResNet-18"]
    assert distinct(gazetteer("augmentations").mentions(text)) == ["horizontal flip"]
    assert distinct(gazetteer("architectures").mentions("A convolutional neural network heard newts.")) == ["CNN"]


def test_a_mention_has_the_position_of_its_name() -> None:
    text = "Then a Res Net50 was trained."
    (mention,) = gazetteer("architectures").mentions(text)
    assert text[mention.start : mention.end] == "Res Net50"


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    for mention in gazetteer("architectures").mentions(text):
        assert 0 <= mention.start < mention.end <= len(text)


def test_every_mention_in_a_long_text_is_found() -> None:
    text = "The newt net was trained with accuracy and care on ponds, " * 400
    assert len(gazetteer("metrics").mentions(text)) == 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ResNet-18/34/50", ["ResNet-18", "ResNet-34", "ResNet-50"]),
        ("ResNet-20, -56 and -110", ["ResNet-20", "ResNet-56", "ResNet-110"]),
        ("ResNet-18, 34, and 50", ["ResNet-18", "ResNet-34", "ResNet-50"]),
        ("ResNet-18, 50 newts", ["ResNet-18"]),
        ("ResNet-18/newt", ["ResNet-18"]),
    ],
)
def test_a_list_of_sizes_names_each_variant(text: str, expected: list[str]) -> None:
    assert [mention.name for mention in gazetteer("architectures").mentions(f"We trained {text}.")] == expected
