"""What one model did when it ran: plain values, free of torch, that travel as JSON from the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]
MOST_EVENTS = 20_000
"""A run records no more than these."""


@dataclass(frozen=True)
class Site:
    """A line of the user's source."""

    path: str
    row: int
    function: str = ""


@dataclass(frozen=True)
class Event:
    """One operator that ran, or one question that Python asked of a tensor or of its size.

    Operators are named as users write them: `torch.nn.functional.conv2d`, `torch.cat`,
    `torch.Tensor.add_`. Questions are named `size.int`, `size.float`, `size.ceil`, `size.round`,
    `size.compare`, `size.floordiv` (only with a negative operand), `size.len`, `size.tensor`,
    `size.data` (read through `.data`), `size.range` (its value is the number of rounds),
    `size.repeat` (of a list, its value is how often), `size.max` and `size.min` (their value is
    the index of the one kept, `args["among"]` holds them all), `tensor.item`, `tensor.bool`, `tensor.int`,
    `tensor.float`, `tensor.tolist`, `tensor.numpy`, `tensor.iter`. Facts that are neither are
    named `inplace.input` (a write to an argument of the model), `inplace.view` (a write through
    a view whose base was read later; `args["through"]` names the views, the last one first),
    `inplace.shared` (the first write of a line whose memory was read later as a tensor other than
    the one written to and its later views, or was kept by the model, or is hidden behind `.data` or `diagonal`), `raised` (an exception: its
    text is the `value`, its type `args["kind"]`, and `symbols` name the sizes at which it came,
    with their values in `args`; none where the model raised at whatever it was fed) and `train.layer` (a layer whose behaviour depends on the
    mode: its `args` hold nothing, `layer_class` says which) and `layer.idle` (a line that built
    layers, the first of them `layer`, and no call reached any of them; only in runs without error).
    """

    name: str
    site: Site
    layer: str = ""
    """Dotted path of the innermost module running, such as `backbone.pool`; "" for the model."""
    layer_class: str = ""
    """Full name of that module's class, such as `torch.nn.AdaptiveAvgPool2d`."""
    built: Site | None = None
    """Where the user's source constructed that module."""
    inputs: tuple[Shape, ...] = ()
    dtypes: tuple[str, ...] = ()
    outputs: tuple[Shape, ...] = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are plain values, by the name in the operator's signature."""
    value: Any = None
    """The answer to a question: the integer read, the outcome of a comparison."""
    symbols: tuple[str, ...] = ()
    """Named sizes that the value was worked out from, such as ("batch",)."""


@dataclass(frozen=True)
class Run:
    """One execution of the model, with its named sizes and everything that happened, in order."""

    sizes: Mapping[str, int]
    events: tuple[Event, ...]
    error: str = ""


@dataclass(frozen=True)
class Rung:
    """How one way of tracing went: `fx` (torch.fx.symbolic_trace) or `torch.export`.

    `operators` holds (operator, site) for each call node of the graph.
    """

    name: str
    ok: bool
    error: str = ""
    site: Site | None = None
    operators: tuple[tuple[str, Site | None], ...] = ()


@dataclass(frozen=True)
class Input:
    """One argument of the model: `float32[batch, 3, height=64, width=64]`.

    `shape` holds numbers for fixed sizes and names for dynamic ones; `sizes` of the model's
    inputs give each name its first value. `low` and `high` bound integer values (high exclusive).
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    low: int = 0
    high: int = 0


@dataclass(frozen=True)
class Model:
    """A model that was found, how it was built and what it is fed."""

    path: str
    qualname: str
    row: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Constructor arguments that were filled in, shown as their repr where not plain."""
    inputs: tuple[Input, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    contains: tuple[str, ...] = ()
    """`path:Class` of the user's modules inside it."""
    parameters: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Failure:
    """A model that could not be built, fed or run to its end.

    `stage`: "import", "build", "inputs", "run", or "stopped" (limit, exit, crash).
    `output` is the end of what it printed.
    """

    path: str
    qualname: str
    row: int
    stage: str
    cause: str
    output: str = ""
    raised: tuple[Event, ...] = ()
    """What the tries to run it raised, each at its line."""


@dataclass(frozen=True)
class OperatorUse:
    """One operator of an exported ONNX graph, as it is used at one line.

    `opset` is the one that the file imports for the operator's domain ("" for ONNX itself).
    `types` are those of its inputs as torch calls them, "" where unknown; `rank` is that of the
    first one. `data` is False where it only works on sizes and constants.
    """

    name: str
    opset: int
    domain: str = ""
    types: tuple[str, ...] = ()
    rank: int | None = None
    layer: str = ""
    """Dotted path of the module it stands in; "" for the model."""
    site: Site | None = None
    data: bool = True


@dataclass(frozen=True)
class Outcome:
    """How one exporter treated one model.

    `status`: "ok", "wrong", "failed", "unavailable", or "random" where eager differs from itself,
    so that numbers could not be compared. `wrong` names, per set of named sizes that
    were changed ("" for the traced size, "batch", "height,width", "train" for an export made in
    training mode), the largest absolute difference from eager, or None where the exported model
    raised or gave another shape; `detail` says which in words.
    """

    exporter: str
    status: str
    stage: str = ""
    message: str = ""
    site: Site | None = None
    operators: tuple[str, ...] = ()
    wrong: Mapping[str, float | None] = field(default_factory=dict)
    detail: str = ""
    warnings: tuple[tuple[str, Site | None], ...] = ()
    """Warnings raised by the exporter that name a line of the user's source."""
    opset: int | None = None
    seconds: float = 0.0
    graph: tuple[OperatorUse, ...] = ()
    """What an exported ONNX file holds, whatever its numbers are worth."""
    error: float | None = None
    """The largest absolute difference from eager over all sizes; None where none was measured."""
    artifact: str = ""
    """The file that was written, where it was asked for."""
    part: str = ""
    """The smallest module inside the model that fails alone in the same way: `neck.pool (Pool)`."""
    enough: int | None = None
    """The lowest ONNX opset at which every operator has a translation; None where none is known."""
    script: str = ""
    """A program that shows the same with torch alone, where it was asked for."""
    unwritten: str = ""
    """Why there is no such program."""
