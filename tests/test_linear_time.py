"""No text of a paper or a model freezes the process: rules take time in proportion to their input."""

import pytest

from tests.linear_time import FRAGMENTS, HEAVY, RULES, too_slow


@pytest.mark.parametrize("rule", RULES)
def test_time_grows_in_proportion_to_repeated_fragments(rule: str) -> None:
    """Every second fragment, or every eighth; tests/long has all of them."""
    assert not too_slow(rule, FRAGMENTS[:: 8 if rule in HEAVY else 2], size=1_500, cpu_s=30)
