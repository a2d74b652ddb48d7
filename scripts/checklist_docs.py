"""Write docs/reference/checklists/ from the question sets, or check that it is up to date: checklist_docs.py [--check]."""

import sys
from itertools import groupby
from pathlib import Path

from methodlens.questions import QuestionSet, shipped
from methodlens.reports.checklists.markdown import table_head, table_row

FOLDER = Path(__file__).parent.parent / "docs" / "reference" / "checklists"
_WRITTEN = "Written by `make docs` from `src/methodlens/questions/data/{name}.toml`; a test checks that it is up to date."


def pages() -> dict[str, str]:
    """The text of each page by its file name."""
    checklists = [found for found in shipped() if not found.calibrated]
    return {"index.md": index(checklists), **{f"{found.name}.md": page(found) for found in checklists}}


def index(checklists: list[QuestionSet]) -> str:
    rows = [(f"[{found.name}]({found.name}.md)", found.title, str(len(found.questions)), found.source) for found in checklists]
    table = ["| set | checklist | items | source |", "|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    intro = (
        "The shipped checklists, in our own words: the numbers and topics are those of the publications, the sentences are not.\n"
        "None is calibrated: how often the answers are right was not measured on labelled papers, and every surface says so.\n"
        "[How to use them](../../how-to/checklists.md)."
    )
    return "\n\n".join(["# Checklists", _WRITTEN.format(name="*"), intro, "\n".join(table)]) + "\n"


def page(checklist: QuestionSet) -> str:
    """One checklist, group by group."""
    about = [("Source", checklist.source), ("Licence", checklist.licence), ("Note", checklist.note)]
    parts = [
        f"# {checklist.title}",
        _WRITTEN.format(name=checklist.name),
        checklist.description,
        "\n".join(f"- **{key}:** {value}" for key, value in about if value),
        "**Not calibrated**: how often the answers are right was not measured on labelled papers.",
        f"```sh\nmethodlens check draft.pdf --questions {checklist.name}\n```",
    ]
    for group, questions in groupby(checklist.questions, key=lambda question: question.group):
        rows = [table_row((one.item, one.title, one.text, str(one.form).replace("_", "/"))) for one in questions]
        parts += [f"## {group}", "\n".join([*table_head(("item", "topic", "question", "answer form")), *rows])]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    for name, text in pages().items():
        path = FOLDER / name
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"docs/reference/checklists/{name} does not match the question set: run 'make docs'")


if __name__ == "__main__":
    main()
