"""What a DataLoader gives: rows of a TensorDataset, or the samples of a project's own dataset, collated."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.operators.arguments import make_fresh
from lintorch.evaluator.sizes import Dim, make_symbol
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Array,
    Bound,
    Class,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
)

Sample = Tensor | list[Any] | dict[Any, Any] | None
"""A part of a batch, None where nothing is known of it; lists and dictionaries of such parts."""
ITEM = "?[]"
"""What a loop takes out of something unknown; one of its own, told from others."""
LOADER = External("torch.utils.data.DataLoader")
_TENSORS = External("torch.utils.data.TensorDataset")
_COLLATES = ("collate_fn", "batch_sampler")
_KINDS: dict[type, str] = {bool: "bool", int: "int64", float: "float64"}


def load_batch(machine: Machine, loader: Held) -> Value | None:
    """A batch of a loader; None where nothing is known of it."""
    made = machine.state.read(loader.address).get("lintorch arguments")
    if not isinstance(made, Given) or made.open:
        return None
    data = made.pick(0, "dataset")
    plain = made.keyword.get("batch_size", UNKNOWN) != NONE and len(made.positional) < 4
    if not isinstance(data, Held) or not plain or any(name in made.keyword for name in _COLLATES):
        return None
    return _take_rows(machine, data) if data.of == _TENSORS else _collate_samples(machine, data)


def _take_rows(machine: Machine, data: Held) -> Value | None:
    held = machine.state.read(data.address).get("lintorch arguments")
    if not isinstance(held, Given) or held.open or held.keyword:
        return None
    rows = make_symbol("B")
    tensors = [v for v in held.positional if isinstance(v, Tensor) and v.shape and v.sure]
    if len(tensors) != len(held.positional):
        return None
    found = (Tensor((rows, *(v.shape or ())[1:]), v.dtype, guessed=v.guessed) for v in tensors)
    return Items("list", tuple(found))


def _collate_samples(machine: Machine, data: Held) -> Value | None:
    """Of a dataset of the project: what its `__getitem__` gives, which is read once for each dataset."""
    if not isinstance(data.of, Class) or not (machine.marks or machine.tells_unknown):
        return None
    if data.address not in machine.samples:
        machine.samples[data.address] = None  # of a dataset that asks for itself
        machine.samples[data.address] = _read_sample(machine, data)
    sample = machine.samples[data.address]
    return _batch(machine, sample) if isinstance(sample, (list, dict)) else None


def _read_sample(machine: Machine, data: Held) -> Sample | None:
    """What happens meanwhile is told of the dataset by itself, not of a loop that trains."""
    node = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    before, told, depth = machine.state, len(machine.events), len(machine.stack)
    entered = set(machine.top.entered)
    machine.state = before.fork()
    sample: Sample | None = None
    try:
        with suppress(LeftError):
            method = machine.read_attribute(node, data, "__getitem__")
            if isinstance(method, Bound) and isinstance(method.function, Function):
                found = machine.call(node, method, Given((Unknown("index"),)))
                sample = _collate(machine, found)
    finally:  # where the steps are spent, too
        machine.unwind(depth)
        machine.take_back(told)
        machine.top.entered &= entered
        machine.state = before
    return sample if _has_type(sample) else None


def _collate(machine: Machine, value: Value) -> Sample:
    """What a batch has of a part of a sample, as `default_collate` makes it."""
    if isinstance(value, (Tensor, Array)):
        sizes = None if value.shape is None else tuple(map(_keep_size, value.shape))
        return Tensor(None if sizes is None else (make_symbol("B"), *sizes), value.dtype)
    if isinstance(value, Constant) and type(value.value) in _KINDS:
        return Tensor((make_symbol("B"),), _KINDS[type(value.value)])
    if isinstance(value, Number) and value.whole is not None:
        kind = "bool" if value.truth else "int64" if value.whole else "float64"
        return Tensor((make_symbol("B"),), kind)
    if isinstance(value, Held) and value.kind == "dict":
        held = machine.state.read(value.address)
        return {} if "open" in held else {k: _collate(machine, v) for k, v in held.items()}
    items = known_items(machine, value) if isinstance(value, (Items, Held)) else None
    return None if items is None else [_collate(machine, each) for each in items]


def _keep_size(size: Dim) -> Dim:
    return size if isinstance(size, int) else make_fresh()


def _has_type(sample: Sample) -> bool:
    """Whether the type of any part of it is known."""
    if isinstance(sample, (list, dict)):
        return any(map(_has_type, sample.values() if isinstance(sample, dict) else sample))
    return isinstance(sample, Tensor) and sample.dtype is not None


def _batch(machine: Machine, sample: Sample) -> Value:
    if isinstance(sample, dict):
        return machine.hold("dict", {key: _batch(machine, each) for key, each in sample.items()})
    if isinstance(sample, list):
        return Items("list", tuple(_batch(machine, each) for each in sample))
    return Unknown(ITEM) if sample is None else replace(sample)
