"""The calls of a file that say how a model is made or fed: exports and profiles, runs, constructors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lintorch.guest.calls.code_regions import PlacedCall, Region, list_calls, list_parameters
from lintorch.guest.calls.code_text import CodeText
from lintorch.guest.calls.needed_names import spell_dotted

Feeding = Literal["tuple", "one", "rest", "size", "batched size", "keywords", "direct", "none"]
"""How a call holds what the model is fed: a tuple of arguments, one argument, all that follow, the size
of an image, with or without a batch, keywords, as a call of the model itself, not at all."""

_FED_BY: Mapping[str, tuple[int, Feeding, tuple[str, ...]]] = {
    "onnx.export": (0, "tuple", ("args",)),
    "onnx.dynamo_export": (0, "rest", ()),
    "jit.trace": (0, "tuple", ("example_inputs", "example_kwarg_inputs")),
    "export.export": (0, "tuple", ("args",)),
    "torch2trt": (0, "tuple", ("inputs",)),
    "add_graph": (1, "tuple", ("input_to_model",)),
    "summary": (1, "size", ("input_size", "input_data")),
    "get_model_complexity_info": (1, "batched size", ("input_res",)),
    "stat": (1, "batched size", ("input_size",)),
    "profile": (1, "tuple", ("inputs",)),
    "FlopCountAnalysis": (1, "tuple", ("inputs",)),
    "count_ops": (1, "tuple", ("input",)),
}
"""By the end of a call's name: how telling it is, how it feeds, and the names of what it feeds."""
_OF_TESTS = re.compile(r"(^|/)tests?(/|_|\.)|_test\.|(^|/)test")
_OF_INFERENCE = re.compile(r"infer|predict|demo|export|deploy|sample|generat|detect|eval|hubconf")
_OF_TRAINING = re.compile(r"train|finetune|solver|main")


@dataclass(frozen=True)
class ModelCall:
    """A call that may make or feed a model, the more telling the lower its `rank`.

    `model` is what is called or passed on; None where the call itself makes one. `fed` are the
    expressions with what it is fed, as `feeding` says. It is `picked` where one of several classes
    is called, this or another: `kinds[args.arch](args)`.
    """

    text: CodeText
    placed: PlacedCall
    model: ast.expr | None
    feeding: Feeding
    rank: int
    picked: bool = False

    @property
    def row(self) -> int:
        """The row of the call."""
        return self.placed.node.lineno


def find_model_calls(
    text: CodeText, makers: frozenset[str], own: bool, picks: frozenset[str] = frozenset()
) -> Iterator[ModelCall]:
    """The calls of one file; `makers` are names by which models are made, `own` whether it is the model's file.

    `picks` are names by which this or another class is called.
    """
    base = 0 if own else _rank_path(text.path.as_posix())
    defined = {n.name for n in text.tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assigned = _list_assigned(text.tree)
    for placed in list_calls(text.tree):
        node = placed.node
        spelled = spell_dotted(node.func)
        known = next((end for end in _FED_BY if _ends_with(spelled, end)), None)
        if known is not None and node.args and known not in defined:
            rank, feeding, _ = _FED_BY[known]
            yield ModelCall(text, placed, node.args[0], feeding, rank - 10 * own)
        elif name_called(node.func) in picks:
            yield ModelCall(text, placed, None, "none", 20 + base - 10 * own, picked=True)
        elif spelled.rpartition(".")[2] in makers:
            if own and placed.region.function is not None:
                continue  # in a factory, which says more than what it calls
            yield ModelCall(text, placed, None, "none", 20 + base - 10 * own)
        elif not _is_inside_model(placed.region) and _may_be_model(
            node.func, placed.region, assigned
        ):
            yield ModelCall(text, placed, node.func, "direct", 2 + base - 10 * own)


def name_called(node: ast.expr) -> str:
    """`kinds` of `kinds[name]` and `kinds.get(name)`, `kind` of `opt.kind` and `kind`.

    `nets.` of `getattr(nets, name)`, `nets.__dict__[name]` and `vars(nets)[name]`: any name of a module.
    """
    match node:
        case ast.Call(ast.Name("getattr"), [holder, *_]):
            return f"{spell_dotted(holder).rpartition('.')[2]}."
        case ast.Subscript(
            ast.Attribute(holder, "__dict__") | ast.Call(ast.Name("vars"), [holder]), _
        ):
            return f"{spell_dotted(holder).rpartition('.')[2]}."
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
        node = node.func
        node = node.value if isinstance(node, ast.Attribute) else node
    elif isinstance(node, ast.Subscript):
        node = node.value
    return spell_dotted(node).rpartition(".")[2]


def is_fed_by(spelled: str) -> bool:
    """Whether what is called by that dotted name exports, traces or profiles a model."""
    return any(_ends_with(spelled, end) for end in _FED_BY)


def list_feeding_names(call: ModelCall) -> tuple[str, ...]:
    """The keywords by which a call is given what the model is fed."""
    spelled = spell_dotted(call.placed.node.func)
    return next((names for end, (_, _, names) in _FED_BY.items() if _ends_with(spelled, end)), ())


def _ends_with(spelled: str, end: str) -> bool:
    return spelled == end or spelled.endswith(f".{end}")


def _rank_path(path: str) -> int:
    name = "/".join(path.split("/")[-2:]).lower()
    if _OF_TESTS.search(name):
        return 1
    if _OF_INFERENCE.search(name) or name.endswith(("md", "ipynb")):
        return 2
    return 4 if _OF_TRAINING.search(name) else 3


def _may_be_model(node: ast.expr, region: Region, assigned: frozenset[str]) -> bool:
    """Whether what is called may be a model: a name or attribute that is assigned, or a parameter."""
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
    if isinstance(node, ast.Call):  # Net()(x)
        return True
    spelled = spell_dotted(node)
    if spelled in assigned:
        return True
    function = region.function
    return function is not None and spelled in list_parameters(function)


def _is_inside_model(region: Region) -> bool:
    """Whether code stands in a class with a `forward`: what it calls are parts."""
    bodies = (part.body for part in region.around if isinstance(part, ast.ClassDef))
    return any(getattr(node, "name", "") == "forward" for body in bodies for node in body)


def _list_assigned(tree: ast.Module) -> frozenset[str]:
    """The names and attributes of self that are assigned what something that is called gives."""
    given = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    called = (n for n in given if any(isinstance(part, ast.Call) for part in ast.walk(n.value)))
    found = {spell_dotted(target) for node in called for target in node.targets}
    return frozenset(n for n in found if n.count(".") == n.startswith("self."))
