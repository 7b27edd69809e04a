"""LT521: an array that is read backwards, given to torch.from_numpy."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT521",
    summary="an array that is read backwards, made a tensor",
    why="""
        `image[..., ::-1]`, np.flip, np.fliplr, np.flipud and np.rot90 give a view that goes through the
        memory of the array backwards. torch.from_numpy, torch.as_tensor and torch.tensor take none: ValueError,
        "At least one stride in the given numpy array is negative". Measured on torch 2.13.
    """,
    bad="""
        import torch


        def to_tensor(image):
            rgb = image[:, :, ::-1]
            return torch.from_numpy(rgb)
    """,
    good="""
        import torch


        def to_tensor(image):
            rgb = image[:, :, ::-1].copy()
            return torch.from_numpy(rgb)
    """,
    proof="""
        import numpy as np

        to_tensor(np.zeros((2, 2, 3)))
    """,
    severity=Severity.ERROR,
    remedy="copy it first: write .copy() behind it, or np.ascontiguousarray(…)",
)

TAKING = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.tensor"})
TURNING = frozenset({"numpy.flip", "numpy.fliplr", "numpy.flipud"})
KEEPING = frozenset({"transpose", "swapaxes", "squeeze"})
"""Methods whose result reads the same memory as before."""
DEEPEST = 6


@rule.source(cst.Call, needs=("from_numpy", "as_tensor", "tensor("))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in TAKING and call.args and not call.args[0].star:
        turned = _find_turned(call.args[0].value, source, name == "torch.from_numpy", 0)
        if turned is not None:
            short = name.rpartition(".")[2]
            said = f"{short} takes no array that is read backwards, as {turned} is: ValueError"
            yield Hit(call, said, cause="read backwards")


def _find_turned(value: cst.BaseExpression, source: Source, array: bool, depth: int) -> str | None:
    """How what turns an array is written; `array`: whether it surely is no list and no tensor."""
    if depth > DEEPEST:
        return None
    if isinstance(value, cst.Name):
        node = _find_last(value, source)
        return (
            _find_turned(node, source, array, depth + 1)
            if isinstance(node, cst.BaseExpression)
            else None
        )
    if isinstance(value, cst.Subscript):
        return source.code(value) if array and _is_backwards(value) else None
    if not isinstance(value, cst.Call):
        return None
    if source.name(value.func) in TURNING:
        return source.code(value)
    method = value.func.attr.value if isinstance(value.func, cst.Attribute) else ""
    if method in KEEPING and isinstance(value.func, cst.Attribute):
        return _find_turned(value.func.value, source, array, depth + 1)
    given = _given_back(value, source)
    return _find_turned(given, source, array, depth + 1) if given is not None else None


def _find_last(name: cst.Name, source: Source) -> cst.CSTNode | None:
    """What a name was given last ahead of where it stands, as lines go, in no loop."""
    here = source.place(name).row
    if source.enclosing(name, cst.For, cst.While) is not None:
        bound = source.bound(name)
        return bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
    ahead = [e for e in source.bound(name) if e.kind != "param" and source.place(e.node).row < here]
    last = max(ahead, key=lambda each: source.place(each.node).row, default=None)
    if last is None or last.kind != "assign":
        return None
    choice = source.enclosing(last.node, cst.If)
    chosen = (
        choice is None or choice in source.ancestors(name) or "rand" in source.code(choice.test)
    )
    return last.node if chosen else None


def _is_backwards(value: cst.Subscript) -> bool:
    """`x[::-1]`, `x[..., ::-1]`; not `x[::-1, index]`, which may copy."""
    parts = [each.slice for each in value.slice]
    whole = [isinstance(p, cst.Index) and isinstance(p.value, cst.Ellipsis) for p in parts]
    plain = all(a or isinstance(p, cst.Slice) for a, p in zip(whole, parts, strict=True))
    steps = [p.step for p in parts if isinstance(p, cst.Slice) and p.step is not None]
    return plain and any(literal(step) == -1 for step in steps)


def _given_back(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """What a function of the file, or a method of the class around, gives by its only return."""
    function = source.function(call.func) or _find_method(call, source)
    if function is None or function.decorators:
        return None
    returns = [
        each
        for each in source.nodes(cst.Return)
        if source.enclosing(each, cst.FunctionDef) is function
    ]
    return returns[0].value if len(returns) == 1 else None


def _find_method(call: cst.Call, source: Source) -> cst.FunctionDef | None:
    """`self.flip` of the class that the call stands in, where no other of the file is called so."""
    func, owner = call.func, source.enclosing(call, cst.ClassDef)
    if not isinstance(func, cst.Attribute) or source.code(func.value) != "self":
        return None
    named = [e for e in source.nodes(cst.FunctionDef) if e.name.value == func.attr.value]
    mine = [each for each in named if source.enclosing(each, cst.ClassDef) is owner]
    return mine[0] if len(named) == len(mine) == 1 else None
