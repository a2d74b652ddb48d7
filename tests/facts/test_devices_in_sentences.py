"""Devices and memory in the wordings that papers use, and devices that the authors did not train on."""

import pytest

from methodlens.facts.hardware import hardware, ram_gb


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("We trained on a Xeon E5-2690.", {"Intel Xeon E5-2690": 1}),
        ("We trained on an Intel E5-2699.", {"Intel Xeon E5-2699": 1}),
        ("Training ran on a Ryzen 9 with 12 cores.", {"AMD Ryzen 9": 1}),
        ("The net was trained on an i7-9700K.", {"Intel Core i7-9700K": 1}),
        ("It ran on an EPYC 7742.", {"AMD EPYC 7742": 1}),
        ("trained on an Apple M1", {"Apple M1": 1}),
        ("trained on an M2 Pro chip", {"Apple M2 Pro": 1}),
        ("We trained on 8×V100.", {"NVIDIA V100": 8}),
        ("We trained on a single GTX 1080 Ti (11 GB).", {"NVIDIA GeForce GTX 1080 Ti": 1}),
        ("We trained on two 2080Ti GPUs.", {"NVIDIA GeForce RTX 2080 Ti": 2}),
        ("trained on a 1080Ti", {"NVIDIA GeForce GTX 1080 Ti": 1}),
        ("All nets were trained on an A6000 GPU.", {"NVIDIA A6000": 1}),
        ("trained on RTX A-6000 cards", {"NVIDIA RTX A6000": None}),
        ("The trained net runs on a Jetson Nano in real time; it was trained on a Titan RTX.", {"NVIDIA TITAN RTX": 1}),
        ("We trained the nets on AWS.", {"AWS": None}),
        ("We parallelised training on an 8-GPU machine.", {"GPU (model not named)": 8}),
        ("Training ran on the CPU while the Titan RTX was busy.", {"NVIDIA TITAN RTX": 1}),
        ("We trained the net on a CPU.", {"CPU (model not named)": 1}),
        ("The net was trained on four Tesla V100-SXM2-32GB GPUs.", {"NVIDIA Tesla V100": 4}),
        ("We used the Titan RTX for training.", {"NVIDIA TITAN RTX": 1}),
        ("trained on the Titan RTX GPUs of the institute", {"NVIDIA TITAN RTX": None}),
        ("The net was trained in a Kaggle notebook.", {"Kaggle": 1}),
        ("trained with a Core 2 Duo", {"Intel Core 2 Duo": 1}),
        ("The net was trained on a Quadro M1000M.", {"NVIDIA Quadro M1000M": 1}),
        ("We trained on four NVIDIA A100 80GB GPUs.", {"NVIDIA A100": 4}),
        ("We trained on 64 TPU v3 cores", {"Google TPU v3": 64}),
        ("Training ran on two NVIDIA GTX 580 3GB GPUs.", {"NVIDIA GeForce GTX 580": 2}),
        ("We trained on a 4-GPU Titan Black workstation.", {"NVIDIA TITAN Black": 4}),
    ],
)
def test_the_devices_of_training_are_named_and_counted(text: str, counts: dict[str, int | None]) -> None:
    assert {device["name"]: device["count"] for device in hardware(text)} == counts


@pytest.mark.parametrize(
    "text",
    [
        "The trained model was deployed on a Raspberry Pi 4.",
        "Croaks were recorded with a Raspberry Pi.",
        "Photos are stored on Amazon Web Services.",
        "A Google Colab notebook is available.",
        "GPUs are needed for such nets.",
        "A GPU has many cores.",
        "Toad et al. (2019) trained their net on a Tesla K40.",
        "The nets could be trained on an A100.",
        "We ran training on 16 cores of a cluster of newts.",
    ],
)
def test_a_device_that_was_not_trained_on_is_not_hardware(text: str) -> None:
    assert hardware(text) == []


@pytest.mark.parametrize(
    ("text", "card", "ram"),
    [
        ("We trained on a TITAN Xp 12G GPU.", 12, None),
        ("training used an RTX 3070 laptop GPU with 8 GB of video memory", 8, None),
        ("We trained on a P100 with 12 GB of GPU memory.", 12, None),
        ("trained on an A100-80GB", 80, None),
        ("an A100-SXM4-40GB was used for training", 40, None),
        ("We trained on a PC with 128G memory and a Titan RTX.", None, 128),
        ("trained on a Titan RTX; memory: 32 GB", None, 32),
        ("trained on a Titan RTX with 16 GB of RAM", None, 16),
        ("The Titan RTX (24 GB) was used for training with 64 GB of 3000 MHz DDR4 memory.", 24, 64),
        ("trained on four NVIDIA A100 80GB GPUs", 80, None),
        ("trained on a Titan RTX whose GPU memory is 24 GB", None, None),
    ],
)
def test_memory_is_told_apart_by_what_it_belongs_to(text: str, card: float | None, ram: float | None) -> None:
    assert (hardware(text)[0]["memory_gb"], ram_gb(text)) == (card, ram)
