"""Names and times in the ways in which papers of many fields write them. The sentences, and the models in them, are made up."""

import pytest

from methodlens.facts import extract


def _values(key: str, sentence: str) -> list[object]:
    value = extract([key], [sentence]).get(key)
    return [] if value is None else value if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The visual encoder of our otter tracker is a ViT-B/16.", ["ViT-B/16"]),
        ("We start from a Vision Transformer (ViT) that has seen no otters.", ["Vision Transformer (ViT)"]),
        ("Swin-T serves as the backbone of our heron counter.", ["Swin-T"]),
        ("We fine-tune BERT LARGE on the newt reports.", ["BERT-large"]),
        ("We trained DeBERTa-v3-base on the toad letters.", ["DeBERTa-v3-base"]),
        ("We used mT5-base and ByT5-small for the frog captions.", ["mT5-base", "ByT5-small"]),
        ("We fine-tuned Qwen2.5-7B on the pond dialogues.", ["Qwen2.5-7B"]),
        ("Whisper large-v2 was fine-tuned on heron speech.", ["Whisper large v2"]),
        ("The agent was trained with twin delayed DDPG (TD3).", ["twin delayed DDPG (TD3)"]),
        ("The reed model comprises a CNN encoder and an LSTM decoder.", ["CNN", "LSTM"]),
    ],
)
def test_variants_and_sizes_of_well_known_models_are_kept(sentence: str, expected: list[str]) -> None:
    assert _values("architectures", sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We propose a lightweight and accurate TarnLex model for otter songs.", ["TarnLex"]),
        ("The architecture of the proposed BogSeg is shown in Fig. 2.", ["BogSeg"]),
        ("Our FenDet reaches the bank in half the time.", []),  # nothing says that it is a model
        ("Our FenDet model reaches the bank in half the time.", ["FenDet"]),
        ("HeronNet consists of a stem, a neck and a head.", ["HeronNet"]),
        (
            "We introduce Contrastive Otter Pre-training (COP), a framework for encoders.",
            ["Contrastive Otter Pre-training (COP)"],
        ),
    ],
)
def test_the_authors_own_model_is_found_by_how_it_is_introduced(sentence: str, expected: list[str]) -> None:
    assert _values("architectures", sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Networks such as ResNet and DenseNet have been widely adopted as backbones.",
        "Transformers have become the dominant architecture for newt songs.",
        "Recent work (Marsh et al., 2021) fine-tunes CLIP for pond retrieval.",
        "The network ran on a graphics processing unit (GPU) with rectified linear units (ReLU).",
        "Our MRI scans and our UAV images were shown to the model.",
    ],
)
def test_remarks_on_models_in_general_name_no_architecture_of_the_paper(sentence: str) -> None:
    assert _values("architectures", sentence) == []


def test_models_listed_before_our_own_are_baselines() -> None:
    assert _values("architectures", "Table 3 lists the results of PSPNet, HRNet and our BogNet.") == ["BogNet"]


def test_a_model_whose_training_protocol_is_followed_is_not_the_model() -> None:
    assert _values("architectures", "We follow the protocol of DeiT and train ResNet-50 from scratch.") == ["ResNet-50"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Poses are evaluated with MPJPE and PCK.", ["mean per joint position error (MPJPE)", "PCK"]),
        ("We report the AUROC of the otter alarm.", ["AUC"]),
        ("We report PPV and NPV.", ["positive predictive value (PPV)", "negative predictive value (NPV)"]),
        ("The Jaccard index of the ponds was 0.81.", ["Jaccard index"]),
        (
            "Paths were scored by average displacement error (ADE) and final displacement error (FDE).",
            ["average displacement error (ADE)", "final displacement error (FDE)"],
        ),
        ("The true skill statistic (TSS) was 0.62.", ["true skill statistic (TSS)"]),
        ("The novelty of this otter tracker is its size.", []),
    ],
)
def test_metrics_of_many_fields(sentence: str, expected: list[str]) -> None:
    assert _values("metrics", sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The otter photos were augmented by random horizontal flipping, cropping and erasing.",
            {"horizontal flip", "crop", "random erasing"},
        ),
        (
            "A random resized crop was followed by color jitter and random grayscale.",
            {"random resized crop", "color jitter", "grayscale"},
        ),
        ("Augmentations such as rotations or flips were deliberately avoided.", set()),
        ("We did not use any augmentation such as flipping.", set()),
        ("After augmentation, there were twice as many newts.", set()),
    ],
)
def test_augmentations_in_lists_and_refusals(sentence: str, expected: set[str]) -> None:
    assert set(_values("augmentations", sentence)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Training on eight chips finishes in three and a half hours.", [3.5]),
        ("Training lasted a day and a half.", [36.0]),
        ("Pre-training lasted 4.5 days, fine-tuning 6 hours.", [108.0, 6.0]),
        ("Each pond film is two hours and a half long.", []),
    ],
)
def test_training_times_with_halves_and_stages(sentence: str, expected: list[float]) -> None:
    assert _values("training_time_h", sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We present a network for point cloud registration of reed beds.", ["point cloud registration"]),
        ("Our model translates English to the songs of herons.", ["machine translation"]),
        ("We propose a network to denoise newt scans.", ["denoising"]),
    ],
)
def test_tasks_of_many_fields(sentence: str, expected: list[str]) -> None:
    assert _values("tasks", sentence) == expected


def test_a_task_that_is_only_mentioned_gives_way_to_the_stated_one() -> None:
    stated = "In this paper we propose a model for the task of otter re-identification."
    remark = "Deep learning has often been used for speech recognition."
    assert extract(["tasks"], [stated, remark])["tasks"] == ["re-identification"]


@pytest.mark.parametrize(
    ("sentence", "code", "data"),
    [
        ("Our modified code, which suits otters, is available at https://github.com/marsh/otter.", True, False),
        ("We modified code from https://github.com/marsh/otter.", False, False),
        ("The otter loss was implemented in NewtFlow (https://github.com/newt/flow).", False, False),
        ("Our net was implemented in PyTorch (https://github.com/newt/net).", True, False),
        ("Our model was based on the NewtKit (Toad, 2020; http://doi.org/10.5281/zenodo.11) implementation.", False, False),
        ("We used the NewtSong data (Toad, 2020; http://doi.org/10.5281/zenodo.11).", False, True),
    ],
)
def test_links_of_modified_code_tools_and_cited_data(sentence: str, code: bool, data: bool) -> None:
    found = extract(["code_urls", "data_urls"], [sentence])
    assert (bool(found["code_urls"]), bool(found["data_urls"])) == (code, data)
