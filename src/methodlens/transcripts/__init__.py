"""Context, question and answer as one text. Prompts, exports and replay share its layout, `layout.txt`."""

from methodlens.transcripts.layout import LAYOUT_SHA256, Transcript, parse, prompt, render

__all__ = ["LAYOUT_SHA256", "Transcript", "parse", "prompt", "render"]
