"""Context, question and answer as one text. Prompts, exports and replay share its layout, `layout.txt`."""

from methodlens.transcripts.layout import LAYOUT_SHA256, Transcript, instructions, lay_out, parse, prompt, render, render_reply

__all__ = ["LAYOUT_SHA256", "Transcript", "instructions", "lay_out", "parse", "prompt", "render", "render_reply"]
