"""Arguments by chance for functions of torch: most fit one another, and a test spoils some.

Each maker is given a source of chance and the function's name, and gives positional arguments and
arguments by name, with a TensorType for each tensor. They are found by the name of the shape function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from lintorch.evaluator.operators.tensor_types import TensorType as T

Made = tuple[list[Any], dict[str, Any]]
Maker = Callable[[Random, str], Made]
FLOATS = ("float32", "float32", "float64")
INTEGERS = ("int64", "int32", "uint8")


def draw_shape(chance: Random, low: int = 1, high: int = 4, most: int = 5) -> tuple[int, ...]:
    """Sizes, between `low` and `high` of them."""
    return tuple(chance.randint(1, most) for _ in range(chance.randint(low, high)))


def draw_image(chance: Random, name: str, channels: int | None = None, least: int = 5) -> T:
    """(batch,) channels and as many axes as the name says, `least` or more each."""
    axes = count_axes(name)
    ahead = [chance.randint(1, 3)] if chance.random() < 0.8 else []
    inner = [chance.randint(least, 9) for _ in range(axes)]
    return T((*ahead, chance.randint(1, 4) if channels is None else channels, *inner), "float32")


def count_axes(name: str) -> int:
    """The number of axes that a name says, such as 2 for `conv2d`."""
    found = re.search(r"(\d)d", name)
    return int(found[1]) if found else 2


def draw_axis(chance: Random, rank: int) -> int:
    """An axis, from the front or from the end."""
    return chance.randrange(-rank, rank)


def shrink(chance: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that stretches to another."""
    kept = shape[chance.randint(0, len(shape)) :] if chance.random() < 0.3 else shape
    return tuple(1 if chance.random() < 0.25 else size for size in kept)


def one(
    low: int = 1, high: int = 4, dtypes: tuple[str, ...] = FLOATS, *more: Any, **named: Any
) -> Maker:
    """One tensor, and the same further arguments each time."""

    def make(chance: Random, name: str) -> Made:
        return [T(draw_shape(chance, low, high), chance.choice(dtypes)), *more], named

    return make


def make_kept(chance: Random, name: str) -> Made:
    tail = name.rpartition(".")[2]
    settings: dict[str, list[Any]] = {
        "threshold": [0.1, 2.0],
        "threshold_": [0.1, 2.0],
        "clamp_min": [0.5],
        "clamp_max": [0.5],
        "clamp_": [0.5],
        "clip_": [0.5],
        "fill_": [1.0],
        "fill": [1.0],
        "fill_diagonal_": [1.0],
        "cumsum_": [0],
        "cumprod_": [0],
        "dropout": [0.5, False],
        "dropout_": [0.5, False],
        "alpha_dropout": [0.5, False],
        "alpha_dropout_": [0.5, False],
        "feature_alpha_dropout": [0.5, False],
        "feature_dropout": [0.5, False],
    }
    more = settings.get(tail, [])
    if "bitwise" in tail:
        return [T(draw_shape(chance), chance.choice(INTEGERS)), *more], {}
    low, high = (2, 4) if tail in ("triu_", "tril_", "fill_diagonal_", "dropout1d") else (1, 4)
    low, high = {"dropout2d": (3, 4), "dropout3d": (4, 5), "dropout1d": (2, 3)}.get(
        tail, (low, high)
    )
    shape = draw_shape(chance, low, high)
    if tail == "fill_diagonal_":
        shape = (4, 4)
    return [T(shape, "float32"), *more], {}


def make_floats(chance: Random, name: str) -> Made:
    return [T(draw_shape(chance, 0), chance.choice((*FLOATS, "int64", "float16")))], {}


_ONLY_INTEGERS = ("bitwise", "gcd", "lcm")
_ONLY_TENSORS = (
    "maximum minimum fmax fmin logaddexp hypot atan2 arctan2 gcd lcm logical isclose dist"
)


def make_pair(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 0)
    tail = name.rpartition(".")[2]
    dtypes: tuple[str, ...] = (
        INTEGERS if tail.startswith(_ONLY_INTEGERS) else (*FLOATS, "int64", "float16")
    )
    same = tail in ("isclose", "dist", "ger")
    dtypes = ("float32",) if same or "logaddexp" in tail else dtypes
    left = T(shrink(chance, shape), chance.choice(dtypes))
    number = chance.random() < 0.25 and not tail.startswith(tuple(_ONLY_TENSORS.split()))
    number = number and not tail.startswith("bitwise")
    other: Any = (
        chance.choice((2, 2.5)) if number else T(shrink(chance, shape), chance.choice(dtypes))
    )
    return [left, other], {}


