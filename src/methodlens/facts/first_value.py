"""The first number that belongs to the name of a parameter: its value, the start of a schedule, the choice among values tried."""

import re
from collections.abc import Sequence

from methodlens.facts.parameters import COUNTED, Token, setting

_REACH = 14
"""Tokens between a name and its first number."""

# words that change the subject between a name and a number
_TURNS = re.compile(
    r"(?:decreas|divid|reduc|multipl|factor|every|decay|drop|halv|increas|after|until|gamma|warm|anneal|patience|than|per$|schedul|size|"
    r"threshold|crop|kernel|window|table|fig|section|epsilon|power|polic|accura|score|equation|no$|not$|without|by$|keep|seed|loss|"
    r"ramp|rais|lower|linearly|cosine|when|while|if$|auc|performance|achiev|gpus?$|we$|image$|images$|steps?$|resolution)"
)
# what a number counts if it is not the parameter
_UNITS = re.compile(
    r"(?:layers?|hidden|dense|units?|neurons?|nodes?|filters?|channels?|heads?|gpus?|cpus?|tpus?|classes|categories|dimensions?|"
    r"dimensional|convolutional|folds?|times|species|models?|datasets?|blocks?|points|th|st|nd|rd|workers|patients|stages?|"
    r"phases?|networks?|parameters|runs|trials|seeds|samplers?|experiments|words|versions?|types?|different|values|cycles)"
)
_MEASURES = re.compile(
    r"(?:hours?|h|hrs?|days?|weeks?|min|minutes?|seconds?|secs?|s|ms|k?hz|gb|mb|px|pixels?|bits?|m|cm|mm|km|x|×|∗|⇥)"
)
_LINKS = frozenset(
    "of is was were are be been being set to at = : fixed kept equal equals constant value values rate rates ratio parameter "
    "parameters probability coefficient factor hyperparameter the a an with and as for in all our we use used using chose chosen "
    "selected . ( ) initial initially approximately weight strength ~ ≈ layer layers fraction term size sizes both".split()
)
_STARTS = frozenset("from starting started start starts initially initial initialised initialized beginning begins".split())
_GROWS = re.compile(r"(?:increas|warm|ramp|rais)")
_TRIED = re.compile(
    r"(?:tried|trying|tested|testing|explor|grid|search|varied|vary|varying|sweep|swept|candidate|among|between|rang|experimented|∈|"
    r"options?|compar|different|various|combination|trial)"
)
_EVALUATED = re.compile(r"(?:evaluated|tested|tried|compared|explored|considered|examined)")
_CHOSEN = re.compile(r"(?:best|optimal|optimum|selected|chosen|chose|final|finally|settled|picked|gave|used|performed)")
_USES = re.compile(r"(?:use|set|chose|choose|select|employ|adopt|appl|fix|took|take)")
# what a symbol in brackets may stand for if not for the name before them: "epochs (patience = 5)"
_OTHER_SYMBOL = re.compile(
    r"(?:patien|keep|warm|decay|gamma|γ|beta|β|eps|ε|batch|epoch|fold|iter|step|seed|factor|power|weight|thresh|delta|δ|k$|n$|std|σ|"
    r"drop|momentum|temp|rank|len|max_len|dim)"
)
_REMARKS = frozenset("e i namely initially which denoted η α here respectively".split())


IN_A_BATCH = re.compile(
    r"(?:images?|samples?|examples?|clips?|patches|sequences|sentences?|tokens|instances|data|segments|spectrograms|frames|pairs|points|"
    r"utterances|words|transitions|trajectories|videos|graphs|volumes|slices|crops|tiles|questions|documents|speakers|episodes|records)"
)
"""What batches are made of."""


