"""Convolutions with a weight for each row of the batch, whose groups exporters take from the example.

y = F.conv2d(x, weight, padding=1, groups=b)        y = convolve_rows(x, weight, padding=1, groups=b)
"""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.values import Constant, Items, Tensor, Value
from lintorch.facts.models.cell_pools import define_above
from lintorch.syntax.parsed_file import ParsedFile

ROWS = "convolve_rows"
PAIR = "tuple[int, int]"
_ROWS = '''def convolve_rows(
    input,
    weight,
    bias: {optional}[{tensor}] = None,
    stride: {stride} = 1,
    padding: {padding} = 0,
    dilation: {dilation} = 1,
    groups: int = 1,
):
    """`F.conv2d` whose groups are the rows of a batch, as a product with its windows."""
    if not {scripting}():
        kernel = [int(side) for side in weight.shape[2:]]
        rows = input.reshape(groups, -1, *input.shape[2:])
        windows = {unfold}(rows, kernel, dilation, padding, stride)
        found = weight.reshape(groups, -1, windows.shape[1]) @ windows
        steps, pads, holes = (
            [n, n] if isinstance(n, int) else n for n in (stride, padding, dilation)
        )
        sides = [
            (n + 2 * pad - hole * (size - 1) - 1) // step + 1
            for n, size, step, pad, hole in zip(input.shape[2:], kernel, steps, pads, holes)
        ]
        found = found.reshape(1, -1, *sides)
        return found if bias is None else found + bias[:, None, None]
    return {convolve}(input, weight, bias, stride, padding, dilation, groups)

'''
_ASKED = {
    "optional": "typing.Optional",
    "tensor": "torch.Tensor",
    "scripting": "torch.jit.is_scripting",
    "unfold": "torch.nn.functional.unfold",
    "convolve": "torch.nn.functional.conv2d",
}


class HasCalls(Protocol):
    """A file whose names and calls can be found and edited."""

    file: ParsedFile

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened."""

    def nodes(self, kind: type[cst.Call]) -> list[cst.Call]:
        """All nodes of exactly this class, in document order."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[cst.FunctionDef]) -> cst.FunctionDef | None:
        """The innermost node of these classes around this one."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """Full dotted name through imports and aliases."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def convolve_rows(event: Called, source: HasCalls) -> Fix | None:
    """A function of the same parameters for `F.conv2d` of one row of all channels."""
    call, image = source.call_at(event), event.arguments.get("input")
    padded = event.arguments.get("padding")
    if call is None or event.name != "torch.nn.functional.conv2d" or event.open:
        return None
    if not isinstance(image, Tensor) or len(image.shape or ()) != 4:
        return None
    if isinstance(padded, Constant) and isinstance(padded.value, str):
        return None
    kinds = {
        name: name_type(event.arguments.get(name)) for name in ("stride", "padding", "dilation")
    }
    edits = define_above(
        ROWS,
        _ASKED,
        lambda spelled: write_rows({**kinds, **spelled}),
        source.file,
        call,
        source.reach,
    )
    if edits is None:
        return None
    calls = [call, *find_alike(call, source)]
    written = [source.replace(each.func, ROWS) for each in calls]
    return Fix(f"call {ROWS}", (*written, *edits), Applicability.UNSAFE)


def write_rows(spelled: dict[str, str]) -> str:
    """The function, whose types are those of the call, as TorchScript asks for them."""
    text = _ROWS.format(**spelled)
    for name, default in (("stride", 1), ("padding", 0), ("dilation", 1)):
        if spelled[name] == PAIR:
            text = text.replace(f"{PAIR} = {default}", f"{PAIR} = ({default}, {default})", 1)
    return text


def name_type(given: Value | None) -> str:
    """What is given of one number or two."""
    return PAIR if isinstance(given, Items) else "int"


def find_alike(call: cst.Call, source: HasCalls) -> list[cst.Call]:
    """The convolutions of the same groups in other branches, as for a bias that may be None."""
    inside = source.enclosing(call, cst.FunctionDef)
    return [
        each
        for each in source.nodes(cst.Call)
        if each is not call
        and source.enclosing(each, cst.FunctionDef) is inside
        and source.name(each.func) == source.name(call.func) != ""
        and read_groups(each, source) == read_groups(call, source) != ""
    ]


def read_groups(call: cst.Call, source: HasCalls) -> str:
    """What is given as groups, by name; "" where it is not."""
    named = (arg.value for arg in call.args if arg.keyword and arg.keyword.value == "groups")
    return next(map(source.code, named), "")
