"""Inputs that the file takes otherwise: in another order, under other names, in other types, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.distances import match_outputs
from lintorch.guest.beside.onnx_file import FileInput
from lintorch.guest.beside.pair_inputs import InputPairs, list_other_orders
from lintorch.guest.watch.make_tensors import make_inputs
from lintorch.record.arguments import pick_tensors
from lintorch.record.file_comparisons import Cause
from lintorch.record.models import Input

_OTHER_SEED = 7


def find_other_order(case: Case) -> InputPairs | None:
    """The order in which the file agrees with the model, where it is another than names and places say."""
    for pairs in list_other_orders(case.pairs, pick_tensors(case.model.inputs)):
        try:
            given = case.runner.run(case.make_feed(pairs=pairs))
        except Exception:  # sizes that the file does not take there
            continue
        if match_outputs(case.expected, given).difference is None:
            return pairs
    return None


def tell_order(case: Case, pairs: InputPairs) -> Cause:
    """Which input of the file is which of the model's."""
    tensors = pick_tensors(case.model.inputs)
    moved = [
        f"`{taken.name}` of the file is `{tensors[number].label}` of the model"
        for (taken, number), (_, before) in zip(pairs.pairs, case.pairs.pairs, strict=True)
        if number != before
    ]
    return Cause(
        "input-order",
        f"the file takes its inputs in another order: {', '.join(moved)}",
        "fed so, the file agrees with the model",
        "give input_names in the order of forward's parameters, or feed by these names",
    )


def describe_inputs(case: Case) -> Iterator[Cause]:
    """What holds of inputs and changes no number, unless the model is fed what the file has fixed."""
    tensors = pick_tensors(case.model.inputs)
    for taken, number in case.pairs.pairs:
        yield from _describe_pair(taken, tensors[number], case.pairs)
    numbers = [number for _, number in case.pairs.pairs]
    if numbers != sorted(numbers):
        yield _describe_places(case.pairs, tensors)
    for number in case.pairs.list_pruned(len(tensors)):
        yield _describe_pruned(case, tensors[number])


def _describe_places(pairs: InputPairs, tensors: Sequence[Input]) -> Cause:
    """That who feeds a session by place, as `zip(session.get_inputs(), args)`, mixes the inputs up."""
    file = ", ".join(f"`{taken.name}`" for taken, _ in pairs.pairs)
    model = ", ".join(f"`{tensors[number].label}`" for number in sorted(n for _, n in pairs.pairs))
    return Cause(
        "input-places",
        f"the file takes its inputs in the order {file}, forward in the order {model}",
        remedy="feed them by their names, or export with args in the order of forward's parameters",
        wrong=False,
    )


def _describe_pair(taken: FileInput, given: Input, pairs: InputPairs) -> Iterator[Cause]:
    if taken.name != given.label:
        yield Cause(
            "renamed-input",
            f"the file calls `{taken.name}` what the model calls `{given.label}`",
            remedy=f'feed {{"{taken.name}": …}}, or export with input_names',
            wrong=False,
        )
    if taken.dtype not in (None, getattr(torch, given.dtype)):
        name = str(taken.dtype).removeprefix("torch.")
        yield Cause(
            "input-type",
            f"`{taken.name}` is {name} in the file, and {given.dtype} as the model is fed",
            remedy=f"convert it to {name} before session.run",
            wrong=False,
        )
    if taken.name in pairs.channels_last:
        yield Cause(
            "layout",
            f"`{taken.name}` has its channels last in the file, and after the batch in the model",
            remedy=f"feed {taken.name} transposed: x.transpose(0, 2, 3, 1)",
            wrong=False,
        )


def _describe_pruned(case: Case, given: Input) -> Cause:
    """An input that the file lacks: the model has no use for it, or the file has a value of it in itself."""
    tensors = pick_tensors(case.model.inputs)
    other = make_inputs(case.model.inputs, case.model.sizes, _OTHER_SEED)
    fresh = [v for g, v in zip(case.model.inputs, other, strict=True) if isinstance(g, Input)]
    changed = [
        fresh[number] if each == given else value
        for number, (each, value) in enumerate(zip(tensors, case.list_tensors(), strict=True))
    ]
    try:
        idle = match_outputs(case.expected, case.run_model(tensors=changed)).difference is None
    except Exception:  # values that it does not take
        idle = False
    if idle:
        return Cause(
            "pruned-input",
            f"`{given.label}` is no input of the file: the model does not use it, and the exporter left it out",
            "the model gives the same numbers whatever it is",
            f"do not feed {given.label}",
            wrong=False,
        )
    return Cause(
        "baked-input",
        f"`{given.label}` is no input of the file, though the model's numbers depend on it: "
        "the file has the value that it had at the export",
        "with another value the model gives other numbers; the file cannot be told",
        f"pass {given.label} as a tensor in args or kwargs of torch.onnx.export",
    )
