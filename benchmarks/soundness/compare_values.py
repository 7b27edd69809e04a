"""What the evaluator says of operators' results, held against what a run of the same model saw."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lintorch.evaluator.events import Called, Combined, Indexed, Occurrence
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.record.events import OperatorCall
from lintorch.record.models import Input, Model
from lintorch.record.runs import ModelRun
from soundness.fit_sizes import bind_symbols, fits_shape

_MODULES = {"Upsample": "interpolate", "Embedding": "embedding"}
_OPERATIONS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "MatMult": "matmul", "Pow": "pow",
}  # fmt: skip


@dataclass(frozen=True)
class Contradiction:
    """A result that the evaluator gives another shape than all that the run saw of it at the line."""

    path: str
    row: int
    operator: str
    symbolic: str
    real: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Comparison:
    """How many results fit, and those that do not."""

    fitting: int
    contradictions: tuple[Contradiction, ...]


def compare_values(events: Sequence[Occurrence], model: Model, run: ModelRun) -> Comparison:
    """Compare the results of operators at lines that the run went through.

    An operator's result is compared where one of the same name was recorded at the line; it has to
    fit one of these.
    """
    bound = bind_symbols(dict(_list_inputs(model, run.sizes)))
    seen: dict[tuple[str, int, str], set[tuple[int, ...]]] = {}
    for call in run.events:
        if isinstance(call, OperatorCall) and call.site is not None:
            key = os.path.realpath(call.site.path), call.site.row, _short_name(call.name)
            seen.setdefault(key, set()).update(map(tuple, call.outputs))
    fitting, found = 0, dict[Contradiction, None]()
    for event in events:
        for operator, tensor in _list_results(event):
            path, row = os.path.realpath(event.spot.path), event.spot.row
            real = tuple(sorted(seen.get((path, row, operator), ())))
            if not real or tensor.shape is None:
                continue
            answers = {fits_shape(tensor.shape, each, bound) for each in real}
            if answers == {False}:
                shown = f"[{', '.join(map(str, tensor.shape))}]"
                found[Contradiction(path, row, operator, shown, real)] = None
            fitting += True in answers
    return Comparison(fitting, tuple(found))


def _list_inputs(model: Model, sizes: Mapping[str, int]) -> Iterator[tuple[str, list[int]]]:
    for each in model.inputs:
        if isinstance(each, Input) and not each.at:
            yield (
                each.name,
                [size if isinstance(size, int) else sizes[size] for size in each.shape],
            )


def _list_results(event: Occurrence) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a call, operation or index gave, with the operator's name as runs record it."""
    builds = any(
        name.endswith("__init__") for name in event.way.names
    )  # no run is recorded of that
    if event.way.certain and not builds and isinstance(event, (Called, Combined, Indexed)):
        operator = _name_operator(event)
        for each in _list_tensors(event.result):
            yield operator, each


def _list_tensors(value: Value) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Items):
        for each in value.items or ():
            yield from _list_tensors(each)


def _name_operator(event: Called | Combined | Indexed) -> str:
    if isinstance(event, Indexed):
        return "__getitem__"
    if isinstance(event, Combined):
        return _OPERATIONS.get(event.operator, event.operator)
    if event.name.endswith(".forward"):
        layer = event.name.split(".")[-2]
        return _MODULES.get(layer, _in_snakes(layer))
    return _short_name(event.name)


def _in_snakes(name: str) -> str:
    """`conv_transpose2d` of `ConvTranspose2d`."""
    words = "".join(f"_{each.lower()}" if each.isupper() else each for each in name).strip("_")
    return words.replace("_re_l_u", "relu").replace("batch_norm2d", "batch_norm")


def _short_name(name: str) -> str:
    """`relu` of `torch.nn.functional.relu_`."""
    last = name.rpartition(".")[2]
    return last if last.startswith("__") else last.rstrip("_")
