"""How many epochs or iterations training had: "for 100 epochs", but not "every 30 epochs" or "after the 30th epoch"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from methodlens.facts.parameters import COUNTED, Setting, Token, setting

_NUMBERED = re.compile(r"(?:training|total|full|additional|more|complete|passes|max|maximum|entire|sgd|adam|-|extra|number|of)")
_FILLERS = frozenset(
    "the a an about approximately approx around roughly nearly almost for of in over to total only just up most maximum max "
    "training with additional another further and then : = ~ ≈ < ≤ > ( up-to least number using used during minimum".split()
)
_NOT_A_TOTAL = frozenset(
    "every each per last previous first next past consecutive successive following subsequent patience than some lag stride warm "
    "warmup warming from epoch epochs beyond exceeding remaining few several since before any until".split()
)
_ENDS = re.compile(r"(?:stop|terminat|end(?:ed|s)?$|finish|complet|halt|ceas|conclud|interrupt)")
_TRAINS = re.compile(
    r"(?:re|pre)?train|fine|tun(?:ed|ing)|learn|optimi|network|model|sgd|adam|converg|batch|loss|classifier|detector|run|ran$"
)
_NO_PROGRESS = re.compile(
    r"(?:improv|chang|plateau|stagnat|stall|progress|patien|early|wait|warm|restart|cycl|freez|frozen|unfr|save[ds]?$|saving|fail)"
)
_SCHEDULE = re.compile(r"(?:decreas|reduc|drop|decay|halv|anneal|divid|multipl|increas|lower|schedul|updat|ramp)")
_CONVERGED = re.compile(r"(?:converg|stabili|saturat|reach|achiev|plateau|obtain|best|minimum|peak)")
_WAITS = re.compile(r"(?:warm|lag|patien)")
_FITS = re.compile(r"(?:re|pre)?train|fine")
_LENGTH = re.compile(
    r"(?:re|pre)?train|fine|tun(?:ed|ing)|learn|length|duration|total|max|most|number|budget|epoch|network|model|run"
)
_SETTLES = re.compile(r"(?:converg|reach|maxim|stabili|saturat|best|optim)")
_PARTS = frozenset("patience later ago per / apart warm warmup ahead improvement value values".split())
_OTHER_STEPS = re.compile(
    r"(?:time|accumul|decod|denois|diffus|sampl|predict|process|preprocess|forecast|ahead|lag|unroll|clean|sever|two|three|bootstrap|mcmc|"
    r"random|walk|simulat|markov|boost|warm|recurr|inner|mont|k$|em$|message|refine)"
)
_PURPOSE = re.compile(r"(?:bootstrap|mcmc|monte|simulat|cluster|sampling|refine|random|burn|cross|search|walk)")
_STOPS_COUNT = re.compile(r"(?:every|size|resolution|layers?|gpus?|hours?|days?|batch|test|evaluat|infer|stop|patien|warm|rate)")
_OTHER_METHOD = re.compile(r"(?:markov|mcmc|bootstrap|posterior|maxent|bayesian)")


def counts_before(tokens: Sequence[Token], cue: int) -> list[int]:
    """The places of the numbers before "epochs" that it counts: the 100 of "100 full epochs", all of "50, 75 and 100 epochs"."""
    at = cue - 1
    while at >= 0 and cue - at < 4 and tokens[at].value is None and _NUMBERED.fullmatch(tokens[at].text):
        at -= 1
    if at < 0 or tokens[at].value is None:
        return []
    numbers = [at]
    while at >= 2 and (tokens[at - 1].text in (",", "and", "or", "/", "&", "+") or tokens[at - 1].text == "-"):
        back = at - 2 if tokens[at - 2].text != "," else at - 3
        if back < 0 or tokens[back].value is None:
            break
        numbers.append(back)
        at = back
    return numbers[::-1]


def totals_before(sentence: str, tokens: Sequence[Token], cue: int, numbers: Sequence[int]) -> list[Setting]:
    """Those of the numbers before the cue that say how long training took in all."""
    key = tokens[cue].key
    verdict = _verdict(tokens, cue, numbers)
    if verdict is None or _is_axis(tokens, numbers[0]):
        return []
    first, last = tokens[numbers[0]], tokens[numbers[-1]]
    if key == "iterations" and len(numbers) == 2 and _split_thousands(tokens, numbers):
        whole = Token(sentence[first.start : last.end].replace(" ", ""), first.start, last.end, value=_joined(first, last))
        found = [setting(key, whole, sentence[first.start : last.end], doubtful=verdict)]
    else:
        found = [setting(key, tokens[at], sentence[tokens[at].start : tokens[at].end], doubtful=verdict) for at in numbers]
    return [each for each in found if each]


def further_totals(tokens: Sequence[Token], cue: int) -> list[int]:
    """The places of the totals that follow without a name: the 60 of "30 epochs on ponds and 60 on lakes"."""
    places: list[int] = []
    joined = False
    for at in range(cue + 1, min(len(tokens), cue + 18)):
        token = tokens[at]
        if token.key or token.text in (".", ";", "(", ")", ":"):
            break
        joined = joined or token.text in ("and", ",", "while", "whereas", "but", "+")
        if token.value is None:
            if _STOPS_COUNT.match(token.text):
                break
            continue
        before, after = tokens[at - 1].text, tokens[at + 1].text if at + 1 < len(tokens) else "."
        listed = before in ("and", ",", "for", "or", "+") and after in ("for", "on", "when", "during")
        closes = before == "for" and after in (".", ",", ";", ")")
        if not joined or not token.text.isdigit() or not (listed or closes):
            break
        places.append(at)
    return places


def _is_axis(tokens: Sequence[Token], first: int) -> bool:
    """The numbers along the axis of a figure: "10 20 30 40 epochs"."""
    return first >= 2 and all(token.value is not None and not token.text.isalpha() for token in tokens[first - 2 : first])


def _split_thousands(tokens: Sequence[Token], numbers: Sequence[int]) -> bool:
    """The "217, 450" that mathematical typesetting makes of 217,450."""
    first, last = numbers
    return last == first + 2 and tokens[first + 1].text == "," and bool(re.fullmatch(r"\d{3}", tokens[last].text))


def _joined(first: Token, last: Token) -> float:
    return (first.value or 0) * 1000 + (last.value or 0)


def _verdict(tokens: Sequence[Token], cue: int, numbers: Sequence[int]) -> bool | None:
    """Whether the total is doubtful; None if it is no total."""
    first = numbers[0]
    if _is_part(tokens, cue) or (tokens[cue].key == "iterations" and not _is_training(tokens, cue, numbers)):
        return None
    words = [token.text for token in tokens[max(0, first - 40) : cue + 20]]
    first, cue = first - max(0, first - 40), cue - max(0, first - 40)
    at = first - 1
    while at >= 0 and (words[at] in _FILLERS or words[at : at + 2] in (["at", "most"], ["at", "least"])):
        at -= 1
    trigger = words[at] if at >= 0 else ""
    fillers, before = words[at + 1 : first], words[max(0, at - 8) : at + 1]
    single = tokens[numbers[0]].value == 1  # "for one epoch", but not "one epoch is one pass"
    if single and not ({"for", "only", "with"} & set(fillers) and _has(_TRAINS, words[max(0, first - 20) : first])):
        return None
    if trigger == "after" and {"training", "for"} <= set(fillers):  # "after training for 70 epochs"
        return False
    if words[max(0, at - 1) : at + 1] == ["followed", "by"]:
        return False
    if trigger in ("after", "at", "until", "within", "by"):
        ended = _ended(words, at, cue)
        return ended or (None if ended is None else trigger == "until" and _has_larger(tokens, numbers))
    if trigger in _NOT_A_TOTAL or _WAITS.match(trigger):
        return None
    if (
        trigger in ("set", "fixed", "kept", "equal", "equals", "chosen")
        and "to" in fillers
        and not _has(_LENGTH, [*before, *fillers])
    ):
        return None  # "the cycle was set to 10 epochs"
    if {"enough", "sufficient", "suffice", "suffices"} & set(words[cue + 1 : cue + 4]):  # "10 epochs are enough for frogs"
        return True
    clause = _same_clause(before)
    over_all = "over" in fillers and not {"no", "not", "n", "without"} & set(clause)  # "decayed to 0.001 over 100 epochs"
    stalls = _has(_NO_PROGRESS, clause[-7:]) or (_has(_SCHEDULE, clause[-7:]) and not over_all)
    if stalls and not _has(_FITS, clause[-3:]) and not {"most", "maximum", "max", "total"} & set(fillers):
        return None
    return _has(_CONVERGED, clause[-4:]) and not _has(_ENDS, before)


def _has_larger(tokens: Sequence[Token], numbers: Sequence[int]) -> bool:
    """A larger total is in the same sentence: "for 90 epochs, with a rate that is halved every 10 epochs until 60 epochs"."""
    total = tokens[numbers[-1]].value or 0
    near = tokens[max(0, numbers[0] - 60) : numbers[0] + 60]
    return any((token.value or 0) > total and after.key in COUNTED for token, after in pairwise(near))


def _is_part(tokens: Sequence[Token], cue: int) -> bool:
    """ "epochs of warm-up", "epochs without improvement", "steps per epoch"."""
    after = [token.text for token in tokens[cue + 1 : cue + 4]]
    if after[:1] in (["without"], ["before"]):
        return not _has(_ENDS, after) and (after[0] == "before" or _has(_NO_PROGRESS, after) or "any" in after)
    if after[:1] == ["each"]:  # "20 epochs with 500 steps each", but "the nets were trained for 90 epochs each"
        return tokens[cue].key == "iterations"
    return bool(after) and (after[0] in _PARTS or (after[0] in ("of", "with", "-") and {*after[1:2]} <= {*_PARTS, "no"}))


def _ended(words: Sequence[str], trigger: int, cue: int) -> bool | None:
    """ "stopped after 50 epochs", "once the loss converged, after 50 epochs", "after 50 epochs, training was stopped"."""
    before, after = words[max(0, trigger - 14) : trigger], _up_to_next(words, cue)
    ends = [at for at, word in enumerate(before) if _ENDS.match(word)]
    if ends and not _stalls(before[ends[-1] + 1 :]) and "not" not in before[ends[-1] :]:
        return False
    if words[trigger] in ("until", "by", "within") and _has(_FITS, before[-5:]):
        return False
    if words[trigger] == "until" and "every" in before[-5:]:  # "divided by 10 every 30 epochs until 100 epochs"
        return False
    if words[trigger] == "after" and after[:2] == ["of", "training"]:
        return True
    if words[trigger] == "after" and _has(_ENDS, after) and not _stalls(after):
        return False
    if words[trigger] in ("after", "within", "at", "by") and _has(_SETTLES, before[-4:]):
        return True
    return None


def _up_to_next(words: Sequence[str], cue: int) -> Sequence[str]:
    after = words[cue + 1 : cue + 9]
    return after[: next((at for at, word in enumerate(after) if word in ("and", words[cue])), len(after))]


def _stalls(words: Sequence[str]) -> bool:
    return _has(_NO_PROGRESS, words) or _has(_SCHEDULE, words)


def _same_clause(words: Sequence[str]) -> Sequence[str]:
    for at in range(len(words) - 1, -1, -1):
        if words[at] in (",", ";", "and", "but", "which", "while"):
            return words[at + 1 :]
    return words


def _is_training(tokens: Sequence[Token], cue: int, numbers: Sequence[int]) -> bool:
    """Iterations of the optimiser, not of a bootstrap; steps of training, not of a procedure."""
    name, words = tokens[cue].text, [token.text for token in tokens]
    if (
        _has(_PURPOSE, words[cue + 1 : cue + 4])
        or _OTHER_STEPS.match(words[cue - 1])
        or _has(_OTHER_METHOD, words[max(0, cue - 40) : cue + 40])
    ):
        return False
    if "epoch" in words[max(0, numbers[0] - 5) : numbers[0]]:  # "an epoch has 1000 steps"
        return False
    named = len(name.split()) > 1
    enough = (tokens[numbers[-1]].value or 0) >= (10 if named else 100)
    return enough and (named or _has(_TRAINS, words[max(0, cue - 40) : cue + 20]))


def _has(pattern: re.Pattern[str], words: Sequence[str]) -> bool:
    return any(map(pattern.match, words))
