"""The layers of a model beside values of a file: the last that agrees, and the first that does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintorch.guest.beside.case import Case, Sizes
from lintorch.guest.beside.distances import measure_distance
from lintorch.guest.beside.function_calls import record_functions
from lintorch.guest.beside.layer_calls import LayerCall, record_calls
from lintorch.guest.beside.layer_names import find_layer
from lintorch.guest.beside.run_file import probe_values
from lintorch.guest.beside.weight_pairs import Folding
from lintorch.guest.export.compare_numbers import find_difference
from lintorch.record.file_comparisons import Distance, LayerNumbers
from lintorch.record.sites import Site


@dataclass(frozen=True)
class Parting:
    """Where numbers part: after `last` and not later than in `first`; `between` where a line lies there."""

    last: LayerNumbers | None = None
    first: LayerNumbers | None = None
    between: Site | None = None
    path: tuple[LayerNumbers, ...] = ()
    """All layers that could be compared, in the order of their calls."""


@dataclass(frozen=True)
class _Value:
    """A value of the graph: what gives it, by its place among the nodes."""

    name: str
    place: int
    node: Any
    tensor: torch.Tensor


def find_parting(case: Case, foldings: Sequence[Folding], sizes: Sizes | None = None) -> Parting:
    """Run both at some sizes with all that is inside shown. Raises what the model raises."""
    return _find_turn(*_look_inside(case, foldings, sizes))


def list_layer_values(
    case: Case, foldings: Sequence[Folding]
) -> list[tuple[LayerNumbers, torch.Tensor]]:
    """The layers for which the file has a value, and that value in the layer's own shape."""
    _, path = _look_inside(case, foldings, None)
    return [(each.told, each.value.tensor.reshape(each.call.outputs[0].shape)) for each in path]


def _look_inside(
    case: Case, foldings: Sequence[Folding], sizes: Sizes | None
) -> tuple[_Inside, list[_Compared]]:
    tensors = case.list_tensors(sizes)
    calls = record_calls(case.module, case.arrange(tensors, sizes), case.extra, case.files)
    numbers = frozenset(out.numel() for call in calls for out in call.outputs)
    found = probe_values(case.file, case.make_feed(sizes), numbers)
    values = [
        _Value(name, place, node, found[name])
        for place, node in enumerate(case.file.graph.node)
        for name in node.output
        if name in found
    ]
    hidden = {each.layer for each in foldings}
    path = [*_compare_calls(case, [c for c in calls if c.name not in hidden], values)]
    order = {id(call): number for number, call in enumerate(calls)}
    return _Inside(case, sizes, order, values), path


@dataclass(frozen=True)
class _Compared:
    """A call with the value that stands for it; it agrees or not."""

    call: LayerCall
    value: _Value
    agrees: bool
    told: LayerNumbers


def _compare_calls(
    case: Case, calls: Sequence[LayerCall], values: Sequence[_Value]
) -> Iterator[_Compared]:
    """The calls for which the file has a value, by its numbers or else by its name."""
    by_layer = defaultdict[str, list[_Value]](list)
    known = {call.name for call in calls}
    for value in values:
        by_layer[find_layer(value.node, known)].append(value)
    named = _count_named(calls, by_layer)
    used: set[str] = set()
    for call in calls:
        if len(call.outputs) != 1 or not call.outputs[0].is_floating_point():
            continue
        own = call.outputs[0]
        if own.numel() <= 1 or _is_flat(own):  # like any other such value
            continue
        mine = [v for v in _list_named(call, by_layer) if v.tensor.numel() == own.numel()]
        alike = next((v for v in (*reversed(mine), *values) if _is_alike(own, v.tensor)), None)
        if alike is not None:
            used.add(alike.name)
            yield _tell(case, call, alike, True)
        elif mine and call.leaf:
            best = min(mine, key=lambda v: _measure(own, v.tensor).relative or 0.0)
            yield _tell(case, call, best if named else mine[-1], False)
        elif not named and call.leaf and (guess := _guess_value(own, values, used)):
            yield _tell(case, call, guess, False)


