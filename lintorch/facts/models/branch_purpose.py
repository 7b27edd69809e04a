"""What branches are for: those that only check or tell, and those that are taken elsewhere than in an export."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence

_MESSAGE = re.compile(
    r"(^print$|(^|\.)(warn|warning|warning_once|debug|info|error|log|exception)$)"
)
_LOGGER = re.compile(r"(^|\.)get_?\w*logger$", re.I)
"""What gives the object that a message is sent by."""
_EXPORTING = re.compile(
    r"(^|\.)(_?is_((torch)?dynamo_)?(compiling|exporting|(jit_)?(tracing|scripting))|is_in_onnx_export)$"
)
_DEVICE = re.compile(r"device\.type|version")
_EXIT = re.compile(r"^(exit|quit|sys\.exit|os\._exit|os\.abort)$")


Harmless = Callable[[ast.stmt], bool]
"""Whether a statement, which no check is, comes to nothing either."""
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield)


def only_checks(branch: ast.AST | None) -> bool:
    """Whether an `if` does no more than to raise, assert or tell, and an `assert` never does."""
    if isinstance(branch, ast.If):
        return only_checks_in(branch.body) and only_checks_in(branch.orelse)
    return isinstance(branch, ast.Assert)


def only_checks_in(block: Sequence[ast.stmt], harmless: Harmless = lambda line: False) -> bool:
    """The same of statements: nothing comes of them but an error, messages, and what is `harmless`."""
    return only_raises(block) or all(_tells(line, harmless) or harmless(line) for line in block)


def fills_lists(branch: ast.AST | None) -> bool:
    """Whether an `if` adds to lists, or ends a function that gives nothing: no tensor is chosen."""
    return isinstance(branch, ast.If) and any(
        _adds_to_list(node) or (isinstance(node, ast.Return) and node.value is None)
        for line in (*branch.body, *branch.orelse)
        for node in ast.walk(line)
    )


def ends_loop(branch: ast.AST | None) -> bool:
    """Whether an `if` does no more than to leave the loop around it."""
    return isinstance(branch, ast.If) and any(isinstance(line, ast.Break) for line in branch.body)


def _adds_to_list(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "extend" | "insert"))):
            return True
    return False


def only_raises(block: Sequence[ast.stmt]) -> bool:
    """Whether nothing of a block comes to more than the error, or end of the program, that it ends in."""
    match block:
        case [ast.If(test=ast.Name(), body=inner, orelse=[]), ast.Return(value=ast.Constant())]:
            return only_raises(inner)  # `if raises: raise Error(...)`, and else the answer no
    ends = bool(block) and _ends_program(block[-1])
    return ends and not any(isinstance(n, _LEAVES) for each in block for n in ast.walk(each))


def _ends_program(line: ast.stmt) -> bool:
    match line:
        case ast.Expr(value=ast.Call(func=func)):
            return bool(_EXIT.search(ast.unparse(func)))
    return isinstance(line, ast.Raise)


def _tells(line: ast.stmt, harmless: Harmless) -> bool:
    """An assert, a message, a text that stands by itself, or a branch of nothing but such."""
    if isinstance(line, ast.If):
        return all(only_checks_in(side, harmless) for side in (line.body, line.orelse))
    if isinstance(line, ast.Expr):
        called = line.value.func if isinstance(line.value, ast.Call) else None
        return bool(_MESSAGE.search(ast.unparse(called))) if called else _is_text(line.value)
    if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
        return bool(_LOGGER.search(ast.unparse(line.value.func)))
    return isinstance(line, (ast.Assert, ast.Pass, ast.Raise))


def only_relays(line: ast.stmt) -> bool:
    """`x = x.contiguous()`: the same numbers, in order in memory."""
    match line:
        case ast.Assign(
            targets=[target], value=ast.Call(func=ast.Attribute(value=held, attr="contiguous"))
        ):
            return ast.unparse(target) == ast.unparse(held)
    return False


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant)


def asks_exporting(test: ast.AST) -> bool:
    """Whether a test asks if code is traced, exported or compiled now."""
    return any(
        isinstance(each, ast.Call) and _EXPORTING.search(ast.unparse(each.func))
        for each in ast.walk(test)
    )


def is_half_alone(test: ast.AST) -> bool:
    """`x.dtype == torch.float16 and not x.isfinite().all()`."""
    both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return both and isinstance(test, ast.BoolOp) and "float16" in ast.unparse(test.values[0])


def is_of_export_or_half(test: ast.AST) -> bool:
    """`is_compiling() or (dtype == torch.float16 and not fits(x))`: in single precision the same at every size."""
    sides = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    calls = [each for each in sides if isinstance(each, ast.Call) and asks_exporting(each)]
    return all(each in calls or is_half_alone(each) for each in sides)


def is_apart(around: Iterable[ast.AST]) -> bool:
    """Whether code runs only on one kind of device, under one release, or not while a model is exported.

    `around` are the nodes around it, innermost first.
    """
    tests = (each.test for each in around if isinstance(each, (ast.If, ast.IfExp)))
    return any(_DEVICE.search(ast.unparse(test)) or asks_exporting(test) for test in tests)


def is_replaced(around: Iterable[ast.AST]) -> bool:
    """Whether a decorator of the class chooses another forward: `@use_experts_implementation`."""
    return any(
        "implementation" in ast.unparse(decorator)
        for each in around
        if isinstance(each, ast.ClassDef)
        for decorator in each.decorator_list
    )
