"""From a question and its passages to the messages a model is sent. Prompts are files: ours in prompts/, or the user's own."""

import hashlib
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from methodlens import transcripts
from methodlens.errors import SettingsError

Message = dict[str, str]
SEEDS = "seeds"
JUDGE = "judge"
_OURS = ("strict", JUDGE)
_BETWEEN = "\n---\n"
_HELP = "see docs/how-to/language-models.md: user must hold <<passages>> and <<question>>, format is json or plain"


class Prompt(Protocol):
    sha256: str
    json: bool
    """The reply is one JSON object with reported, answer and quotes."""
    by_rank: bool
    """Passages stand in rank order; else the best ones stand first and last."""
    repair: str

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]: ...


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    user: str
    system: str = ""
    repair: str = "That cannot be used. Reply again, with the answer alone."
    format: Literal["json", "plain"] = "plain"


class Template:
    """A prompt from a file. Passages are fenced with a mark made of themselves, which they therefore cannot hold."""

    by_rank = False

    def __init__(self, file: _File) -> None:
        self._file = file
        self.json = file.format == "json"
        self.repair = file.repair.strip()
        self.sha256 = hashlib.sha256(msgspec.json.encode(file)).hexdigest()

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]:
        shown = _BETWEEN.join(passages)
        fence = hashlib.sha256(f"{question}\0{shown}".encode("utf-8", "replace")).hexdigest()[:16]
        parts = {"system": self._file.system, "user": self._file.user}
        return [
            {"role": role, "content": _filled(text.strip(), fence=fence, question=" ".join(question.split()), passages=shown)}
            for role, text in parts.items()
            if text.strip()
        ]


def _filled(text: str, *, fence: str, question: str, passages: str) -> str:
    """The passages last, so that nothing they hold is taken for a place of ours."""
    before, mark, after = text.replace("<<fence>>", fence).partition("<<passages>>")
    return before.replace("<<question>>", question) + (passages if mark else "") + after.replace("<<question>>", question)


class SeedsLayout:
    """The published pipeline's prompt, as its transcripts show it: a plain answer, passages in rank order."""

    sha256 = transcripts.LAYOUT_SHA256
    json = False
    by_rank = True
    repair = "That was no answer. Give the answer to the query alone, in less than 400 words."

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]:
        return [{"role": "user", "content": transcripts.prompt(question, passages)}]


def load(spec: str) -> Prompt:
    """`strict`, `seeds`, or the path of a file: TOML, or a text with <<passages>> and <<question>> for a plain answer."""
    if spec == SEEDS:
        return SeedsLayout()
    if spec in _OURS:
        text = files("methodlens.readers").joinpath("prompts", f"{spec}.toml").read_text(encoding="utf-8")
        return Template(msgspec.convert(tomllib.loads(text), _File))
    return Template(_own(Path(spec)))


def _own(path: Path) -> _File:
    try:
        text = path.read_text(encoding="utf-8-sig")
        file = msgspec.convert(tomllib.loads(text), _File) if path.suffix == ".toml" else _File(user=text)
    except OSError as err:
        known = ", ".join(("strict", SEEDS))
        raise SettingsError(
            f"the prompt {path} cannot be read ({err.strerror})", f"prompt is {known}, or the path of a file"
        ) from err
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as err:
        raise SettingsError(f"the prompt {path} cannot be used ({err})", _HELP) from err
    missing = [mark for mark in ("<<passages>>", "<<question>>") if mark not in file.user]
    if missing or file.user.count("<<passages>>") > 1:
        problem = f"does not hold {' and '.join(missing)}" if missing else "holds <<passages>> twice"
        raise SettingsError(f"the prompt {path} {problem}", _HELP)
    return file
