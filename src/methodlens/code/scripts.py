"""Shell scripts, Makefiles and batch jobs: their commands, and the hardware they ask for."""

import re

from methodlens.code.commands import RepositoryNames, command_findings, joined_lines
from methodlens.code.dependencies import DOCUMENTED, framework_findings
from methodlens.code.install_commands import installed
from methodlens.code.sources import Source
from methodlens.facts.catalog import extract
from methodlens.records.code import Finding, Topic

_SUFFIXES = frozenset((".sh", ".bash", ".zsh", ".bat", ".cmd", ".ps1", ".slurm", ".sbatch", ".pbs", ".mk", ".make"))
_REQUESTED = re.compile(
    r"^\s*#\s*(?:SBATCH|PBS|BSUB|\$)\b.*?(?:--gres=gpu|--gpus(?:-per-node)?=|ngpus=|-gpu|:gpus=)[:=]?(?:([A-Za-z][\w-]{0,30})[:=])?(\d{1,3})?",
    re.I,
)
_VISIBLE = re.compile(r"\bCUDA_VISIBLE_DEVICES=([\d,]{1,40})")


def is_script(source: Source) -> bool:
    name = source.path.name.lower()
    return source.path.suffix.lower() in _SUFFIXES or name in ("makefile", "gnumakefile", "snakefile", "procfile")


def script_findings(source: Source, names: RepositoryNames) -> list[Finding]:
    lines = joined_lines(source)
    packages = [requirement for first, _, line in lines for requirement in installed(line, first)]
    return [
        *command_findings(source, lines, names),
        *framework_findings(source, packages, kind=DOCUMENTED),
        *device_findings(source),
    ]


def device_findings(source: Source) -> list[Finding]:
    findings: list[Finding] = []
    for at, line in enumerate(source.lines, 1):
        if len(line) > 2000:
            continue
        if (match := _REQUESTED.match(line)) and (match[1] or match[2]):
            named = (
                extract(["hardware"], [f"We trained on {match[2] or 1} {match[1].upper()} GPUs."])["hardware"] if match[1] else []
            )
            value = named[0] if len(named) == 1 else None
            findings.append(source.finding(Topic.DEVICE, at, "hardware" if value else "", value))
        elif _VISIBLE.search(line):
            findings.append(source.finding(Topic.DEVICE, at))
    return findings
