"""Splits that leave a rest, of tensors whose sizes the legacy ONNX exporter has lost.

x.view(b, -1, 32).split(10, 2)      x.view(b, -1, 32).split([10, 10, 10, 2], 2)

Measured on torch 2.13, opsets 11 to 20, and ONNX Runtime 1.32: four parts of 10 are written, and
the file is not loaded, or does not run. Sizes are lost where `view` and `reshape` work one out, in
`flatten` and `expand`, and behind what hands an axis on; convolutions, linear layers and
`torch.cat` know theirs, and of `chunk` and of parts that go in evenly nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Edit, Fix, Harm
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import Constant, Items, Tensor, Value
from lintorch.facts.exporting.cast_operands import HasCalls
from lintorch.facts.models.value_ways import ValueWays

SPLITS = ("torch.split", "torch.Tensor.split")
_WORKED_OUT = frozenset({"view", "reshape"})
_LOSING = frozenset({"flatten", "expand"})
_PASSING = frozenset(
    {
        "relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "dropout", "layer_norm", "ReLU", "GELU",
        "SiLU", "Sigmoid", "Tanh", "Softmax", "Dropout", "LayerNorm", "permute", "transpose",
        "contiguous", "clone",
    }
)  # fmt: skip
_MOST_STEPS = 12


def weigh_rest(event: Called, ways: ValueWays) -> Iterator[tuple[str, dict[str, Harm]]]:
    """What becomes of a split that leaves a rest."""
    if (parts := _list_parts(event)) and _is_lost(_read_tensor(event), ways):
        told = f"split of {sum(parts)} by {parts[0]}: of a size it has lost, the legacy exporter writes {len(parts)} parts of {parts[0]}"
        yield told, {"onnx-legacy": Harm.FAILS}


def write_parts(event: Called, source: HasCalls) -> Fix | None:
    """The same split, with the size of each part written down."""
    call, parts = source.call_at(event), _list_parts(event)
    size = _find_size(call, event) if call is not None else None
    if size is None or not parts:
        return None
    text = f"[{', '.join(map(str, parts))}]"
    edit: Edit = source.replace(size.value, text)
    return Fix(f"write {text}", (edit,))


def _find_size(call: cst.Call, event: Called) -> cst.Arg | None:
    first = 1 if event.name == "torch.split" else 0
    for number, arg in enumerate(call.args):
        named = arg.keyword.value if arg.keyword is not None else ""
        if named.startswith("split_size") or (not named and number == first and not arg.star):
            return arg
    return None


def _read_tensor(event: Called) -> Value | None:
    return event.arguments.get("tensor", event.arguments.get("self"))


def _list_parts(event: Called) -> list[int]:
    """The sizes of all parts, where a known size is split, and the last part is smaller."""
    tensor, given = _read_tensor(event), event.arguments
    size, axis = given.get("split_size", given.get("split_size_or_sections")), given.get("dim")
    shape = tensor.shape if isinstance(tensor, Tensor) and tensor.sure else None
    by = size.value if isinstance(size, Constant) else None
    place = axis.value if isinstance(axis, Constant) else None
    if shape is None or not isinstance(place, int) or not -len(shape) <= place < len(shape):
        return []
    whole = shape[place]
    if not isinstance(whole, int) or not isinstance(by, int) or by < 1 or whole % by == 0:
        return []
    return [min(by, whole - begin) for begin in range(0, whole, by)]


def _is_lost(value: Value | None, ways: ValueWays) -> bool:
    """Whether the exporter does not know the sizes of a tensor any more."""
    for _ in range(_MOST_STEPS):
        made = ways.find_maker(value)
        if isinstance(made, Combined):
            sides = [each for each in (made.left, made.right) if isinstance(each, Tensor)]
            value = sides[0] if len(sides) == 1 else None
            continue
        if not isinstance(made, Called):
            return False
        name = made.name.removesuffix(".forward").rpartition(".")[2]
        if name in _WORKED_OUT or name in _LOSING:
            return _varies(made.result) and (name in _LOSING or _works_out(made))
        value = next((e for e in made.positional if isinstance(e, Tensor)), None)
        if name not in _PASSING:
            return False
    return False


def _varies(value: Value) -> bool:
    shape = value.shape if isinstance(value, Tensor) else None
    return any(varies(each) is True for each in shape or ())


def _works_out(made: Called) -> bool:
    """Whether one of the sizes is -1."""
    given = (*made.positional[1:], *made.keyword.values())
    sizes = (
        e for each in given for e in (each.items or () if isinstance(each, Items) else (each,))
    )
    return any(isinstance(each, Constant) and each.value == -1 for each in sizes)
