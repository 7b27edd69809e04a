"""LT808: a resize that leaves the range of an image, and a fold that counts what overlaps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.values import Constant, Items, Value
from lintorch.source import Source

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


@rule.event(_F + "interpolate", "torch.nn.Upsample.forward")
def in_resize(event: Called, source: Source) -> Iterator[Hit]:
    given = event.arguments
    if given.get("mode") != Constant("bicubic") or not is_image(event, given.get("input"), source):
        return
    function = source.evaluation.find_function(event)
    if function is not None and not any(map(_BOUNDS.search, list_words(function))):
        yield Hit(
            event,
            "bicubic leaves the range of the image at edges",
            remedy="clamp the result: .clamp(0, 1)",
        )


def is_image(event: Called, value: Value | None, source: Source) -> bool:
    """Whether a tensor is named as an image: where it is given, or where it came from."""
    given = event.node.args if isinstance(event.node, ast.Call) else []
    names = [name_beneath(each) for each in given[:1]]
    return any(map(_IMAGE.match, [*names, source.evaluation.ways.name_origin(value)]))


def name_beneath(node: ast.AST) -> str:
    """`image` of `image[None].float()`."""
    while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def list_words(function: ast.AST) -> Iterator[str]:
    for each in ast.walk(function):
        name = getattr(each, "id", getattr(each, "attr", ""))
        if isinstance(name, str):
            yield name.lower()


@rule.event(_F + "fold", "torch.nn.Fold.forward")
def in_fold(event: Called, source: Source) -> Iterator[Hit]:
    ways = source.evaluation.ways
    made = ways.find_maker(event.arguments.get("input"))
    of_unfold = isinstance(made, Called) and made.name in (_F + "unfold", "torch.nn.Unfold.forward")
    kernel, stride = (read_number(event, name) for name in ("kernel_size", "stride"))
    if not of_unfold or kernel is None or stride is None or not 0 < stride < kernel:
        return
    if not any(is_quotient(each) for each in ways.find_users(event.result)):
        yield Hit(
            event,
            f"windows of {kernel} every {stride} overlap, and fold adds them up",
            remedy="divide by fold(unfold(ones))",
        )


def is_quotient(event: Occurrence) -> bool:
    """Whether the sum is divided by how often each place was counted."""
    return isinstance(event, Combined) and event.operator == "Div"


def read_number(event: Called, name: str) -> int | None:
    """A number, or that which all items of a tuple are."""
    value = event.arguments.get(name)
    if isinstance(value, Items) and value.items and len(set(value.items)) == 1:
        value = value.items[0]
    number = value.value if isinstance(value, Constant) else None
    return number if isinstance(number, int) else None
