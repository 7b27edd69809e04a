"""LT213: a checkpoint that holds a whole model, or objects that torch.load refuses to read."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_RETURNING
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.objects import is_module_class
from lintorch.evaluator.values import Held
from lintorch.facts.classes.classes import is_self
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT213",
    summary="a whole model, or more than weights, in a checkpoint",
    why="""
        torch.save(model) pickles the object: its class by name and module, so that the file breaks
        when the code is moved or renamed, and torch.load refuses it since torch 2.6 unless it is
        allowed to run code. The same goes for an argparse.Namespace or numpy numbers beside the
        weights. The state dict, vars(args) and plain numbers are read by any release. What is
        loaded again with weights_only=False by the same file is not reported.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def save(path):
            model = nn.Linear(4, 2)
            torch.save(model, path)
    """,
    good="""
        import torch
        from torch import nn


        def save(path):
            model = nn.Linear(4, 2)
            torch.save(model.state_dict(), path)
    """,
    proof="""
        save("model.pt")
        torch.load("model.pt")
    """,
    fix=Applicability.UNSAFE,
)

_EFFECT = {
    True: "torch.load refuses to read it by itself",
    False: "it cannot be read once the code has moved",
}
"""By whether torch.load reads weights only unless it is told otherwise."""
_ALLOWING = ("torch.serialization.safe_globals", "torch.serialization.add_safe_globals")
_SAME_MODEL = MODULE_RETURNING | {"module"}
_NUMPY = ("numpy.float", "numpy.int", "numpy.array", "numpy.mean", "numpy.asarray", "numpy.stack")


@rule.event("torch.save")
def in_flow(event: Called, source: Source) -> Iterator[Hit]:
    """A model that comes to the call by another way than by its name."""
    saved, call = name_given(event).get("obj"), source.call_at(event)
    if not isinstance(saved, Held) or not is_module_class(saved.of) or _is_read_whole(source):
        return
    if call is None or not any(_report(call, source)):
        effect = _EFFECT[source.profile.torch >= (2, 6)]
        yield Hit(event, f"the file holds the whole model: {effect}")


@rule.source(cst.Call, needs=("save",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    yield from _report(call, source)


def _report(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.save" or _is_read_whole(source):
        return
    saved = source.arguments(call, "obj", "f").get("obj")
    if isinstance(saved, cst.Name):
        made = source.classes.assigned(saved)
        saved = made[0] if len(made) == 1 and isinstance(made[0], cst.Dict) else saved
    if isinstance(saved, cst.Dict):
        for element in saved.elements:
            yield from _payload(element.value, "a checkpoint", source)
    elif isinstance(saved, cst.Call) and source.name(saved.func) == "dict":
        for arg in saved.args:
            yield from _payload(arg.value, "a checkpoint", source)
    elif saved is not None:
        yield from _payload(saved, "the file", source)


def _payload(value: cst.BaseExpression, where: str, source: Source) -> Iterator[Hit]:
    written = source.code(value)
    if _is_model(value, source):
        message = (
            f"{where} holds the whole model {written}: {_EFFECT[source.profile.torch >= (2, 6)]}"
        )
        yield Hit(value, message, _state_dict(value, source))
    elif source.profile.torch < (2, 6):
        return
    elif _is_namespace(value, source):
        message = f"{where} holds an argparse.Namespace: torch.load refuses to read it by itself"
        fix = Fix("save a dict", (source.replace(value, f"vars({written})"),), Applicability.UNSAFE)
        yield Hit(value, message, fix)
    elif isinstance(value, cst.Call) and source.name(value.func).startswith(_NUMPY):
        message = f"{where} holds {written}, a numpy value: torch.load refuses to read it by itself"
        yield Hit(value, message)


def _is_model(value: cst.BaseExpression, source: Source) -> bool:
    """A model, its `.module`, or `self` in a module."""
    if isinstance(value, cst.Attribute) and value.attr.value == "module":
        return source.presumed_role(value.value) is Role.MODEL
    if is_self(value):
        info = source.classes.around(value)
        return info is not None and info.is_module
    if isinstance(value, (cst.Name, cst.Attribute)):
        return source.presumed_role(value) is Role.MODEL and not _is_weights(value, source)
    name = source.name(value.func) if isinstance(value, cst.Call) else ""
    if name in ("copy.deepcopy", "copy.copy") and isinstance(value, cst.Call) and value.args:
        return _is_model(value.args[0].value, source)
    func = value.func if isinstance(value, cst.Call) else None
    return (
        isinstance(func, cst.Attribute)
        and func.attr.value in _SAME_MODEL
        and _is_model(func.value, source)
    )


def _is_weights(value: cst.BaseExpression, source: Source) -> bool:
    """Whether something called a model was assigned its state dict, or is not one for certain."""
    values = source.classes.assigned(value)
    ends = (".state_dict()", "state_dict", "}", "]")
    return any(source.code(v).rstrip().endswith(ends) for v in values)


def _is_namespace(value: cst.BaseExpression, source: Source) -> bool:
    """What parse_args() gave, also as the global or parameter that it is passed on as."""
    if not isinstance(value, (cst.Name, cst.Attribute)):
        return False
    built = source.built(value)
    if built:
        return all(
            isinstance(call.func, cst.Attribute) and call.func.attr.value == "parse_args"
            for call in built
        )
    name = value.value if isinstance(value, cst.Name) else ""
    bound = source.bound(value) if isinstance(value, cst.Name) else []
    given = len(bound) == 1 and bound[0].kind == "param"
    return given and name in ("args", "opt", "opts") and _parses_into(name, source)


def _parses_into(name: str, source: Source) -> bool:
    """Whether the file has `args = parser.parse_args()` somewhere, and no other value for args."""
    values = [
        assign.value
        for assign in source.nodes(cst.Assign)
        if any(isinstance(t.target, cst.Name) and t.target.value == name for t in assign.targets)
    ]
    return bool(values) and all(source.code(v).endswith(".parse_args()") for v in values)


def _is_read_whole(source: Source) -> bool:
    """Whether the file is read by the same code, with pickles or with its classes allowed."""
    return any(
        source.name(call.func) in _ALLOWING
        or (
            source.name(call.func) == "torch.load"
            and source.arguments(call).value("weights_only", None) is False
        )
        for call in source.nodes(cst.Call)
    )


def _is_read_as_model(source: Source) -> bool:
    """Whether the same code reads anything by torch.load but what it gives to load_state_dict."""
    for call in source.nodes(cst.Call):
        if source.name(call.func) == "torch.load":
            arg = source.parent(call)
            taker = source.parent(arg) if isinstance(arg, cst.Arg) else None
            func = taker.func if isinstance(taker, cst.Call) else None
            if not isinstance(func, cst.Attribute) or func.attr.value != "load_state_dict":
                return True
    return False


def _state_dict(value: cst.BaseExpression, source: Source) -> Fix | None:
    if not isinstance(value, (cst.Name, cst.Attribute)) or _is_read_as_model(source):
        return None
    end = source.replace(value, "").end
    return Fix("save the state dict", (Edit(end, end, ".state_dict()"),), Applicability.UNSAFE)
