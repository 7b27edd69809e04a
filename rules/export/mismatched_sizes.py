"""LT147: declared sizes that do not go with the inputs of an export call."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant, External, Held, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import (
    DeclaredInput,
    ForwardNames,
    find_forward,
    list_declared,
    list_inputs,
    list_pairs,
    name_inputs,
)
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.facts.exporting.mend_arguments import (
    find_written,
    list_texts,
    nest_entry,
    write_tuple,
)
from lintorch.facts.exporting.mend_sizes import mend_sizes
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT147",
    summary="declared sizes that do not go with the inputs",
    why="""
        `dynamic_shapes` has one entry for each input that is given, None for those whose sizes are
        fixed: in the order of the inputs, or by the names of forward's parameters, never by
        `input_names`. `torch.export` and the new ONNX exporter refuse one too few, one too many,
        and a name that forward does not have; the inputs of `*xs` are one entry, a tuple. An axis
        that an input does not have raises IndexError. A size is named by `torch.export.Dim`; plain
        text, "batch", takes the ONNX exporter alone. `torch.export` wants its inputs in a tuple.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Masked(nn.Module):
            def forward(self, x, mask):
                return x * mask


        def export():
            batch = torch.export.Dim("batch")
            inputs = (torch.ones(2, 4), torch.ones(2, 4))
            shapes = {"x": {0: batch}}
            return torch.export.export(Masked(), inputs, dynamic_shapes=shapes)
    """,
    good="""
        import torch
        from torch import nn


        class Masked(nn.Module):
            def forward(self, x, mask):
                return x * mask


        def export():
            batch = torch.export.Dim("batch")
            inputs = (torch.ones(2, 4), torch.ones(2, 4))
            shapes = {"x": {0: batch}, "mask": {0: batch}}
            return torch.export.export(Masked(), inputs, dynamic_shapes=shapes)
    """,
    proof="""
        export()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

DIM = "torch.export.Dim"
PROMISE = Applicability.UNSAFE
"""The call is refused as it is: what it is to export is read off what is written."""
ENTRIES = "give dynamic_shapes an entry for each input, None where nothing varies"
NESTED = "give an entry for each tensor: [{0: batch}, {0: batch}]"
BOUND = "take another example, or give its Dim"
DIMS = "declare axes that the input has, by torch.export.Dim"
EXPORTS = ("torch.export.export", "torch.export.draft_export")


