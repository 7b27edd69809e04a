"""LT147: declared sizes that do not go with the inputs of an export call."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import (
    ForwardNames,
    find_forward,
    list_declared,
    list_inputs,
    list_pairs,
    name_inputs,
)
from lintorch.facts.exporting.export_events import choose_exporter
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
            return torch.export.export(Masked(), inputs, dynamic_shapes={"x": {0: batch}})
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
            return torch.export.export(
                Masked(), inputs, dynamic_shapes={"x": {0: batch}, "mask": {0: batch}}
            )
    """,
    proof="""
        export()
    """,
    severity=Severity.ERROR,
)

EXPORTS = ("torch.export.export", "torch.export.draft_export")


@rule.event(*EXPORTS, ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    of_onnx = event.name == ONNX_EXPORT
    if event.open or (of_onnx and choose_exporter(event, source) != "onnx"):
        return
    given = name_given(event)
    if not of_onnx and isinstance(args := given.get("args"), Tensor) and args.sure:
        yield Hit(
            event, "torch.export takes its inputs in a tuple and refuses a tensor: write (x,)"
        )
    elif message := find_mismatch(event, of_onnx) or find_axis(event, of_onnx):
        yield Hit(event, message)


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
    if len(sizes) == wanted:
        return ""
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
