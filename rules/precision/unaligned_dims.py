"""LT301: a hidden size that is no multiple of 8, in a model that computes in half precision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from lintorch.core.finding import Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, RunEvent, Site, Trace
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT301",
    summary="a hidden size that is no multiple of 8, with half precision",
    why="""
        Matrix products in float16 and bfloat16 run on Tensor Cores in tiles of 8: sizes that are
        multiples of 8 fill them. cuBLAS 11 and cuDNN 7.6.3, and later, use Tensor Cores at any
        size, so this costs some speed and never a result. It is reported only where the file
        computes in half precision, and for sizes between two layers of one class: an image's
        3 channels, depthwise layers and the number of classes are what they are.

        A run decides: where less than 5% of the model's multiplications are concerned, the
        finding is withdrawn; else the greatest of them is named as (M, N, K). The 5% are a
        choice, not a measurement. torch.compile pads by itself. Other sizes make another model,
        and its checkpoints do not fit.
    """,
    bad="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = nn.Linear(256, 300)
                self.head = nn.Linear(300, 10)

            @torch.autocast("cuda")
            def forward(self, x):
                return self.head(self.hidden(x).relu())
    """,
    good="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = nn.Linear(256, 304)
                self.head = nn.Linear(304, 10)

            @torch.autocast("cuda")
            def forward(self, x):
                return self.head(self.hidden(x).relu())
    """,
    unproven="""
        The cost is time on a GPU with tensor cores, which the tests do not have. It is kept as
        a note because NVIDIA's guide to mixed precision asks for multiples of 8, and padding a
        hidden size is free of charge.
    """,
    severity=Severity.NOTE,
)

TILE = 8
SMALLEST = 16
"""Squeezes and codes below this many channels hardly count."""
SHARE = 0.05
LAYERS = {
    "torch.nn.Linear": ("in_features", "out_features"),
    **{f"torch.nn.Conv{n}d": ("in_channels", "out_channels") for n in (1, 2, 3)},
}
CONV = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups")
AUTOCAST = {
    "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
    "torch.amp.GradScaler", "torch.cuda.amp.GradScaler",
}  # fmt: skip
HALVES = {"torch.float16", "torch.half", "torch.bfloat16"}
CONVOLUTIONS = {f"torch.nn.functional.conv{n}d" for n in (1, 2, 3)}
PRODUCTS = {"torch.matmul", "torch.bmm", "torch.Tensor.matmul", "torch.Tensor.bmm"}
LINEAR = "torch.nn.functional.linear"


@rule.source(cst.Call, needs=("autocast", "GradScaler", "half", "float16"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    layer = sized(call, source)
    if layer is None or layer.after % TILE == 0 or layer.after < SMALLEST or layer.before <= 4:
        return
    owner = source.enclosing(call, cst.ClassDef)
    if owner is None or not source.classes.all[owner].is_module or not half(source):
        return
    if any(other.before == layer.after for other in later(call, owner, source)):
        message = f"{layer.after} {layer.unit} between two layers, no multiple of {TILE}"
        yield Hit(call, message, remedy=f"write {layer.after + -layer.after % TILE}")


@rule.trace(LINEAR, *CONVOLUTIONS, *PRODUCTS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    if next(trace.find_events(LINEAR, *CONVOLUTIONS, *PRODUCTS), None) is not event:
        return  # the whole run was judged with its first product
    products = list(products_of(trace.events))
    uneven = [p for p in products if p.uneven]
    share = max(uneven_share(products_of(run.events)) for run in trace.runs)
    if share < SHARE:
        reason = f"{share:.1%} of the multiplications have a size that is no multiple of {TILE}"
        yield from (Refuted(p.site, reason) for p in products)
        return
    for site in dict.fromkeys(p.site for p in uneven):
        worst = max((p for p in uneven if p.site == site), key=lambda p: p.work)
        shown = f"(M, N, K) = ({worst.m}, {worst.n}, {worst.k})"
        message = f"{shown}; such products are {share:.0%} of the model's multiplications"
        yield Hit(site, message, confirms=True)


def products_of(events: Iterable[RunEvent]) -> Iterator[Product]:
    """The matrix products of a run."""
    calls = (e for e in events if isinstance(e, OperatorCall))
    return (found for call in calls if (found := product(call)))


def uneven_share(products: Iterable[Product]) -> float:
    """The share of the multiplications that have a size which is no multiple of the tile."""
    work = [(p.work, p.uneven) for p in products]
    total = sum(each for each, _ in work)
    return sum(each for each, uneven in work if uneven) / total if total else 0.0


@dataclass(frozen=True)
class Layer:
    """The sizes of a layer, where they are literals."""

    before: int
    after: int
    unit: str


@dataclass(frozen=True)
class Product:
    """One matrix product of a run: (M, K) by (K, N), `times` over."""

    site: Site
    m: int
    n: int
    k: int
    reduced: int
    """How many channels go into K; a window multiplies them."""
    times: int
    fixed: bool
    """Whether the sizes are what they are: an image's channels, a depthwise layer."""

    @property
    def work(self) -> int:
        """Multiplications."""
        return self.m * self.n * self.k * self.times

    @property
    def uneven(self) -> bool:
        return not self.fixed and bool(self.n % TILE or self.reduced % TILE)