@rule.event(*EXPORTS, ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    of_onnx = event.name == ONNX_EXPORT
    if event.open or (of_onnx and choose_exporter(event, source) != "onnx"):
        return
    given = name_given(event)
    if message := refuse_container(given.get("args"), of_onnx):
        yield Hit(
            event,
            message,
            fix=promise("give the inputs in a tuple", [write_tuple(event, source)]),
            remedy="write (x,)",
        )
    elif message := find_mismatch(event, of_onnx):
        fix = promise("give each input its entry", [mend(event, source)])
        yield Hit(event, message, fix=fix, remedy=ENTRIES)
    elif found := find_nesting(event):
        yield Hit(
            event,
            found[0],
            fix=promise("give each tensor its entry", [nest_entry(event, found[1], source)]),
            remedy=NESTED,
        )
    elif message := find_axis(event, of_onnx):
        yield Hit(event, message, fix=name_dims(event, of_onnx, source), remedy=DIMS)
    else:
        who = "the new ONNX exporter" if of_onnx else "torch.export"
        yield from find_contradiction(event, who, source)


def refuse_container(args: Value | None, of_onnx: bool) -> str:
    """What is wrong with the container of the inputs: torch.export takes a tuple, and nothing else."""
    if isinstance(args, Tensor) and args.sure and not of_onnx:
        return "torch.export takes its inputs in a tuple and refuses a tensor"
    if isinstance(args, Items) and args.kind == "list" and args.items:
        who = "the new ONNX exporter" if of_onnx else "torch.export"
        return f"{who} takes its inputs in a tuple and refuses a list"
    return ""


def promise(message: str, edits: list[Edit | None]) -> Fix | None:
    """A fix of these edits, where there are any."""
    made = tuple(each for each in edits if each is not None)
    return Fix(message, made, PROMISE) if made else None


def mend(event: Called, source: Source) -> Edit | None:
    """An entry for each input, where it is known what it is to be."""
    given = name_given(event)
    inputs, written = list_inputs(given), find_written(event, "dynamic_shapes", source)
    if inputs is None or written is None:
        return None
    return mend_sizes(written, inputs, find_forward(given.get("mod", given.get("model"))), source)


def name_dims(event: Called, of_onnx: bool, source: Source) -> Fix | None:
    """`torch.export.Dim("batch")` for each `"batch"`."""
    written, call = find_written(event, "dynamic_shapes", source), source.call_at(event)
    dim, imports = source.reach(DIM, call) if call is not None and not of_onnx else ("", ())
    if written is None or not dim:
        return None
    edits = [source.replace(t, f"{dim}({source.code(t)})") for t in list_texts(written)]
    return promise("name the sizes by Dim", [*imports, *edits]) if edits else None


def find_nesting(event: Called) -> tuple[str, DeclaredInput] | None:
    """An input that is a list or dictionary of tensors, declared as if it were one tensor."""
    for each in list_declared(event):
        declared, value = each.sizes, each.value
        if not isinstance(declared, Items) or declared.kind != "dict" or not declared.items:
            continue
        of_axes = all(isinstance(key, int) for key, _ in list_pairs(declared))
        if of_axes and isinstance(value, Items) and value.items and value.kind in ("list", "tuple"):
            who = f"input {each.name!r}" if each.name else f"input {each.place}"
            said = f"{who} is a {value.kind} of {len(value.items)}, and dynamic_shapes declares axes of it"
            return f"{said}: it is refused, as each tensor has an entry of its own", each
    return None


def find_contradiction(event: Called, who: str, source: Source) -> Iterator[Hit]:
    """A Dim whose bounds the example is outside of, or that names two sizes which differ there."""
    seen: dict[Value, int] = {}
    for axis, dim, size in list_dims(event):
        low, high = read_bounds(dim, source)
        if low is not None and high is not None and low > high:
            told = f"a Dim of at least {low} and at most {high} holds no size: torch raises"
            yield Hit(event, told, remedy="let min be less than max")
            return
        bound = "min" if low is not None and size < low else "max"
        if (low is not None and size < low) or (high is not None and size > high):
            bounds = f"at least {low}" if bound == "min" else f"at most {high}"
            told = f"axis {axis} of the example is {size} long, and its Dim says {bounds}"
            fix = move_bound(dim, bound, size, source)
            yield Hit(event, f"{told}: {who} refuses it", fix=fix, remedy=f"{BOUND} {bound}={size}")
            return
        if seen.setdefault(dim, size) != size:
            told = f"one Dim is declared for sizes of {seen[dim]} and {size}"
            remedy = "take an example that goes with what is declared"
            said = f"{told}, which would have to be equal: {who} refuses it"
            yield Hit(event, said, remedy=remedy)
            return


def list_dims(event: Called) -> Iterator[tuple[int, Held, int]]:
    """Each axis that a Dim is declared of, with the size that it has in the example, if that is 2 or more."""
    for each in list_declared(event):
        shape = each.value.shape if isinstance(each.value, Tensor) and each.value.sure else None
        if shape is None or not isinstance(each.sizes, Items) or each.sizes.kind != "dict":
            continue
        for axis, dim in list_pairs(each.sizes):
            if not isinstance(axis, int) or not isinstance(dim, Held) or dim.of != External(DIM):
                continue
            size = shape[axis] if -len(shape) <= axis < len(shape) else None
            if isinstance(size, int) and size > 1:
                yield axis, dim, size


def move_bound(dim: Held, bound: str, size: int, source: Source) -> Fix | None:
    """`max=16` for `max=8`, where the Dim is made."""
    made = source.evaluation.ways.find_maker(dim)
    call = source.call_at(made) if isinstance(made, Called) else None
    for arg in call.args if call is not None else ():
        if arg.keyword is not None and arg.keyword.value == bound:
            return promise("let the Dim hold the example", [source.replace(arg.value, str(size))])
    return None


def read_bounds(dim: Held, source: Source) -> tuple[int | None, int | None]:
    """The `min` and `max` that a Dim was made with."""
    made = source.evaluation.ways.find_maker(dim)
    given = name_given(made) if isinstance(made, Called) else {}
    values = [given.get(name) for name in ("min", "max")]
    low, high = (
        v.value if isinstance(v, Constant) and isinstance(v.value, int) else None for v in values
    )
    return low, high


def find_mismatch(event: Called, of_onnx: bool) -> str:
    """What is wrong with the number or the names of the entries, "" if nothing is."""
    given = name_given(event)
    inputs, sizes = list_inputs(given), given.get("dynamic_shapes")
    if inputs is None or not isinstance(sizes, Items) or sizes.items is None:
        return ""
    last = inputs[-1][1] if inputs else None
    if of_onnx and "kwargs" not in given and isinstance(last, Items) and last.kind == "dict":
        return ""  # keyword arguments, by an old custom
    forward = find_forward(given.get("mod", given.get("model")))
    if sizes.kind == "dict":
        return compare_names([key for key, _ in list_pairs(sizes)], inputs, forward)
    return compare_number(sizes.items, inputs, forward)


def compare_names(
    keys: list[object], inputs: list[tuple[str, Value]], forward: ForwardNames | None
) -> str:
    """By the parameters of forward, where they are known."""
    if keys and all(isinstance(key, int) for key in keys):
        return "dynamic_shapes of axes is refused: it goes by inputs, ({0: batch},)"
    names = name_inputs(inputs, forward) if forward is not None else None
    if names is None or None in keys or set(keys) == set(names):
        return ""
    strange = [str(key) for key in keys if key not in names]
    if strange:
        told = f"dynamic_shapes names {strange[0]!r}, which is no input that is given"
        return f"{told}, and is refused: its keys are the parameters of forward, {show(names)}"
    missing = next(each for each in names if each not in keys)
    return f"dynamic_shapes leaves {missing!r} out, and is refused: give None where its sizes are fixed"


def compare_number(
    sizes: tuple[Value, ...], inputs: list[tuple[str, Value]], forward: ForwardNames | None
) -> str:
    """By the order of the inputs."""
    wanted = len(inputs)
    if forward is None:
        nested = any(isinstance(each, Items) and each.kind != "dict" for each in sizes)
        if nested or any(name for name, _ in inputs):
            return ""  # entries for `*xs` or `**others`, perhaps
    elif forward.takes_more:
        return ""
    elif forward.rest:
        wanted = min(wanted, len(forward.single) + 1)
    if len(sizes) == wanted or not wanted:
        return ""  # no input at all: a list that is filled where nobody follows it
    entries = "entry" if len(sizes) == 1 else "entries"
    told = f"dynamic_shapes has {len(sizes)} {entries} for {wanted} input{'s' * (wanted != 1)}"
    return f"{told}, and is refused: one for each that is given, None where its sizes are fixed"


def find_axis(event: Called, of_onnx: bool) -> str:
    """An axis that an input does not have, or a name where a Dim is wanted."""
    for each in list_declared(event):
        shape = each.value.shape if isinstance(each.value, Tensor) and each.value.sure else None
        if not isinstance(each.sizes, Items) or each.sizes.kind != "dict":
            continue
        for axis, size in list_pairs(each.sizes):
            if not isinstance(axis, int):
                continue
            if shape is not None and not -len(shape) <= axis < len(shape):
                return f"dynamic_shapes declares axis {axis} of an input of {len(shape)}: it raises"
            if not of_onnx and isinstance(size, Constant) and isinstance(size.value, str):
                return f"torch.export refuses {size.value!r} as a size: write torch.export.Dim({size.value!r})"
    return ""


def show(names: list[str]) -> str:
    return ", ".join(map(repr, names))
