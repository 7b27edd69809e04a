"""LT154: something else is given to an exporter than the model and its inputs, each in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Class, Held, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import find_forward, list_pairs
from lintorch.facts.exporting.mend_arguments import enclose, find_inputs
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT154",
    summary="an export call with something else in the place of the model or its inputs",
    why="""
        An exporter runs the model itself: it takes the model, and not what the model gives back,
        and an instance, not the class. The inputs are its second argument, together in a tuple: a
        third one of torch.jit.trace is an old option, and forward then lacks an input. A dictionary
        among the inputs of torch.export goes to one parameter as it is; inputs by name are
        `kwargs`, of torch.jit.trace `example_kwarg_inputs`. All of these raise, with a message about
        something else. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def export():
            model, image = nn.Conv2d(3, 4, 3), torch.ones(1, 3, 8, 8)
            return torch.export.export(model(image), (image,))
    """,
    good="""
        import torch
        from torch import nn


        def export():
            model, image = nn.Conv2d(3, 4, 3), torch.ones(1, 3, 8, 8)
            return torch.export.export(model, (image,))
    """,
    proof="""
        export()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

EXPORTS = ("torch.export.export", "torch.export.draft_export", ONNX_EXPORT)
TRACE = "torch.jit.trace"
MODEL = "give the model itself, and its inputs in a tuple after it"


@rule.event(*EXPORTS, TRACE)
def of_models(event: Called, source: Source) -> Iterator[Hit]:
    given = read_given(event)
    model, inputs = given.get("model"), given.get("inputs")
    if isinstance(inputs, Held) and inputs.kind == "object" and is_inputs(model):
        message = "the inputs stand before the model: the export raises"
        yield Hit(event, message, fix=exchange(event, source), remedy="give the model first")
    elif isinstance(model, Tensor) and model.sure:
        message = "what the model gives back is exported, and not the model: it raises"
        yield Hit(event, message, fix=take_model(event, source), remedy=MODEL)
    elif isinstance(model, Class) and event.name != TRACE and has_forward(model):
        message = f"the class {model.node.name} is exported, and not an instance of it: it raises"
        yield Hit(event, message, remedy=f"write {model.node.name}(…), and load its weights")


@rule.event(TRACE)
def of_traces(event: Called, source: Source) -> Iterator[Hit]:
    inputs = event.positional[1] if len(event.positional) > 1 else None
    if event.open:
        return
    if len(event.positional) > 2 and all(isinstance(e, Tensor) for e in event.positional[1:]):
        message = "torch.jit.trace takes one example, a tuple of all inputs: the third is an option"
        yield Hit(event, message, fix=gather(event, source), remedy="write (x, mask)")
    elif isinstance(inputs, Items) and inputs.kind == "dict" and is_by_name(event, inputs, 0):
        message = "torch.jit.trace gives the dictionary to forward as its first argument"
        fix = put_keyword(event, "example_kwarg_inputs", source)
        yield Hit(event, message, fix=fix, remedy="write example_kwarg_inputs={…}")


