"""What one model did when it ran: plain values, free of torch, that travel as JSON from the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]
MOST_EVENTS = 20_000
"""A run records no more than these."""
_ASSIGNING = ("__setitem__", "__ipow__", "__iand__", "__ior__", "__ixor__")


@dataclass(frozen=True)
class Site:
    """A line of the user's source."""

    path: str
    row: int
    function: str = ""


@dataclass(frozen=True)
class Event:
    """One operator that ran, one question that Python asked of a tensor or of its size, or one fact.

    Operators are named as users write them: `torch.nn.functional.conv2d`, `torch.cat`,
    `torch.Tensor.add_`.

    Questions are named `size.int`, `size.float`, `size.ceil`, `size.round`, `size.compare`,
    `size.choice` (compared inside max(), min() or sorted()), `size.floordiv` (only with a negative
    operand), `size.len`, `size.tensor`, `size.numpy` (given to a function of NumPy), `size.data`
    (read through `.data`), `size.range` (its value is the number of rounds), `size.repeat` (of a
    list; its value is how often), `tensor.item`, `tensor.bool`, `tensor.int`, `tensor.float`,
    `tensor.tolist`, `tensor.numpy`, `tensor.iter` and `array.asked` (made an array by NumPy or
    another library that the line calls).

    Facts that are neither are named

    - `inplace.input`, a write to an argument of the model;
    - `inplace.view`, a write through a view whose base was read later: its value names what made
      the views, the last one first;
    - `inplace.shared`, the first write of a line whose memory was read later as a tensor other than
      the one written to and its later views, or was kept by the model, or is hidden behind `.data`
      or `diagonal`;
    - `module.write`, a write to an attribute or buffer of the module `layer`: `args` say which,
      what it was and is, and whether that is the same;
    - `raised`, an exception: its text is the value, its type `args["kind"]`; `symbols` name the
      sizes at which it came, with their values in `args`, and none where the model raised at
      whatever it was fed;
    - `python.random`, a draw: `args` name the `function`;
    - `train.layer`, a layer whose behaviour depends on the mode: `layer_class` says which.

    In runs without error, per line:

    - `layer.idle`: it built layers, the first of them `layer`, and no call reached any of them;
    - `layer.outside`: it keeps layers in a plain container or made them; its value is how many of
      them with weights or a mode ran and are registered nowhere;
    - `tensor.plain`: it set a plain tensor as an attribute; its value says what operators did with
      it: "computed", "moved", "index", or "registered" and "none" where it is no plain tensor any more;
    - `bias.normed`: it made layers with a bias; its value is whether all they put out went straight
      into a norm that takes the bias away.

    What runs with one thing changed have shown; `change` says what became of the output:

    - `module.kept`, the next call with the same input finds what was written, and gives another
      output; `module.reset`, what is written is written again before any read;
    - `random.matters`, other draws there give another output; `random.unused`, nobody looks at them;
    - `baked.data`, `baked.array`, `baked.grad`, other values give another output with the `.data`,
      array or gradient of the first ones;
    - `device.mixed`, on another device what was made on the CPU, in line `row`, meets a tensor of
      the model, whose shape comes first; `device.same`, what was made there meets none.
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

    @property
    def is_write(self) -> bool:
        """Whether an operator changed its first argument."""
        short = self.name.rpartition(".")[2]
        if short in _ASSIGNING or self.args.get("inplace") is True:
            return True
        return short.endswith("_") and not short.endswith("__")


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
    lasting: tuple[str, ...] = ()
    """Those of the operators, as functions without side effects, that torch cannot take apart."""


@dataclass(frozen=True)
class Input:
    """A tensor that the model is fed: `float32[batch, 3, height=64, width=64]`.

    `at` says where it stands in an argument that holds several: `(0, "image")` for `x[0]["image"]`;
    () where it is the argument itself. The inputs of one argument follow each other.
    `shape` holds numbers for fixed sizes and names for dynamic ones; `sizes` of the model's
    inputs give each name its first value. `low` and `high` bound integer values (high exclusive).
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    low: int = 0
    high: int = 0
    at: tuple[int | str, ...] = ()

    @property
    def label(self) -> str:
        """A name for it alone: `batch_image` for `batch["image"]`."""
        return "_".join(map(str, (self.name, *self.at)))


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
    factory: str = ""
    """`nets/seg.py:UNet`, relative to the project: what was called; "" where settings cannot name it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was called with, as far as settings can say it; `unsaid` names the rest."""
    unsaid: tuple[str, ...] = ()


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
    ir: int | None = None
    """The IR version of the ONNX file that was written."""
    compared: tuple[str, ...] = ()
    """The keys, as in `wrong`, of all sizes at which numbers were compared."""
    seconds: float = 0.0
    graph: tuple[OperatorUse, ...] = ()
    """What an exported ONNX file holds, whatever its numbers are worth."""
    error: float | None = None
    """The largest absolute difference from eager over all sizes; None where none was measured."""
    artifact: str = ""
    """The file that was written, where it was asked for."""
    part: str = ""
    """The smallest module inside the model that alone fails, or is wrong, as it is: `neck.pool (Pool)`."""
    enough: int | None = None
    """The lowest ONNX opset at which every operator has a translation; None where none is known."""
    script: str = ""
    """A program that shows the same with torch alone, where it was asked for."""
    unwritten: str = ""
    """Why there is no such program."""
