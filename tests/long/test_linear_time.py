"""The rules of tests/test_linear_time.py with a megabyte of the fragments that once froze a run."""

import pytest

from tests.linear_time import FRAGMENTS as ALL_FRAGMENTS
from tests.linear_time import PROSE, RULES, too_slow

FRAGMENTS = ("ACGT", "Ab-", "1,111", '{"a":', "<think>", "\n", "a.", PROSE)
pytestmark = pytest.mark.long


@pytest.mark.parametrize("rule", RULES)
def test_a_megabyte_of_a_fragment_takes_time_in_proportion(rule: str) -> None:
    assert too_slow(rule, FRAGMENTS, size=250_000, cpu_s=600) == []


@pytest.mark.parametrize("rule", RULES)
def test_time_grows_in_proportion_to_every_fragment(rule: str) -> None:
    assert too_slow(rule, ALL_FRAGMENTS, size=3_000, cpu_s=120) == []
