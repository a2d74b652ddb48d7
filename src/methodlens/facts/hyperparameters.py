"""Learning rate, batch size, epochs and the like: the numbers that belong to each name.

A sentence becomes names, numbers and words (parameters.py). A number goes to the name before it, or to the one right after it,
so that no parameter takes the number of another. "learning rate, batch size and epochs were 0.01, 32 and 100", and the rows of
a table, are read as parallel lists. Of a schedule all rates count that hold for a while, of values that were tried the one that
was chosen.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from methodlens.facts.first_value import IN_A_BATCH, first_value
from methodlens.facts.further_values import listed_after, other_case
from methodlens.facts.last_epoch import last_epochs
from methodlens.facts.negation import is_negated
from methodlens.facts.own_values import is_of_others
from methodlens.facts.parameters import COUNTED, Setting, Token, large_rate, setting, tokens
from methodlens.facts.symbols import decays_by_symbol, rates_by_symbol
from methodlens.facts.training_length import counts_before, further_totals, totals_before
from methodlens.facts.types import Fact, FactType, Findings, Phrase, listing, one_or_list, spelling
from methodlens.facts.value_rows import read_rows
from methodlens.text import sentences

_QUALIFIERS = {  # "minimum learning rate", "batch norm momentum", "warm-up epochs"
    "learning_rate": frozenset("minimum min final end ending lowest warmup up".split()),
    "momentum": frozenset("norm normalization normalisation bn warmup up".split()),
    "dropout": frozenset("keep no".split()),
    "epochs": frozenset("warmup up per each every".split()),
    "iterations": frozenset("warmup up per each every accumulation time decoding denoising diffusion sampling".split()),
}
_BEFORE_NAME = frozenset(
    "- as the an a initial base training constant fixed for of default starting spatial image sample sized".split()
)
_IN_USE = re.compile(r"\b(?:infer(?:ence|ring)|generat\w+|latency|test time|throughput|synthesi[sz]\w*|deploy\w*)\b", re.I)
_TRAINING = re.compile(r"\btrain|\blearn|\bfine-?tun|\bepoch", re.I)
_SUPPOSED = re.compile(r"\b(?:could|might|may|would|should|if|suppose)\b[^,;]{0,40}$", re.I)
_WE = re.compile(r"\bwe\b", re.I)
_CONFIDENCE = {False: 0.9, True: 0.5}  # of firm and doubtful settings; 110 of the 124 firm ones in 22 papers were right
_AROUND = 200  # characters
_SUPPOSED_AFTER = re.compile(r"\s(?:could|might|may|would|should)\b", re.I)
_HOLDS = re.compile(r"(?:contain|compris|consist|includ|holds?$|ha[sd]$)")
_DEVICE = re.compile(r"(?:gpus?|tpus?|device|worker|node|card|core|replica)")
_MEASURED = re.compile(r"(?:layers?|channels?|pixels?|px|x|×|%|steps?|hours?|h|min|s)$")


# columns of tables, whose names follow their values in brackets
_COLUMN = re.compile(r"[^()]{1,120}\([^()]{1,60}\)")
_PICKED = re.compile(r"\([^()]{0,40}\b(?:chosen|selected|best|final|optimal|optimum|used)\b[^()]{0,20}\)", re.I)
_TRIED = re.compile(
    r"\([^()]{0,40}\b(?:search|searched|searching|range|ranges|candidates?|grid|tried|tested|options|space)\b[^()]{0,20}\)", re.I
)


@lru_cache(maxsize=512)
def settings(text: str) -> tuple[Setting, ...]:
    """
    >>> [(s.key, s.value) for s in settings("Adam with a learning rate of 1e-4, batches of 32, for 100 epochs.")]
    [('learning_rate', 0.0001), ('batch_size', 32), ('epochs', 100)]
    """
    text = _chosen(text)
    spans = sentences(text)
    return tuple(each for start, end in spans for each in _read(text[start:end]))


def _chosen(text: str) -> str:
    """Of the row of a table that has a column of chosen values and one of those searched, the chosen ones.

    >>> _chosen("Table 1. Dropout: 0.3 (Chosen), 0.1, 0.3 (Searched); Batch size: 16, 32 (Searched), 32 (Best)")
    'Table 1. Dropout: 0.3 (Chosen); Batch size: 32 (Best)'
    """
    if not (text.startswith("Table") and _PICKED.search(text) and _TRIED.search(text)):
        return text
    head, colon, rest = text.partition(": ")
    rows = [row.partition(": ") if number else ("", "", row) for number, row in enumerate(rest.split("; "))]
    return head + colon + "; ".join(name + mark + _without_trials(cells) for name, mark, cells in rows)


def _without_trials(cells: str) -> str:
    """ "0.3 (Chosen), 0.1, 0.3 (Searched)": the name of a column follows its values."""
    columns = [match[0] for match in _COLUMN.finditer(cells)]
    kept = [column for column in columns if not _TRIED.search(column)]
    return ", ".join(column.strip(" ,") for column in kept) if kept and len(kept) < len(columns) else cells


def _read(sentence: str) -> Iterator[Setting]:
    words = tokens(sentence)
    names = [at for at, token in enumerate(words) if token.key and not _excluded(sentence, words, at)]
    rows, done = read_rows(sentence, words, names)
    yield from rows
    taken: set[int] = set(done)
    for name in names:
        if name not in done:
            yield from _of(sentence, words, name, taken)
    yield from _per_batch(sentence, words)
    yield from _in_a_batch(sentence, words)
    yield from _per_device(sentence, words)
    yield from last_epochs(sentence, words)
    yield from decays_by_symbol(sentence, words)
    if not any(words[name].key == "learning_rate" for name in names):
        yield from rates_by_symbol(sentence, words)


def _excluded(sentence: str, words: Sequence[Token], name: int) -> bool:
    """The name of something else, or of what was not used, only supposed, or used in inference."""
    token = words[name]
    before = [word.text for word in words[max(0, name - 2) : name] if word.text != "-"]
    if token.key in COUNTED and before[-1:] == ["between"]:  # "most runs stopped between epochs 41 and 56"
        return True
    after = [word.text for word in words[name + 1 : name + 2]]
    if token.key == "batch_size" and after in (["/"], ["÷"]):  # "0.1 × batch size / 256": the formula of a rate
        return True
    if before and before[-1] in _QUALIFIERS.get(token.key, ()):
        return True
    around = sentence[max(0, token.start - _AROUND) : token.end + _AROUND]
    start = min(token.start, _AROUND)
    clause = max(around.rfind(mark, 0, start) + len(mark) for mark in (",", ";", "(", "except that"))
    if is_negated(around[clause:], start - clause, start - clause + token.end - token.start):
        return True
    supposed = _SUPPOSED.search(sentence, max(0, token.start - 60), token.start) or _SUPPOSED_AFTER.match(sentence, token.end)
    if supposed and not _WE.search(around):
        return True
    if is_of_others(sentence, token.start, token.end):
        return True
    return token.key == "batch_size" and bool(_IN_USE.search(around)) and not _TRAINING.search(around)


def _of(sentence: str, words: Sequence[Token], name: int, taken: set[int]) -> Iterator[Setting]:
    """The values of one name: those before it if they are right there, else those after it."""
    key = words[name].key
    if key in COUNTED:
        numbers = [at for at in counts_before(words, name) if at not in taken]
        if numbers and not _heads_a_number(words, name):
            taken.update(numbers)
            totals = totals_before(sentence, words, name, numbers)
            yield from totals
            if totals and not totals[0].doubtful:
                more = further_totals(words, name)
                yield from filter(None, (setting(key, words[at], _printed(sentence, words[at])) for at in more))
            return
    elif (before := _before(words, name)) is not None and before not in taken and not _heads_a_number(words, name):
        found = setting(key, words[before], _printed(sentence, words[before]))
        if found:
            taken.add(before)
            yield found
            return
    if (first := first_value(words, name)) is None:
        return
    places = [first, *listed_after(words, name, first), *other_case(words, name, first)]
    taken.update(places)
    for at in places:
        if found := setting(key, words[at], _printed(sentence, words[at])) or large_rate(words, name, at):
            yield found


def _before(words: Sequence[Token], name: int) -> int | None:
    """The place of the number right before a name: "a 0.01 learning rate", "0.5 as the dropout", "64-image mini-batches"."""
    at = name - 1
    while at >= 0 and name - at < 5 and (words[at].text in _BEFORE_NAME) and words[at].value is None:
        at -= 1
    between = [word.text for word in words[at + 1 : name]]
    linked = not between or between[0] in ("as", "-", "initial", "base", "constant", "fixed", "for", "spatial")
    in_place = at >= 0 and linked and words[at].value is not None and not words[name].text.endswith(("batches", "batches of"))
    return at if in_place and not ("of" in between or between in (["for"], ["for", "a"])) else None


def _heads_a_number(words: Sequence[Token], name: int) -> bool:
    """ "Epochs 100", "epochs: 100", "learning rate = 0.1"."""
    after = words[name + 1 : name + 3]
    return bool(after) and (
        after[0].value is not None or (after[0].text in "=:" and len(after) > 1 and after[1].value is not None)
    )


def _per_batch(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    """ "16 clips per batch", "32 images in each mini-batch"."""
    for at, word in enumerate(words):
        back = [token.text for token in words[max(0, at - 2) : at]]
        each = back[-1:] == ["per"] or (
            back[:1] and back[0] in ("in", "for", "to", "of") and back[-1] in ("each", "every", "a", "one")
        )
        if not each or not word.text.endswith("batch"):
            continue
        numbers = [place for place in range(max(0, at - 7), at - 1) if words[place].value is not None]
        if numbers and any(IN_A_BATCH.fullmatch(token.text) for token in words[numbers[-1] + 1 : numbers[-1] + 4]):
            found = setting("batch_size", words[numbers[-1]], _printed(sentence, words[numbers[-1]]))
            yield from filter(None, [found])


def _in_a_batch(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    """ "Each batch contained 16 images"."""
    for at, word in enumerate(words[:-2]):
        if word.text in ("batch", "batches", "minibatch", "minibatches", "mini-batch", "mini-batches") and _HOLDS.match(
            words[at + 1].text
        ):
            places = [place for place in range(at + 2, min(len(words) - 2, at + 12)) if words[place].value is not None]
            items = [token.text for token in words[places[0] + 1 : places[0] + 3]] if places else []
            counted = places and (places[0] < at + 5 or any(map(IN_A_BATCH.fullmatch, items)))
            if counted and not _MEASURED.match(items[0]):
                yield from filter(None, [setting("batch_size", words[places[0]], _printed(sentence, words[places[0]]))])


def _per_device(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    """ "2 images per GPU": doubtful, since the batch size of all devices together may be given elsewhere."""
    for at in range(1, len(words) - 2):
        number, after = words[at - 1], [token.text for token in words[at + 1 : at + 4]]
        if number.value is None or not IN_A_BATCH.fullmatch(words[at].text):
            continue
        device = after[1] if after[0] in ("per", "/") else after[-1] if after[1] in ("each", "every") else ""
        if _DEVICE.fullmatch(device) and (found := setting("batch_size", number, _printed(sentence, number), doubtful=True)):
            yield found


def _printed(sentence: str, token: Token) -> str:
    return sentence[token.start : token.end]


def _epochs_phrase(findings: Findings) -> str:
    counts = list(dict.fromkeys(map(spelling, findings.facts["epochs"])))
    return f"{listing(counts)} epoch{'' if counts in (['1'], ['one']) else 's'}"


def _type(key: str, phrase: Phrase) -> FactType:
    def extract(quotes: Sequence[str]) -> list[Fact]:
        facts: dict[tuple[bool, int | float], Fact] = {}
        for index, quote in enumerate(quotes):
            for each in settings(quote):
                if each.key == key:
                    facts.setdefault(
                        (each.doubtful, each.value), Fact(each.value, index, each.printed, _CONFIDENCE[each.doubtful])
                    )
        firm = [fact for (doubtful, _), fact in facts.items() if not doubtful]
        return firm or list(facts.values())

    return FactType(
        key=key, extract=extract, merge=one_or_list, phrase=phrase, opening="the authors used", in_many_places=True, revision=5
    )


HYPERPARAMETERS = (
    _type("learning_rate", ("a learning rate of {}", "learning rates of {}")),
    _type("batch_size", ("a batch size of {}", "batch sizes of {}")),
    _type("epochs", _epochs_phrase),
    _type("iterations", "{} iterations"),
    _type("momentum", ("a momentum of {}", "momenta of {}")),
    _type("weight_decay", ("a weight decay of {}", "weight decays of {}")),
    _type("dropout", "dropout of {}"),
)
