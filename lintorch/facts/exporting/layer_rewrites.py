"""Layers that an exporter refuses, as classes of the user's own file that compute the same.

Measured on torch 2.13 at several batch sizes, heights and widths: outputs and gradients have the same
bits, and torch.export, onnx, onnx-legacy and torchscript-trace are right at all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.values import TRUE, Tensor
from lintorch.facts.models.cell_pools import define_above
from lintorch.facts.models.evaluation import Evaluation
from lintorch.syntax.parsed_file import ParsedFile

_UNPOOL = '''class ScatterUnpool2d({base}):
    """Its base, in operators that exporters follow at every size."""

    def forward(self, input, indices, output_size=None):
        height, width = (
            (input.shape[axis] - 1) * self.stride[axis] + self.kernel_size[axis] - 2 * self.padding[axis]
            for axis in (-2, -1)
        )
        if output_size is not None:
            height, width = output_size[-2:]
        blank = input.new_zeros(*input.shape[:-2], height * width)
        filled = blank.scatter(-1, indices.flatten(-2), input.flatten(-2))
        return filled.unflatten(-1, (height, width))

'''
_NORM = '''class Settled{name}({base}):
    """Its base, in operators that exporters follow at every batch size, where statistics are kept."""

    def forward(self, input):
        if self.training:
            return super().forward(input)
        mean, var = self.running_mean, self.running_var
        return {norm}(input, mean, var, self.weight, self.bias, False, 0.0, self.eps)

'''
_UNFLATTEN = '''class UnflattenTo({base}):
    """`x.unflatten(dim, sizes)`, which takes sizes that are traced."""

    def __init__(self, dim, sizes):
        super().__init__()
        self.dim, self.sizes = dim, sizes

    def forward(self, x):
        return x.unflatten(self.dim, self.sizes)

'''
_GROWN = '''class Grown{name}({base}):
    """Its base, which grows to the size asked for by a cut where it is traced: at every size."""

    def forward(self, input, output_size=None):
        if output_size is None or not ({tracing}() or {exporting}()):
            return super().forward(input, output_size)
        more = [stride - 1 for stride in self.stride]
        weights, sides = (self.weight, self.bias), (self.stride, self.padding)
        grown = {convolve}(input, *weights, *sides, more, self.groups, self.dilation)
        for axis in range(-len(more), 0):
            grown = grown.narrow(axis, 0, output_size[axis])
        return grown

'''
_NORMS = {f"InstanceNorm{axes}d": axes + 2 for axes in (1, 2, 3)}
"""Layers, and the axes of what they take; they take one less, too, which BatchNorm means otherwise."""


class WritesLayers(Protocol):
    """What these rewrites ask of a file."""

    @property
    def file(self) -> ParsedFile: ...
    @property
    def evaluation(self) -> Evaluation: ...
    def name(self, expression: cst.CSTNode | None) -> str: ...
    def call_at(self, event: Occurrence) -> cst.Call | None: ...
    def replace(self, node: cst.CSTNode, content: str) -> Edit: ...
    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]: ...


def scatter_unpool(event: Called, source: WritesLayers) -> Fix | None:
    """`ScatterUnpool2d(2)` for `nn.MaxUnpool2d(2)`."""
    layer = "torch.nn.MaxUnpool2d"
    if event.name != f"{layer}.forward":
        return None
    return _exchange("ScatterUnpool2d", layer, _UNPOOL, {}, event, source)


def settle_norm(event: Called, source: WritesLayers) -> Fix | None:
    """`SettledInstanceNorm2d(8, track_running_stats=True)` for `nn.InstanceNorm2d(...)`."""
    name = event.name.removesuffix(".forward").rpartition(".")[2]
    given = event.arguments.get("input")
    shape = given.shape if isinstance(given, Tensor) else None
    if event.settings.get("track_running_stats") != TRUE or _NORMS.get(name) != len(shape or ()):
        return None
    more = {"norm": "torch.nn.functional.batch_norm"}
    return _exchange(
        f"Settled{name}", f"torch.nn.{name}", _NORM.replace("{name}", name), more, event, source
    )


def grow_transposed(event: Called, source: WritesLayers) -> Fix | None:
    """`GrownConvTranspose2d(8, 4, 3)` for an `nn.ConvTranspose2d` that is given `output_size`."""
    name = event.name.removesuffix(".forward").rpartition(".")[2]
    more = {
        "tracing": "torch.jit.is_tracing",
        "exporting": "torch.onnx.is_in_onnx_export",
        "convolve": f"torch.nn.functional.conv_transpose{name[-2:]}",
    }
    written = _GROWN.replace("{name}", name)
    return _exchange(f"Grown{name}", f"torch.nn.{name}", written, more, event, source)


def unflatten_later(event: Called, source: WritesLayers) -> Fix | None:
    """`UnflattenTo(2, (h // 2, w // 2))` for `nn.Unflatten(...)`, by position."""
    layer, call = "torch.nn.Unflatten", source.call_at(event)
    args = call.args if call is not None else ()
    if call is None or len(args) != 2 or any(each.star or each.keyword for each in args):
        return None
    if source.name(call.func) != layer:
        return None
    return write_class("UnflattenTo", {"base": "torch.nn.Module"}, _UNFLATTEN, call, source)


def write_class(
    name: str, asked: Mapping[str, str], text: str, call: cst.Call, source: WritesLayers
) -> Fix | None:
    """The class above its use, of what is `asked` of torch as the file spells it, and its name called."""
    edits = define_above(
        name, asked, lambda spelled: text.format(**spelled), source.file, call, source.reach
    )
    if edits is None:
        return None
    edit = source.replace(call.func, name)
    return Fix(f"write {name}", (edit, *edits), Applicability.UNSAFE)


def _exchange(
    name: str,
    layer: str,
    text: str,
    more: Mapping[str, str],
    event: Called,
    source: WritesLayers,
) -> Fix | None:
    """The class above its use, and the layer made of it where the constructor is called by its name."""
    made = source.evaluation.find_making(event)
    call = source.call_at(made) if made is not None else None
    if call is None or source.name(call.func) != layer:
        return None
    return write_class(name, {"base": layer, **more}, text, call, source)
