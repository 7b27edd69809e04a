"""LT211: a prefix of state dict keys that is removed wherever it occurs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Unknown
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

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
        It is advice where no part of a model in the project has a name that ends in "module".
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
    remedy="write key.removeprefix('module.')",
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

_PREFIX = (Constant("module."), Constant(""))
_KEY = re.compile(r"\.items\(\)\[\]\[0\]$|\.keys\(\)\[\]$|^<\w+>\[\]$")
"""How the key of a mapping is reached: as a pair's first, from its keys, or by going over it."""


_OWN = re.compile(r"\bself\.\w+module\b(?! *\()")
_OWN_BYTES = re.compile(rb"\bself\.\w+module\b(?! *\()")
"""A part of a model whose name ends so: what is loaded into it loses that end."""


@rule.event(UnknownCalled)
def in_source(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    if event.method != "replace" or event.given.positional != _PREFIX or event.given.keyword:
        return
    key = event.held
    if not isinstance(key, Unknown) or not _KEY.search(key.path) or _is_of_names(event, source):
        return
    call, fix = source.call_at(event), None
    if call is not None and isinstance(call.func, cst.Attribute) and len(call.args) == 2:
        text = f"{source.code(call.func.value)}.removeprefix({source.code(call.args[0].value)})"
        fix = Fix("remove it in front only", (source.replace(call, text),), Applicability.UNSAFE)
    told = "removes module. anywhere in a key, also inside my_module.weight"
    own = _OWN.search(source.text) or is_written_around(_OWN_BYTES, source.path, source.consulted)
    yield Hit(event, told, fix, severity=None if own else Severity.NOTE)


def _is_of_names(event: UnknownCalled, source: Source) -> bool:
    """Whether the loop runs over modules or parameters: their names are shown, not loaded."""
    around = source.evaluation.list_around(event)
    loops = [getattr(each, "iter", None) for each in around if isinstance(each, ast.For)]
    return any(each is not None and "named_" in ast.unparse(each) for each in loops)
