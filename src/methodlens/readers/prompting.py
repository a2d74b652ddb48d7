"""From a question and its passages, or the whole paper, to chat messages. Prompts are files in prompts/, or of the user."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from methodlens import transcripts
from methodlens.errors import SettingsError
from methodlens.records import Paper, SectionKind

Message = dict[str, str]
CHARS_PER_TOKEN = 4
"""An estimate for English prose; tokenisers differ from model to model."""
WHOLE_PAPER_TOKENS = 100_000
SEEDS = "seeds"
JUDGE = "judge"
ADJUDICATE = "adjudicate"
GROUPED = "grouped"
_BUILT_IN = ("strict", "strict-2", JUDGE, ADJUDICATE)
_SEPARATOR = "\n---\n"
_HELP = "see docs/how-to/language-models.md: user must contain <<passages>> and <<question>>, format is json or plain"


def estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def best_first_and_last(best_first: Sequence[str]) -> list[str]:
    """The best passage first, the second best last, the weakest in the middle, where models tend to overlook text.

    >>> best_first_and_last(["1", "2", "3", "4", "5"])
    ['1', '3', '5', '4', '2']
    """
    return [*best_first[0::2], *reversed(best_first[1::2])]


def whole_paper(paper: Paper, *, max_chars: int) -> list[str]:
    """The paper without its references; empty if that is longer than `max_chars`."""
    text, at = "", 0
    for section in paper.sections:
        if section.kind is SectionKind.REFERENCES:
            text += paper.text[at : section.start]
            at = section.end
    text += paper.text[at:]
    return [text.strip()] if text.strip() and len(text) <= max_chars else []


class Prompt(Protocol):
    sha256: str
    json: bool
    """The reply is one JSON object with reported, answer and quotes."""
    by_rank: bool
    """Passages are in rank order; otherwise the best ones come first and last."""
    repair: str

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]: ...


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    user: str
    system: str = ""
    repair: str = "That cannot be used. Reply again, with the answer alone."
    format: Literal["json", "plain"] = "plain"
    fence: Literal["question", "passages"] = "question"
    """What the fence is a hash of. With `passages`, all questions about the same passages begin with the same text."""


class Template:
    """A prompt from a file. The fence around the passages is a hash of them, so that no paper can contain it."""

    by_rank = False

    def __init__(self, file: _File) -> None:
        self._file = file
        self.json = file.format == "json"
        self.repair = file.repair.strip()
        fields = msgspec.to_builtins(file)
        if file.fence == "question":  # so that prompts from before this field keep their hash
            del fields["fence"]
        self.sha256 = hashlib.sha256(msgspec.json.encode(fields)).hexdigest()

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]:
        return self._filled(" ".join(question.split()), passages, hashed=question)

    def group_messages(self, questions: Mapping[str, str], passages: Sequence[str]) -> list[Message]:
        """Several questions by their ids."""
        listed = "\n".join(f"{json.dumps(key, ensure_ascii=False)}: {' '.join(text.split())}" for key, text in questions.items())
        return self._filled(listed, passages, hashed=listed)

    def _filled(self, question: str, passages: Sequence[str], *, hashed: str) -> list[Message]:
        text = _SEPARATOR.join(passages)
        fenced = f"{hashed}\0{text}" if self._file.fence == "question" else text
        fence = hashlib.sha256(fenced.encode("utf-8", "replace")).hexdigest()[:16]
        parts = {"system": self._file.system, "user": self._file.user}
        return [
            {"role": role, "content": _fill(template.strip(), fence=fence, question=question, passages=text)}
            for role, template in parts.items()
            if template.strip()
        ]


def _fill(template: str, *, fence: str, question: str, passages: str) -> str:
    """The passages are inserted last, so that a placeholder in a paper stays as it is."""
    before, mark, after = template.replace("<<fence>>", fence).partition("<<passages>>")
    return before.replace("<<question>>", question) + (passages if mark else "") + after.replace("<<question>>", question)


class SeedsLayout:
    """The prompt of the published pipeline, as in its transcripts: a plain answer, passages in rank order."""

    sha256 = transcripts.LAYOUT_SHA256
    json = False
    by_rank = True
    repair = "That was no answer. Give the answer to the query alone, in less than 400 words."

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]:
        return [{"role": "user", "content": transcripts.prompt(question, passages)}]


def load(spec: str) -> Prompt:
    """`strict`, `strict-2`, `seeds`, or a path: TOML, or a text file with <<passages>> and <<question>> for plain answers."""
    if spec == SEEDS:
        return SeedsLayout()
    if spec in _BUILT_IN:
        return _built_in(spec)
    return Template(_load_file(Path(spec)))


def load_grouped() -> Template:
    """The prompt for several questions in one call."""
    return _built_in(GROUPED)


def _built_in(name: str) -> Template:
    text = files("methodlens.readers").joinpath("prompts", f"{name}.toml").read_text(encoding="utf-8")
    return Template(msgspec.convert(tomllib.loads(text), _File))


def _load_file(path: Path) -> _File:
    try:
        text = path.read_text(encoding="utf-8-sig")
        file = msgspec.convert(tomllib.loads(text), _File) if path.suffix == ".toml" else _File(user=text)
    except OSError as err:
        known = ", ".join(("strict", "strict-2", SEEDS))
        raise SettingsError(
            f"the prompt {path} cannot be read ({err.strerror})", f"set prompt to {known}, or to the path of a file"
        ) from err
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as err:
        raise SettingsError(f"the prompt {path} cannot be used ({err})", _HELP) from err
    missing = [mark for mark in ("<<passages>>", "<<question>>") if mark not in file.user]
    if missing or file.user.count("<<passages>>") > 1:
        problem = f"does not contain {' and '.join(missing)}" if missing else "contains <<passages>> twice"
        raise SettingsError(f"the prompt {path} {problem}", _HELP)
    return file
