"""Pictures in a request: their names, their bytes, and how many tokens they take."""

import base64
import struct
from typing import NamedTuple

MEDIA_TYPE = "image/png"
_SIZE = slice(16, 24)  # of width and height in a PNG
_PIXELS_PER_TOKEN = 750  # what Anthropic states; others are of the same order


class Picture(NamedTuple):
    """A PNG, sent after its label."""

    label: str
    png: bytes

    @property
    def base64(self) -> str:
        return base64.b64encode(self.png).decode("ascii")

    @property
    def name(self) -> str:
        """The text before it."""
        return f"Picture: {self.label}"

    @property
    def tokens(self) -> int:
        """An estimate, for rate limits and for servers that do not count."""
        width, height = struct.unpack(">II", self.png[_SIZE])
        return int(-(-width * height // _PIXELS_PER_TOKEN))