def _count_named(calls: Sequence[LayerCall], by_layer: Mapping[str, list[_Value]]) -> int:
    """How many calls the file has names for: of a file whose names are gone, none."""
    return sum(1 for call in calls if call.name in by_layer)


def _list_named(call: LayerCall, by_layer: Mapping[str, list[_Value]]) -> list[_Value]:
    """The values whose scope is the layer, of its n-th call where these are told apart."""
    nth = f"{call.name}_{call.number - 1}" if call.number > 1 else call.name
    return by_layer.get(nth) or by_layer.get(call.name) or []


def _guess_value(own: torch.Tensor, values: Sequence[_Value], used: set[str]) -> _Value | None:
    """Without names: the first value of its shape that is behind all that agreed."""
    last = max((v.place for v in values if v.name in used), default=-1)
    return next((v for v in values if v.place > last and v.tensor.shape == own.shape), None)


def _is_alike(own: torch.Tensor, value: torch.Tensor) -> bool:
    if own.numel() != value.numel():
        return False
    if own.shape != value.shape:
        value = value.reshape(own.shape)
    return find_difference([own], [value]) is None


def _is_flat(tensor: torch.Tensor) -> bool:
    """Whether all numbers are the same, as behind a dead layer."""
    return bool((tensor == tensor.reshape(-1)[0]).all())


def _measure(own: torch.Tensor, value: torch.Tensor) -> Distance:
    return measure_distance([own], [value.reshape(own.shape)])


def _tell(case: Case, call: LayerCall, value: _Value, agrees: bool) -> _Compared:
    told = LayerNumbers(
        call.name,
        type(call.module).__name__,
        value.name,
        value.node.op_type,
        _measure(call.outputs[0], value.tensor),
        call.number,
        case.built.get(call.name),
        call.called,
    )
    return _Compared(call, value, agrees, told)


@dataclass(frozen=True)
class _Inside:
    """What was seen of both: the calls by their order, and the values of the file."""

    case: Case
    sizes: Sizes | None
    order: Mapping[int, int]
    values: Sequence[_Value]


def _find_turn(inside: _Inside, path: Sequence[_Compared]) -> Parting:
    told = tuple(each.told for each in path)
    wrong = next((number for number, each in enumerate(path) if not each.agrees), None)
    if wrong is None:
        last = path[-1] if path else None
        end = max(inside.order.values(), default=-1) + 1
        return Parting(_get_told(last), None, _find_line(inside, last, end), told)
    first = path[wrong]
    before = [each for each in path[:wrong] if each.call.leaf] or list(path[:wrong])
    last = before[-1] if before else None
    between = None
    if first.call.inputs and not _has_value(first.call.inputs[0], inside):
        between = _find_line(inside, last, inside.order[id(first.call)])
    return Parting(_get_told(last), first.told, between, told)


def _get_told(compared: _Compared | None) -> LayerNumbers | None:
    return compared.told if compared else None


def _has_value(given: torch.Tensor, inside: _Inside) -> bool:
    """Whether what a layer is given is a value of the file, or an input."""
    known = [*inside.case.list_tensors(inside.sizes), *(v.tensor for v in inside.values)]
    return any(_is_alike(given, each) for each in known)


def _find_line(inside: _Inside, last: _Compared | None, end: int) -> Site | None:
    """The user's line behind the last layer that agrees whose numbers the file does not have.

    That of the first function of torch after all those whose numbers it has.
    """
    case, sizes = inside.case, inside.sizes
    begin = inside.order[id(last.call)] + 1 if last else 0
    calls = record_functions(case, sizes, begin, end)
    sought = frozenset(call.output.numel() for call in calls)
    values = probe_values(case.file, case.make_feed(sizes), sought).values()
    known = [*case.list_tensors(sizes), *values]
    agreeing = [n for n, call in enumerate(calls) if any(_is_alike(call.output, v) for v in known)]
    behind = agreeing[-1] + 1 if agreeing else 0
    return calls[behind].site if behind < len(calls) else None
