"""Pools to several cells as classes of the user's own file, which exporters follow at every size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.syntax.parsed_file import ParsedFile

Reach = Callable[[str, cst.CSTNode], tuple[str, tuple[Edit, ...]]]


@dataclass(frozen=True)
class CellPool:
    """A class that pools as its base does, and the lines that reduce one axis."""

    name: str
    base: str
    what: str
    lines: tuple[str, ...]
    axes: str = "(-2, -1)"


AVERAGE = CellPool(
    "AverageCells",
    "torch.nn.AdaptiveAvgPool2d",
    "means",
    (
        "share = inside.to(x.dtype) / inside.sum(1, keepdim=True)",
        "x = share @ x if axis == -2 else x @ share.transpose(0, 1)",
    ),
)
LARGEST = CellPool(
    "LargestOfCells",
    "torch.nn.AdaptiveMaxPool2d",
    "maxima",
    (
        'rows = x.transpose(axis, -1).unsqueeze(-2).masked_fill(~inside, float("-inf"))',
        "x = rows.amax(-1).transpose(axis, -1)",
    ),
)
_DEEP = "(-3, -2, -1)"
AVERAGE_3D = CellPool(
    "AverageCells3d",
    "torch.nn.AdaptiveAvgPool3d",
    AVERAGE.what,
    (
        AVERAGE.lines[0],
        "x = (x.transpose(axis, -1) @ share.transpose(0, 1)).transpose(axis, -1)",
    ),
    _DEEP,
)
LARGEST_3D = CellPool(
    "LargestOfCells3d", "torch.nn.AdaptiveMaxPool3d", LARGEST.what, LARGEST.lines, _DEEP
)
_CLASS = '''class {name}({base}):
    """The {what} of its base, in operators that exporters follow at every size."""

    def forward(self, x):
        size = self.output_size
        for axis, count in zip({axes}, {counts} if isinstance(size, int) else size):
            if count is not None:
                cells = {arange}(count, device=x.device)[:, None]
                places = {arange}(x.shape[axis], device=x.device)
                begins = cells * x.shape[axis] // count
                ends = ((cells + 1) * x.shape[axis] + count - 1) // count
                inside = (places >= begins) & (places < ends)
                {lines}
        return x

'''


def add_class(
    pool: CellPool, file: ParsedFile, use: cst.CSTNode, reach: Reach
) -> tuple[Edit, ...] | None:
    """The edits that define a class above its use; () where it is, None where it cannot be."""

    def write(spelled: Mapping[str, str]) -> str:
        lines = ("\n" + 16 * " ").join(pool.lines)
        counts = f"({', '.join(['size'] * (pool.axes.count(',') + 1))})"
        told = {"name": pool.name, "what": pool.what, "axes": pool.axes, "counts": counts}
        return _CLASS.format(lines=lines, **told, **spelled)

    asked = {"base": pool.base, "arange": "torch.arange"}
    return define_above(pool.name, asked, write, file, use, reach)


def define_above(
    name: str,
    asked: Mapping[str, str],
    write: Callable[[Mapping[str, str]], str],
    file: ParsedFile,
    use: cst.CSTNode,
    reach: Reach,
) -> tuple[Edit, ...] | None:
    """The edits that define a name above its use; () where it is, None where it cannot be.

    `write` makes the text, of what is `asked` of torch as the file spells it.
    """
    body = file.module.body
    own = [each for each in body if isinstance(each, (cst.ClassDef, cst.FunctionDef))]
    around = {id(use), *(id(each) for each in file.ancestors(use))}
    used = next((each for each in body if id(each) in around), None)
    if not own or used is None or (used is not own[0] and not file.precedes(own[0], used)):
        return None
    for each in own:
        if each.name.value == name:
            return () if file.precedes(each, used) else None
    first = own[0]
    reached = {key: reach(dotted, first) for key, dotted in asked.items()}
    spelled = {key: text for key, (text, _) in reached.items()}
    if not all(spelled.values()) or first.decorators or file.mentions_of(name):
        return None
    more = dict.fromkeys(edit for _, edits in reached.values() for edit in edits)
    return (file.above(first, write(spelled)), *more)
