"""Context, question and answer in one text. Its layout is `layout.txt`, for the chat prompt, the export and replay alike."""

from methodlens.transcripts.layout import LAYOUT_SHA256, prompt, render
from methodlens.transcripts.reading import Transcript, parse

__all__ = ["LAYOUT_SHA256", "Transcript", "parse", "prompt", "render"]
