"""Which files are read, by name."""

import re
from pathlib import PurePosixPath

_SUFFIXES = frozenset(
    """.py .pyx .pyw .ipynb .yaml .yml .json .jsonc .toml .cfg .ini .conf .config .gin .prototxt .properties .env
    .sh .bash .zsh .bat .cmd .ps1 .slurm .sbatch .pbs .mk .make .txt .in .md .rst .markdown .mdx .adoc .org
    .r .rmd .qmd .jl .lua .m .lock .cff .bib .html .xml .dockerfile .def""".split()
)
_NAMES = re.compile(
    r"(?:readme|licen[cs]e|copying|unlicense|citation|makefile|gnumakefile|dockerfile|containerfile|pipfile|description|"
    r"requirements|environment|snakefile|procfile|notice|authors|install|usage|reproduce)\b.*|\.gitmodules|\.python-version",
    re.I,
)


def is_text_name(name: str) -> bool:
    """Whether a file may say something about the method.

    >>> is_text_name("src/train.py"), is_text_name("LICENSE"), is_text_name("figures/a.png")
    (True, True, False)
    """
    path = PurePosixPath(name)
    return path.suffix.lower() in _SUFFIXES or bool(_NAMES.fullmatch(path.name) and path.suffix.lower() not in _BINARY)


_BINARY = frozenset(".png .jpg .jpeg .gif .svg .pdf .zip .gz .pth .pt .h5 .npy .npz .ckpt .pkl .onnx .wav .mp4".split())
