from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.facts import extract
from methodlens.facts.hardware import devices, hardware, ram_gb
from methodlens.facts.times import training_hours


def _named(text: str) -> dict[str, Any]:
    return {device["name"]: device["count"] for device in hardware(text)}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("on a Titan RTX", "NVIDIA TITAN RTX", "GPU"),
        ("on a GTX TITAN X card", "NVIDIA TITAN X", "GPU"),
        ("a Titan X (Pascal) board", "NVIDIA TITAN X Pascal", "GPU"),
        ("with a geforce rtx 2080ti", "NVIDIA GeForce RTX 2080 Ti", "GPU"),
        ("an NVIDIA GTX1080 card", "NVIDIA GeForce GTX 1080", "GPU"),
        ("on RTX8000 cards", "NVIDIA Quadro RTX 8000", "GPU"),
        ("on an RTX A6000", "NVIDIA RTX A6000", "GPU"),
        ("on a Tesla P100", "NVIDIA Tesla P100", "GPU"),
        ("on an A100", "NVIDIA A100", "GPU"),
        ("on an H100", "NVIDIA H100", "GPU"),
        ("on T4 GPUs", "NVIDIA T4", "GPU"),
        ("on an NVIDIA Jetson Nano", "NVIDIA Jetson Nano", "other"),
        ("a Raspberry Pi 4B", "Raspberry Pi 4B", "other"),
        ("Intel Xeon E5–2680 V3", "Intel Xeon E5-2680 v3", "CPU"),
        ("an Intel® Core™ i7-9700K", "Intel Core i7-9700K", "CPU"),
        ("an Intel i5 9th generation CPU", "Intel Core i5 (9th generation)", "CPU"),
        ("AMD EPYC™ 7543", "AMD EPYC 7543", "CPU"),
        ("a Ryzen Threadripper 3970X", "AMD Ryzen Threadripper 3970X", "CPU"),
        ("an Apple M1 Max", "Apple M1 Max", "CPU"),
        ("a Cloud TPU v3", "Google TPU v3", "TPU"),
        ("a p3.2xlarge instance", "AWS p3.2xlarge", "cloud"),
        ("the “D4asV4” instance on Microsoft Azure", "Azure D4as v4", "cloud"),
        ("n1-standard-8 machines", "Google Cloud n1-standard-8", "cloud"),
        ("in Google Colab Pro", "Google Colab Pro", "cloud"),
    ],
)
def test_a_product_is_written_in_full(text: str, name: str, kind: str) -> None:
    found = hardware(f"We trained the network {text}.")
    assert [(device["name"], device["kind"]) for device in found] == [(name, kind)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2 x Titan RTX", 2),
        ("NVIDIA Titan RTX GPU * 2", 2),
        ("four Titan RTX GPUs", 4),
        ("8 Titan RTX", 8),
        ("a single NVIDIA Titan RTX", 1),
        ("dual Titan RTX cards", 2),
        ("a GPU (Titan RTX). First a single GPU was used, then three GPUs", 3),
        ("24 GB Titan RTX", None),
        ("Python 3.6, Titan RTX", None),
    ],
)
def test_the_largest_count_counts(text: str, count: int | None) -> None:
    assert _named(f"The net was trained on {text}.") == {"NVIDIA TITAN RTX": count}


def test_devices_that_were_not_used_are_not_facts() -> None:
    text = "No GPU was at hand. We trained on a laptop rather than on a Tesla V100, without any GPUs."
    assert _named(text) == {"laptop": 1}


def test_statements_on_devices_in_general_are_not_facts() -> None:
    assert _named("Such nets are usually trained on GPUs.") == {}


def test_a_gpu_without_a_model_is_still_a_gpu() -> None:
    assert _named("We trained it on three GPUs.") == {"GPU (model not named)": 3}


def test_cores_and_hours_are_not_devices() -> None:
    assert _named("It used 16 CPU cores and 40 GPU hours at 80% CPU utilization.") == {}


@pytest.mark.parametrize(
    ("text", "memory", "ram"),
    [
        ("an A100 with 40 GB of memory", 40.0, None),
        ("an A100 (40GB)", 40.0, None),
        ("a 40 GB A100", 40.0, None),
        ("an A100 and 64 GB RAM", None, 64.0),
        ("an A100, 64 GB DDR4", None, 64.0),
        ("an A100 in a server with 512 GB of memory", None, 512.0),
        ("an A100 and DDR4 16GB RAM * 8", None, 128.0),
        ("an A100 and 4 x 32 GB RAM", None, 128.0),
        ("an A100 and 1 TB of RAM", None, 1024.0),
        ("an A100 and a 2 TB SSD", None, None),
    ],
)
def test_the_memory_of_a_card_is_not_the_ram(text: str, memory: float | None, ram: float | None) -> None:
    sentence = f"We trained on {text}."
    assert hardware(sentence)[0]["memory_gb"] == memory
    assert ram_gb(sentence) == ram


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Training was completed in 96 h per model.", 96),
        ("Training took 3 days.", 72),
        ("We trained the model for 14 hours.", 14),
        ("Training takes about forty hours.", 40),
        ("Training finished in 1 hr and 30 min.", 1.5),
        ("Training took 2 h per epoch.", None),
        ("We trained on 96 h of audio.", None),
        ("The model was trained on images taken every 24 h.", None),
        ("We collected images for 30 days to train the model.", None),
        ("Annotation took 3 days.", None),
    ],
)
def test_only_the_time_that_training_took_counts(text: str, hours: float | None) -> None:
    assert training_hours(text) == hours


def test_a_device_keeps_its_name_as_printed() -> None:
    assert [device.printed for device in devices("We used an AMD EPYC™ 7543.")] == ["AMD EPYC™ 7543"]


@given(st.text())
def test_hardware_facts_are_exported_even_if_there_are_none(text: str) -> None:
    keys = ["hardware", "training_time_h", "ram_gb"]
    assert list(extract(keys, [text])) == keys


def test_one_card_under_two_spellings_is_one_device() -> None:
    found = hardware("We trained on a V100 GPU. Training took two days on a single NVIDIA Tesla V100 GPU.")
    assert [device["name"] for device in found] == ["NVIDIA Tesla V100"]


def test_a_card_that_one_might_use_is_no_fact() -> None:
    found = hardware("We trained on a V100 GPU; if we run on a Titan RTX, the frogs take longer.")
    assert [device["name"] for device in found] == ["NVIDIA V100"]


def test_a_cluster_that_is_only_thanked_for_gives_way_to_what_was_used() -> None:
    thanks = "We acknowledge a grant for the Pond GPU cluster."
    assert [device["name"] for device in hardware(thanks)] == ["GPU cluster"]
    assert [device["count"] for device in hardware(f"{thanks} The nets were trained using 4 GPUs.")] == [4]
    assert "cluster" not in str(hardware(f"{thanks} The nets were trained using 4 GPUs."))


def test_a_processor_is_named_by_its_clock_if_by_nothing_else() -> None:
    assert [device["name"] for device in hardware("Training ran on a 2.8GHz machine.")] == ["2.8 GHz CPU"]
    assert [device["name"] for device in hardware("We ran it on Google Colab and Google Cloud Platform.")] == [
        "Google Colab",
        "Google Cloud",
    ]
