"""LT802: the result of a tensor operation that nothing takes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT802",
    summary="a tensor operation whose result is dropped",
    why="""
        Methods of tensors return a new tensor and leave theirs as it was, unless their name
        ends in an underscore. `x.to(device)`, `x.clamp(0, 1)` or `x.contiguous()` as a
        statement does nothing, silently. Only modules are moved in place by `to` and `cuda`;
        what is not surely a tensor is not reported. Measured on torch 2.13.

        The fix assigns the result, and so changes what the code after it works with.
    """,
    bad="""
        import torch


        def limited(scores: torch.Tensor):
            scores.clamp(0, 1)
            return scores
    """,
    good="""
        import torch


        def limited(scores: torch.Tensor):
            scores = scores.clamp(0, 1)
            return scores
    """,
    proof="""
        assert limited(torch.tensor([2.0])).max() <= 1
    """,
    fix=Applicability.UNSAFE,
)

ONLY_TENSORS = frozenset(
    {
        "expand", "expand_as", "clamp", "clamp_min", "clamp_max", "contiguous", "unsqueeze",
        "permute", "masked_fill", "masked_scatter", "index_fill", "index_add", "index_copy",
        "scatter", "scatter_add", "view", "view_as", "reshape", "flatten", "squeeze", "transpose",
        "detach", "type_as", "nan_to_num", "sigmoid", "softmax", "relu",
        "repeat_interleave", "movedim", "tril", "triu", "roll", "flip", "bfloat16", "long",
    }
)  # fmt: skip
"""Methods that give a new tensor or another view of it."""
ALSO_OTHERS = frozenset(
    ("to", "cuda", "float", "half", "double", "type", "add", "sub", "mul", "div", "exp", "log")
)
"""Methods of the same kind that modules, sets, batches and counters have too."""
FUNCTIONS = frozenset(
    f"torch.{name}" for name in ONLY_TENSORS | {"add", "sub", "mul", "div", "where"}
)
_IN_PLACE = ("out", "inplace")
_TRIALS = (cst.Try, cst.TryStar)


@rule.source(cst.Expr, needs=("torch",))
def in_source(statement: cst.Expr, source: Source) -> Iterator[Hit]:
    call = statement.value
    if not isinstance(call, cst.Call) or any(is_in_place(arg) for arg in call.args):
        return
    tensor = dropped(call, source)
    if tensor is None or is_tried(statement, source):
        return
    message = f"{source.code(call.func).strip()[-60:]}() leaves {short(tensor, source)} as it was, and its result is dropped"
    yield Hit(call, message, assigned(call, tensor, source))


def dropped(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """The tensor that a call makes another one of; None where it is not surely that."""
    func = call.func
    name = source.name(func)
    if name in FUNCTIONS:
        return call.args[0].value if call.args and not call.args[0].star else None
    if name or not isinstance(func, cst.Attribute):
        return None
    method = func.attr.value
    if method not in ONLY_TENSORS | ALSO_OTHERS or (method == "type" and not call.args):
        return None
    value = source.value(func.value)
    known = method in ONLY_TENSORS or value.sure
    return func.value if known and value.is_tensor else None


def is_in_place(arg: cst.Arg) -> bool:
    keyword = arg.keyword.value if arg.keyword else ""
    return arg.star == "**" or (keyword in _IN_PLACE and literal(arg.value) is not False)


def is_tried(statement: cst.CSTNode, source: Source) -> bool:
    """Whether a statement is only there to see if it raises, or how long it takes."""
    inner = statement
    for outer in source.ancestors(statement):
        if isinstance(outer, _TRIALS) and inner is outer.body:
            return True
        if isinstance(outer, cst.With) and "raises" in source.code(outer.items[0].item).lower():
            return True
        if isinstance(outer, cst.FunctionDef):
            return False
        inner = outer
    return False


def assigned(call: cst.Call, tensor: cst.BaseExpression, source: Source) -> Fix | None:
    """`x = x.clamp(0, 1)` of a name; an attribute may be a parameter, which takes no tensor."""
    if not isinstance(tensor, cst.Name):
        return None
    edit = source.replace(call, f"{source.code(tensor)} = {source.code(call)}")
    return Fix("assign the result", (edit,), Applicability.UNSAFE)


def short(tensor: cst.BaseExpression, source: Source) -> str:
    text = source.code(tensor)
    return text if len(text) < 30 and "\n" not in text else "its tensor"
