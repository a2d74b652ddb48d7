"""Values in Python's syntax trees, computed from constants alone. Nothing is executed."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

UNKNOWN = object()
_DEEPEST = 12
_LARGEST = 1e12
_LONGEST = 50
_NO_CONSTANTS: Mapping[str, Any] = {}
_DEFAULT_AT = {"get": 1, "pop": 1, "setdefault": 1, "getattr": 2}
"""Which argument of a look-up is the value if nothing else is given."""


def evaluate(node: ast.AST | None, constants: Mapping[str, Any] = _NO_CONSTANTS, depth: int = 0) -> Any:
    """A constant, a list of constants, a name with a known value, `float("1e-3")`, or arithmetic on these; else UNKNOWN.

    >>> evaluate(ast.parse("-5e-4 * 2", mode="eval").body)
    -0.001
    >>> evaluate(ast.parse("1 - KEEP", mode="eval").body, {"KEEP": 0.75}), evaluate(ast.parse("int(1e5)", mode="eval").body)
    (0.25, 100000)
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float | str | bool | type(None)) else UNKNOWN
    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(node, ast.Name):
        return constants.get(node.id, UNKNOWN)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return constants.get(f"{node.value.id}.{node.attr}", UNKNOWN)
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) <= _LONGEST:
        values = [evaluate(each, constants, depth + 1) for each in node.elts]
        return UNKNOWN if UNKNOWN in values else values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = evaluate(node.operand, constants, depth + 1)
        return -value if _is_number(value) else UNKNOWN
    if isinstance(node, ast.BinOp):
        left, right = (evaluate(side, constants, depth + 1) for side in (node.left, node.right))
        return _arithmetic(node.op, left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        return _converted(node.func.id, evaluate(node.args[0], constants, depth + 1))
    return UNKNOWN


def alternatives(node: ast.AST | None) -> Iterator[ast.expr]:
    """The expressions that a setting may take its value from: both sides of `a if b else c`, the last of `a or b`.

    >>> [ast.unparse(each) for each in alternatives(ast.parse("given['lr'] if 'lr' in given else 0.1", mode="eval").body)]
    ["given['lr']", '0.1']
    """
    todo = [node]
    for each in todo:  # grows while it is read
        if len(todo) > _LONGEST:
            return
        if isinstance(each, ast.IfExp):
            todo += [each.body, each.orelse]
        elif isinstance(each, ast.BoolOp) and isinstance(each.op, ast.Or):
            todo.append(each.values[-1])
        elif isinstance(each, ast.expr):
            yield each


def looked_up(call: ast.Call) -> tuple[str, ast.expr] | None:
    """The name and default of `settings.get("lr", 0.1)` and `getattr(args, "lr", 0.1)`; None for other calls."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    at = _DEFAULT_AT.get(name)
    if at is None or len(call.args) != at + 1 or call.keywords or (name == "getattr") != isinstance(call.func, ast.Name):
        return None
    key = call.args[at - 1]
    return (key.value, call.args[at]) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _arithmetic(operator: ast.operator, left: Any, right: Any) -> Any:
    if not _is_number(left) or not _is_number(right) or max(abs(left), abs(right)) > _LARGEST:
        return UNKNOWN
    try:
        if isinstance(operator, ast.Mult):
            return left * right
        if isinstance(operator, ast.Div):
            return left / right
        if isinstance(operator, ast.FloorDiv):
            return left // right
        if isinstance(operator, ast.Add):
            return left + right
        if isinstance(operator, ast.Sub):
            return round(left - right, 12)  # 1 - 0.9 is 0.1
        if isinstance(operator, ast.Pow) and abs(right) <= 64 and abs(left) <= 1000:
            return left**right
    except (ArithmeticError, ValueError):
        pass
    return UNKNOWN


def _converted(function: str, value: Any) -> Any:
    """`float("1e-3")` and `int(1e5)`."""
    if function not in ("float", "int") or isinstance(value, bool) or not isinstance(value, int | float | str):
        return UNKNOWN
    try:
        number = float(value)
        return number if function == "float" else int(number)
    except (ValueError, OverflowError):
        return UNKNOWN


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
