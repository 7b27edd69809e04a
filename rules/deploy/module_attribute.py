"""LT216: an attribute that a module, a Sequential or a wrapper does not have."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_RETURNING, PARALLEL_WRAPPERS
from lintorch.evaluator.events import AttributeRead
from lintorch.evaluator.objects import MODULE, has_open_base, list_ancestors
from lintorch.evaluator.values import Class, External, Held, Value
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


@rule.event(AttributeRead)
def of_parameters(event: AttributeRead, source: Source) -> Iterator[Hit]:
    if event.attribute not in _OF_PARAMETERS or not _is_plain(event.held):
        return
    if not isinstance(event.node, ast.Attribute) or _is_tried(event, source):
        return
    model, node = ast.unparse(event.node.value), source.node_at(event, cst.Attribute)
    fix = None
    if node is not None:
        text = f"next({model}.parameters()).{event.attribute}"
        fix = Fix("ask a parameter", (source.replace(node, text),), Applicability.UNSAFE)
    message = f"{model} is a module: it has no {event.attribute}, its parameters have"
    yield Hit(event, message, fix)


def _is_plain(held: Value) -> bool:
    """Whether it is a layer of torch, or of a class of the project with no such attribute."""
    kinds = [*list_ancestors(held.of)] if isinstance(held, Held) else []
    own = [each for each in kinds if isinstance(each, Class)]
    foreign = [each.path for each in kinds if isinstance(each, External)]
    layer = not own and all(p.startswith("torch.nn.") and p.count(".") == 2 for p in foreign)
    if not kinds or any(map(has_open_base, own)) or not (layer or foreign == [MODULE]):
        return False
    return not any(_GIVES.search(ast.unparse(each.node)) for each in own)


_GIVES = re.compile(r"\b(device|dtype)\s*[=:(]|__getattr|setattr|__dict__")


def _is_tried(event: AttributeRead, source: Source) -> bool:
    """Whether somebody is ready for an AttributeError."""
    handlers = (
        handler.type
        for outer in source.evaluation.list_around(event)
        if isinstance(outer, ast.Try)
        for handler in outer.handlers
    )
    return any(kind is None or _CATCHES.search(ast.unparse(kind)) for kind in handlers)


_CATCHES = re.compile(r"AttributeError|Exception")


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
