"""LT811: a float where torch takes whole numbers alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.values import Constant, Items, Number, Tensor, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT811",
    summary="a float where a whole number is needed",
    why="""
        `/` gives a float in Python 3, also where nothing is left over: `64 / 2` is 32.0. Channels,
        features, kernels, strides, paddings, groups and sizes must be ints: a layer raises
        TypeError when it is made, or when it first runs; so do view, reshape, zeros, chunk,
        interpolate and range. Code that was written for Python 2 is full of it. Measured on torch
        2.13 for each argument that is reported; those that take a float (a scale_factor, the
        step_size of StepLR, the features of an InstanceNorm without weights) are not.
    """,
    bad="""
        from torch import nn


        class Squeeze(nn.Module):
            def __init__(self, channels=64):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels / 2, 1)

            def forward(self, x):
                return self.conv(x)
    """,
    good="""
        from torch import nn


        class Squeeze(nn.Module):
            def __init__(self, channels=64):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels // 2, 1)

            def forward(self, x):
                return self.conv(x)
    """,
    remedy="divide by //, or wrap it in int()",
    proof="""
        assert Squeeze()(torch.ones(1, 64, 2, 2)).shape[1] == 32
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

WINDOW = ("kernel_size", "stride", "padding")
CONV = ("in_channels", "out_channels", "groups", "dilation", *WINDOW)
CELL = ("input_size", "hidden_size")
ATTENTION = ("d_model", "nhead", "dim_feedforward")
AXES = (1, 2, 3)
LAYERS: dict[str, tuple[str, ...]] = {
    **{f"Conv{n}d": CONV for n in AXES},
    **{f"ConvTranspose{n}d": (*CONV, "output_padding") for n in AXES},
    **{f"MaxPool{n}d": (*WINDOW, "dilation") for n in AXES},
    **{f"AvgPool{n}d": WINDOW for n in AXES},
    **{f"Adaptive{kind}Pool{n}d": ("output_size",) for kind in ("Max", "Avg") for n in AXES},
    **{f"BatchNorm{n}d": ("num_features",) for n in AXES},
    **{f"{kind}Pad{n}d": ("padding",) for kind in ("Zero", "Reflection", "Replication") for n in AXES},
    **dict.fromkeys(("RNN", "LSTM", "GRU"), (*CELL, "num_layers")),
    **{f"{kind}Cell": CELL for kind in ("RNN", "LSTM", "GRU")},
    "Linear": ("in_features", "out_features"),
    "Bilinear": ("in1_features", "in2_features", "out_features"),
    "SyncBatchNorm": ("num_features",),
    "LayerNorm": ("normalized_shape",),
    "GroupNorm": ("num_groups", "num_channels"),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "EmbeddingBag": ("num_embeddings", "embedding_dim"),
    "MultiheadAttention": ("embed_dim", "num_heads"),
    "TransformerEncoderLayer": ATTENTION,
    "TransformerDecoderLayer": ATTENTION,
    "Upsample": ("size",),
    "PixelShuffle": ("upscale_factor",),
    "PReLU": ("num_parameters",),
    "Unfold": (*WINDOW, "dilation"),
}  # fmt: skip
FUNCTIONS: dict[str, tuple[str, ...]] = {
    **{f"max_pool{n}d": (*WINDOW, "dilation") for n in AXES},
    **{f"avg_pool{n}d": WINDOW for n in AXES},
    **{f"adaptive_{kind}_pool{n}d": ("output_size",) for kind in ("max", "avg") for n in AXES},
    "interpolate": ("size",),
    "upsample": ("size",),
    "pad": ("pad",),
    "pixel_shuffle": ("upscale_factor",),
    "one_hot": ("num_classes",),
}
METHODS: dict[str, tuple[str, ...]] = {
    "chunk": ("chunks",),
    "split": ("split_size", "split_size_or_sections"),
    "narrow": ("start", "length"),
    "topk": ("k",),
    "roll": ("shifts",),
}
MADE = ("torch.full", "torch.eye", "torch.randperm")
SIZED = tuple(f"torch.{name}" for name in ("zeros", "ones", "empty", "rand", "randn"))
SIZED += tuple(f"torch.Tensor.{name}" for name in ("view", "reshape", "repeat", "expand"))
"""Calls whose arguments by position are all sizes; `self` is a tensor, and none of them."""
TAKES = {
    **{f"torch.nn.{name}": names for name, names in LAYERS.items()},
    **{f"torch.nn.functional.{name}": names for name, names in FUNCTIONS.items()},
    **{f"torch.{name}": names for name, names in METHODS.items()},
    **{f"torch.Tensor.{name}": names for name, names in METHODS.items()},
    **dict.fromkeys(MADE, ("size", "n", "m")),
}
FLOATS = frozenset({"math.sqrt", "math.pow", "numpy.sqrt", "numpy.ceil", "numpy.floor"})
"""What gives a float of whatever number."""
OLD_PRINT = re.compile(rb"^[ \t]*print[ \t]+[\"']", re.M)
"""`print "x"`, with which a project is in Python 2."""
TENSORS = tuple(
    f"torch.{kind}Tensor"
    for kind in ("", "Float", "Double", "Half", "Long", "Int", "Short", "Byte")
)
"""Old constructors, which take sizes one by one, and a list as the data."""
REPORTED = frozenset({*TAKES, *SIZED, *TENSORS, "range"})


