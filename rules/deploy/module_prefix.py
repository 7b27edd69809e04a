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
        `key.lstrip("module.")` takes away letters, not a prefix: `module.layer.weight` becomes
        `ayer.weight`.
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
_PREFIXES = ("module.", "model.", "module.model.", "state_dict.model.")
"""All hold the letter that `layer` begins with."""
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
    told = "removes module. anywhere in a key, also inside my_module.weight"
    own = _OWN.search(source.text) or is_written_around(_OWN_BYTES, source.path, source.consulted)
    yield Hit(event, told, _in_front(event, source), severity=None if own else Severity.NOTE)


@rule.event(UnknownCalled)
def by_letters(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`key.lstrip("module.")`."""
    given = event.given.positional
    if event.method not in ("lstrip", "strip") or len(given) != 1 or event.given.keyword:
        return
    prefix = given[0].value if isinstance(given[0], Constant) else None
    if isinstance(prefix, str) and prefix in _PREFIXES:
        told = f"{event.method}({prefix!r}) takes away any of these letters: it leaves ayer of"
        remedy = f"write .removeprefix({prefix!r})"
        yield Hit(event, f"{told} {prefix}layer", _in_front(event, source), remedy=remedy)


def _in_front(event: UnknownCalled, source: Source) -> Fix | None:
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    text = f"{source.code(call.func.value)}.removeprefix({source.code(call.args[0].value)})"
    return Fix("remove it in front only", (source.replace(call, text),), Applicability.UNSAFE)


def _is_of_names(event: UnknownCalled, source: Source) -> bool:
    """Whether the loop runs over modules or parameters: their names are shown, not loaded."""
    around = source.evaluation.list_around(event)
    loops = [getattr(each, "iter", None) for each in around if isinstance(each, ast.For)]
    return any(each is not None and "named_" in ast.unparse(each) for each in loops)
