"""The hand-set numbers of the embedded reader, read from its data file."""

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct


class SentenceWeights(Struct, frozen=True, forbid_unknown_fields=True):
    any_sign: float
    signs: float
    overlap: float
    first_passage: float
    number: float
    fact: float


class OwnQuestionWeights(Struct, frozen=True, forbid_unknown_fields=True):
    intercept: float
    best: float
    examples: float
    most: float
    like_most: float


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    revision: int
    sentence: SentenceWeights
    section: Mapping[str, float]
    own_question: OwnQuestionWeights


@cache
def load_weights() -> Weights:
    return msgspec.convert(tomllib.loads(_bytes().decode("utf-8")), Weights, strict=False)


@cache
def weights_sha256() -> str:
    return hashlib.sha256(_bytes()).hexdigest()


def _bytes() -> bytes:
    return (resources.files("methodlens.readers.embedded") / "data" / "weights.toml").read_bytes()