def first_value(words: Sequence[Token], name: int) -> int | None:
    """The place of the first number that belongs to the name at this place; None if it has none."""
    at, end = name + 1, min(len(words), name + 1 + _limit(words[name]))
    while at < end:
        token = words[at]
        if token.text in ("(", "[") and (close := closing(words, at)) is not None:
            inside = _in_brackets(words, at, close)
            if inside is not None:
                return inside
            at, end = close + 1, min(len(words), end + close - at)
            continue
        if token.value is not None:
            if _is_range_start(words, name, at) or _is_ordinal(words, name, at) or _numbers_a_line(words, name, at):
                return None
            if words[name].key == "learning_rate" and (_is_in_formula(words, at) or _numbers_something(words, at)):
                return None
            if (peak := _peak_of_warmup(words, name, at)) is not None:
                return peak
            if _is_bare_batch(words[name]) and (at > name + 3 or token.text.isalpha()) and not _is_batch_size(words, at):
                return None
            if not counts_something(words, at) and not _is_share_of_training(words, name, at):
                if belongs_to_next(words, at):
                    return None
                return _chosen(words, at) or at if _was_tried(words, name, at) else at
        elif _turns(words, name, at):
            return _start_of_schedule(words, name, at)
        at += 1
    return _with_probability(words, name)


def _is_share_of_training(words: Sequence[Token], name: int, at: int) -> bool:
    """The 6% of "the learning rate for the first 6% of the updates"."""
    return words[at].text.endswith("%") and setting(words[name].key, words[at], "") is None


def _turns(words: Sequence[Token], name: int, at: int) -> bool:
    """From here on the sentence is about something else than the value of the name."""
    text, key = words[at].text, words[name].key
    if words[at].key or text == ";" or (text == "," and not _goes_on(words, name, at)):
        return True
    after = words[at + 1].text if at + 1 < len(words) else ""
    if text == "we":  # "the learning rate we used was 0.1"
        return not _USES.match(after)
    if text in ("when", "while"):  # "the learning rate when fine-tuning was 0.1"
        return key != "dropout" and not (after.endswith("ing") or after in ("fine", "pre"))
    if (text == "per" or words[at - 1].text == "per") and key == "batch_size":  # "a batch size per device of 4"
        return False
    if key == "batch_size" and text in ("image", "images") and words[at - 1].text == "of":  # "a batch size of images of 32"
        return False
    if (text == "size" and _is_bare_batch(words[name])) or (key == "dropout" and text.startswith(("drop", "size", "image"))):
        return False
    if text in ("multiplier", "multiplication") and at == name + 1:  # "the L2 penalty multiplier was 0.0005"
        return key != "weight_decay"
    if text == "factor" and at == name + 1:  # a factor of the learning rate is that of its schedule
        return key == "learning_rate"
    return bool(_TURNS.match(text))


def _limit(name: Token) -> int:
    if name.text in ("lr", "lrs", "step size") or name.text.endswith(" of"):
        return 3
    return 10 if _is_bare_batch(name) else _REACH


def _is_bare_batch(name: Token) -> bool:
    return name.text.endswith(("batch", "batches"))


def _is_batch_size(words: Sequence[Token], at: int) -> bool:
    """The 64 of "mini-batch training with 64 images" or "of size 64": further from the name, a number must say what it is."""
    after = words[at + 1].text if at + 1 < len(words) else ""
    return bool(IN_A_BATCH.fullmatch(after)) or "size" in {token.text for token in words[max(0, at - 3) : at]}


def _goes_on(words: Sequence[Token], name: int, comma: int) -> bool:
    """A remark ("the momentum, e.g. 0.9"), "for the learning rate, we used 0.1", or a list ("epochs, 50; batch size, 8")."""
    after = words[comma + 1].text if comma + 1 < len(words) else ""
    if after == "we":
        return comma + 2 < len(words) and bool(_USES.match(words[comma + 2].text))
    if words[comma - 1].text == "value" and words[comma + 1 : comma + 2] and words[comma + 1].value is not None:
        return True  # "set to a smaller value, 0.05"
    if comma == name + 1 and words[comma + 1 : comma + 2] and words[comma + 1].value is not None:
        return [token.text for token in words[comma + 2 : comma + 3]] in ([], [";"], ["."])
    return after in _REMARKS or words[comma - 1].text == "respectively"


def closing(words: Sequence[Token], opening: int) -> int | None:
    closes = {"(": ")", "[": "]"}[words[opening].text]
    return next((at for at in range(opening + 1, min(len(words), opening + 16)) if words[at].text == closes), None)


