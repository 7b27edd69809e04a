"""What branches are for: those that only check or tell, and those that are taken elsewhere than in an export."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

_MESSAGE = re.compile(
    r"(^print$|(^|\.)(warn|warning|warning_once|debug|info|error|log|exception)$)"
)
_EXPORTING = re.compile(
    r"(^|\.)(_?is_((torch)?dynamo_)?(compiling|exporting|(jit_)?(tracing|scripting))|is_in_onnx_export)$"
)
_DEVICE = re.compile(r"device\.type|version")


def only_checks(branch: ast.AST | None) -> bool:
    """Whether an `if` does no more than to raise, assert or tell, and an `assert` never does."""
    if isinstance(branch, ast.Assert):
        return True
    if not isinstance(branch, ast.If):
        return False
    last = branch.orelse
    if len(last) == 1 and isinstance(last[0], ast.If):
        return _only_raises(branch.body) and only_checks(last[0])
    return _only_raises(branch.body) and (not last or _only_raises(last))


def _only_raises(block: Sequence[ast.stmt]) -> bool:
    return isinstance(block[-1], ast.Raise) or all(map(_tells, block))


def _tells(line: ast.stmt) -> bool:
    """An assert, a message, or a branch of nothing but such."""
    if isinstance(line, ast.If):
        return only_checks(line)
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return bool(_MESSAGE.search(ast.unparse(line.value.func)))
    return isinstance(line, (ast.Assert, ast.Pass))


def asks_exporting(test: ast.AST) -> bool:
    """Whether a test asks if code is traced, exported or compiled now."""
    return any(
        isinstance(each, ast.Call) and _EXPORTING.search(ast.unparse(each.func))
        for each in ast.walk(test)
    )


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
