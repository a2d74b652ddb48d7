"""Commands in README files, shell scripts, Makefiles and notebooks: what they run, and the settings they give."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct

from methodlens.code.links import RELEASED
from methodlens.code.settings_found import COMMAND, number, setting
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

TRAINING, EVALUATION, RUN = "training", "evaluation", "run"
RUNS = "in a command that runs "
NOT_HERE = "the script is not in the repository"
_SCRIPT = re.compile(r"[\w./\\${}~-]{1,200}\.(?:py|sh|bash|R|r|jl|ipynb|lua|m|slurm|sbatch)")
_PROMPT = re.compile(r"^\s*(?:[$>%#]\s+|[$%]>\s*|\(\w+\)\s*\$?\s*|!\s*|\w{1,20}@[\w.-]{1,40}[^$]{0,40}\$\s+)?(?:RUN\s+)?")
_OPENS = re.compile(
    r"[A-Z_][A-Z0-9_]*=\S*|sudo|nohup|time|env|srun|exec|xvfb-run|uv|poetry|pipenv|conda|mpirun|mpiexec|horovodrun|cd"
)
_GOES_ON = re.compile(r"&&|-\S+|\d+|[\w./-]+;?")
_INTERPRETER = re.compile(
    r"(?:\S*/)?(?:python[\d.]*|ipython|bash|sh|zsh|Rscript|julia|torchrun|accelerate|deepspeed|jupyter|papermill|source|th|matlab|"
    r"sbatch|fairseq-train|colossalai)"
)
_TRAINS = re.compile(r"train|fit\b|finetun|fine_tun|fine-tun|pretrain|pre_train|learn|\bsolver|distill", re.I)
_EVALUATES = re.compile(
    r"eval|(?:^|[_/\W])tests?(?:[_./\W]|$)|infer|predict|score|validat|benchmark|\bdemo|reproduce|metric|generate|sample", re.I
)
_NOT_RUN = re.compile(r"setup\.py$|manage\.py$|conftest|(?:^|/)(?:docs?|tests)/")
_WORDS = re.compile(r"[^\s'\"]+(?:'[^']{0,200}'|\"[^\"]{0,200}\")?|'[^']{0,300}'|\"[^\"]{0,300}\"")
_VARIABLE = re.compile(r"^\s*(?:export\s+|local\s+)?([A-Za-z_]\w{0,40})=[\"']?([\w.+/-]{1,80})[\"']?\s*(?:#.*)?$")
_LOOP = re.compile(r"^\s*for\s+(\w{1,40})\s+in\s+((?:[^\s;]{1,40}\s+){0,40}[^\s;]{1,40})\s*(?:;|$)")
_NAMED_OPTION = re.compile(r"--?[A-Za-z][\w.-]*|[A-Z][A-Z0-9_]{1,40}(?:\.[A-Z][A-Z0-9_]{1,40}){1,6}")
_USED = re.compile(r"\$\{?(\w{1,40})\}?")


_FETCHES = re.compile(r"download|fetch", re.I)
_FETCHED = re.compile(r"models?(?:_|\b)|weights|checkpoints?|pretrained", re.I)


class RepositoryNames:
    """The files and console scripts of a repository, to tell which commands can be run in it."""

    def __init__(self, files: list[str], scripts: frozenset[str] = frozenset()) -> None:
        parts = (PurePosixPath(file).parts for file in files)
        self._files = frozenset("/".join(each[-count:]) for each in parts for count in range(1, min(4, len(each)) + 1))
        self._modules = frozenset(part for file in files for part in (*PurePosixPath(file).parts[:-1], PurePosixPath(file).stem))
        self.scripts = scripts

    def has(self, script: str) -> bool:
        """By the end of its path, because a README may have said `cd` before."""
        named = [part for part in script.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        return "/".join(named[-4:]) in self._files

    def has_module(self, module: str) -> bool:
        parts = module.split(".")
        return parts[0] in self._modules and parts[-1] in self._modules

    def has_console_script(self, name: str) -> bool:
        return name in self.scripts


class Command(Struct, frozen=True):
    """A command as written: what it runs, and its words after that."""

    text: str
    script: str
    arguments: tuple[str, ...]
    here: bool
    """Whether what it runs is in the repository."""

    @property
    def kind(self) -> str:
        """By the name of the script, then by its arguments."""
        for text in (PurePosixPath(self.script).name, " ".join(self.arguments), self.script):
            if _TRAINS.search(text) and not re.search(r"--(?:pre)?trained\b", text):
                return TRAINING
            if _EVALUATES.search(text):
                return EVALUATION
        return RUN


def parse_command(line: str, names: RepositoryNames) -> Command | None:
    """The command of a line; None if the line runs no script.

    >>> parse_command("$ CUDA_VISIBLE_DEVICES=0 python tools/train.py --lr 0.1", RepositoryNames(["tools/train.py"])).script
    'tools/train.py'
    """
    prompt = _PROMPT.match(line)
    text = line[prompt.end() if prompt else 0 :][:4000].strip()
    words = _WORDS.findall(text)
    for at, word in enumerate(words[:25]):
        if _INTERPRETER.fullmatch(word):
            return _interpreted(text, words[at + 1 :], names)
        bare = word.strip("\"'")
        if names.has_console_script(bare) and at + 1 <= len(words):
            return Command(text, bare, tuple(words[at + 1 :]), True)
        if bare.startswith("./") and _SCRIPT.fullmatch(bare):
            return Command(text, bare, tuple(words[at + 1 :]), names.has(bare))
        if bare == "make" and at + 1 < len(words) and names.has("Makefile"):
            return Command(text, words[at + 1], tuple(words[at + 2 :]), True)
        if not _OPENS.fullmatch(word) and (at == 0 or not _GOES_ON.fullmatch(word)):
            return None
    return None


def _interpreted(text: str, words: list[str], names: RepositoryNames) -> Command | None:
    for at, word in enumerate(words):
        bare = word.strip("\"'")
        if bare in ("-m", "--module") and at + 1 < len(words):
            module = words[at + 1]
            if module in (
                "torch.distributed.launch",
                "torch.distributed.run",
                "accelerate.commands.launch",
                "coverage",
                "cProfile",
                "paddle.distributed.launch",
                "deepspeed",
            ):
                continue
            if ".tests" in module or module in (
                "pip",
                "venv",
                "pytest",
                "unittest",
                "ipykernel",
                "http.server",
                "build",
                "spacy",
            ):
                return None
            return Command(text, module, tuple(words[at + 2 :]), names.has_module(module))
        if _SCRIPT.fullmatch(bare):
            if _NOT_RUN.search(bare):
                return None
            return Command(text, bare, tuple(words[at + 1 :]), names.has(bare))
        if bare in ("|", ";", "&&", "-c", "-V", "--version", "install"):
            return None
    return None


def fetches_models(command: Command) -> bool:
    """`newts download models`, `python fetch_weights.py`: a command of the repository that gets its trained models."""
    words = " ".join((PurePosixPath(command.script).stem, *command.arguments[:3]))
    return bool(_FETCHES.search(words) and _FETCHED.search(words))


def options(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """`--lr 0.1`, `--lr=0.1`, hydra's `optimizer.lr=0.1` and yacs's `SOLVER.BASE_LR 0.1`.

    >>> list(options(("--lr", "0.1", "--batch-size=32", "optimizer.momentum=0.9", "SOLVER.MAX_ITER", "500", "--amp")))
    [('--lr', '0.1'), ('--batch-size', '32'), ('optimizer.momentum', '0.9'), ('SOLVER.MAX_ITER', '500')]
    """
    for at, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if equals and re.fullmatch(r"(?:--?|\+{0,2})[A-Za-z][\w.\-/]*", name):
            yield name, value.strip("\"'")
        elif _NAMED_OPTION.fullmatch(word) and at + 1 < len(arguments):
            following = arguments[at + 1].strip("\"'")
            if not following.startswith("-") or isinstance(number(following), int | float):
                yield word, following


def command_findings(source: Source, lines: list[tuple[int, int, str]], names: RepositoryNames) -> list[Finding]:
    """Of joined lines with the numbers of their first and last line in the file."""
    findings: list[Finding] = []
    variables: dict[str, str] = {}
    for first, last, line in lines:
        if assigned := _VARIABLE.match(line):
            variables[assigned[1]] = assigned[2]
        if loop := _LOOP.match(line):
            values = [number(word) for word in loop[2].split()]
            found = setting(source, first, loop[1], values, kind=COMMAND) if "seed" in loop[1].lower() else None
            findings += [found] if found else []
        command = parse_command(line, names)
        if command is None:
            continue
        findings.append(source.finding(Topic.COMMAND, first, note="" if command.here else NOT_HERE, kind=command.kind))
        if command.here and fetches_models(command):
            findings.append(source.finding(Topic.WEIGHTS, first, note=command.script, kind=RELEASED))
        for name, value in options(command.arguments):
            given = _USED.sub(lambda match: variables.get(match[1], match[0]), value)
            if "$" in given:
                continue
            at = next((row for row in range(first, last + 1) if name in source.lines[row - 1]), first)
            found = setting(source, at, name, given, kind=COMMAND, note=f"{RUNS}{command.script}")
            findings += [found] if found else []
    return findings


def joined_lines(source: Source, first: int = 1, last: int | None = None) -> list[tuple[int, int, str]]:
    """Lines with those that a backslash continues: the numbers of the first and last, and the text."""
    rows: list[tuple[int, int, str]] = []
    held, start = "", 0
    for at in range(first, (last or len(source.lines)) + 1):
        line = source.lines[at - 1]
        start = start or at
        if line.rstrip().endswith("\\") and len(held) < 20_000:
            held += line.rstrip()[:-1] + " "
            continue
        rows.append((start, at, held + line))
        held, start = "", 0
    return [*rows, (start, last or len(source.lines), held)] if held else rows
