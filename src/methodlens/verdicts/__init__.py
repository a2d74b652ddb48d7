"""From an answer to a verdict, and from the readers' verdicts to a tally."""

from methodlens.verdicts.judge import judge
from methodlens.verdicts.silence import is_silent
from methodlens.verdicts.speculation import set_aside
from methodlens.verdicts.vote import majority, voting_rule

__all__ = ["is_silent", "judge", "majority", "set_aside", "voting_rule"]
