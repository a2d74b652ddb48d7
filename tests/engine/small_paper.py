"""A parser that needs no PDF: the same few sentences for every file, so that tests of the driver spend no time on reading."""

from pathlib import Path

from methodlens.records import Paper

TEXT = " ".join(
    f"The {plant} model was trained on {count} Titan RTX cards for {count} hours. Its leaves were counted by hand."
    for count, plant in enumerate(("fern", "moss", "lichen", "sedge", "rush", "heather"), 2)
)


class SmallPapers:
    suffixes = (".pdf",)
    fingerprint = "small-papers"

    def parse(self, path: Path) -> Paper:
        return Paper(sha256="", parser=self.fingerprint, text=f"{TEXT} This is paper {path.stem}.")


def write_papers(folder: Path, count: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"{number:03}.pdf").write_bytes(f"%PDF-1.4 {number}".encode())
    return folder
