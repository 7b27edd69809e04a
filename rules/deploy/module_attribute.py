"""LT216: an attribute that a module, a Sequential or a wrapper does not have."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_RETURNING, PARALLEL_WRAPPERS
from lintorch.facts.nets.layer_classes import layer_made
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT216",
    summary="an attribute that the module does not have",
    why="""
        nn.Module has no `device` and no `dtype`: its parameters have. nn.Sequential is indexed by
        number, its layers by name are attributes. DataParallel and DistributedDataParallel hold
        the model in `.module` and pass no attribute on. Each raises where it is reached. Only
        what was surely built so, in the same function or class, is reported.
        Measured on torch 2.13.
    """,
    bad="""
        from torch import nn

        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


        def predict(x):
            return model(x.to(model.device))
    """,
    good="""
        from torch import nn

        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


        def predict(x):
            return model(x.to(next(model.parameters()).device))
    """,
    proof="""
        predict(torch.ones(1, 4))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_OF_PARAMETERS = ("device", "dtype")
_OF_WRAPPERS = frozenset(
    {
        "module", "forward", "device", "device_ids", "device_type", "output_device", "dim", "join",
        "no_sync", "process_group", "scatter", "gather", "replicate", "reducer", "logger", "train",
        "eval", "training", "to", "cuda", "cpu", "half", "float", "double", "state_dict", "apply",
        "load_state_dict", "parameters", "named_parameters", "buffers", "modules", "children",
        "zero_grad", "requires_grad_", "type", "compile", "bfloat16", "named_modules", "extra_repr",
        "register_buffer", "mixed_precision", "static_graph", "named_children", "named_buffers",
    }
)  # fmt: skip


@rule.source(cst.Attribute, needs=(".device", ".dtype"))
def of_parameters(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    if (
        node.attr.value in _OF_PARAMETERS
        and _is_read(node, source)
        and _is_plain(node.value, source)
    ):
        model = source.code(node.value)
        text = f"next({model}.parameters()).{node.attr.value}"
        fix = Fix("ask a parameter", (source.replace(node, text),), Applicability.UNSAFE)
        yield Hit(
            node, f"{model} is a module: it has no {node.attr.value}, its parameters have", fix
        )


@rule.source(cst.Subscript, needs=("Sequential(",))
def by_name(node: cst.Subscript, source: Source) -> Iterator[Hit]:
    index = node.slice[0].slice
    key = literal(index.value) if isinstance(index, cst.Index) else None
    if not isinstance(key, str) or _classes(node.value, source) != {"torch.nn.Sequential"}:
        return
    start = source.replace(node.value, "").end
    edit = Edit(start, source.replace(node, "").end, f".{key}")
    fix = Fix("name the layer", (edit,), Applicability.SAFE) if _is_name(key) else None
    yield Hit(node, f"a Sequential is not indexed by a name, such as {key!r}: it raises", fix)


def _is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


@rule.source(cst.Attribute, needs=("DataParallel(", "DistributedDataParallel("))
def of_wrapped(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    name = node.attr.value
    if not _is_of_model(name, source) or not _is_read(node, source):
        return
    if not _is_wrapped(node.value, source):
        return
    end = source.replace(node.value, "").end
    fix = Fix("reach through the wrapper", (Edit(end, end, ".module"),), Applicability.SAFE)
    yield Hit(node, f"the wrapper has no {name}: the model is its .module", fix)


def _is_read(node: cst.Attribute, source: Source) -> bool:
    """Not assigned to, not asked for with care."""
    outer = source.parent(node)
    careful = source.enclosing(node, cst.Try) is not None
    return not isinstance(outer, (cst.AssignTarget, cst.AnnAssign, cst.Del)) and not careful


def _classes(expression: cst.BaseExpression, source: Source) -> set[str]:
    """The full names of the classes an expression was built from, chained `.to()` left out."""
    if not isinstance(expression, (cst.Name, cst.Attribute)):
        return set()
    built = source.built(expression)
    return {layer_made(_first(call), source) for call in built}


def _first(call: cst.Call) -> cst.CSTNode:
    """`nn.Linear(3, 3)` of `nn.Linear(3, 3).to(device).eval()`."""
    func = call.func
    while (
        isinstance(func, cst.Attribute)
        and func.attr.value in MODULE_RETURNING
        and isinstance(func.value, cst.Call)
    ):
        call = func.value
        func = call.func
    return call


def _is_plain(expression: cst.BaseExpression, source: Source) -> bool:
    """Whether something is a layer of torch, or of a class of the file with no such attribute."""
    names = _classes(expression, source)
    return (
        bool(names)
        and all(_has_none(name, source) for name in names)
        and not _is_given(expression, source)
    )


def _has_none(name: str, source: Source) -> bool:
    if name.startswith("torch.nn.") and name.count(".") == 2:
        return True
    info = source.classes.named(name)
    if info is None or info.bases != ("torch.nn.Module",):
        return False
    written = source.code(info.node)
    return not re.search(r"\b(device|dtype)\s*[=:(]|__getattr|setattr|__dict__", written)


def _is_given(expression: cst.BaseExpression, source: Source) -> bool:
    """Whether the file gives some object these attributes."""
    return any(
        isinstance(t.target, cst.Attribute)
        and t.target.attr.value in _OF_PARAMETERS
        and source.code(t.target.value) == source.code(expression)
        for assign in source.nodes(cst.Assign)
        for t in assign.targets
    )


def _is_of_model(name: str, source: Source) -> bool:
    """Whether a model of the file has it, and the wrappers, which are modules too, have not."""
    if name in _OF_WRAPPERS or name.startswith("_"):
        return False
    models = (info for info in source.classes.all.values() if info.is_module)
    return any(name in info.attributes or name in info.methods for info in models)


def _is_wrapped(expression: cst.BaseExpression, source: Source) -> bool:
    if not isinstance(expression, (cst.Name, cst.Call)):
        return False
    built = source.built(expression)
    names = {source.name(call.func) for call in built if isinstance(_first(call), cst.Call)}
    return bool(names) and names <= PARALLEL_WRAPPERS and not _is_moved(expression, source)


def _is_moved(expression: cst.BaseExpression, source: Source) -> bool:
    """Whether the name may stand for the bare model too, or is read under a condition."""
    if not isinstance(expression, cst.Name):
        return False
    return len(source.bound(expression)) != 1
