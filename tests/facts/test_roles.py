"""The value is in square brackets: [[ResNet-50]]."""

import re

import pytest

from methodlens.facts.roles import Role, clause, is_own, role_of


def _role(marked: str) -> Role:
    before, value, after = re.split(r"\[\[|\]\]", marked)
    return role_of(before + value + after, len(before), len(before) + len(value))


@pytest.mark.parametrize(
    "marked",
    [
        "We trained the network with [[Adam]].",
        "The network of Marsh et al. [3], a [[U-Net]], was trained on our ponds.",
        "As in [12], the encoder uses [[GRU]] cells.",
        "[[Adam]] [12] was used to train the network.",
        "[[ResNet-50]] (Marsh et al. 2016) served as the backbone.",
        "Following [7], we use [[BERT]] as the encoder.",
        "Unlike earlier work, we used [[Adam]].",
        "Marsh et al. [3] trained AlexNet, while we fine-tune [[ResNet-50]].",
        "We compared [[ResNet-50]], VGG-16 and Inception on the newt images.",
        "The results of [[ResNet-50]] were better than those of VGG-16.",
        "For the encoder we took [[ResNet-50]], which is commonly used.",
        "We used augmentation methods such as [[flips]] and rotations.",
        "The model was trained with [[Adam]] and compared with XGBoost.",
        "Images were annotated with LabelImg and the network was built in [[Keras]].",
        "Images were padded (Reed et al., 2014; Marsh et al., 2019), then a [[U-Net]] was trained.",
        "ResNet-56 and [[DenseNet]] were trained on pond images.",
    ],
)
def test_what_the_authors_did_is_their_own(marked: str) -> None:
    assert _role(marked) is Role.OWN


@pytest.mark.parametrize(
    ("marked", "role"),
    [
        ("We did not use [[dropout]].", Role.NEGATED),
        ("[[Rotations]] and flips are not permissible for newt songs.", Role.NEGATED),
        ("Unlike [[SGD]], Adam adapts its steps.", Role.NEGATED),
        ("Marsh et al. [3] trained [[AlexNet]], while we fine-tune ResNet-50.", Role.CITED),
        ("Marsh and Reed (2019) trained their network with [[SGD]].", Role.CITED),
        ("[7] proposed [[BERT]] for newts.", Role.CITED),
        ("In [7], [[BERT]] was fine-tuned.", Role.CITED),
        ("[[BERT]] was used by Marsh et al. [4] for this task.", Role.CITED),
        ("Unlike Marsh et al., who used [[SGD]], we prefer AdamW.", Role.CITED),
        ("Most previous studies relied on [[LSTM]] layers.", Role.CITED),
        ("In the original paper, [[ResNet-56]] was examined.", Role.CITED),
        ("Our network outperforms [[VGG-16]] by 3 points.", Role.BASELINE),
        ("Our network outperforms VGG-16 and [[Inception v3]] by 3 points.", Role.BASELINE),
        ("The results of ResNet-50 were better than those of [[VGG-16]].", Role.BASELINE),
        ("Adam was chosen over [[SGD]].", Role.BASELINE),
        ("We compared the scores of FrogNet with those of models such as VGG-16 and [[U-Net]].", Role.BASELINE),
        ("The baselines are MoCo and [[SimCLR]].", Role.BASELINE),
        ("The LSTM baseline was trained with [[RMSprop]].", Role.BASELINE),
        ("[[DenseNet]] is used as a baseline.", Role.BASELINE),
        ("Similar to [[MoCo]], we keep a momentum encoder.", Role.BASELINE),
        ("[[Random crops]] could change the label of a recording.", Role.HYPOTHETICAL),
        ("[[Capsule networks]] have been proposed as an alternative.", Role.HYPOTHETICAL),
        ("In future work, [[mixup]] may be added.", Role.HYPOTHETICAL),
        ("Augmentation methods such as [[flips]] are often used in vision.", Role.HYPOTHETICAL),
        ("Statistical analyses were performed in [[MATLAB]].", Role.TOOL),
        ("Images were annotated with [[LabelImg]] and the network was built in Keras.", Role.TOOL),
        ("Inference with [[TensorFlow Lite]] takes 2 ms per image.", Role.INFERENCE),
        ("For the ablation, [[SGD]] was used.", Role.SUBSTEP),
    ],
)
def test_values_of_others_tools_and_side_steps_are_told_apart(marked: str, role: Role) -> None:
    assert _role(marked) is role


def test_a_kind_of_fact_may_allow_a_role() -> None:
    text = "Inference ran on a Jetson Nano."
    assert not is_own(text, 19, 30)
    assert is_own(text, 19, 30, allow={Role.INFERENCE})


def test_a_clause_ends_where_the_subject_changes() -> None:
    text = "They used SGD; we used Adam. It worked."
    assert [text[slice(*clause(text, at))] for at in (12, 20, 32)] == ["They used SGD", "; we used Adam. ", "It worked."]
