"""A run with hostile text in papers, answers, quotes, questions and names of readers."""

import hashlib
from pathlib import Path

from methodlens.ledger import repositories, supplements
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.supplements import SupplementKey
from methodlens.records import (
    Answer,
    Cell,
    Evidence,
    Hit,
    Match,
    Page,
    Paper,
    PaperEntry,
    Passage,
    Place,
    Question,
    Status,
    Verdict,
)
from methodlens.records.code import Finding, Repository, Topic
from methodlens.text.printable import encodable
from tests.reports.conftest import HOSTILE

# text that SQLite cannot store never reaches a ledger
TEXTS = tuple(text for text in HOSTILE if encodable(text) == text)


def hostile_run(folder: Path) -> Run:
    names = tuple(f"{text[:60]} {number}.pdf".replace("\0", "") for number, text in enumerate(TEXTS))  # no file name has a NUL
    questions = (Question("Q1", TEXTS[0], title=TEXTS[1]), Question("Q2", "Is it safe?", facts=("seeds",)))
    readers = ("<i>reader</i>", "'\"><b>other")
    run = Run("e" * 64, ("/nowhere",), questions, readers, len(names), "<u>set</u>")
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, names)
        for name, text in zip(names, TEXTS, strict=True):
            sha256 = hashlib.sha256(name.encode()).hexdigest()
            short = text[:2000]
            paper = Paper(sha256, "p", title=short, text=f"{short} and so on", pages=(Page(1, 600, 800),))
            entry = PaperEntry(name, sha256, title=short, reason=short, authors=(short,), pages=1, flags=(short[:40],))
            evidence = Evidence(short, Match.EXACT, 0, len(short), (Place(1, ((10.0, 10.0, 90.0, 20.0),)),))
            hit = Hit(Passage(0, len(paper.text), 1, short[:40], paper.text), 1.0)
            cells = [
                Cell(
                    f"{sha256[:40]}{question.id}{number}",
                    sha256,
                    question.id,
                    reader,
                    short[:60],
                    Verdict(Status.REPORTED, short),
                    Answer(short, (evidence,), {"link": short}, 0.9, (short,)),
                    (hit,),
                )
                for question in questions
                for number, reader in enumerate(readers)
            ]
            ledger.keep_result(run.id, result_of(entry, paper, cells))
            finding = Finding(Topic.SEED, short, 3, short, "seeds", short, short)
            code = Repository(short, "r", reason=short, commit=short, date=short, findings=(finding,))
            repositories.keep(ledger, run.id, name, sha256, code)
            supplements.keep(ledger, run.id, SupplementKey(name, short[:60]), result_of(entry, paper, cells))
        ledger.end(run.id)
    return run
