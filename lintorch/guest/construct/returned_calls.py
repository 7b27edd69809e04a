"""What a file's text says of who makes whom: `return ResNet(Bottleneck, [3, 4])` returns a ResNet, of Bottlenecks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping


def find_returned_names(node: ast.FunctionDef) -> tuple[str, ...]:
    """The names that a function calls for what it returns, directly or by way of a variable."""
    calls = _list_returned_calls(node, _list_assignments(node))
    return tuple(dict.fromkeys(name for name, _ in calls))


def find_made_class(
    function: str, returned: Mapping[str, tuple[str, ...]], classes: Mapping[str, int]
) -> str:
    """The class whose instance a function of the file returns, by itself or by others; "" unless one."""
    waiting, seen = [function], {function}
    made: set[str] = set()
    while waiting:
        for name in returned.get(waiting.pop(), ()):
            if name in classes:
                made.add(name)
            elif name not in seen:
                seen.add(name)
                waiting.append(name)
    return made.pop() if len(made) == 1 else ""


def find_handed_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Who is called, and a name given as it is, `ResNet` and `Bottleneck`, or made for what is returned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from ((node.func.id, arg.id) for arg in _list_given_names(node))
        elif isinstance(node, ast.FunctionDef):
            yield from _find_made_parts(node)


def _find_made_parts(node: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """`Net` and `Stem` of `stem = Stem()`, `return Net(stem)`."""
    assigned = _list_assignments(node)
    for name, call in _list_returned_calls(node, assigned):
        for arg in _list_given_names(call):
            if (part := _find_call(arg, assigned)) is not None:
                yield name, _name_called(part)


def _list_returned_calls(
    node: ast.FunctionDef, assigned: Mapping[str, list[ast.expr]]
) -> Iterator[tuple[str, ast.Call]]:
    returns = (part.value for part in ast.walk(node) if isinstance(part, ast.Return))
    for value in returns:
        call = _find_call(value, assigned)
        if call is not None and (name := _name_called(call)):
            yield name, call


def _list_given_names(call: ast.Call) -> list[ast.Name]:
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return [arg for arg in given if isinstance(arg, ast.Name)]


def _list_assignments(node: ast.FunctionDef) -> Mapping[str, list[ast.expr]]:
    """What each variable is given, in the order of the text."""
    given: dict[str, list[ast.expr]] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(part.value)
    return {name: sorted(values, key=lambda v: v.lineno) for name, values in given.items()}


def _find_call(value: ast.expr | None, assigned: Mapping[str, list[ast.expr]]) -> ast.Call | None:
    """`Net(3)` of `Net(3).eval()`, and of `model` where `model = Net(3)` and `model = model.half()` stand above."""
    left = {name: list(values) for name, values in assigned.items()}
    while True:
        if isinstance(value, ast.Name) and left.get(value.id):
            value = left[value.id].pop()
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        else:
            return value if isinstance(value, ast.Call) else None


def _name_called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""
