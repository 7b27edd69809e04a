"""Models that a script has a package build, told by its text: `net = timm.create_model("resnet18")`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lintorch.guest.calls.code_regions import PlacedCall, Region, list_calls
from lintorch.guest.calls.code_text import CodeText
from lintorch.guest.calls.find_model_calls import is_fed_by
from lintorch.guest.calls.needed_names import spell_dotted
from lintorch.guest.construct.tensor_calls import get_last_name, strip_moves

_OF_TESTS = re.compile(r"(^|/)tests?/|(^|/)test_[^/]*$|_test\.py$|(^|/)conftest\.py$")
_ASKED_OF_MODELS = frozenset(("eval", "train", "parameters", "named_parameters"))
"""Methods that a script calls on the model that it trains or runs."""
_WRAPPERS = frozenset(("DataParallel", "DistributedDataParallel"))


@dataclass(frozen=True)
class ScriptModel:
    """A variable of a script that holds a model, the call that makes it, and where it is used last.

    `exported` says whether an export, a trace or a profile of the script takes it.
    """

    name: str
    made: PlacedCall
    used: ast.expr
    region: Region
    exported: bool

    @property
    def row(self) -> int:
        """The row of the call that makes it."""
        return self.made.node.lineno

    @property
    def qualname(self) -> str:
        """What it is called among the models of its file."""
        return self.name.rpartition(".")[2]


def find_script_models(text: CodeText, shown: str) -> tuple[ScriptModel, ...]:
    """The variables of a script that are used as models, once for each call that sets them, in order.

    None of a test, which builds models by the dozen. What is called need not build a model: who
    has the module at hand has to look.
    """
    if _OF_TESTS.search(shown):
        return ()
    calls = list(list_calls(text.tree))
    found: list[ScriptModel] = []
    for name, made in _list_made(text.tree, {id(call.node): call for call in calls}):
        uses = list(_list_uses(name, made, calls))
        if not uses:
            continue
        exports = [use for use in uses if use[2]]
        used, region, exported = max(exports or uses, key=lambda use: use[0].lineno)
        found.append(ScriptModel(name, made, used, region, exported))
    return tuple(found)


def _list_made(
    tree: ast.Module, placed: Mapping[int, PlacedCall]
) -> Iterator[tuple[str, PlacedCall]]:
    """The variables that calls set, in the order of the text, outside of classes with a `forward`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        call = _strip_wrappers(node.value)
        made = placed.get(id(call)) if isinstance(call, ast.Call) else None
        if made is None or _is_in_model(made.region):
            continue
        for target in node.targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            name = spell_dotted(parts[0]) if parts else ""
            if name and name.count(".") == name.startswith("self."):
                yield name, made


def _strip_wrappers(node: ast.expr | None) -> ast.expr | None:
    """The call inside `DataParallel(….cuda())` and its like."""
    node = strip_moves(node)
    while isinstance(node, ast.Call) and get_last_name(node.func) in _WRAPPERS and node.args:
        node = strip_moves(node.args[0])
    return node


def _is_in_model(region: Region) -> bool:
    kinds = (part for part in region.around if isinstance(part, ast.ClassDef))
    return any(getattr(n, "name", "") == "forward" for kind in kinds for n in kind.body)


def _list_uses(
    name: str, made: PlacedCall, calls: list[PlacedCall]
) -> Iterator[tuple[ast.expr, Region, bool]]:
    """Where the variable is used as a model below the call that sets it, and whether that exports it."""
    for call in calls:
        same = call.region.function is made.region.function or name.startswith("self.")
        if not same or call.node.lineno < made.node.lineno or call.node is made.node:
            continue
        called = call.node.func
        match called:
            case ast.Attribute(holder, method) if method in _ASKED_OF_MODELS:
                if spell_dotted(holder) == name:
                    yield holder, call.region, False
        first = call.node.args[0] if call.node.args else None
        if first is not None and spell_dotted(first) == name:
            spelled = spell_dotted(called)
            if is_fed_by(spelled) or spelled.rpartition(".")[2] in _WRAPPERS:
                yield first, call.region, is_fed_by(spelled)
