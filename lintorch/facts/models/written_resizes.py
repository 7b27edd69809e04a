"""Resizes as functions of the user's own file, in operators that exporters follow at every size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_NAMES = {
    "nearest-exact": "pick_nearest",
    "bilinear": "resize_smoothly",
    "bicubic": "resize_smoothly",
}
_NEAREST = '''def pick_nearest(x, sizes, ratio=None):
    """`F.interpolate` with mode="nearest-exact", as an index along each axis."""
    for axis, count in zip((-2, -1), sizes):
        step = ratio or {tensor}(x.shape[axis], device=x.device) / count
        places = (({arange}(count, device=x.device) + 0.5) * step).long()
        x = x.index_select(axis, places)
    return x

'''
_SMOOTH = '''def resize_smoothly(x, sizes, mode, ratio=None):
    """`F.interpolate` with antialias=True, as a product with a matrix of weights along each axis."""
    for axis, count in zip((-2, -1), sizes):
        step = {tensor}(x.shape[axis], device=x.device) / count
        step = {tensor}(ratio, device=x.device) if ratio else step
        centers = ({arange}(count, device=x.device) + 0.5) * step
        places = {arange}(x.shape[axis], device=x.device) + 0.5
        far = (places - centers[:, None]).abs() / step.clamp(min=1)
        weights = (1 - far).clamp(min=0)
        if mode == "bicubic":
            near = (1.5 * far - 2.5) * far * far + 1
            wide = ((2.5 - 0.5 * far) * far - 4) * far + 2
            weights = {where}(far < 1, near, wide * (far < 2))
        weights = (weights / weights.sum(1, keepdim=True)).to(x.dtype)
        x = weights @ x if axis == -2 else x @ weights.transpose(0, 1)
    return x

'''
_FINEST = 64
_TRIED = range(1, 8193)
"""Sizes at which a scaled size is compared with the whole number that `interpolate` makes of it."""


def name_function(mode: str) -> str:
    """The function that resizes so; "" where there is none."""
    return _NAMES.get(mode, "")


def define_function(mode: str, spelled: dict[str, str]) -> str:
    """The text of it, with functions of torch as a file spells them."""
    return (_NEAREST if mode == "nearest-exact" else _SMOOTH).format(**spelled)


def scale_sizes(image: str, factors: Sequence[float]) -> str | None:
    """`(x.shape[-2] * 3 // 2, x.shape[-1] * 3 // 2)` for 1.5; None where that is another number at some size."""
    texts = []
    for axis, factor in zip((-2, -1), factors, strict=True):
        exact = Fraction(factor).limit_denominator(_FINEST)
        above, below = exact.as_integer_ratio()
        if above < 1 or any(int(n * factor) != n * above // below for n in _TRIED):
            return None
        size = f"{image}.shape[{axis}]"
        texts.append(
            f"{size}{f' * {above}' if above > 1 else ''}{f' // {below}' if below > 1 else ''}"
        )
    return f"({', '.join(texts)})"