def make_pair_in_place(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    tail = name.rpartition(".")[2]
    dtype = "int64" if "bitwise" in tail else "float32"
    if tail == "masked_fill_":
        return [T(shape, dtype), T(shrink(chance, shape), "bool"), 0.5], {}
    return [T(shape, dtype), T(shrink(chance, shape), dtype)], {}


def make_clamp(chance: Random, name: str) -> Made:
    if chance.random() < 0.5:
        return [T(draw_shape(chance), chance.choice((*FLOATS, "int64"))), 0.5], {}
    shape = draw_shape(chance)
    return [T(shape, "float32")], {"min": T(shrink(chance, shape), "float32")}


def make_three(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    return [T(shrink(chance, shape), "float32") for _ in range(3)], {}


def make_choice(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    first, mask = T(shrink(chance, shape), "float32"), T(shrink(chance, shape), "bool")
    last: Any = T(shrink(chance, shape), "float64") if chance.random() < 0.7 else 1.5
    return ([first, mask, last] if "Tensor" in name else [mask, first, last]), {}


def make_masked(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    mask = T(shrink(chance, shape), "bool")
    more: list[Any] = [0.5] if "fill" in name else []
    more = [T((1000,), "float32")] if "scatter" in name else more
    return [T(shape, "float32"), mask, *more], {}


def make_conversion(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    if name.endswith("type_as") or (name.endswith("to") and chance.random() < 0.4):
        return [given, T((1,), chance.choice(("float64", "int64")))], {}
    if name.endswith("type"):
        return [given], {"dtype": "float16"}
    return [given, chance.choice(("float16", "int64", "cpu", "bool"))], {}


def make_slopes(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 2, 4)
    many = shape[1] if chance.random() < 0.6 else 1
    return [T(shape, "float32"), T((many,), "float32")], {}


def reducing(*, several: bool = True, needed: bool = False, rank: int = 0) -> Maker:
    """A tensor, one axis or several, and `keepdim`."""

    def make(chance: Random, name: str) -> Made:
        dtypes = ("float32", "float64") if "sum" not in name[-4:] else ("float32", "int32", "bool")
        given = T(draw_shape(chance, max(rank, 1)), chance.choice(dtypes))
        named: dict[str, Any] = {}
        if needed or chance.random() < 0.7:
            many = chance.randint(1, given.rank) if several and chance.random() < 0.4 else 0
            axes = chance.sample(range(given.rank), many)
            named["dim"] = axes if axes else draw_axis(chance, given.rank)
            if chance.random() < 0.5:
                named["keepdim"] = chance.random() < 0.5
        return [given, *([1] if "kthvalue" in name else [])], named

    return make


def make_axis(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    return [given, draw_axis(chance, given.rank)], {}


def make_extreme(chance: Random, name: str) -> Made:
    if chance.random() < 0.3:
        return make_three(chance, name)[0][:2], {}
    return reducing(several=False)(chance, name)


def make_quantiles(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    q = T((3,), "float32") if chance.random() < 0.5 else 0.5
    return [given, q], {"dim": draw_axis(chance, given.rank)} if chance.random() < 0.7 else {}


def make_product(chance: Random, name: str) -> Made:
    rows, inner, columns = (chance.randint(1, 5) for _ in range(3))
    if chance.random() < 0.3:
        return [
            T((inner,) if chance.random() < 0.6 else (rows, inner), "float32"),
            T((inner,) if chance.random() < 0.6 else (inner, columns), "float32"),
        ], {}
    ahead = draw_shape(chance, 0, 2)
    first, second = shrink(chance, ahead), shrink(chance, ahead)
    return [T((*first, rows, inner), "float32"), T((*second, inner, columns), "float32")], {}


def sized(*shapes: str, before: str = "", **named: Any) -> Maker:
    """Tensors whose axes are letters, the same size for one letter in all of them."""

    def make(chance: Random, name: str) -> Made:
        sizes = {letter: chance.randint(1, 5) for shape in shapes for letter in shape}
        found = [T(tuple(sizes[letter] for letter in shape), "float32") for shape in shapes]
        return [*([before] if before else []), *found], named

    return make


def make_added(chance: Random, name: str) -> Made:
    shapes = {
        "addmm": ("ac", "ab", "bc"),
        "baddbmm": ("nac", "nab", "nbc"),
        "addbmm": ("ac", "nab", "nbc"),
        "addmv": ("a", "ab", "b"),
        "addr": ("ab", "a", "b"),
    }[name.rpartition(".")[2]]
    return sized(*shapes)(chance, name)


def make_equation(chance: Random, name: str) -> Made:
    equation = chance.choice(
        ["ij,jk->ik", "bij,bjk->bik", "bhqd,bhkd->bhqk", "ij->ji", "ii->i", "ij,ij->", "b...d,de->b...e",
         "nchw,oc->nohw", "ij,jk", "i,j->ij"]
    )  # fmt: skip
    terms = equation.partition("->")[0].split(",")
    made, _ = sized(*(term.replace("...", "xy") for term in terms))(chance, name)
    return [equation, *made], {}


def make_cat(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    axis = draw_axis(chance, len(shape))
    found = []
    for _ in range(chance.randint(1, 3)):
        own = list(shape)
        own[axis] = chance.randint(1, 4)
        found.append(T(tuple(own), chance.choice(FLOATS)))
    if chance.random() < 0.1:
        found.append(T((0,), "float32"))
    return [found, axis], {}


def make_equal(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 0 if "stack" not in name[-6:] or name.endswith(".stack") else 1)
    many = chance.randint(1, 3)
    found = [T(shape, chance.choice(FLOATS)) for _ in range(many)]
    return ([found, draw_axis(chance, len(shape) + 1)] if name.endswith(".stack") else [found]), {}


def make_vectors(chance: Random, name: str) -> Made:
    found = [T((chance.randint(1, 5),), "float32") for _ in range(chance.randint(1, 3))]
    named = {"indexing": chance.choice(("ij", "xy"))} if name.endswith("meshgrid") else {}
    return [*found], named


def make_stretched(chance: Random, name: str) -> Made:
    return make_three(chance, name)


def make_matrices(chance: Random, name: str) -> Made:
    if name.endswith("block_diag"):
        return [T(draw_shape(chance, 0, 2), "float32") for _ in range(2)], {}
    made, _ = sized("ab", "bc", "cd")(chance, name)
    return ([made] if name.endswith("multi_dot") else made), {}


def make_split(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, most=8), "float32")
    axis = draw_axis(chance, given.rank)
    size = given.sizes[axis]
    assert isinstance(size, int)
    if name.endswith("sizes") or (
        "chunk" not in name and "tensor" not in name.rpartition(".")[2] and chance.random() < 0.4
    ):
        first = chance.randint(0, size)
        return [given, [first, size - first], axis], {}
    return [given, chance.randint(1, 4), axis], {}


def make_view(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, most=6), "float32")
    total = 1
    for size in given.sizes:
        assert isinstance(size, int)
        total *= size
    divisors = [d for d in range(1, total + 1) if total % d == 0]
    first = chance.choice(divisors)
    sizes = [first, total // first]
    if chance.random() < 0.5:
        sizes[chance.randrange(2)] = -1
    if chance.random() < 0.3:
        sizes.insert(1, 1)
    listed = "Tensor" not in name or chance.random() < 0.5
    return [given, *([sizes] if listed else sizes)], {}


def make_view_like(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    return [T(shape, "float32"), T(shape[::-1], "float32")], {}


def make_flatten(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 1, 5), "float32")
    first = chance.randrange(given.rank)
    return [given, first, chance.randrange(first, given.rank) - given.rank], {}


def make_unflatten(chance: Random, name: str) -> Made:
    sizes = [chance.randint(1, 4), chance.randint(1, 4)]
    shape = [*draw_shape(chance)]
    axis = chance.randrange(len(shape))
    shape[axis] = sizes[0] * sizes[1]
    if chance.random() < 0.5:
        sizes[0] = -1
    return [T(tuple(shape), "float32"), axis, tuple(sizes)], {}


def make_squeeze(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, most=2), "float32")
    return [given, *([draw_axis(chance, given.rank)] if chance.random() < 0.7 else [])], {}


def make_unsqueeze(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    return [given, draw_axis(chance, given.rank + 1)], {}


def make_permute(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    order = chance.sample(range(given.rank), given.rank)
    return [given, *([order] if "Tensor" not in name else order)], {}


def make_swap(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    return [given, draw_axis(chance, given.rank), draw_axis(chance, given.rank)], {}


def make_move(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    if chance.random() < 0.5:
        return make_swap(chance, name)
    many = chance.randint(1, given.rank)
    return [given, *(chance.sample(range(given.rank), many) for _ in "ab")], {}


def make_expand(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    given = T(shrink(chance, shape), "float32")
    if name.endswith("expand_as"):
        return [given, T(shape, "float32")], {}
    asked = [
        -1 if i >= len(shape) - given.rank and chance.random() < 0.2 else s
        for i, s in enumerate(shape)
    ]
    if "broadcast" in name:
        return [given, shape], {}
    return [given, *asked], {}


def make_repeat(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 1, 3), "float32")
    times = [chance.randint(1, 3) for _ in range(given.rank + chance.randint(0, 1))]
    return [given, *([times] if "Tensor" not in name else times)], {}


def make_narrow(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    axis = draw_axis(chance, given.rank)
    size = given.sizes[axis]
    assert isinstance(size, int)
    first = chance.randrange(size)
    if name.endswith("select"):
        return [given, axis, first], {}
    return [given, axis, first, chance.randint(0, size - first)], {}


def make_diagonal(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 2), "float32")
    first, second = chance.sample(range(given.rank), 2)
    return [given, chance.randint(-1, 1), first, second], {}


def make_windows(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, most=8), "float32")
    axis = draw_axis(chance, given.rank)
    size = given.sizes[axis]
    assert isinstance(size, int)
    return [given, axis, chance.randint(1, size), chance.randint(1, 3)], {}


def make_convolution(chance: Random, name: str) -> Made:
    groups = chance.choice((1, 1, 2))
    channels = groups * chance.randint(1, 3)
    axes = count_axes(name)
    kernel = tuple(chance.randint(1, 3) for _ in range(axes))
    weight = T((groups * chance.randint(1, 3), channels // groups, *kernel), "float32")
    named: dict[str, Any] = {"groups": groups, "dilation": chance.choice((1, 2))}
    named["padding"] = chance.choice((0, 1, "same", "valid", (1,) * axes))
    named["stride"] = 1 if named["padding"] == "same" else chance.choice((1, 2, (2,) * axes))
    return [draw_image(chance, name, channels), weight], named


def make_transposed(chance: Random, name: str) -> Made:
    groups = chance.choice((1, 1, 2))
    channels = groups * chance.randint(1, 3)
    kernel = tuple(chance.randint(1, 3) for _ in range(count_axes(name)))
    weight = T((channels, chance.randint(1, 3), *kernel), "float32")
    stride = chance.choice((1, 2))
    return [draw_image(chance, name, channels, 3), weight], {
        "groups": groups,
        "stride": stride,
        "padding": chance.choice((0, 1)),
        "output_padding": chance.randrange(stride),
    }


def make_pool(chance: Random, name: str) -> Made:
    kernel = chance.choice((2, 3))
    named: dict[str, Any] = {"ceil_mode": chance.random() < 0.4}
    if "lp_" not in name:
        named["padding"] = chance.choice((0, 0, 1))
    if chance.random() < 0.7:
        named["stride"] = chance.choice((1, 2))
    if "max" in name and "functional" in name:
        named["return_indices"] = chance.random() < 0.3
    if "max" in name:
        named["dilation"] = chance.choice((1, 1, 2))
    more = [2.0] if "lp_" in name else []
    image = draw_image(chance, name)
    return [image, *more, kernel], named


def make_adaptive(chance: Random, name: str) -> Made:
    axes = count_axes(name)
    size: Any = chance.randint(1, 3)
    if axes > 1 and chance.random() < 0.5:
        size = tuple(chance.choice((None, 1, 2)) for _ in range(axes))
    return [draw_image(chance, name), size], {}


def make_unpool(chance: Random, name: str) -> Made:
    image = draw_image(chance, name, least=2)
    return [image, T(image.shape, "int64"), 2], {}


def make_interpolation(chance: Random, name: str) -> Made:
    axes = 2 if "bilinear" in name else chance.choice((1, 2, 3))
    image = T((1, 2, *(chance.randint(1, 6) for _ in range(axes))), "float32")
    if chance.random() < 0.4:
        return [image, chance.choice((3, (4,) * axes))], {}
    return [image], {"scale_factor": chance.choice((2, 0.5, 1.5, (2.0,) * axes))}


def make_padding(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 3, 4)
    mode = chance.choice(("constant", "reflect", "replicate", "circular"))
    many = len(shape) - 2 if mode != "constant" else chance.randint(1, len(shape))
    return [T(shape, "float32"), [chance.randint(0, 2) for _ in range(2 * many)]], {"mode": mode}


def make_shuffle(chance: Random, name: str) -> Made:
    factor = chance.choice((2, 3))
    a, h, w = (chance.randint(1, 3) for _ in "ahw")
    if "unshuffle" in name:
        return [T((2, a, h * factor, w * factor), "float32"), factor], {}
    if "channel" in name:
        return [T((2, a * factor, h, w), "float32"), factor], {}
    return [T((2, a * factor * factor, h, w), "float32"), factor], {}


def make_grid(chance: Random, name: str) -> Made:
    axes = chance.choice((2, 3))
    image = T((2, 3, *(chance.randint(2, 5) for _ in range(axes))), "float32")
    if "affine" in name:
        return [T((2, axes, axes + 1), "float32"), image.sizes], {"align_corners": False}
    grid = T((2, *(chance.randint(1, 4) for _ in range(axes)), axes), "float32")
    return [image, grid], {"align_corners": False}


def make_blocks(chance: Random, name: str) -> Made:
    kernel, stride, padding = chance.choice((1, 2, 3)), chance.choice((1, 2)), chance.choice((0, 1))
    named = {"stride": stride, "padding": padding}
    if not name.endswith(".fold"):
        return [T((2, 3, chance.randint(3, 7), chance.randint(3, 7)), "float32"), kernel], named
    height, width = chance.randint(3, 7), chance.randint(3, 7)
    many = 1
    for size in (height, width):
        many *= (size + 2 * padding - kernel) // stride + 1
    columns = T((2, 3 * kernel * kernel, many), "float32")
    return [columns, (height, width), kernel], named


def make_normalized(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 2, 4)
    many = chance.randint(1, len(shape))
    return [T(shape, "float32"), shape[-many:]], {}


def make_groups(chance: Random, name: str) -> Made:
    groups = chance.choice((1, 2))
    return [T((2, groups * chance.randint(1, 3), *draw_shape(chance, 1, 2)), "float32"), groups], {}


def make_batch(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 2, 4)
    vector = T(shape[1:2], "float32")
    if "instance" in name:
        return [T((2, 3, 4, *shape[:1]), "float32")], {}
    return [T(shape, "float32"), vector, vector], {}


def make_gathered(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    axis = draw_axis(chance, given.rank)
    index = list(given.sizes)
    index[axis] = chance.randint(1, 6)
    if "take_along" in name:
        return [given, T(tuple(index), "int64"), axis], {}
    places = T(tuple(index), "int64")
    if name.endswith(".gather"):
        return [given, axis, places], {}
    named = {"reduce": "sum"} if "reduce" in name else {}
    return [given, axis, places, T(tuple(index), "float32")], named


def make_indexed(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    axis = chance.randrange(given.rank)
    index = T((2,), "int64")
    source = list(given.sizes)
    source[axis] = 2
    if "put" in name:
        return [given, (T((2,), "int64"),), T((), "float32")], {}
    if "fill" in name:
        return [given, axis, index, 1.0], {}
    if "select" in name:
        return [given, axis, index], {}
    return [given, axis, index, T(tuple(source), "float32")], {}


def make_topk(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    axis = draw_axis(chance, given.rank)
    size = given.sizes[axis]
    assert isinstance(size, int)
    return [given, chance.randint(1, size), axis], {}


def make_attention(chance: Random, name: str) -> Made:
    query, key, value = sized("nhle", "nhse", "nhsv")(chance, name)[0]
    named = (
        {"attn_mask": T((query.sizes[-2], key.sizes[-2]), "float32")}
        if chance.random() < 0.3
        else {}
    )
    return [query, key, value], named


def make_sizes(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    tail = name.rpartition(".")[2]
    ahead: list[Any] = [T((2,), "float64")] if "Tensor." in name else []
    behind: list[Any] = [1.5] if "full" in tail else []
    if tail == "randint":
        ahead = [10]
    listed = bool(behind) or tail in ("randint",) or chance.random() < 0.5
    named = {"dtype": "float16"} if chance.random() < 0.3 and not tail.endswith("Tensor") else {}
    return [*ahead, *([shape] if listed else shape), *behind], named


def make_old_sizes(chance: Random, name: str) -> Made:
    return [[1, 2, 3]] if chance.random() < 0.4 else list(draw_shape(chance)), {}


def make_range(chance: Random, name: str) -> Made:
    end: Any = chance.choice((0, 5, 7, 7.5))
    if name.endswith("range") and not name.endswith("arange"):
        return [1, 6], {}
    return chance.choice(([end], [1, end + 1], [1, end + 1, 2], [9, 1, -3], [0.0, 1.0, 0.3])), {}


def make_alike(chance: Random, name: str) -> Made:
    settings: dict[str, list[Any]] = {"full_like": [1.0], "randint_like": [10]}
    more = settings.get(name.rpartition(".")[2], [])
    named = {"dtype": "float64"} if chance.random() < 0.3 else {}
    return [T(draw_shape(chance), "float32"), *more], named


def make_data(chance: Random, name: str) -> Made:
    data = chance.choice(([1, 2, 3], [[1.0, 2], [3, 4]], 1.5, [True, False], [], [[1], [2, 3]], 3))
    ahead: list[Any] = [T((2,), "float32")] if "new_tensor" in name else []
    return [*ahead, data], {"dtype": "float64"} if ahead else {}


def make_counts(chance: Random, name: str) -> Made:
    tail = name.rpartition(".")[2]
    many = chance.randint(1, 6)
    given: dict[str, list[Any]] = {
        "linspace": [0.0, 1.0, many],
        "logspace": [0.0, 1.0, many],
        "eye": [many, many + 1] if chance.random() < 0.5 else [many],
        "tril_indices": [many, many],
        "triu_indices": [many, many],
    }
    return given.get(tail, [many]), {}


def make_roll(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 2), "float32")
    if chance.random() < 0.3:
        return [given, 1], {}
    return [given, (1, 2), (0, draw_axis(chance, given.rank))], {}


def make_flip(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 2), "float32")
    if name.endswith("rot90"):
        return [given, chance.randint(0, 3), [0, 1]], {}
    return [given, [draw_axis(chance, given.rank)]], {}


def make_loss(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    named = {"reduction": chance.choice(("mean", "sum", "none"))}
    other = shape if "binary" in name or "margin_l" in name else shrink(chance, shape)
    return [T(shape, "float32"), T(other, "float32")], named


def make_class_loss(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 2, 4)
    named = {"reduction": chance.choice(("mean", "sum", "none"))}
    if "cross" in name and chance.random() < 0.3:
        return [T(shape, "float32"), T(shape, "float32")], named
    return [T(shape, "float32"), T((shape[0], *shape[2:]), "int64")], named


def make_vector_pair(chance: Random, name: str) -> Made:
    shape = draw_shape(chance, 2, 3)
    pair: list[Any] = [T(shape, "float32"), T(shape, "float32")]
    if "embedding_loss" in name:
        return [T((3, 4), "float32"), T((3, 4), "float32"), T((3,), "float32")], {}
    if "ranking" in name:
        return [*pair, T(shape, "float32")], {}
    if "triplet" in name:
        return [*pair, T(shape, "float32")], {"reduction": chance.choice(("mean", "none"))}
    if name.endswith("cross"):
        return [T((*shape, 3), "float32"), T((*shape, 3), "float32")], {"dim": -1}
    if "similarity" in name:
        return [*pair], {"dim": draw_axis(chance, len(shape))}
    return pair, {}


def make_spectrum(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance, 2, 4, 8), "float32")
    if "irfft" in name:
        given = T(given.shape and (*given.sizes[:-1], 3), "complex64")
    if name[-1] in "2n":
        return [given], {"dim": (-2, -1)} if chance.random() < 0.5 else {}
    named = {"n": chance.randint(2, 8)} if chance.random() < 0.4 else {}
    return [given], named


def make_signal(chance: Random, name: str) -> Made:
    named = {"return_complex": True, "center": chance.random() < 0.7}
    shape = (*draw_shape(chance, 0, 1), chance.randint(9, 20))
    if chance.random() < 0.5:
        named["onesided"] = chance.random() < 0.5
    return [T(shape, "float32"), 8], {
        **named,
        **({"hop_length": 3} if chance.random() < 0.5 else {}),
    }


def make_square(chance: Random, name: str) -> Made:
    many = chance.randint(1, 4)
    given = T((*draw_shape(chance, 0, 2), many, many), "float32")
    if name.endswith("solve"):
        return [given, T((*given.sizes[:-1], 2), "float32")], {}
    return [given, *([2] if "power" in name else [])], {}


def make_svd(chance: Random, name: str) -> Made:
    named = {"full_matrices": chance.random() < 0.5} if name.endswith("linalg.svd") else {}
    return [T(draw_shape(chance, 2, 3), "float32")], named if not name.endswith(
        ("vals", "qr")
    ) else {}


def make_repeats(chance: Random, name: str) -> Made:
    given = T(draw_shape(chance), "float32")
    return [given, 2], {"dim": draw_axis(chance, given.rank)} if chance.random() < 0.6 else {}


def make_parts(chance: Random, name: str) -> Made:
    shape = draw_shape(chance)
    return [T(shape, "float32"), T(shape, "float32")], {}


MAKERS: dict[str, Maker] = {
    "ask_size": make_squeeze,
    "count_all_elements": one(0, 4),
    "count_all_axes": one(0, 4),
    "transform_windows": make_signal,
    "keep_type": make_kept,
    "keep_floating": one(),
    "make_real": one(0, 4, ("complex64", "complex64")),
    "make_floating": make_floats,
    "make_boolean": one(0, 4, ("float32", "float64")),
    "combine_promoted": make_pair,
    "combine_divided": make_pair,
    "combine_compared": make_pair,
    "measure_distance": make_pair,
    "combine_in_place": make_pair_in_place,
    "clamp_values": make_clamp,
    "combine_three": make_three,
    "choose_elements": make_choice,
    "fill_masked": make_masked,
    "change_at_mask": make_masked,
    "select_masked": make_masked,
    "convert_type": make_conversion,
    "convert_to": one(),
    "scale_negative": make_slopes,
    "reduce_to_sum": reducing(),
    "reduce_to_mean": reducing(needed=True),
    "reduce_to_spread": reducing(),
    "reduce_to_both": reducing(),
    "reduce_to_norm": reducing(),
    "reduce_to_any_norm": reducing(several=False),
    "reduce_to_boolean": reducing(),
    "reduce_to_extreme": reducing(),
    "find_both_extremes": reducing(several=False),
    "find_place": reducing(several=False),
    "find_extreme": make_extreme,
    "find_ranked": reducing(several=False, needed=True),
    "count_elements": make_axis,
    "find_so_far": make_axis,
    "accumulate": make_axis,
    "accumulate_logs": make_axis,
    "find_quantiles": make_quantiles,
    "sum_diagonal": sized("ab"),
    "count_in_bins": one(1, 3, ("float32", "float32"), 10),
    "multiply_any": make_product,
    "multiply_matrices": sized("ab", "bc"),
    "multiply_by_vector": sized("ab", "b"),
    "multiply_vectors": sized("a", "a"),
    "multiply_outer": sized("a", "b"),
    "multiply_stacks": sized("nab", "nbc"),
    "add_product": make_added,
    "add_products": make_added,
    "multiply_kronecker": sized("ab", "cde"),
    "multiply_chain": make_matrices,
    "join_diagonally": make_matrices,
    "apply_linear": sized("xya", "ba"),
    "apply_bilinear": sized("xa", "xb", "cab"),
    "follow_equation": make_equation,
    "join_along_axis": make_cat,
    "stack_tensors": make_equal,
    "join_columns": make_equal,
    "join_as_columns": make_equal,
    "join_rows": make_equal,
    "join_depths": make_equal,
    "mesh_vectors": make_vectors,
    "pair_vectors": make_vectors,
    "stretch_tensors": make_stretched,
    "split_axis": make_split,
    "chunk_axis": make_split,
    "split_nearly_even": make_split,
    "unbind_axis": make_axis,
    "view_as_shape": make_view,
    "reshape_elements": make_view,
    "reshape_like": make_view_like,
    "flatten_axes": make_flatten,
    "flatten_wholly": one(0, 4),
    "unflatten_axis": make_unflatten,
    "squeeze_axes": make_squeeze,
    "unsqueeze_axis": make_unsqueeze,
    "permute_axes": make_permute,
    "transpose_axes": make_swap,
    "transpose_matrix": one(0, 2),
    "transpose_last": one(2, 4),
    "move_axes": make_move,
    "expand_axes": make_expand,
    "expand_like": make_expand,
    "expand_to": make_expand,
    "repeat_axes": make_repeat,
    "narrow_axis": make_narrow,
    "select_index": make_narrow,
    "take_diagonal": make_diagonal,
    "unfold_axis": make_windows,
    "convolve": make_convolution,
    "convolve_transposed": make_transposed,
    "pool_maxima": make_pool,
    "pool_means": make_pool,
    "adapt_means": make_adaptive,
    "adapt_maxima": make_adaptive,
    "unpool_maxima": make_unpool,
    "resize_image": make_interpolation,
    "pad_axes": make_padding,
    "spread_channels": make_shuffle,
    "gather_pixels": make_shuffle,
    "shuffle_channels": make_shuffle,
    "sample_grid": make_grid,
    "make_affine_grid": make_grid,
    "list_blocks": make_blocks,
    "join_blocks": make_blocks,
    "normalize_axis": make_axis,
    "sample_axis": one(1, 3),
    "scale_to_length": one(2, 4),
    "halve_axis": lambda c, n: ([T((4, *draw_shape(c, 0, 2)), "float32"), 0], {}),
    "normalize_batch": make_batch,
    "normalize_instances": make_batch,
    "normalize_last": make_normalized,
    "normalize_groups": make_groups,
    "normalize_neighbours": one(3, 4, ("float32", "float32"), 2),
    "gather_along_axis": make_gathered,
    "scatter_along_axis": make_gathered,
    "take_along_axis": make_gathered,
    "change_at_index": make_indexed,
    "select_indices": make_indexed,
    "take_flat": lambda c, n: ([T((3, 4), "float32"), T(draw_shape(c), "int64")], {}),
    "take_largest": make_topk,
    "sort_axis": one(),
    "order_axis": make_axis,
    "sort_rows": one(),
    "combine_widely": make_pair,
    "search_sorted": lambda c, n: ([T((5,), "float32"), T(draw_shape(c), "float32")], {}),
    "sort_into_buckets": lambda c, n: ([T(draw_shape(c), "float32"), T((5,), "float32")], {}),
    "repeat_each": make_repeats,
    "draw_samples": lambda c, n: ([T(draw_shape(c, 1, 2), "float32"), 1], {}),
    "look_up_rows": lambda c, n: ([T(draw_shape(c, 0), "int64"), T((5, 3), "float32")], {}),
    "mark_classes": lambda c, n: ([T(draw_shape(c, 0), "int64"), c.choice((-1, 5))], {}),
    "find_nonzero": one(0, 3),
    "list_unique": one(1, 3),
    "count_values": one(1, 1, ("int64", "int64")),
    "attend": make_attention,
    "make_filled": make_sizes,
    "make_full": make_sizes,
    "make_random_integers": make_sizes,
    "make_of_type": make_sizes,
    "make_old_type": make_old_sizes,
    "make_normal": one(1, 3),
    "make_like": make_alike,
    "draw_like": one(1, 3),
    "count_numbers": make_range,
    "count_numbers_closed": make_range,
    "space_numbers": make_counts,
    "make_identity": make_counts,
    "shuffle_numbers": make_counts,
    "make_window": make_counts,
    "list_triangle": make_counts,
    "make_of_data": make_data,
    "make_complex": make_parts,
    "keep_triangle": one(2, 4),
    "take_or_make_diagonal": one(1, 2),
    "make_diagonals": one(1, 3),
    "flip_axes": make_flip,
    "flip_image": one(2, 4),
    "roll_axes": make_roll,
    "turn_axes": make_flip,
    "compare_stretched": make_loss,
    "compare_probabilities": make_loss,
    "compare_logits": make_loss,
    "compare_classes": make_class_loss,
    "compare_log_classes": make_class_loss,
    "compare_directions": make_vector_pair,
    "measure_pairs": make_vector_pair,
    "measure_all_pairs": sized("nab", "ncb"),
    "compare_ranks": make_vector_pair,
    "compare_triplets": make_vector_pair,
    "multiply_crosswise": make_vector_pair,
    "compare_alignments": lambda c, n: (
        [T((5, 2, 4), "float32"), T((2, 3), "int64"), (5, 5), (3, 3)],
        {},
    ),
    "transform_axis": make_spectrum,
    "transform_axes": make_spectrum,
    "shift_spectrum": one(1, 3),
    "list_frequencies": make_counts,
    "list_half_frequencies": make_counts,
    "view_as_pairs": one(1, 3, ("complex64", "complex64")),
    "view_as_one": lambda c, n: ([T((*draw_shape(c, 0, 2), 2), "float32")], {}),
    "keep_square": make_square,
    "measure_square": make_square,
    "measure_square_twice": make_square,
    "solve_square": make_square,
    "decompose_symmetric": make_square,
    "invert_any": make_svd,
    "decompose_values": make_svd,
    "list_singular_values": make_svd,
    "decompose_orthogonal": make_svd,
}
