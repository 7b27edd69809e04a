"""What constructors of layers refuse: channels that groups or heads do not divide, or that are floats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.evaluator.sizes import Dim, compare, take_remainder
from lintorch.evaluator.values import Constant, Items, Value, size_in


def find_refusal(path: str, built: Mapping[str, Value]) -> str:
    """What a layer says when it is made with these arguments, in torch's words; "" where nothing is wrong."""
    name = path.rpartition(".")[2]
    return next(_list_refusals(name, built), "")


def _list_refusals(name: str, built: Mapping[str, Value]) -> Iterator[str]:
    if name.startswith("Conv"):
        for side in ("in_channels", "out_channels"):
            if _leaves_rest(built, side, "groups"):
                yield f"{side} must be divisible by groups"
        if built.get("padding") == Constant("same") and _is_strided(built.get("stride")):
            yield "padding='same' is not supported for strided convolutions"
    elif name == "GroupNorm" and _leaves_rest(built, "num_channels", "num_groups"):
        sides = (str(size_in(built[each])) for each in ("num_channels", "num_groups"))
        yield "num_channels ({}) must be divisible by num_groups ({})".format(*sides)
    elif (name == "MultiheadAttention" and _leaves_rest(built, "embed_dim", "num_heads")) or (
        name.startswith("Transformer") and _leaves_rest(built, "d_model", "nhead")
    ):
        yield "embed_dim must be divisible by num_heads"


_WHOLE = ("in_channels", "out_channels", "num_features", "in_features", "out_features")
"""What constructors of layers take no float for."""


def is_unmakeable(built: Mapping[str, Value]) -> bool:
    """Whether a layer is given a float for a number of channels, so that nothing it is part of is made."""
    given = (built.get(name) for name in _WHOLE)
    return any(isinstance(each, Constant) and type(each.value) is float for each in given)


def _leaves_rest(built: Mapping[str, Value], whole: str, parts: str) -> bool:
    sizes = [size_in(built[each]) if each in built else None for each in (whole, parts)]
    first, second = sizes
    if first is None or second is None or second == 0:
        return False
    rest: Dim = take_remainder(first, second)
    return compare(rest, "!=", 0) is True


def _is_strided(stride: Value | None) -> bool:
    given = stride.items or () if isinstance(stride, Items) else (stride,)
    return any(each is not None and (size_in(each) or 1) != 1 for each in given)
