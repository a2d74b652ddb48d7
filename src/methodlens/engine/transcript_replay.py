"""Replays a transcript: its context becomes the paper, and a reader answers its question again."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from methodlens.engine.execute import ask
from methodlens.errors import TranscriptError
from methodlens.papers import from_text, split
from methodlens.readers.answer_cleaning import clean_answer
from methodlens.readers.grounding import find_support, unsupported_claims
from methodlens.records import Answer, Cell, Hit, Paper, Question, Verdict
from methodlens.seams import Reader, Retriever
from methodlens.text import words
from methodlens.transcripts import Transcript, parse
from methodlens.verdicts import judge

_NUMBER = re.compile(r"_(CQ\d+)$")
_MIN_OVERLAP = 0.25  # share of its query's words that a question of the same number must contain


class Replayed(Struct, frozen=True):
    source: str
    question: Question
    before: Answer
    before_verdict: Verdict
    cell: Cell


def replay(path: Path, *, questions: Sequence[Question], retriever: Retriever, reader: Reader, passage_chars: int) -> Replayed:
    transcript = read(path)
    question = _question(transcript, path, questions)
    paper = from_text(transcript.passages, title=path.name)
    ranked = retriever.index(split(paper, size=passage_chars)).rank(question)
    cell = ask(paper, question, reader, tuple(ranked), shown=len(ranked))  # its reader was given the whole context
    before = _as_answered(transcript, question, paper)
    verdict = judge(before, question=question.text, context=tuple(transcript.passages))
    return Replayed(str(path), question, before, verdict, cell)


def read(path: Path) -> Transcript:
    try:
        return parse(path.read_text(encoding="utf-8-sig"), source=str(path))
    except OSError as err:
        raise TranscriptError(
            f"{path} cannot be read ({err.strerror})", "use a file that 'export --format transcripts' has written"
        ) from err
    except UnicodeDecodeError as err:
        raise TranscriptError(f"{path} is not UTF-8 (byte {err.start})", "save it as UTF-8") from err


def _as_answered(transcript: Transcript, question: Question, paper: Paper) -> Answer:
    """The answer in the transcript, cleaned and checked against its context like any reader's."""
    text = clean_answer(transcript.answer).text
    hits = [Hit(passage, 0.0) for passage in split(paper)]
    evidence = find_support(text, paper, hits, question=question.text)
    return Answer(text, evidence, unsupported=unsupported_claims(text, evidence), raw=transcript.answer)


def _question(transcript: Transcript, path: Path, questions: Sequence[Question]) -> Question:
    """The one with the same text; else the one with the number in the file name, if their words overlap; else a new one."""
    asked = set(words(transcript.query))
    named = _NUMBER.search(path.stem)
    for question in questions:
        if question.text.strip() == transcript.query.strip():
            return question
    for question in questions:
        ours = set(words(f"{question.title} {question.text} {question.query}"))
        if named and question.id == named[1] and len(asked & ours) >= _MIN_OVERLAP * len(asked):
            return replace(question, text=transcript.query)
    return Question(id=named[1] if named else "Q1", text=transcript.query)
