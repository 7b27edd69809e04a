"""A pool to several cells as a class of the user's own file, which exporters follow at every size."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.syntax.parsed_file import ParsedFile

NAME = "AverageCells"
POOL = "torch.nn.AdaptiveAvgPool2d"
_CLASS = '''class {name}({pool}):
    """The means of its base, in operators that exporters follow at every size."""

    def forward(self, x):
        size = self.output_size
        for axis, count in zip((-2, -1), size if isinstance(size, tuple) else (size, size)):
            if count is not None:
                cells = {arange}(count, device=x.device)[:, None]
                places = {arange}(x.shape[axis], device=x.device)
                begins = cells * x.shape[axis] // count
                ends = ((cells + 1) * x.shape[axis] + count - 1) // count
                inside = ((places >= begins) & (places < ends)).to(x.dtype)
                share = inside / inside.sum(1, keepdim=True)
                x = share @ x if axis == -2 else x @ share.transpose(0, 1)
        return x

'''


def add_class(
    file: ParsedFile,
    use: cst.CSTNode,
    reach: Callable[[str, cst.CSTNode], tuple[str, tuple[Edit, ...]]],
) -> tuple[Edit, ...] | None:
    """The edits that define `AverageCells` above its use; () where it is, None where it cannot be."""
    body = file.module.body
    own = [n for n, each in enumerate(body) if isinstance(each, (cst.ClassDef, cst.FunctionDef))]
    around = {id(use), *(id(each) for each in file.ancestors(use))}
    used = next((n for n, each in enumerate(body) if id(each) in around), -1)
    if not own or own[0] > used:
        return None
    for n in own:
        if body[n].name.value == NAME:  # type: ignore[union-attr]
            return () if n < used and isinstance(body[n], cst.ClassDef) else None
    first = body[own[0]]
    (pool, edits), (arange, more) = reach(POOL, first), reach("torch.arange", first)
    decorated = isinstance(first, (cst.ClassDef, cst.FunctionDef)) and first.decorators
    if not pool or not arange or decorated or file.mentions_of(NAME):
        return None
    written = _CLASS.format(name=NAME, pool=pool, arange=arange)
    return (file.above(first, written), *dict.fromkeys((*edits, *more)))
