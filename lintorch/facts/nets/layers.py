"""Layers of torch.nn as they are written down: how many channels they take and give, and in which row."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import libcst as cst

from lintorch.facts.classes.classes import Classes, HasClasses, is_self
from lintorch.facts.names.lookup import Lookup
from lintorch.syntax.literals import UNKNOWN, Arguments, arguments, literal
from lintorch.syntax.parsed_file import ParsedFile

_NN = "torch.nn."
_TORCH_CONV = ("in_channels", "out_channels", "kernel_size", "stride", "padding")
CONV = (*_TORCH_CONV, "dilation", "groups", "bias", "padding_mode")
TRANSPOSED = (*_TORCH_CONV, "output_padding", "groups", "bias", "dilation", "padding_mode")
_DEPTH = 8


@dataclass(frozen=True)
class Form:
    """What a class of layers does to its input.

    `kind`: conv, norm (of the channels), linear, last (norm of the last axis), embedding, pool,
    adaptive, flatten, shuffle, keep. `rank`: of how many axes behind the channels, 0 where any.
    `takes` and `gives` are the parameters that say of how many channels.
    """

    kind: str
    parameters: tuple[str, ...] = ()
    rank: int = 0
    takes: str = ""
    gives: str = ""


_POINTWISE = (
    "Identity", "ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish",
    "Sigmoid", "LogSigmoid", "Tanh", "Hardtanh", "Hardswish", "Hardsigmoid", "Hardshrink",
    "Softplus", "Softsign", "Softshrink", "Tanhshrink", "Threshold", "RReLU", "Dropout",
    "AlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d", "Softmax", "LogSoftmax",
)  # fmt: skip
_PADS = ("ZeroPad", "ReflectionPad", "ReplicationPad", "ConstantPad", "CircularPad")


def _forms() -> Iterator[tuple[str, Form]]:
    for n in (1, 2, 3):
        yield f"Conv{n}d", Form("conv", CONV, n, "in_channels", "out_channels")
        yield f"ConvTranspose{n}d", Form("conv", TRANSPOSED, n, "in_channels", "out_channels")
        yield f"LazyConv{n}d", Form("conv", CONV[1:], n, gives="out_channels")
        yield f"BatchNorm{n}d", Form("norm", ("num_features",), n, "num_features")
        yield f"MaxPool{n}d", Form("pool", rank=n)
        yield f"AvgPool{n}d", Form("pool", rank=n)
        yield f"AdaptiveAvgPool{n}d", Form("adaptive", ("output_size",), n)
        yield f"AdaptiveMaxPool{n}d", Form("adaptive", ("output_size",), n)
        for pad in _PADS:
            yield f"{pad}{n}d", Form("pool", rank=n)
    yield "SyncBatchNorm", Form("norm", ("num_features",), 0, "num_features")
    yield "GroupNorm", Form("norm", ("num_groups", "num_channels"), 0, "num_channels")
    yield "Upsample", Form("pool")
    yield (
        "Linear",
        Form("linear", ("in_features", "out_features"), 0, "in_features", "out_features"),
    )
    yield "LazyLinear", Form("linear", ("out_features",), gives="out_features")
    yield "LayerNorm", Form("last", ("normalized_shape",), takes="normalized_shape")
    yield "RMSNorm", Form("last", ("normalized_shape",), takes="normalized_shape")
    yield "TransformerEncoderLayer", Form("last", ("d_model",), takes="d_model")
    yield "Embedding", Form("embedding", ("num_embeddings", "embedding_dim"), gives="embedding_dim")
    yield "Flatten", Form("flatten", ("start_dim", "end_dim"))
    yield "PixelShuffle", Form("shuffle", ("upscale_factor",), 2)
    yield from ((name, Form("keep")) for name in _POINTWISE)


FORMS = dict(_forms())
"""By class name. What returns a pair, or is not listed, is unknown."""
_WRAPPERS = frozenset(
    f"torch.nn.utils.{name}"
    for name in (
        "spectral_norm", "weight_norm", "parametrizations.spectral_norm",
        "parametrizations.weight_norm",
    )
)  # fmt: skip
_MAY_TAKE_ANY = ("BatchNorm", "SyncBatchNorm", "GroupNorm")
_UNCHECKED = ("affine", "track_running_stats")
_SAME_MODULE = frozenset(
    ("to", "cuda", "cpu", "half", "float", "double", "eval", "train", "requires_grad_")
)
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.FloorDivide: operator.floordiv,
    cst.Power: operator.pow,
}


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a row. `form` is None where nothing is known of it."""

    call: cst.CSTNode
    name: str = ""
    form: Form | None = None
    given: Arguments | None = None
    takes: Any = UNKNOWN
    gives: Any = UNKNOWN

    @property
    def kind(self) -> str:
        """What it does, "" where that is not known."""
        return self.form.kind if self.form else ""


