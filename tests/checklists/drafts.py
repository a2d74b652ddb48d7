"""Fictional drafts as PDF."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate


def write_draft(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """One list of paragraphs per page; those that begin with "# " are headings."""
    styles, story = getSampleStyleSheet(), []
    for page in pages:
        for text in page:
            heading = text.startswith("# ")
            story.append(Paragraph(text.removeprefix("# "), styles["Heading1" if heading else "BodyText"]))
        story.append(PageBreak())
    SimpleDocTemplate(str(path), pagesize=A4, title="Gulls on the pier", invariant=1).build(story)
    return path


BODY = (
    "# Gulls on the pier",
    "# 1. Introduction",
    "Gulls are counted by hand in most harbours, which takes many hours. We count them with a small network instead.",
    "# 2. Methods",
    "The network was trained for 40 epochs with a batch size of 16 and a learning rate of 0.001 on 900 photographs of the pier.",
    "We split the photographs into 80% for training and 20% for testing, so that no day is in both sets.",
    "# 3. Results",
    "The network found nine of ten gulls. It missed gulls that were hidden behind posts.",
    "# 4. Discussion",
    "Fewer people are needed to count gulls. Other harbours may use the same camera.",
)
CHECKLIST = (
    "# Paper Checklist",
    *(
        f"{number}. {topic}. Question: Does the paper say which {topic} it used? Answer: [Yes] Justification: All experiments"
        " ran on eight NVIDIA H100 GPUs with 80 GB of memory, see Section 2."
        for number, topic in enumerate(("compute resources", "datasets", "licences", "graphics cards", "memory"), 1)
    ),
)
