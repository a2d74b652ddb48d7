"""What the files of a repository are by their names: licence, citation, tests, CI, weights and data that it ships."""

import re
from pathlib import PurePosixPath

from methodlens.code.licenses import spdx
from methodlens.code.links import RELEASED, weight_file
from methodlens.code.sources import Source
from methodlens.code.trees import Entry
from methodlens.records.code import Finding, Topic
from methodlens.text.printable import one_line

_LICENSE = re.compile(r"(?:un)?licen[cs]e(?:[-_.].*)?|copying(?:\.\w+)?|mit-license.*", re.I)
_CITATION = re.compile(r"citation(?:\.(?:cff|bib|md|txt))?", re.I)
_CI = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.travis\.yml|\.gitlab-ci\.yml|\.circleci/config\.yml|azure-pipelines\.yml|appveyor\.yml|tox\.ini|noxfile\.py",
    re.I,
)
_TEST_FOLDERS = frozenset(("tests", "unittests", "unit_tests", "testing"))
_TEST_NAME = re.compile(r"test_\w+\.py|\w+_tests?\.py|test\w*\.R|runtests\.jl", re.I)
_UNIT_TEST = re.compile(
    r"^\s*(?:import|from)\s+(?:pytest|unittest)\b|^\s*(?:async\s+)?def test_\w+\s*\([^)]{0,200}\)\s*(?:->\s*None\s*)?:|"
    r"^class \w*Test\w*\(|testthat|@testset",
    re.M,
)
_DATA_FOLDER = re.compile(r"(?:^|/)(?:data|datasets?|example_data|sample_data)/", re.I)
_DATA_SUFFIXES = frozenset(
    """.csv .tsv .npz .npy .h5 .hdf5 .parquet .wav .flac .jsonl .mat .nc .tif .tiff .arff .pkl .feather .rds .gz .zip .jpg .png
    .json .txt""".split()
)
_SMALL = 2_000  # bytes: weights are larger, except as pointers of Git LFS


def is_unit_test(name: str, text: str) -> bool:
    """Tests of the code, not scripts that test a model."""
    path = PurePosixPath(name)
    if path.name == "conftest.py":
        return True
    if any(part.lower() in _TEST_FOLDERS for part in path.parts[:-1]):
        return path.suffix == ".py" or bool(_UNIT_TEST.search(text))
    named = _TEST_NAME.fullmatch(path.name) or "test" in (part.lower() for part in path.parts[:-1])
    return bool(named and _UNIT_TEST.search(text))


def in_tests(name: str) -> bool:
    return any(part.lower() in _TEST_FOLDERS for part in PurePosixPath(name).parts[:-1])


def named_findings(source: Source) -> list[Finding]:
    """Of a file whose name says what it is."""
    name = source.path.name
    if _LICENSE.fullmatch(name) and source.path.suffix not in (".py", ".sh"):
        line = next((at for at, text in enumerate(source.lines, 1) if text.strip()), 1)
        return [source.finding(Topic.LICENSE, line, note=spdx(source.text), kind="file")]
    if _CITATION.fullmatch(name):
        return [source.finding(Topic.CITATION, 1, kind="file")]
    if _CI.fullmatch(source.name):
        return [source.finding(Topic.TESTS, 1, kind="ci")]
    if name in ("pyproject.toml", "setup.py", "setup.cfg", "DESCRIPTION"):
        for at, text in enumerate(source.lines, 1):
            stated = re.match(r"\s*[\"']?licen[cs]e[\"']?\s*[=:]\s*(?:\{\s*text\s*=\s*)?[\"']?([\w.+ -]{2,40})", text, re.I)
            if stated and not stated[1].strip().lower().startswith(("file", "license")):
                return [source.finding(Topic.LICENSE, at, note=stated[1].strip(), kind="mentioned")]
    return []


def shipped_findings(entries: list[Entry]) -> list[Finding]:
    """Weights and data among the files, by name and size; they are not opened."""
    weights = [entry for entry in entries if not in_tests(entry.name) and _is_weights(entry)]
    data = [entry for entry in entries if not in_tests(entry.name) and _is_data(entry)]
    found = [_shipped(Topic.WEIGHTS, entry, RELEASED) for entry in weights[:20]]
    return [*found, *(_shipped(Topic.DATA, entry, "shipped") for entry in data[:5])]


def _shipped(topic: Topic, entry: Entry, kind: str) -> Finding:
    size = f"{entry.size >> 20} MB" if entry.size >> 20 else f"{max(1, entry.size >> 10)} kB"
    return Finding(topic, one_line(entry.name), 1, "", note=f"a file of {size} in the repository", kind=kind)


def _is_weights(entry: Entry) -> bool:
    about = entry.name.replace("_", " ").replace("/", " ")
    pointer = entry.size < 200 and entry.name.endswith((".pth", ".pt", ".ckpt", ".safetensors", ".onnx"))
    archive = entry.name.endswith((".zip", ".gz", ".json", ".mat"))
    return (entry.size > _SMALL or pointer) and not archive and weight_file(entry.name, about=about)


def _is_data(entry: Entry) -> bool:
    suffix = PurePosixPath(entry.name).suffix.lower()
    return (
        suffix in _DATA_SUFFIXES and entry.size > _SMALL and bool(_DATA_FOLDER.search(entry.name)) and not weight_file(entry.name)
    )
