"""Papers that other projects ship with their source distributions: fetched from the package index, never part of this project.

    python -m benchmarks.open_papers FOLDER [--half dev|test] [--add GOLD]

The labels in benchmarks/data/open_papers are ours. They have no sentence of a paper: a quote is a page with the first and the
last character of PDFium's text, and an answer is the set of its words. FOLDER becomes a folder like GOLD, with the PDFs, the
labels and their quotes, for every command that takes GOLD. `--add` copies another such folder into it, to learn from both.
"""

import argparse
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx

from methodlens.papers import WorkerPool
from methodlens.settings import PaperLimits, ReadingSettings

DATA = Path(__file__).parent / "data" / "open_papers"
SECOND = DATA / "second"
"""Labels of a second annotator, who did not see the first ones."""
HALVES = ("dev", "test")
_MOST_BYTES = 200_000_000
_LINK = re.compile(r'<a[^>]*\bhref="([^"#]+)[^>]*>([^<]+)</a>')


def papers(half: str = "") -> dict[str, dict[str, str]]:
    """What is known of each paper, by its id. Nobody who writes rules has looked at those of the half "test"."""
    every = tomllib.loads((DATA / "papers.toml").read_text(encoding="utf-8"))
    return {name: about for name, about in every.items() if half in ("", about["half"])}


def fetch(about: dict[str, str], index: str) -> bytes:
    """The PDF, from its source distribution. Nothing of the package is executed."""
    name = about["package"].replace("_", "-").lower()
    page = httpx.get(f"{index.rstrip('/')}/{name}/", follow_redirects=True, timeout=60)
    wanted = f"{name}-{about['version']}.tar.gz"
    addresses = {file.strip().replace("_", "-").lower(): unescape(address) for address, file in _LINK.findall(page.text)}
    archive = httpx.get(urljoin(str(page.url), addresses[wanted]), follow_redirects=True, timeout=180).raise_for_status().content
    if len(archive) > _MOST_BYTES:
        raise ValueError(f"{wanted} is larger than {_MOST_BYTES} bytes")
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        inner = next(each for each in members if each.isfile() and each.name.endswith(about["file"]))
        content = members.extractfile(inner)
        return content.read() if content else b""


def index_address() -> str:
    """The package index that pip uses."""
    set_here = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    from pip._internal.models.index import PyPI

    return set_here.stdout.strip() or PyPI.simple_url


def page_texts(path: Path) -> list[str]:
    """PDFium's text of each page: what positions of quotes count in."""
    with WorkerPool(1, PaperLimits(), ReadingSettings(ocr="off")) as pool:
        return pool.text(path).text.split("\f")


def labels(name: str, pages: list[str]) -> list[dict[str, Any]]:
    """The labels of a paper in the form of the gold, with the text of their quotes."""
    cells = []
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        cell = json.loads(line)
        quotes = [{"page": page, "text": " ".join(pages[page - 1][start:end].split())} for page, start, end in cell["quotes"]]
        answer = " ".join(cell.pop("answer_words"))
        cells.append({"paper": name, **cell, "answer": answer, "quotes": quotes})
    return cells


def questions(name: str, pages: list[str]) -> list[dict[str, Any]]:
    """Questions to a paper as people ask who know only its abstract: their text, whether it answers them, and where."""
    rows = map(json.loads, (DATA / f"{name}.questions.jsonl").read_text(encoding="utf-8").splitlines())
    return [row | {"evidence": [pages[page - 1][start:end] for page, start, end in row["evidence"]]} for row in rows]


def prepare(folder: Path, half: str = "") -> list[str]:
    """Fetches what is missing and writes the labels. Returns the papers that could not be fetched."""
    for part in ("pdfs", "questions"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    missing: list[str] = []
    with WorkerPool(1, PaperLimits(), ReadingSettings(ocr="off")) as pool:
        for name, about in papers(half).items():
            path = folder / "pdfs" / f"{name}.pdf"
            if not path.exists():
                try:
                    content = fetch(about, index_address())
                except (httpx.HTTPError, OSError, ValueError, LookupError, StopIteration, tarfile.TarError) as err:
                    print(f"{name}: {about['package']} {about['version']} cannot be fetched ({type(err).__name__})")
                    missing.append(name)
                    continue
                path.write_bytes(content)
            if hashlib.sha256(path.read_bytes()).hexdigest() != about["sha256"]:
                print(f"{path} is another file than the one that was labelled: delete it and try again")
                missing.append(name)
                continue
            pages = pool.text(path).text.split("\f")
            rows = [json.dumps(cell, ensure_ascii=False) for cell in labels(name, pages)]
            (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
            asked = [json.dumps(question, ensure_ascii=False) for question in questions(name, pages)]
            (folder / "questions" / f"{name}.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")
    return missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=HALVES, default="", help="only these; default: all")
    parser.add_argument("--add", type=Path, help="a folder of labelled papers to copy into FOLDER")
    args = parser.parse_args()
    missing = prepare(args.folder, args.half)
    if args.add:
        for path in [*args.add.glob("*.jsonl"), *args.add.glob("*.csv"), *args.add.glob("pdfs/*.pdf")]:
            shutil.copyfile(path, args.folder / path.relative_to(args.add))
    print(f"{len(list(args.folder.glob('pdfs/*.pdf')))} papers in {args.folder}, {len(missing)} missing")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
