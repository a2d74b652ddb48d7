"""The rules of tests/test_linear_time.py with a megabyte of each fragment."""

import pytest

from tests.linear_time import FRAGMENTS, RULES, too_slow

pytestmark = pytest.mark.long


@pytest.mark.parametrize("rule", RULES)
def test_a_megabyte_of_any_fragment_takes_time_in_proportion(rule: str) -> None:
    slow = [problem for fragment in FRAGMENTS for problem in too_slow(rule, [fragment], size=250_000, cpu_s=300)]
    assert not slow
