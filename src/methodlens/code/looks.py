"""Whether a folder is a repository, by the names in it."""

import os
from collections.abc import Iterator
from pathlib import Path

_SUFFIXES = frozenset(".py .ipynb .r .rmd .qmd .jl .m .lua .cpp .cc .cu .c .java .scala .go .rs .js .ts .f90 .sh".split())
_NAMES = frozenset(
    """requirements.txt setup.py setup.cfg pyproject.toml environment.yml environment.yaml pipfile dockerfile makefile
    description renv.lock project.toml snakefile""".split()
)
_MOST = 5000  # names that are looked at


def looks_like_code(folder: Path) -> bool:
    """A clone, or a folder with source files in it or one level below. A folder of PDFs without history is one of papers."""
    top = list(_names(folder))
    if any(entry.name == ".git" for entry in top):
        return True
    if any(entry.name.lower().endswith(".pdf") for entry in top):
        return False
    below = (entry for each in top if each.is_dir(follow_symlinks=False) for entry in _names(Path(each.path)))
    return any(_is_source(entry.name.lower()) for entry in (*top, *below))


def _is_source(name: str) -> bool:
    return name in _NAMES or os.path.splitext(name)[1] in _SUFFIXES


def _names(folder: Path) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST), entries, strict=False):
                yield entry
    except OSError:
        return