def _in_brackets(words: Sequence[Token], opening: int, close: int) -> int | None:
    """The number of "(0.5)", "(p = 0.5)" or "(η of 0.01)"; None for a remark that has none of its own."""
    numbers = [at for at in range(opening + 1, close) if words[at].value is not None]
    if numbers and (words[numbers[0]].value or 0) <= 1 and _is_in_formula(words, numbers[0]):
        return None
    if not numbers or counts_something(words, numbers[0]) or any(words[at].key for at in range(opening + 1, numbers[0])):
        return None
    between = words[opening + 1 : numbers[0]]
    if len(between) == 2 and between[1].text == "=" and not _OTHER_SYMBOL.match(between[0].text):
        return numbers[0]
    if words[opening - 1].key == "learning_rate" and _STARTS & {token.text for token in between} and len(between) <= 5:
        return numbers[0]  # "(cosine decay from 0.1)"
    plain = all(token.text in _LINKS or len(token.text) <= 2 for token in between)
    return numbers[0] if plain and len(between) <= 4 and (words[opening].text == "(" or len(numbers) == 1) else None


def _is_range_start(words: Sequence[Token], name: int, at: int) -> bool:
    """ "epochs 41 to 120", "epochs 1-40", "epoch 30": places on the way, not the length of it."""
    if words[name].key not in COUNTED:
        return False
    after = words[at + 1].text if at + 1 < len(words) else ""
    return after in ("to", "-", "through", "until") and at + 2 < len(words) and words[at + 2].value is not None


def _is_ordinal(words: Sequence[Token], name: int, at: int) -> bool:
    """ "epoch 30", "at epochs 30 and 60", "one epoch"."""
    single = words[name].text.endswith(("epoch", "iteration", "step"))
    if single and at == name + 1 and _is_in_table(words, name):
        return False
    placed = name > 0 and words[name - 1].text in (
        *("at", "until", "from", "after", "before", "per", "each", "every", "one", "an"),
    )
    direct = at == name + 1 and (single or words[name - 1].text in ("in", "the", "by", "for", "during"))
    return words[name].key in COUNTED and (direct or placed)


def _is_in_table(words: Sequence[Token], name: int) -> bool:
    """The "Epoch 50" of "Batch size 32 Epoch 50 Learning rate 0.1": a capital between a value and the name of another row."""
    follows = name > 0 and (words[name - 1].value is not None or words[name - 1].text in ("}", "]"))
    near = {token.key for token in words[max(0, name - 10) : name + 10]} - {"", words[name].key}
    once = sum(token.key == words[name].key for token in words[max(0, name - 60) : name + 60]) == 1
    after = words[name + 2 : name + 3]
    return words[name].capital and follows and once and bool(near) and all(token.value is None for token in after)


def _numbers_a_line(words: Sequence[Token], name: int, at: int) -> bool:
    """The 5 of "4: number of epochs 5: number of frogs", where lines of an algorithm have numbers."""
    after = words[at + 1].text if at + 1 < len(words) else ""
    return words[name].key in COUNTED and after == ":" and words[at - 1].text not in ("=", ":", "to", "of", "is", "was")


def _is_in_formula(words: Sequence[Token], at: int) -> bool:
    """ "0.5 + cos(t)", "1 - t/T", "1/10 of that of the head"."""
    after = words[at + 1].text if at + 1 < len(words) else ""
    return after == "+" or (words[at].text.isdigit() and after in ("/", "-"))


def _numbers_something(words: Sequence[Token], at: int) -> bool:
    """The 1 of "the learning rate is Pond group 1 (small)", where a caption has cut into a sentence."""
    before = words[at - 1]
    return words[at].text == "1" and before.text[0].isalpha() and not before.key and before.text not in _LINKS


def _peak_of_warmup(words: Sequence[Token], name: int, at: int) -> int | None:
    """The place of the 0.1 of "we warm up the learning rate from 0.001 to 0.1"."""
    if words[name].key != "learning_rate" or words[at - 1].text != "from" or [w.text for w in words[at + 1 : at + 2]] != ["to"]:
        return None
    grows = any(_GROWS.match(token.text) for token in words[max(0, name - 5) : at])
    return at + 2 if grows and at + 2 < len(words) and words[at + 2].value is not None else None


