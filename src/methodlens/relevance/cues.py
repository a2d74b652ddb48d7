"""What kind of statement a question asks for, and by which words a sentence makes it: a reason, a comparison, a plan.

Function words and verbs of any field, since no vector of a whole sentence shows them. Which kinds there are was decided after a
look at readers' questions on 32 papers. Every pattern takes linear time.
"""

import re
from typing import NamedTuple


class Cue(NamedTuple):
    name: str
    asks: re.Pattern[str]
    says: re.Pattern[str]


def _cue(name: str, asks: str, says: str) -> Cue:
    return Cue(name, re.compile(rf"\b(?:{asks})\b", re.IGNORECASE), re.compile(rf"\b(?:{says})(?!\w)", re.IGNORECASE))


CUES = (
    _cue(
        "reason",
        r"why|reasons?|causes?|caused|motivat\w+|explain\w*|rationale|justif\w+|purpose|what (?:makes|made|led|leads)",
        r"because|since|due|owing|reasons?|caus(?:es?|ed|ing)|leads?|led|leading|attribut\w+|therefore|thus|hence|explain\w*"
        r"|so that"
        r"|in order|as a result|results? in|motivat\w+|avoid\w*|prevent\w*|allow\w*|enabl\w+|suffer\w*|otherwise|ensur\w+|tends?"
        r"|require[sd]?|makes? it",
    ),
    _cue(
        "comparison",
        r"better|worse|best|worst|gain\w*|improv\w+|outperform\w*|compar\w+|differ\w*|than|helps?|helped|hurts?|harm\w*|affect\w*"
        r"|effects?|influenc\w+|impact\w*|benefit\w*|match\w*|largest|smallest|most|least|hard(?:er|est)|easi(?:er|est)|how well"
        r"|how far|reduc\w+|chang\w+|happens?|happened|worth|matters?|important|contribut\w+|robust\w*|beats?|sooner|faster"
        r"|slower"
        r"|instead|against|baselines?|advantages?|increas\w+|decreas\w+|drops?|degrad\w+|without|role",
        r"outperform\w*|better|worse|best|worst|higher|highest|lower|lowest|larger|largest|smaller|smallest|faster|slower"
        r"|improv\w+"
        r"|gain\w*|increas\w+|decreas\w+|drop\w*|degrad\w+|reduc\w+|than|compar\w+|superior|inferior|competitive|similar\w*"
        r"|equal\w*"
        r"|equivalent|achiev\w+|boost\w*|benefit\w*|contribut\w+|helps?|helpful|hurts?|harm\w*|effects?|impact\w*|gaps?"
        r"|differen\w+"
        r"|significant\w*|surpass\w*|exceed\w*|most|least|more|less|fewer|beats?|on par|while|whereas|relative",
    ),
    _cue(
        "number",
        r"how (?:much|far|large|big|well|accurate\w*|often|strong\w*|high|low|fast|long|many)|accurac\w+|scores?|errors?|rates?"
        r"|perplexity|percent\w*|proportion|share|fraction",
        r"\d{1,9}(?:\.\d{1,9})? ?(?:%|percent|points?|pp|times|fold|x|seconds?|minutes?|hours?|days?|ms|million|billion|k)"
        r"|\d{1,9}\.\d{1,9}|percent|half|twice|double|third",
    ),
    _cue(
        "future",
        r"future|next|plan\w*|further|directions?|extend\w*|extensions?|open (?:questions?|problems?)|follow-up|remain\w*",
        r"future|next|plan(?:s|ned)? to|further|extend\w*|extension|directions?|will|would|could|worth|interesting|promising"
        r"|remains?"
        r"|left (?:for|to|as)|open (?:questions?|problems?)|explor\w+|investigat\w+|hope|intend\w*",
    ),
    _cue(
        "limit",
        r"limit\w*|weak\w*|fail\w*|drawbacks?|disadvantages?|shortcomings?|struggl\w+|problems?|difficult\w*|challeng\w+"
        r"|mistakes?"
        r"|errors?|wrong|suffer\w*|hard\w*|downsides?|caveats?|unable|cannot|instab\w+|trade-?offs?",
        r"limit\w*|fail\w*|weak\w*|drawbacks?|disadvantages?|shortcomings?|struggl\w+|difficult\w*|challeng\w+|unable|cannot"
        r"|suffer\w*"
        r"|however|although|though|despite|unfortunately|errors?|mistakes?|wrong\w*|incorrect\w*|confus\w+|only|hard"
        r"|problem\w*|lack\w*"
        r"|restrict\w*|not|sensitive|degrad\w+",
    ),
    _cue(
        "definition",
        r"what (?:is|are) (?:meant|an?|the)|mean(?:s|t)?|defin\w+|consist\w*|called|composed|made (?:up )?of|components?|parts?",
        r"defin\w+|refers?|denot\w+|means|namely|called|termed|consist\w*|compos\w+|comprises?|contains?|is an?|are the|i\.e"
        r"|given by"
        r"|formulated|includ\w+",
    ),
    _cue(
        "procedure",
        r"how (?:is|are|was|were|do|does|did)|procedure|steps?|technique|method|algorithm|strategy|way",
        r"by|using|via|through|first\w*|then|finally|each|we (?:use|apply|compute|train|select|replace|add|take|set|adopt|employ)"
        r"|is (?:computed|obtained|used|applied|trained|replaced|added|set|fed)|are (?:computed|obtained|used|applied|fed)"
        r"|based on",
    ),
)
_MOST = 3  # signs that count


def cues_asked(question: str) -> tuple[float, ...]:
    """One per cue: whether the question asks for it.

    >>> [cue.name for cue, asked in zip(CUES, cues_asked("Why do newts sing?")) if asked]
    ['reason']
    """
    return tuple(float(bool(cue.asks.search(question))) for cue in CUES)


def cues_said(sentence: str) -> tuple[float, ...]:
    """One per cue: from 0 to 1, how many signs of it the sentence has.

    >>> cues_said("They sing.")
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """
    return tuple(
        (min(_MOST, sum(1 for _ in zip(range(_MOST), cue.says.finditer(sentence), strict=False))) / _MOST) ** 0.5 for cue in CUES
    )
