"""Settings that are no final values: a rate times the batch size, a batch size per device or per part of a step, epochs of one
part of training."""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from methodlens.code import names
from methodlens.code.settings_found import COMMAND, CONFIG
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

SCALED = "scaled"
_BY = {
    "learning_rate": re.compile(r"batch|world|gpu|device|replica|accum|\bsize\b|workers|hvd", re.I),
    "batch_size": re.compile(r"world|gpu|device|replica|accum|\bsize\b|cores|hvd", re.I),
}
_SETTING = re.compile(r"lr|rate|batch|bs\b", re.I)
_SCALES = (ast.Mult, ast.Div, ast.FloorDiv)
_MOST_NODES = 40
_LONGEST_LINE = 400
_SUM = re.compile(r"\b(\w{0,40}(?:epoch|iter|step)\w{0,40})\s*\+\s*(?:\w{1,40}\.)?(\w{0,40}(?:epoch|iter|step)\w{0,40})", re.I)
_ACCUMULATES = re.compile(  # --gradient_accumulation_steps 8, "accumulate_grad_batches": 4
    r"\b(?:grad(?:ient)?s?[_-]?)?accum(?:ulat\w{1,5})?[_-]?(?:grad(?:ient)?[_-]?)?(?:steps?|batches|iters?|freq)\b"
    r"[^\w\n]{1,8}(?:type\W{1,3}int\W{1,4})?(?:default\W{1,3})?(\d{1,6})\b",
    re.I,
)
_COUNTS = re.compile(r"start|resum|init|last|current|count|offset|begin|done|trained|^(?:epoch|iter|iteration|step|i_\w+)$", re.I)


def scaling(source: Source, node: ast.expr | ast.AugAssign) -> Iterator[Finding]:
    """`args.lr * args.batch_size / 256`: a finding without a value, for the settings of the whole repository."""
    if not isinstance(node, ast.BinOp | ast.AugAssign | ast.Call) or not _may_scale(source, node):
        return
    first = list(islice(ast.walk(node), _MOST_NODES))
    operators = [each.op for each in first if isinstance(each, ast.BinOp | ast.AugAssign) and isinstance(each.op, _SCALES)]
    if not operators:
        return
    words = list(_names(first))
    for fact, by in _BY.items():
        if fact == "batch_size" and not any(isinstance(each, ast.Mult) for each in operators):
            continue  # what is divided among devices is the whole batch, as papers give it
        if any(names.fact_of(names.plain(word)) == fact for word in words) and any(
            by.search(word) for word in words if names.fact_of(names.plain(word)) != fact
        ):
            note = f"the {fact.replace('_', ' ')} is scaled in this line"
            yield source.finding(Topic.HYPERPARAMETER, node.lineno, fact, None, note=note, kind=SCALED, relative=True)


def sums(source: Source) -> Iterator[Finding]:
    """`range(n_epochs + n_epochs_decay)`: training has two parts, and a paper may give the sum."""
    for at, line in enumerate(source.lines, 1):
        match = _SUM.search(line) if "+" in line and len(line) < _LONGEST_LINE else None
        if match and not any(_COUNTS.search(word) for word in match.groups()):
            for fact in dict.fromkeys(names.fact_of(names.plain(word)) for word in match.groups()):
                if fact in ("epochs", "iterations"):
                    yield source.finding(
                        Topic.HYPERPARAMETER, at, fact, None, note=f"{fact} are added up", kind=SCALED, relative=True
                    )


def accumulations(source: Source) -> Iterator[Finding]:
    """Gradients of several batches are added up before a step: a paper may give the size of all of them."""
    if "accum" not in source.text.lower():
        return
    for at, line in enumerate(source.lines, 1):
        match = _ACCUMULATES.search(line) if len(line) < _LONGEST_LINE else None
        if match and int(match[1]) > 1:
            note = f"gradients of {int(match[1])} batches are accumulated"
            yield source.finding(Topic.HYPERPARAMETER, at, "batch_size", None, note=note, kind=SCALED, relative=True)


def _may_scale(source: Source, node: ast.expr | ast.AugAssign) -> bool:
    """By the text of its first lines, since most calls and sums are of something else and walking them takes long."""
    for line in source.lines[node.lineno - 1 : min(node.end_lineno or node.lineno, node.lineno + 3)]:
        if ("*" in line or "/" in line) and _SETTING.search(line):
            return True
    return False


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for each in nodes:
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant) and isinstance(each.slice.value, str):
            yield each.slice.value


def with_scaling(findings: list[Finding]) -> list[Finding]:
    """Marks the values that some line scales, and says where."""
    lines = [finding for finding in findings if finding.kind == SCALED]
    own = {(finding.file, finding.fact) for finding in findings if finding.value is not None}
    return [_marked(finding, lines, own) for finding in findings if finding.kind != SCALED]


def _marked(finding: Finding, lines: list[Finding], own: set[tuple[str, str]]) -> Finding:
    """By a line of its own file; by one of another unless that has a value of its own and this is a default elsewhere."""
    if finding.value is None:
        return finding
    near = [each for each in lines if each.fact == finding.fact and each.file == finding.file]
    far = [
        each
        for each in lines
        if each.fact == finding.fact and ((each.file, each.fact) not in own or finding.kind in (CONFIG, COMMAND))
    ]
    if not near and not far:
        return finding
    line = (near or far)[0]
    note = "; ".join(part for part in (finding.note, f"scaled in {line.file}:{line.line}") if part)
    return replace(finding, note=note, relative=True)
