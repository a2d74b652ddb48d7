"""Questions that ask for a kind of fact that we can find: which hardware, which frameworks such as PyTorch, which batch size."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from methodlens.facts import catalog, find, types_of
from methodlens.facts.types import FactType
from methodlens.readers.general.quotes import MOST_QUOTES, is_own_sentence
from methodlens.records import AnswerForm, Question
from methodlens.relevance.model import Relevance
from methodlens.relevance.understanding import understand
from methodlens.text import words
from methodlens.text.stems import stem

FACT_FOUND = 0.79
"""The least probability if a sentence about the authors' own work holds a fact that the question asks for; below what counts as a
contradiction of a language model."""
FACT_MISSING = 0.4
"""The most if none of the best sentences does, and the question names the kind of fact."""
_SEARCHED = 30  # sentences
_BY_NAME = frozenset(
    """loss optimizers learning_rate batch_size epochs iterations momentum weight_decay dropout training_time_h
    cross_validation_folds hardware frameworks metrics augmentations architectures datasets regularization seeds annotation
    ram_gb repeats""".split()
)
"""Facts whose names say what is asked for."""
_NOT_BY_EXAMPLE = frozenset("derived split split_counts formats tools tasks code_urls data_urls".split())
"""Facts that most questions mention without asking for them."""
_DEVICES = {"gpu": "GPU", "tpu": "TPU", "cpu": "CPU", "processor": "CPU"}
"""Words, as stems, that ask for one kind of hardware."""
_LINKED = {
    **dict.fromkeys(("code", "software", "scripts"), ("code_urls", "code_hosts")),
    **dict.fromkeys(("data", "dataset", "datasets"), ("data_urls", "data_hosts")),
}
"""What a question for a link asks for."""


def types_asked_for(question: Question) -> tuple[FactType, ...]:
    """The facts that answer the question: those that its author named, else those that it asks for or gives as an example.

    >>> [each.key for each in types_asked_for(Question("Q", "Which batch size is used?"))]
    ['batch_size']
    >>> [each.key for each in types_asked_for(Question("Q", "Which library, such as PyTorch, was it built with?"))]
    ['frameworks']
    """
    return types_of(question) if question.facts else _implied(question.text)


@lru_cache(maxsize=1024)
def _implied(text: str) -> tuple[FactType, ...]:
    understanding = understand(text)
    if understanding.form is AnswerForm.LINK:  # its examples are hosts, which are no answer without a link
        linked = {key for word in understanding.words for key in _LINKED.get(word, ())}
        return tuple(each for key, each in catalog().items() if key in linked)
    keys = _named_by((*understanding.head, *understanding.examples))
    by_example = find(tuple(each for key, each in catalog().items() if key not in _NOT_BY_EXAMPLE), [text]).facts
    keys |= {key for key, found in by_example.items() if found}
    return tuple(each for key, each in catalog().items() if key in keys)


def _named_by(question_words: Sequence[str]) -> set[str]:
    named = _stems(" ".join(question_words))
    keys = {key for key in _BY_NAME if _stems(catalog()[key].label) <= named}
    return keys | {"hardware"} if named & _DEVICES.keys() else keys


@lru_cache(maxsize=1024)
def _is_named(text: str) -> bool:
    """Whether the question asks for a kind of fact by its name. Examples do not tell what it asks for, nor are they complete.

    >>> _is_named("Which hardware was used?"), _is_named("Where does it run, for example on a GPU?")
    (True, False)
    """
    understanding = understand(text)
    return bool(_implied(text)) and (understanding.form is AnswerForm.LINK or bool(_named_by(understanding.head)))


def _stems(text: str) -> set[str]:
    return {stem(word.replace("optimis", "optimiz")) for word in words(text)}


def sentences_with_facts(question: Question, relevance: Relevance, candidates: Sequence[int]) -> list[int]:
    """Up to three of the candidates, about the authors' own work, that hold a fact that the question asks for."""
    return list(islice(_with_facts(question, relevance, candidates[:_SEARCHED]), MOST_QUOTES))


def _with_facts(question: Question, relevance: Relevance, candidates: Sequence[int]) -> Iterator[int]:
    types, devices = types_asked_for(question), devices_asked_for(question)
    for number in candidates if types else ():
        row = relevance.table.rows[number]
        facts = find(types, [row.text]).facts
        others = any(found for key, found in facts.items() if key != "hardware")
        hardware = any(not devices or fact.value["kind"] in devices for fact in facts.get("hardware", ()))
        if (others or hardware) and is_own_sentence(row):
            yield number


def devices_asked_for(question: Question) -> set[str]:
    """The kinds of hardware that the question asks for; none if it asks for any.

    >>> devices_asked_for(Question("Q", "Which GPUs were used?"))
    {'GPU'}
    """
    return {_DEVICES[word] for word in _stems(" ".join(understand(question.text).head)) & _DEVICES.keys()}


def weigh_facts(question: Question, p: float, *, found: bool, in_best: bool = False) -> float:
    """The probability, with what the facts say. Those that an author named are enough for an answer, but not necessary. A fact of
    a kind that the question gives only as an example counts if the best sentence holds it (`in_best`)."""
    if found and (question.facts or in_best or _is_named(question.text)):
        return max(p, FACT_FOUND)
    return min(p, FACT_MISSING) if not found and not question.facts and _is_named(question.text) else p
