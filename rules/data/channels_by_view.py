"""LT527: channels that are brought to the front by view or reshape."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import Array, Constant, Held, Items, Tensor, Value
from lintorch.facts.models.operation_steps import find_operand
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT527",
    summary="an image cut anew where its axes were to be turned",
    why="""
        An image that was read has its channels last, [H, W, 3]. `reshape(3, h, w)` and `view(3, h, w)` do not turn
        axes: they cut the same row of numbers anew, so that the first channel holds the colours of the first third
        of the picture. It runs, and the model sees noise. `permute(2, 0, 1)` of a tensor and `transpose(2, 0, 1)`
        of an array turn them. Measured on torch 2.13 and NumPy 2.

        So it is with any view whose sizes are those of the tensor in another order: `x.view(b, h, w, c)` of
        [b, c, h, w] mixes what `x.permute(0, 2, 3, 1)` turns.

        Reported of what cv2.imread or PIL's Image.open read in this function, and of sizes that are followed.
    """,
    bad="""
        import numpy as np
        import torch
        from PIL import Image


        def load(path):
            image = np.array(Image.open(path).convert("RGB"))
            h, w = image.shape[:2]
            return torch.from_numpy(image).view(3, h, w)
    """,
    good="""
        import numpy as np
        import torch
        from PIL import Image


        def load(path):
            image = np.array(Image.open(path).convert("RGB"))
            return torch.from_numpy(image).permute(2, 0, 1)
    """,
    remedy="turn the axes: permute(2, 0, 1), or transpose(2, 0, 1) of an array",
    unproven="""
        It takes a library that reads pictures. Of numbers from 0 to 11 as a picture of [2, 2, 3], view(3, 2, 2)[0]
        is 0, 1, 2, 3, and permute(2, 0, 1)[0], its first channel, 0, 3, 6, 9.
    """,
)

CUTS = (
    "torch.Tensor.view",
    "torch.Tensor.reshape",
    "numpy.ndarray.reshape",
    "numpy.reshape",
    "torch.reshape",
)
KEEPS = frozenset(
    {"from_numpy", "tensor", "as_tensor", "float", "Div", "Mult", "Sub", "to", "astype", "resize"}
)

SHIFTS = re.compile(r"\bdef \w*(shift|skew)|\[[^\]\n]*\b1:[\],]")
"""What shifts the rows of a matrix against one another, by a column more: Transformer-XL."""


@rule.event(*CUTS)
def in_cut(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.from_numpy(image).view(3, h, w)`."""
    given = event.positional[1:]
    sizes = given[0].items or () if len(given) == 1 and isinstance(given[0], Items) else given
    if len(given) == 1 and isinstance(given[0], Held):
        return
    front = sizes[-3:] if len(sizes) in (3, 4) else ()
    first = bool(front) and front[0] == Constant(3) != front[-1]
    one = len(sizes) == 3 or sizes[:1] == (Constant(1),)
    if first and one and is_picture(find_operand(event), source):
        yield Hit(event, "cuts the picture anew: its channels lie last, and stay mixed")


@rule.event(*CUTS[:2], CUTS[4])
def in_order(event: Called, source: Source) -> Iterator[Hit]:
    """`x.view(b, h, w, c)` of [b, c, h, w]."""
    held, result = find_operand(event), event.result
    if not isinstance(held, Tensor) or not isinstance(result, Tensor) or held.guessed:
        return
    before, after = list_long(held), list_long(result)
    turned = (
        len(before) > 2 and before != after and sorted(map(str, before)) == sorted(map(str, after))
    )
    moved = [one for one, other in zip(before, after, strict=False) if one != other]
    function = source.evaluation.find_function(event)
    if function is not None and SHIFTS.search(ast.unparse(function)):
        return
    if turned and any(not isinstance(size, int) for size in moved) and len(set(moved)) > 1:
        named = [f"[{', '.join(map(str, row))}]" for row in (before, after)]
        plain = not any(mark in text for text in named for mark in ("?", "("))
        what = " is cut anew as ".join(named) if plain else "the axes are cut anew in another order"
        said = f"{what}: no axis is turned"
        first = find_outward(held, after, source)
        if first is not None and is_known(find_operand(first)):
            return  # told of itself
        yield Hit(
            first or event, said, remedy="turn the axes: permute(…), or transpose of two of them"
        )


def is_known(value: Value | None) -> bool:
    return isinstance(value, Tensor) and value.shape is not None and not value.guessed


def find_outward(held: Tensor, after: list[Dim], source: Source) -> Called | None:
    """The cut that this one takes back, behind a layer: `bn(x.view(-1, c, n)).view(-1, n, c)`."""
    made = source.evaluation.ways.find_maker(held)
    made = source.evaluation.ways.find_maker(find_operand(made)) if made is not None else None
    before = find_operand(made) if isinstance(made, Called) and made.name in CUTS else None
    cut = isinstance(before, Tensor) and list_long(before)[-2:] in ([], after[-2:])
    return made if cut and isinstance(made, Called) else None


def list_long(value: Tensor) -> list[Dim]:
    """The sizes of a tensor that are not 1."""
    return [size for size in value.shape or () if size != 1]


def is_picture(value: Value | None, source: Source) -> bool:
    """Whether it is what was read of an image file, as it lies there."""
    ways = source.evaluation.ways
    for _ in range(8):
        if isinstance(value, Array) and value.dtype == "uint8" and value.shape is None:
            made = ways.find_maker(value)
            name = made.name if isinstance(made, Called) else ""
            if name in ("numpy.array", "numpy.asarray", "cv2.imread"):
                return True
        made = ways.find_maker(value)
        if not isinstance(value, (Array, Tensor)) or made is None:
            return False
        short = getattr(made, "operator", "") or getattr(made, "name", "").rpartition(".")[2]
        if short not in KEEPS and short != "cvtColor":
            return False
        value = find_operand(made)
    return False
