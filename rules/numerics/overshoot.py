"""LT808: a resize that leaves the range of an image, and a fold that counts what overlaps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source
from lintorch.syntax.tree import names_in

rule = Rule(
    __name__,
    code="LT808",
    summary="a resize or fold that leaves the range of its input",
    why="""
        Bicubic interpolation overshoots at edges: an image of 0 to 1 comes back with values
        from -0.30 to 1.30, and turned into bytes they wrap round. Clamp the result where the
        range matters. Only what is named as an image is reported, and only in a function that
        clamps nothing: features and position embeddings have no range.

        fold adds up what overlaps: it undoes unfold only where the stride is the size of the
        kernel. Else divide by the fold of the unfolded ones. Measured on torch 2.13.
    """,
    bad="""
        import torch.nn.functional as F


        def enlarged(image):
            return F.interpolate(image, scale_factor=3, mode="bicubic")
    """,
    good="""
        import torch.nn.functional as F


        def enlarged(image):
            return F.interpolate(image, scale_factor=3, mode="bicubic").clamp(0, 1)
    """,
    proof="""
        assert enlarged(torch.rand(1, 3, 8, 8).round()).max() <= 1
    """,
    severity=Severity.NOTE,
)

_F = "torch.nn.functional."
_IMAGE = re.compile(r"^(input_)?(img|imgs|image|images|frame|frames|photo|photos|rgb|picture)\d?$")
_BOUNDS = re.compile(r"clamp|clip|sigmoid|normalize|tanh|minimum")
UNFOLD = ("input", "kernel_size", "dilation", "padding", "stride")
FOLD = ("input", "output_size", "kernel_size", "dilation", "padding", "stride")


@rule.source(cst.Call, needs=("bicubic",))
def in_resize(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _F + "interpolate":
        return
    given = source.arguments(call, "input", "size", "scale_factor", "mode")
    image = given.get("input")
    function = source.enclosing(call, cst.FunctionDef)
    if given.value("mode") != "bicubic" or function is None or not is_image(image):
        return
    if not any(_BOUNDS.search(name.value.lower()) for name in names_in(function.body)):
        yield Hit(call, "bicubic leaves the range of the image at edges: clamp the result")


@rule.source(cst.Call, needs=("unfold(",))
def in_fold(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _F + "fold" or is_divided(call, source):
        return
    given = source.arguments(call, *FOLD)
    inner = given.get("input")
    if not isinstance(inner, cst.Call) or source.name(inner.func) != _F + "unfold":
        return
    kernel, stride = (source.layers.number(given.get(n)) for n in ("kernel_size", "stride"))
    stride = stride if given.get("stride") is not None else 1
    if (
        given.complete
        and isinstance(kernel, int)
        and isinstance(stride, int)
        and 0 < stride < kernel
    ):
        yield Hit(call, f"windows of {kernel} every {stride} overlap, and fold adds them up")


def is_image(node: cst.CSTNode | None) -> bool:
    """Whether a tensor is named as an image."""
    while isinstance(node, (cst.Subscript, cst.Call)):
        func = node.func if isinstance(node, cst.Call) else node
        node = func.value if isinstance(func, (cst.Attribute, cst.Subscript)) else None
    return isinstance(node, cst.Name) and bool(_IMAGE.match(node.value))


def is_divided(call: cst.Call, source: Source) -> bool:
    """Whether the sum is divided by how often each place was counted, here or by its name."""
    outer = source.parent(call)
    if isinstance(outer, cst.BinaryOperation):
        return isinstance(outer.operator, cst.Divide)
    function = source.enclosing(call, cst.FunctionDef)
    folds = [c for c in source.nodes(cst.Call) if source.name(c.func) == _F + "fold"]
    return sum(source.enclosing(c, cst.FunctionDef) is function for c in folds) > 1
