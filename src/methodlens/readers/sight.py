"""What a reader with `vision = true` sends besides text: crops of pages, their captions, and a schema that can name them."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from methodlens.errors import ReaderError
from methodlens.readers.crops import REVISION, Crop, relevant_crops
from methodlens.readers.prompting import Message
from methodlens.readers.replies import SCHEMA
from methodlens.readers.wire.pictures import Picture
from methodlens.records import Hit, Paper
from methodlens.seams import PagePictures
from methodlens.settings import ChatServer

MAX_BYTES = 3_500_000
"""Of one picture: providers refuse more than 5 MB in base64."""
_QUOTE = {
    "type": "object",
    "properties": {"quote": {"type": "string"}, "picture": {"type": "string"}},
    "required": ["quote", "picture"],
    "additionalProperties": False,
}
PICTURE_SCHEMA: Mapping[str, Any] = {
    **SCHEMA,
    "properties": {**SCHEMA["properties"], "quotes": {"type": "array", "items": _QUOTE}},  # type: ignore[dict-item]
}
"""That of one answer, where each quote says which picture it is from."""


class Sight(NamedTuple):
    """The pictures of one call, and where each is in the paper."""

    crops: Sequence[Crop] = ()
    pictures: Sequence[Picture] = ()

    @property
    def captions(self) -> list[str]:
        """As passages, inside the prompt's fence: a caption is a paper's text like any other."""
        return [crop.caption for crop in self.crops]

    def messages(self, messages: Sequence[Message]) -> list[Message]:
        """With the instructions for pictures at the end of the last message, if there are any."""
        *others, last = messages
        return [*others, {**last, "content": f"{last['content']}\n\n{_instructions()}"}] if self.pictures else list(messages)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        return PICTURE_SCHEMA if self.pictures else None


def look(paper: Paper, context: Sequence[Hit], source: PagePictures | None, *, limit: int) -> Sight:
    """What can be shown of the paper; nothing if its file is gone or it has no pages."""
    if source is None:
        return Sight()
    crops = relevant_crops(paper, context, limit=limit)
    shown = [(crop, source.picture(paper.sha256, crop.page, crop.box)) for crop in crops]
    usable = [(crop, png) for crop, png in shown if 0 < len(png) <= MAX_BYTES]
    return Sight([crop for crop, _ in usable], [Picture(crop.label, png) for crop, png in usable])


def sight_fingerprint(server: ChatServer) -> Sequence[object]:
    """What the fingerprint of a reader says on pictures: nothing if it does not see."""
    if not server.vision:
        return ()
    return "vision", REVISION, server.vision_pictures, hashlib.sha256(_instructions().encode()).hexdigest()


def refuse_blind_forms(name: str, server: ChatServer, *, json: bool) -> None:
    """Raises ReaderError if pictures cannot be sent with the other settings."""
    if not server.vision:
        return
    if server.group != "single":
        raise ReaderError(f"{name}: vision = true needs one call per question", 'remove group, or set group = "single"')
    if not json:
        raise ReaderError(f"{name}: vision = true needs a prompt with JSON replies", "remove prompt, or vision")


@cache
def _instructions() -> str:
    return files("methodlens.readers").joinpath("prompts", "pictures.txt").read_text(encoding="utf-8").strip()
