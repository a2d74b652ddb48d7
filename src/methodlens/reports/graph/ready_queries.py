"""Ready queries: SPARQL files in `data/queries`, and one query that answers for any question by its id."""

from collections.abc import Sequence
from typing import NamedTuple

from methodlens.reports.graph.vocabulary import DATA


class ReadyQuery(NamedTuple):
    """`description` is the comment that the file begins with."""

    name: str
    description: str
    sparql: str


def ready_queries() -> Sequence[ReadyQuery]:
    files = (file for file in DATA.joinpath("queries").iterdir() if file.name.endswith(".rq"))
    return sorted(_query(file.name.removesuffix(".rq"), file.read_text("utf-8")) for file in files)


def question_query() -> ReadyQuery:
    """The answers to one question, a row per paper. Its variable `?question` stands for the question's id."""
    return _query("question", DATA.joinpath("question.rq").read_text("utf-8"))


def _query(name: str, text: str) -> ReadyQuery:
    return ReadyQuery(name, text.partition("\n")[0].removeprefix("# "), text)
