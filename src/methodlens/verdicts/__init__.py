"""From an answer to a verdict, and from the verdicts of several readers to a vote."""

from methodlens.verdicts.deep_learning import NO_DL, paper_flags
from methodlens.verdicts.judge import judge
from methodlens.verdicts.silence import is_silent
from methodlens.verdicts.speculation import separate_speculation
from methodlens.verdicts.vote import majority, voting_rule

__all__ = ["NO_DL", "is_silent", "judge", "majority", "paper_flags", "separate_speculation", "voting_rule"]