def counts_something(words: Sequence[Token], at: int) -> bool:
    """ "3 layers", "224 x 224": the number of something else."""
    after = [token.text for token in words[at + 1 : at + 3]]
    if after[:1] == ["-"] and len(after) > 1:
        after = after[1:]
    before = words[at - 1].text if at else ""
    whole = words[at].value == int(words[at].value or 0)
    unit = bool(after) and bool(_MEASURES.fullmatch(after[0]) or after[0] == "times" or (whole and _UNITS.fullmatch(after[0])))
    return unit or before in ("x", "×", "∗", "⇥", "#", "β", "±")


def belongs_to_next(words: Sequence[Token], at: int) -> bool:
    """The number counts what comes after it: the 90 of "32 and 90 epochs", the 0.9 of "and 0.9 momentum"."""
    after = at + 1
    while after < min(len(words), at + 3) and words[after].text in ("-", "training", "initial", "full", "total"):
        after += 1
    if after >= len(words) or not words[after].key:
        return False
    return not any(token.value is not None for token in words[after + 1 : after + 4])


def _was_tried(words: Sequence[Token], name: int, at: int) -> bool:
    """One of several values that were tried, not the one used."""
    several = sum(token.value is not None for token in words[at : at + 6]) > 1
    between = [token.text for token in words[name + 1 : at]]
    if "{" in between or "∈" in between or (between[-1:] == ["["] and several):
        return True
    if not several or any(map(_CHOSEN.match, between)):
        return False
    near = [*between, *(token.text for token in words[max(0, name - 8) : name])]
    return any(map(_TRIED.match, near)) or any(_EVALUATED.match(token.text) for token in words[at + 1 : at + 10])


def _chosen(words: Sequence[Token], tried: int) -> int | None:
    """ "from {0.1, 0.01}; the best was 0.01", "16, 32 and 64 were tested, and 32 performed best"."""
    for at in range(tried + 1, min(len(words), tried + 24)):
        if words[at].key:
            return None
        if _CHOSEN.match(words[at].text):
            before = next((place for place in range(at - 1, max(tried, at - 4), -1) if words[place].value is not None), None)
            after = next((place for place in range(at + 1, min(len(words), at + 9)) if words[place].value is not None), None)
            return after if after is not None else before
    return None


def _start_of_schedule(words: Sequence[Token], name: int, at: int) -> int | None:
    """Of "decays from 0.1 to 0.001" the 0.1; of "is increased from 0 to 0.1" the 0.1."""
    if words[name].key not in ("learning_rate", "momentum", "batch_size", "weight_decay"):
        return _with_probability(words, name)
    if _is_bare_batch(words[name]):  # "sample a mini-batch {x1, x2}; 3: update"
        return None
    grows = False
    for place in range(at, min(len(words), at + 20)):
        token = words[place]
        grows = grows or bool(_GROWS.match(token.text))
        if token.value is None or setting(words[name].key, token, "") is None or counts_something(words, place):
            continue
        if _was_tried(words, name, place):
            return _chosen(words, place) or place
        if any(words[back].key in COUNTED for back in range(place + 1, min(len(words), place + 3))):
            continue
        starts = {words[back].text for back in range(max(at, place - 5), place)} & _STARTS
        if (grows and words[place - 1].text == "to") or {"peak", "maximum"} & {token.text for token in words[place - 3 : place]}:
            return place
        if starts and not grows and "by" not in (words[place - 1].text, words[place - 2].text):
            return place
    return None


def _with_probability(words: Sequence[Token], name: int) -> int | None:
    """ "Dropout sets outputs to zero at random, with probability 0.5"."""
    if words[name].key != "dropout":
        return None
    for at in range(name + 1, min(len(words) - 1, name + 28)):
        if words[at].key and words[at].key != "dropout":
            return None
        if words[at].text in ("probability", "probabilities", "rate", "rates", "ratio", "p") and words[at - 1].text not in (
            "keep",
            "learning",
        ):
            numbers = (place for place in range(at + 1, min(len(words), at + 5)) if words[place].value is not None)
            return next(numbers, None)
    return None