class HasLayers(HasClasses, Protocol):
    """What knows a file with its classes, and the layers in it."""

    @property
    def layers(self) -> Layers:
        """The layers of torch.nn that expressions stand for."""


class Layers:
    """The layers that the expressions of one file stand for."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes) -> None:
        self._file = file
        self._names = names
        self._classes = classes

    def row(self, node: cst.CSTNode, depth: int = 0) -> tuple[Layer, ...]:
        """The layers an expression stands for, in the order they are run: those of a Sequential."""
        if depth > _DEPTH:
            return (Layer(node),)
        if isinstance(node, cst.IfExp):
            either = [*self.row(node.body, depth + 1), *self.row(node.orelse, depth + 1)]
            same = len(either) == 2 and all(layer.kind == "keep" for layer in either)
            return (either[0] if same else Layer(node),)
        if isinstance(node, (cst.Name, cst.Attribute)):
            made = self.only_value(node)
            return self.row(made, depth + 1) if made is not None else (Layer(node),)
        return self._made(node, depth) if isinstance(node, cst.Call) else (Layer(node),)

    def parts(self, sequential: cst.Call) -> Iterator[cst.CSTNode]:
        """What a Sequential is made of; a star stands for what is not known."""
        first = sequential.args[0] if sequential.args else None
        named = isinstance(first.value, cst.Call) and first.value if first else None
        if named and self._names.name(named.func).endswith("OrderedDict"):
            yield from self._entries(named)
            return
        for arg in sequential.args:
            items = self._items(arg.value) if arg.star == "*" else None
            if items is not None:
                yield from (item.value for item in items)
            else:
                yield arg if arg.star else arg.value

    def is_sequential(self, call: cst.Call) -> bool:
        """Whether a call puts layers in a row: nn.Sequential, or the __init__ of a subclass."""
        if self._names.name(call.func) == "torch.nn.Sequential":
            return True
        func = call.func
        if not (isinstance(func, cst.Attribute) and func.attr.value == "__init__"):
            return False
        info = self._classes.around(call)
        above = func.value.func if isinstance(func.value, cst.Call) else None
        return (
            info is not None
            and info.bases == ("torch.nn.Sequential",)
            and self._names.name(above) == "super"
        )

    def only_value(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """The one expression that `self.x` or a name is ever assigned."""
        if isinstance(node, cst.Attribute) and node.attr.value in self._changed:
            return None
        assigned = self._classes.assigned(node)
        return assigned[0] if len(assigned) == 1 else None

    def number(self, node: cst.CSTNode | None, depth: int = 0) -> Any:
        """The number that an expression of literals and of names given one literal stands for."""
        value = literal(node)
        if value is not UNKNOWN or node is None or depth > _DEPTH:
            return value
        if isinstance(node, cst.BinaryOperation):
            sides = [self.number(n, depth + 1) for n in (node.left, node.right)]
            work = _ARITHMETIC.get(type(node.operator))
            plain = all(type(side) is int and abs(side) < 2**32 for side in sides)
            zero = isinstance(node.operator, cst.FloorDivide) and sides[1] == 0
            large = isinstance(node.operator, cst.Power) and not (plain and 0 <= sides[1] < 9)
            return work(*sides) if work and plain and not zero and not large else UNKNOWN
        if isinstance(node, (cst.Name, cst.Attribute)):
            made = self.only_value(node)
            return self.number(made, depth + 1) if made is not None else UNKNOWN
        return UNKNOWN

    def _made(self, call: cst.Call, depth: int) -> tuple[Layer, ...]:
        name = self._names.name(call.func)
        if self.is_sequential(call):
            parts = self.parts(call)
            return tuple(layer for part in parts for layer in self.row(part, depth + 1))
        if name in _WRAPPERS and call.args:
            return self.row(call.args[0].value, depth + 1)
        func = call.func
        if not name and isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call):
            return (
                self.row(func.value, depth + 1)
                if func.attr.value in _SAME_MODULE
                else (Layer(call),)
            )
        return (self._layer(call, name),)

    def _layer(self, call: cst.Call, name: str) -> Layer:
        short = name.removeprefix(_NN)
        form = FORMS.get(short) if name.startswith(_NN) else None
        if short.startswith(("InstanceNorm", "PReLU")) and name.startswith(_NN):
            form = self._tolerant(call, short)
        if form is None:
            return Layer(call)
        given = arguments(call, *form.parameters)
        if form.kind in ("pool", "adaptive") and "return_indices" in given.by_name:
            return Layer(call)
        unchecked = short.startswith(_MAY_TAKE_ANY) and any(n in given.by_name for n in _UNCHECKED)
        takes = UNKNOWN if unchecked else self._width(given.get(form.takes))
        gives = self._width(given.get(form.gives or form.takes))
        return Layer(call, short, form, given, takes, gives)

    def _tolerant(self, call: cst.Call, short: str) -> Form | None:
        """Layers that look at the number of channels only in one form."""
        if short == "PReLU":
            count = self.number(arguments(call, "num_parameters").get("num_parameters"))
            many = type(count) is int and count > 1
            return (
                Form("norm", ("num_parameters",), 0, "num_parameters")
                if many
                else (Form("keep") if not call.args else None)
            )
        names = ("num_features", "eps", "momentum", "affine", "track_running_stats")
        rank = int(short[-2]) if short[-2:-1].isdigit() else 0
        given = arguments(call, *names)
        plain = given.value("affine", False) is False
        return Form("pool", rank=rank) if plain else Form("norm", names[:1], rank, "num_features")

    def _width(self, node: cst.BaseExpression | None) -> Any:
        value = self.number(node)
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        return value if type(value) is int and value > 0 else UNKNOWN

    def _items(self, node: cst.BaseExpression) -> list[cst.BaseElement] | None:
        """The items of a list written where it is used, or of a name used nowhere else."""
        if isinstance(node, cst.Name):
            uses = len(self._file.mentions_of(node.value))
            made = self.only_value(node) if uses == 2 else None
            return self._items(made) if isinstance(made, (cst.List, cst.Tuple)) else None
        if not isinstance(node, (cst.List, cst.Tuple)):
            return None
        starred = any(isinstance(e, cst.StarredElement) for e in node.elements)
        return None if starred else list(node.elements)

    def _entries(self, made: cst.Call) -> Iterator[cst.CSTNode]:
        """The layers of an OrderedDict([("name", layer), ...])."""
        items = self._items(made.args[0].value) if len(made.args) == 1 else None
        for item in items or ():
            pair = item.value
            known = isinstance(pair, (cst.Tuple, cst.List)) and len(pair.elements) == 2
            yield pair.elements[1].value if known else pair  # type: ignore[attr-defined]
        if items is None:
            yield made

    @cached_property
    def _changed(self) -> frozenset[str]:
        """Attributes of self that are given values other than by plain assignment."""
        parents = self._file.tree.parents
        found = set()
        for node in self._file.nodes(cst.Attribute):
            if is_self(node.value):
                outer = parents[node]
                stored = isinstance(outer, (cst.AugAssign, cst.For)) and outer.target is node
                element = isinstance(outer, cst.Element) and parents[parents[outer]]
                if stored or isinstance(element, (cst.AssignTarget, cst.For)):
                    found.add(node.attr.value)
        return frozenset(found)