@rule.event(*EXPORTS[:2])
def of_keywords(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    args = given.get("args")
    items = args.items if isinstance(args, Items) and args.kind == "tuple" else None
    last = items[-1] if items else None
    if event.open or "kwargs" in given or not items or not isinstance(last, Items):
        return
    if last.kind == "dict" and is_by_name(event, last, len(items) - 1):
        message = "torch.export gives the dictionary to one parameter of forward, as it is"
        fix = split_keywords(event, source)
        yield Hit(event, message, fix=fix, remedy='write (x,), {"mask": mask}')


def read_given(event: Called) -> Mapping[str, Value]:
    """The first two arguments, under one pair of names for all exporters."""
    given = name_given(event)
    model = next((given[n] for n in ("mod", "model", "func") if n in given), None)
    inputs = next((given[n] for n in ("args", "example_inputs") if n in given), None)
    found = {"model": model, "inputs": inputs}
    return {name: value for name, value in found.items() if value is not None}


def is_inputs(value: Value | None) -> bool:
    """Whether it surely is a tensor or a tuple of tensors."""
    if isinstance(value, Items):
        return bool(value.items) and all(is_inputs(each) for each in value.items or ())
    return isinstance(value, Tensor) and value.sure


def has_forward(model: Class) -> bool:
    """Whether a class has a forward of its own."""
    names = (getattr(each, "name", "") for each in model.node.body)
    return "forward" in names


def is_by_name(event: Called, mapping: Items, before: int) -> bool:
    """Whether all keys are parameters of forward that nothing else fills, and more than a mapping is asked for."""
    forward = find_forward(read_given(event).get("model"))
    keys = [key for key, _ in list_pairs(mapping)]
    if forward is None or not keys or forward.takes_more:
        return False
    left = forward.single[before:]
    values = [value for _, value in list_pairs(mapping)]
    return set(keys) <= set(left) and all(isinstance(each, Tensor) for each in values)


def find_first(call: cst.Call | None) -> cst.BaseExpression | None:
    """What stands in the place of the model."""
    first = call.args[0] if call is not None and call.args else None
    return first.value if first is not None and first.keyword is None and not first.star else None


def take_model(event: Called, source: Source) -> Fix | None:
    """`model` for `model(image)`, where that is written in the call."""
    node = find_first(source.call_at(event))
    if not isinstance(node, cst.Call) or not isinstance(node.func, (cst.Name, cst.Attribute)):
        return None
    edit = source.replace(node, source.code(node.func))
    return Fix("give the model itself", (edit,), Applicability.UNSAFE)


def exchange(event: Called, source: Source) -> Fix | None:
    """The first two arguments the other way round."""
    call = source.call_at(event)
    first, second = find_first(call), find_inputs(call) if call is not None else None
    if first is None or second is None or first is second:
        return None
    edits = (
        source.replace(first, source.code(second)),
        source.replace(second, source.code(first)),
    )
    return Fix("give the model first", edits, Applicability.UNSAFE)


def gather(event: Called, source: Source) -> Fix | None:
    """`(x, mask)` for `x, mask`."""
    call = source.call_at(event)
    args = [arg for arg in call.args if arg.keyword is None] if call is not None else []
    if len(args) != len(event.positional) or any(arg.star for arg in args):
        return None
    start = source.replace(args[1].value, "").start
    end = source.replace(args[-1].value, "").end
    text = ", ".join(source.code(arg.value) for arg in args[1:])
    return Fix("give one tuple", (Edit(start, end, f"({text})"),), Applicability.UNSAFE)


def put_keyword(event: Called, name: str, source: Source) -> Fix | None:
    """The second argument by a name."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if node is None:
        return None
    edit = source.replace(node, f"{name}={source.code(node)}")
    return Fix(f"give {name}", (edit,), Applicability.UNSAFE)


def split_keywords(event: Called, source: Source) -> Fix | None:
    """`(x,), {"mask": mask}` for `(x, {"mask": mask})`."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if not isinstance(node, cst.Tuple) or call is None or len(call.args) < 2:
        return None
    if call.args[1].value is not node:
        return None
    texts = [source.code(each.value) for each in node.elements]
    inner = ", ".join(texts[:-1]) + ("," if len(texts) == 2 else "")
    text = enclose(node, inner)
    if node.lpar:
        return None if not inner else _split_enclosed(node, texts, source)
    edit = source.replace(node, f"{text}, kwargs={texts[-1]}")
    return Fix("give inputs by name as kwargs", (edit,), Applicability.UNSAFE)


def _split_enclosed(node: cst.Tuple, texts: list[str], source: Source) -> Fix | None:
    """The same where the brackets of the tuple are its own."""
    inner = ", ".join(texts[:-1]) + ("," if len(texts) == 2 else "")
    edit = source.replace(node, inner)
    closed = Edit(edit.start - 1, edit.end + 1, f"({inner}), kwargs={texts[-1]}")
    return Fix("give inputs by name as kwargs", (closed,), Applicability.UNSAFE)
