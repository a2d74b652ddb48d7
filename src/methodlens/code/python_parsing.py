"""Python source to syntax nodes, tolerantly: Python 2, mixed tabs, and files with errors are read as far as possible."""

import ast
import json
import re
import warnings
from typing import Any

from methodlens.code.sources import Source

_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
_PRINT = re.compile(r"^([ \t]*)print[ \t]+(?![=(.\[])(.*)$", re.M)
_PRINT_TO = re.compile(r"^([ \t]*)print[ \t]*>>[ \t]*(\w[\w.]*),?(.*)$", re.M)
_EXCEPT = re.compile(r"^([ \t]*except[ \t]+[\w., ()]{1,100}),[ \t]*(\w+)[ \t]*:", re.M)
_RAISE = re.compile(r"^([ \t]*raise[ \t]+[\w.]{1,80}),[ \t]*(.{1,300})$", re.M)
_OCTAL = re.compile(r"\b0([0-7]{1,6})\b(?![.xob])")
_WORTH_PARSING = re.compile(r"[(=]|\bimport\b")
_MAGIC = re.compile(r"^[ \t]*[%!?]|\?$")
_WINDOW = 300_000
_MOST_NODES = 30_000  # of a file that is read by line
_WHOLE = 400_000  # characters; a syntax tree takes 200 times the memory of its text, so longer files are read by line
_LEAVES = frozenset(  # nodes without anything to read below them; the most frequent ones
    (
        *(type(value) for value in (None, "", 0, 0.0, 0j, b"", True, ...)),
        *(ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del, ast.alias, ast.Pass, ast.Break, ast.Continue, ast.Global),
        *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod, ast.USub, ast.And, ast.Or, ast.Not),
        *(ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn, ast.Lt, ast.Gt, ast.LtE, ast.GtE),
    )
)
_READ = frozenset(
    (
        *(ast.Call, ast.Dict, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef),
        *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom),
    )
)


def parse(source: Source) -> list[ast.AST]:
    """All nodes of a file; of a file that no Python understands, those of its single lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for convert in (str, _newer) if len(source.text) <= _WHOLE else ():
            try:
                return walk(ast.parse(convert(source.text).replace("\x00", "")))
            except _ERRORS:
                continue
        return _by_line(source)


def walk(tree: ast.AST) -> list[ast.AST]:
    """The nodes that may be findings, in the order of the tree. Several times as fast as `ast.walk`, which visits all."""
    nodes: list[Any] = []
    todo: list[Any] = [tree]
    value: Any
    for node in todo:  # grows while it is read
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                todo += [each for each in value if each.__class__ not in _LEAVES]
                nodes += [
                    each for each in value if each.__class__ in _READ or (each.__class__ is ast.Constant and _is_link(each))
                ]
            elif value.__class__ not in _LEAVES and isinstance(value, ast.AST):
                todo.append(value)
                if value.__class__ in _READ:
                    nodes.append(value)
            elif value.__class__ is ast.Constant and _is_link(value):
                nodes.append(value)
    return nodes


def _is_link(constant: ast.Constant) -> bool:
    return constant.value.__class__ is str and "://" in constant.value[:300]


def _newer(text: str) -> str:
    """Python 2 as Python 3, as far as the syntax of its statements goes. Lines stay where they are."""
    text = _PRINT_TO.sub(r"\1print(\3)", text.expandtabs(8))
    text = _PRINT.sub(lambda match: f"{match[1]}print({match[2].split(' #')[0].rstrip().rstrip(',')})", text)
    text = _EXCEPT.sub(r"\1 as \2:", text)
    return _OCTAL.sub(r"0o\1", _RAISE.sub(r"\1(\2)", text))


def _by_line(source: Source) -> list[ast.AST]:
    nodes: list[ast.AST] = []
    for number, line in enumerate(source.lines, 1):
        text = line.strip()
        if len(text) > 1000 or not _WORTH_PARSING.search(text):
            continue
        if len(nodes) > _MOST_NODES:
            break
        if text.endswith(":"):
            text += " pass"
        try:
            tree = ast.parse(text.rstrip(","))
        except _ERRORS:
            continue
        ast.increment_lineno(tree, number - 1)
        nodes += walk(tree)
    return nodes


def notebook_code(source: Source) -> tuple[Source, Source] | None:
    """The code of a notebook and its shell commands, each with the lines of the file; None if it is not a notebook."""
    try:
        notebook = json.loads(source.text)
        cells = notebook.get("cells") or [cell for sheet in notebook.get("worksheets", []) for cell in sheet.get("cells", [])]
    except (ValueError, RecursionError, AttributeError):
        return None
    code: list[str] = []
    commands: list[str] = []
    numbers: list[int] = []
    at, line = 0, 1
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        text = cell.get("source", cell.get("input", ""))
        for row in ("".join(map(str, text)) if isinstance(text, list) else str(text)).split("\n"):
            here = source.text.find(json.dumps(row, ensure_ascii=False)[1:-1], at, at + _WINDOW) if row.strip() else -1
            if here >= 0:
                line += source.text.count("\n", at, here)
                at = here
            magic = bool(_MAGIC.search(row))
            code.append(re.sub(r"\S.*", "pass", row) if magic else row)
            commands.append(row.strip().lstrip("!%") if magic else "")
            numbers.append(line)
        for part in (code, commands):
            part.append("")
        numbers.append(line)
    return Source(source.name, "\n".join(code), numbers), Source(source.name, "\n".join(commands), numbers)