@rule.event(*TAKES)
def in_argument(event: Called, source: Source) -> Iterator[Hit]:
    for name in TAKES[event.name]:
        yield from report(event, name, event.arguments.get(name), source)


@rule.event(*SIZED, "range")
def in_sizes(event: Called, source: Source) -> Iterator[Hit]:
    """`x.view(n, c / 2, -1)`, `torch.zeros(n / 2)`, `range(n / 2)`."""
    for each in (*event.positional, event.keyword.get("size")):
        yield from report(event, "a size", each, source)


@rule.event(*TENSORS)
def in_constructor(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.FloatTensor(n, c / 2)`."""
    for each in event.positional:
        if not isinstance(each, Items):
            yield from report(event, "a size", each, source)


def report(event: Called, role: str, given: Value | None, source: Source) -> Iterator[Hit]:
    """One finding for a quotient, at the first call that it is given to; at the quotient where this file has it."""
    parts = given.items or () if isinstance(given, Items) else (given,)
    found = next((each for each in parts if each is not None and is_float(each, source)), None)
    if found is None or is_tentative(source.call_at(event), source):
        return
    taken = f"{event.name.rpartition('.')[2]} does not take as {role}: TypeError"
    made = find_quotient(found, source)
    if is_written_around(OLD_PRINT, source.path, source.consulted, if_large=False):
        return  # `/` of ints is whole in Python 2, and that it is no Python 3 is told of its files
    node = None if made is None else source.node_at(made, cst.BinaryOperation)
    if made is None or node is None:
        yield Hit(event, f"a float, which {taken}")
    elif source.is_within(node, source.call_at(event)):
        yield Hit(made, f"/ gives a float, which {taken}", divide_whole(node, source))
    elif is_first(event, made, source):
        message = "/ gives a float, and layers or sizes are made of it: TypeError"
        yield Hit(made, message, divide_whole(node, source))


def is_first(event: Called, made: Combined, source: Source) -> bool:
    """Whether no call before it was given the quotient and does not take it."""
    users = source.evaluation.ways.find_users(made.result)
    named = (each for each in users if isinstance(each, Called) and each.name in REPORTED)
    first = next(named, None)
    return first is None or first.node is event.node


def is_float(value: Value, source: Source) -> bool:
    """Whether it is one for what is computed; what is only annotated `float` may be given an int."""
    if isinstance(value, Constant):
        return type(value.value) is float
    made = source.evaluation.ways.find_maker(value)
    rooted = isinstance(made, Called) and made.name in FLOATS
    return isinstance(value, Number) and (rooted or find_quotient(value, source) is not None)


def find_quotient(value: Value, source: Source) -> Combined | None:
    """The `/` that makes a number a float, also where it is multiplied or added to afterwards."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Combined) or isinstance(value, Tensor):
        return None
    if made.operator in ("Add", "Sub", "Mult"):
        parts = (find_quotient(each, source) for each in (made.left, made.right))
        return next((each for each in parts if each is not None), None)
    return made if made.operator == "Div" else None


def divide_whole(node: cst.BinaryOperation | None, source: Source) -> Fix | None:
    """`n // 2` of `n / 2`."""
    if node is None or not isinstance(node.operator, cst.Divide):
        return None
    edit = source.replace(node.operator, "//")
    return Fix("divide without a rest", (edit,), Applicability.UNSAFE)
