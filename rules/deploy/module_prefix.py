"""LT211: a prefix of state dict keys that is removed wherever it occurs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT211",
    summary="a prefix of state dict keys removed by replace",
    why="""
        DataParallel and DistributedDataParallel put `module.` in front of every key of a state
        dict. `key.replace("module.", "")` takes it out everywhere: `module.my_module.weight`
        becomes `my_weight`, which fits no layer and, with strict=False, is dropped without a word.
        `removeprefix` takes away what stands in front, and so does
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present for a whole state dict.
        Measured on torch 2.13.
    """,
    bad="""
        def unwrapped(state):
            return {key.replace("module.", ""): value for key, value in state.items()}
    """,
    good="""
        def unwrapped(state):
            return {key.removeprefix("module."): value for key, value in state.items()}
    """,
    proof="""
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.my_module = torch.nn.Linear(2, 2)


        state = torch.nn.DataParallel(Net()).state_dict()
        Net().load_state_dict(unwrapped(state))
    """,
    fix=Applicability.UNSAFE,
)

_PREFIX = "module."


@rule.source(cst.Call, needs=("replace('module.'", 'replace("module."'))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "replace" or len(call.args) != 2:
        return
    if [literal(arg.value) for arg in call.args] != [_PREFIX, ""] or any(
        a.keyword for a in call.args
    ):
        return
    key = func.value
    if not isinstance(key, cst.Name) or not _is_key(key, source) or _is_of_names(key, source):
        return
    text = f"{source.code(key)}.removeprefix({source.code(call.args[0].value)})"
    fix = Fix("remove it in front only", (source.replace(call, text),), Applicability.UNSAFE)
    yield Hit(call, "removes module. anywhere in a key, also inside my_module.weight", fix)


def _is_key(name: cst.Name, source: Source) -> bool:
    """Whether a name runs over the keys of a mapping."""
    loops = (
        a for a in source.ancestors(name) if isinstance(a, (cst.For, cst.DictComp, cst.ListComp))
    )
    return any(_runs_over(loop, name.value) for loop in loops)


def _runs_over(loop: cst.CSTNode, name: str) -> bool:
    """`for k, v in d.items()`, `for k in d.keys()` or `for k in d`."""
    if isinstance(loop, (cst.DictComp, cst.ListComp)):
        loop = loop.for_in
    assert isinstance(loop, (cst.For, cst.CompFor))
    over = loop.iter.args[0].value if _is_list(loop.iter) else loop.iter
    method = (
        over.func.attr.value
        if isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute)
        else ""
    )
    target = loop.target
    if isinstance(target, cst.Tuple):
        first = target.elements[0].value
        return method == "items" and isinstance(first, cst.Name) and first.value == name
    named = isinstance(target, cst.Name) and target.value == name
    return named and (method == "keys" or isinstance(over, cst.Name))


def _is_list(node: cst.BaseExpression) -> TypeGuard[cst.Call]:
    """`list(x)`, `sorted(x)`."""
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Name)
        and node.func.value in ("list", "sorted", "tuple")
        and len(node.args) == 1
    )


def _is_of_names(name: cst.Name, source: Source) -> bool:
    """Whether the loop runs over modules or parameters: their names are shown, not loaded."""
    for outer in source.ancestors(name):
        if isinstance(outer, (cst.For, cst.CompFor)) and "named_" in source.code(outer.iter):
            return True
    return False
