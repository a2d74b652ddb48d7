"""Add the labels of a paper that another project ships: turn quotes into positions and answers into sets of words.

    python -m benchmarks.add_open_paper ID PDF LABELS.jsonl QUESTIONS.jsonl
    python -m benchmarks.add_open_paper ID PDF LABELS.jsonl --second

LABELS has the 28 lines of a gold paper, with quotes as {"page", "text"}; QUESTIONS has `text`, `answerable` and `evidence` of the
same form. Both are checked, and written without a sentence of the paper. Where the paper is from goes into papers.toml by hand.
`--second` adds the labels of a second annotator, whose agreement benchmarks.annotators measures.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.open_papers import DATA, SECOND, page_texts

_IGNORED = re.compile(r"[\s\-\u2010\u2011\u00ad\ufffd\ufffe\x02]")
"""Characters that an annotator may copy in another form: spaces, line breaks and the hyphens of broken words."""
_EDGES = " .,;:()[]{}\"'“”‘’"


def locate(quote: Mapping[str, Any], pages: Sequence[str]) -> list[int] | None:
    """The page, the first and the last position of a quote, or None if the page does not have it.

    >>> locate({"page": 1, "text": "We trained it."}, ["Intro. We trai-\\nned it. End."])
    [1, 7, 22]
    """
    number = quote["page"]
    if not 1 <= number <= len(pages):
        return None
    kept = [(at, char) for at, char in enumerate(pages[number - 1]) if not _IGNORED.match(char)]
    letters = [(at, lower) for at, char in kept for lower in char.lower()]
    # one by one, as above: in a whole word, Python's "Σ".lower() depends on its place
    wanted = "".join(char.lower() for char in _IGNORED.sub("", quote["text"]))
    found = "".join(lower for _, lower in letters).find(wanted)
    return [number, letters[found][0], letters[found + len(wanted) - 1][0] + 1] if wanted and found >= 0 else None


def answer_words(answer: str) -> list[str]:
    """
    >>> answer_words("Adam, with a rate of 0.1 and 37,000 steps; Adam.")
    ['0.1', '37,000', 'a', 'adam', 'and', 'of', 'rate', 'steps', 'with']
    """
    return sorted({word for part in answer.lower().split() if (word := part.strip(_EDGES))})


def compact(rows: Sequence[Mapping[str, Any]], pages: Sequence[str]) -> list[dict[str, Any]]:
    """Labels without text. Raises ValueError with every quote that is not on its page."""
    lost = [quote for row in rows for quote in row["quotes"] if locate(quote, pages) is None]
    if lost:
        raise ValueError("\n".join(f"not on page {quote['page']}: {quote['text'][:80]}" for quote in lost))
    return [
        {
            "cq": row["cq"],
            "reported": row["reported"],
            "partial": row["partial"],
            "answer_words": answer_words(row["answer"]) if row["reported"] else [],
            "quotes": [locate(quote, pages) for quote in row["quotes"]],
            "values": row["values"] if row["reported"] else {},
        }
        for row in rows
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", metavar="ID")
    parser.add_argument("pdf", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("--second", action="store_true", help="the labels of a second annotator")
    args = parser.parse_args()
    if not args.second and not args.questions:
        parser.error("QUESTIONS.jsonl is missing")
    pages = page_texts(args.pdf)
    try:
        cells = compact(_rows(args.labels), pages)
        asked = [{**row, "quotes": row["evidence"]} for row in _rows(args.questions)] if args.questions else []
        places = [[locate(quote, pages) for quote in row["quotes"]] for row in asked]
        if any(place is None for row in places for place in row):
            raise ValueError("a question's evidence is not on its page")
    except (ValueError, KeyError) as err:
        sys.exit(f"{args.name}: {err}")
    if args.second:
        _write(SECOND / f"{args.name}.jsonl", cells)
        return
    questions = [
        {"text": row["text"], "answerable": row["answerable"], "evidence": found}
        for row, found in zip(asked, places, strict=True)
    ]
    _write(DATA / f"{args.name}.jsonl", cells)
    _write(DATA / f"{args.name}.questions.jsonl", questions)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
