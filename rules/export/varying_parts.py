"""LT159: an axis that varies, cut into parts of a computed size."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import UNKNOWN, Constant, Number, Tensor, Value, name_setting
from lintorch.evidence import OperatorCall, Outcome, Trace, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT159",
    summary="an axis that varies, cut into parts",
    why="""
        Where an axis may vary, `x.chunk(2, dim)` cuts it into parts of a size that is worked out,
        and so does `x.split(x.shape[dim] // 2, dim)`. The new ONNX exporter fails on both while it
        optimizes what it wrote (PassError; AttributeError: 'NoneType' object has no attribute
        'ndim'). The legacy exporter and jit.trace follow chunk, and keep the computed size of
        split, which raises at other sizes. torch.export follows both. `x.split(64, dim)` has as many
        parts as the example has: the legacy exporter and jit.trace raise at a size that has more or
        fewer, torch.export keeps their number, and the file of the new ONNX exporter leaves out what
        is over, in silence. Measured on torch 2.13.

        A list of sizes is right under all of them. A batch that was put together for guidance
        (`torch.cat((x, x))`, then `chunk(2)`) is the usual place.
    """,
    bad="""
        import torch
        from torch import nn


        class Guided(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)

            def forward(self, image):
                both = self.conv(torch.cat((image, image * 2)))
                plain, prompted = both.chunk(2)
                return plain + 7.5 * (prompted - plain)
    """,
    good="""
        import torch
        from torch import nn


        class Guided(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)

            def forward(self, image):
                both = self.conv(torch.cat((image, image * 2)))
                plain, prompted = both.split([(both.shape[0] + 1) // 2, both.shape[0] // 2], 0)
                return plain + 7.5 * (prompted - plain)
    """,
    remedy="name the sizes: x.split([(n + 1) // 2, n // 2], dim), with n = x.shape[dim]",
    proof="""
        import warnings

        warnings.simplefilter("ignore")
        sizes = ({0: torch.export.Dim.DYNAMIC},)
        torch.onnx.export(
            Guided(), (torch.ones(2, 3, 8, 8),), "guided.onnx", dynamic_shapes=sizes, verbose=False
        )
    """,
    fix=Applicability.UNSAFE,
)

CHUNKS = ("torch.chunk", "torch.Tensor.chunk")
SPLITS = ("torch.split", "torch.Tensor.split")
CHUNKED = {"onnx": Harm.REFUSED}
SPLIT = {**CHUNKED, "onnx-legacy": Harm.FAILS, "torchscript-trace": Harm.FAILS}
COUNTED = {**SPLIT, "torch.export": Harm.FAILS, "onnx": Harm.SILENT}
ROWS = {
    **dict.fromkeys(("torch.export", "onnx"), Harm.REFUSED),
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.FAILS,
}
SINGLE = {**ROWS, "onnx-legacy": Harm.FAILS}
UNEVEN = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT}
SAID = "has no attribute 'ndim'"
SIZES = ("split_size_or_sections", "split_size")


@rule.event(*CHUNKS)
def in_chunk(event: Called, source: Source) -> Iterator[Hit]:
    parts = read_plain(event.arguments.get("chunks"))
    if is_counted(event.arguments.get("chunks")):
        yield from tell_rows(event, ROWS, source)
    if type(parts) is not int or parts < 2:
        return
    if is_cut(event, source):
        fix = name_parts(event, source, parts)
        yield Hit(event, f"cuts an axis that varies into {parts} parts", fix, harm=CHUNKED)
    elif may_be_cut(event, source) and (fix := name_parts(event, source, parts)):
        yield Hit(event, f"cuts an axis into {parts} parts", fix, confirms=True)


def is_counted(parts: Value | None) -> bool:
    """Whether there is a part for each item of the axis: `x.chunk(x.size(1), 1)`."""
    return isinstance(parts, Number) and parts.varies is True


def is_gone_through(event: Called, source: Source) -> bool:
    """Whether a loop of the function goes over the parts, by the name they are given: tensor-iteration tells."""
    call = source.call_at(event)
    line = source.parent(call) if call is not None else None
    held = line.targets[0].target if isinstance(line, cst.Assign) else None
    function = source.enclosing(call, cst.FunctionDef) if call is not None else None
    if not isinstance(held, cst.Name):
        return False
    loops: tuple[cst.For | cst.CompFor, ...] = (*source.nodes(cst.For), *source.nodes(cst.CompFor))
    return any(
        source.enclosing(each, cst.FunctionDef) is function
        and re.search(rf"\b{held.value}\b", source.code(each.iter))
        for each in loops
    )


def find_outer(event: Called, source: Source) -> cst.CSTNode | None:
    """What a call is a part of; None where it is not written in this file."""
    call = source.call_at(event)
    return source.parent(call) if call is not None else None


def tell_rows(event: Called, harm: dict[str, Harm], source: Source) -> Iterator[Hit]:
    outer = find_outer(event, source)
    looped = isinstance(outer, (cst.For, cst.CompFor))  # tensor-iteration tells
    looped = looped or is_gone_through(event, source)
    if outer is not None and not looped and is_cut(event, source):
        message = "cuts an axis that varies into as many parts as the sizes of the example say"
        yield Hit(event, message, harm=harm, remedy="compute on the whole axis at once")


@rule.event(*SPLITS)
def in_split(event: Called, source: Source) -> Iterator[Hit]:
    size = find_size(event)
    if isinstance(size, Number) and size.varies is True and is_cut(event, source):
        fix = name_parts(event, source)
        yield Hit(event, "cuts an axis into parts of a size that varies", fix, harm=SPLIT)
    elif size == Constant(1):
        yield from tell_rows(event, SINGLE, source)
    elif (part := name_part(size)) and (is_cut(event, source) or is_of_steps(event, source)):
        outer = find_outer(event, source)
        looped = isinstance(outer, cst.For) and is_cut(event, source)  # tensor-iteration tells
        if outer is not None and not looped and not list_names(outer):
            message = f"cuts an axis that varies into as many parts of {part} as the example has"
            remedy = f"take them as an axis: x.unflatten(dim, (-1, {part})), padded to whole parts"
            yield Hit(event, message, harm=COUNTED, remedy=remedy)


@rule.event("torch.tensor_split", "torch.Tensor.tensor_split")
def in_tensor_split(event: Called, source: Source) -> Iterator[Hit]:
    """`x.tensor_split(3, 1)`: which parts are longer by one hangs on the size."""
    given = (*event.positional[1:2], *event.keyword.values(), UNKNOWN)
    parts = read_plain(given[0])
    if is_counted(given[0]):
        yield from tell_rows(event, ROWS, source)
    if type(parts) is int and parts > 1 and is_cut(event, source):
        message = f"cuts an axis that varies into {parts} parts, the first of them longer by one"
        yield Hit(
            event, message, harm=UNEVEN, remedy="pad to whole parts, and write x.split(n, dim)"
        )


@rule.event("torch.unbind", "torch.Tensor.unbind")
def in_unbind(event: Called, source: Source) -> Iterator[Hit]:
    """`first, *rest = x.unbind(1)`, `x.unbind(1)[0]`: of loops over it tensor-iteration tells."""
    match find_outer(event, source):
        case cst.Subscript() | cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple())]):
            yield from tell_rows(event, SINGLE, source)


def name_part(size: Value) -> str:
    """The size of a part that is written, or that the model is made with."""
    part = read_plain(size)
    return str(part) if type(part) is int and part > 1 else name_setting(size)


def is_of_steps(event: Called, source: Source) -> bool:
    """`x.split(512, dim=-2)` of an input of which nothing is known: one cuts steps so, not channels."""
    held, axis = find_held(event), read_plain(event.arguments.get("dim"))
    if not source.profile.dynamic or not event.way.forward or not isinstance(held, Tensor):
        return False
    call = source.call_at(event)
    whole = call is not None and not isinstance(source.parent(call), cst.Subscript)
    return whole and held.sure and held.shape is None and axis == -2


def is_cut(event: Called, source: Source) -> bool:
    """Whether the axis surely varies, in what is exported."""
    held = find_held(event)
    shape = held.shape if isinstance(held, Tensor) else None
    axis = read_plain(event.arguments.get("dim"))
    known = shape is not None and type(axis) is int and -len(shape) <= axis < len(shape)
    if not event.way.forward or not source.profile.dynamic or shape is None or not known:
        return False
    return varies(shape[axis]) is True and not is_of_labels(held, source)


def may_be_cut(event: Called, source: Source) -> bool:
    """Whether only a run can tell if the axis varies: of an input, say, of which nothing is known."""
    held, axis = find_held(event), read_plain(event.arguments.get("dim"))
    if not event.way.forward or not source.profile.dynamic or not isinstance(held, Tensor):
        return False
    if held.shape is None:
        return type(axis) is int
    known = type(axis) is int and -len(held.shape) <= axis < len(held.shape)
    return known and varies(held.shape[axis]) is None


def is_of_labels(held: Value, source: Source) -> bool:
    """Whether it is what an Embedding gives, of which only that may be said: of labels it has no length."""
    if not isinstance(held, Tensor) or not held.guessed:
        return False
    names = [step.name for step in source.evaluation.steps.list_steps(held)]
    return "embedding" in names


def find_held(event: Called) -> Value:
    held = (event.arguments.get(name) for name in ("input", "tensor", "self"))
    return next((each for each in held if each is not None), UNKNOWN)


def find_size(event: Called) -> Value:
    return next((event.arguments[name] for name in SIZES if name in event.arguments), UNKNOWN)


def name_parts(event: Called, source: Source, parts: int = 0) -> Fix | None:
    """`a, b = x.split([(n + 1) // 2, n // 2], 0)` for `a, b = x.chunk(2)`; `parts`: of a chunk."""
    call = source.call_at(event)
    names = list_names(source.parent(call)) if call is not None else 0
    if call is None or names < 2 or names != (parts or names):
        return None
    method = event.name.startswith("torch.Tensor.")
    held = call.func.value if method and isinstance(call.func, cst.Attribute) else None
    if not method:
        taken = "input" if parts else "tensor"
        held = source.arguments(call, taken).get(taken)
    axis = read_plain(event.arguments.get("dim"))
    if not isinstance(held, cst.Name):
        return None
    whole = f"{held.value}.shape[{axis}]"
    first = f"({whole} + {parts - 1}) // {parts}" if parts else write_size(call, method, source)
    if first is None:
        return None
    rest = f"{whole} // 2" if parts == 2 else f"{whole} - {write_times(names - 1, first)}"
    text = f"{held.value}.split([{', '.join([first] * (names - 1))}, {rest}], {axis})"
    return Fix("name the sizes of the parts", (source.replace(call, text),), Applicability.UNSAFE)


def list_names(outer: cst.CSTNode | None) -> int:
    """How many names an assignment gives its parts; 0 where it does something else with them."""
    if not isinstance(outer, cst.Assign) or len(outer.targets) != 1:
        return 0
    target = outer.targets[0].target
    if not isinstance(target, (cst.Tuple, cst.List)):
        return 0
    plain = all(isinstance(each, cst.Element) for each in target.elements)
    return len(target.elements) if plain else 0


def write_size(call: cst.Call, method: bool, source: Source) -> str | None:
    """The size of a part as it is written, where it may be written twice."""
    asked = () if method else ("tensor",)
    given = source.arguments(call, *asked, "split_size_or_sections")
    size = given.get("split_size_or_sections") or given.get("split_size")
    plain = isinstance(size, (cst.Name, cst.BinaryOperation)) and "(" not in source.code(size)
    return source.code(size) if size is not None and plain else None


def write_times(count: int, size: str) -> str:
    """`2 * (n + 1)`, or `(n + 1)`."""
    text = size if size.isidentifier() else f"({size})"
    return text if count == 1 else f"{count} * {text}"


@rule.trace(*CHUNKS, *SPLITS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Refuted]:
    if trace.never_changes(event, get_cut_shape):
        yield Refuted(event.site, "what is cut has one shape at every size of the inputs")


def get_cut_shape(event: OperatorCall) -> tuple[int, ...]:
    return event.inputs[0] if event.inputs else ()


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """The optimizer names no line: what is cut along an axis that varied is to blame."""
    if outcome.exporter != "onnx" or SAID not in outcome.message:
        return
    for event in trial.trace.find_events(*CHUNKS):
        others = trial.trace.find_again(event).values()
        if any(get_cut_size(each) != get_cut_size(event) for each in others):
            yield report_refusal(event.site, outcome, outcome.message)


def get_cut_size(event: OperatorCall) -> int | None:
    axis = event.args.get("dim", event.args.get("argument2", 0))
    shape = get_cut_shape(event)
    known = isinstance(axis, int) and -len(shape) <= axis < len(shape)
    return shape[axis] if known else None
