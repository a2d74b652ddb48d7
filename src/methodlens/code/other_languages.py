"""R, Julia, Lua and MATLAB, line by line: seeds, settings, training and frameworks."""

import re

from methodlens.code.dependencies import IMPORTED
from methodlens.code.packages import framework_of
from methodlens.code.settings_found import DEFAULT, setting
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

SUFFIXES = frozenset((".r", ".rmd", ".qmd", ".jl", ".lua", ".m"))
_SEED = re.compile(r"\b(?:set\.seed|Random\.seed!|seed!|torch\.manualSeed|manual_seed|torch_manual_seed|rng)\(\s*(\d{1,12})?")
_ASSIGNED = re.compile(
    r"(?:^|[(,;\s])[\"']?([A-Za-z][\w.]{1,40})[\"']?\s*(?:<-|=|,)\s*[\"']?([+-]?\d[\w.+-]{0,20}|[A-Za-z][\w.-]{1,30})[\"']?(?=\s*(?:[,;)#%]|$|--))"
)
_IMPORT = re.compile(r"^\s*(?:library|require|using|import|local\s+\w+\s*=\s*require)\s*[( ]?\s*[\"']?([A-Za-z][\w.]{1,40})")
_TRAINS = re.compile(
    r"%>%\s*fit\(|\bfit\(\s*model|\$fit\(|\btrain!\(|\boptim\.\w+\(|\btrainNetwork\(|\btrainnet\(|\btrain\(\s*(?:form|x\s*=|\w+\s*~)|\bgradient\(|\bbackward\("
)
_EVALUATES = re.compile(
    r"\bevaluate\(|\bconfusionMatrix\(|\bconfusionmat\(|\bpredict\(.{0,80}\bmean\(|\baccuracy\(|\bauc\(|\brmse\(", re.I
)


def other_findings(source: Source) -> list[Finding]:
    findings: list[Finding] = []
    for at, line in enumerate(source.lines, 1):
        text = line[:1000]
        if text.lstrip().startswith(("#", "--", "%", "//")):
            continue
        if match := _SEED.search(text):
            findings.append(source.finding(Topic.SEED, at, "seeds" if match[1] else "", int(match[1]) if match[1] else None))
        if (match := _IMPORT.match(text)) and (name := framework_of(match[1])):
            findings.append(source.finding(Topic.DEPENDENCY, at, "frameworks", {"name": name, "version": None}, kind=IMPORTED))
        for match in _ASSIGNED.finditer(text):
            found = setting(source, at, match[1], match[2], kind=DEFAULT)
            findings += [found] if found and found.fact != "architectures" and found.fact else []
        for topic, pattern in ((Topic.TRAINING, _TRAINS), (Topic.EVALUATION, _EVALUATES)):
            if pattern.search(text):
                findings.append(source.finding(topic, at))
    return findings