def sized(call: cst.Call, source: Source) -> Layer | None:
    """The layer that a call makes; None for grouped ones and where a size is no literal."""
    name = source.name(call.func)
    if name not in LAYERS:
        return None
    first, second = LAYERS[name]
    given = source.arguments(call, *(CONV if name != "torch.nn.Linear" else (first, second)))
    before, after = given.value(first), given.value(second)
    plain = isinstance(before, int) and isinstance(after, int)
    if not plain or given.value("groups", 1) != 1:
        return None
    return Layer(before, after, second.removeprefix("out_"))


def later(call: cst.Call, owner: cst.ClassDef, source: Source) -> Iterator[Layer]:
    """The layers that a class makes after this one."""
    calls = iter(source.nodes(cst.Call))
    for other in calls:
        if other is call:
            break
    for other in calls:
        layer = sized(other, source)
        if layer is not None and source.enclosing(other, cst.ClassDef) is owner:
            yield layer


def half(source: Source) -> bool:
    """Whether the file computes in float16 or bfloat16 somewhere."""
    for call in source.nodes(cst.Call):
        if source.name(call.func) in AUTOCAST:
            return True
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if method in ("half", "bfloat16") and not call.args:
            return True
        if method == "to" and any(source.name(arg.value) in HALVES for arg in call.args):
            return True
    return any(source.name(d.decorator) in AUTOCAST for d in source.nodes(cst.Decorator))


def product(event: OperatorCall) -> Product | None:
    """The matrix product that an event was; None where it was none."""
    if event.name == LINEAR or event.name in CONVOLUTIONS:
        return layered(event)
    if event.name in PRODUCTS and len(event.inputs) == 2 and min(map(len, event.inputs)) >= 2:
        left, right = event.inputs
        rows = math.prod(event.outputs[0][:-2])
        return Product(event.site, left[-2], right[-1], left[-1], left[-1], rows, fixed=False)
    return None


def layered(event: OperatorCall) -> Product | None:
    if len(event.inputs) < 2 or not event.outputs:
        return None
    weight, out = event.inputs[1], event.outputs[0]
    groups: Any = event.args.get("groups", 1)
    channels, n = weight[1], weight[0] // groups
    m = math.prod(out) // weight[0]
    fixed = (channels <= 4 and groups == 1) or (channels == 1 and groups > 1)
    site = event.built if event.layer_class in LAYERS and event.built else event.site
    return Product(site, m, n, math.prod(weight[1:]), channels, groups, fixed)
