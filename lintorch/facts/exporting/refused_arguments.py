"""Operators that an exporter takes, but not as they are called: what it does instead, measured on torch 2.13."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.sizes import Dim, varies
from lintorch.evaluator.values import NONE, TRUE, Constant, Items, Number, Tensor, Value
from lintorch.facts.exporting.clamp_bounds import BOUNDS, CLAMPS, weigh_bounds
from lintorch.facts.exporting.made_kernels import CONVOLUTIONS, KERNEL, weigh_kernel
from lintorch.facts.exporting.mixed_types import MIXED, MIXED_REMEDIES
from lintorch.facts.models.evaluation import Evaluation

Said = Iterator[tuple[str, dict[str, Harm]]]
Weigh = Callable[[Called, Evaluation, bool], Said]
_LEGACY, _NEW, _TRACED = "onnx-legacy", "onnx", "torchscript-trace"
_SPECIALIZED = {"torch.export": Harm.REFUSED, _NEW: Harm.AUTO}


def _find_shape(event: Called) -> tuple[Dim, ...] | None:
    """The shape of the tensor that it is called on, or given first."""
    held = event.arguments.get("input", event.arguments.get("self"))
    return held.shape if isinstance(held, Tensor) else None


def weigh_unique(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.unique(x, return_inverse=True)` of several axes: the legacy exporter gives the inverse flat."""
    shape, asked = _find_shape(event), event.arguments.get("return_inverse")
    if asked == TRUE and event.arguments.get("dim", NONE) == NONE and shape and len(shape) > 1:
        told = "the inverse that unique gives of several axes is written with one axis"
        yield told, {_LEGACY: Harm.SILENT}


def weigh_repeats(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`x.repeat_interleave(counts, dim=1)` of a tensor of counts, along another axis than the first."""
    shape, counts = _find_shape(event), event.arguments.get("repeats")
    axis = event.arguments.get("dim")
    if not isinstance(counts, Tensor) or not isinstance(axis, Constant) or shape is None:
        return
    place = axis.value
    if not isinstance(place, int) or not -len(shape) <= place < len(shape):
        return
    if place % len(shape) and counts.origin != "constant":
        told = "repeat_interleave of another axis than the first writes a loop that ONNX Runtime does not load"
        yield told, {_LEGACY: Harm.FAILS}


def weigh_along(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """What asks Python for the first sizes, so that they are the example's for good."""
    shape, name = _find_shape(event), event.name.rpartition(".")[2]
    if dynamic and shape and any(varies(size) is True for size in shape):
        yield f"{name} takes the sizes of the example for good", dict(_SPECIALIZED)


def weigh_normal(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`noise.normal_()`, `torch.normal(0.0, 1.0, size)`: not of a mean or deviation that is a tensor.

    Told of images, which a convolution follows: of other layers there are ones of float64.
    """
    given = (event.arguments.get(name) for name in ("mean", "std"))
    shape = event.result.shape if isinstance(event.result, Tensor) else None
    image = shape is not None and len(shape) > _SIGNAL
    if image and not any(isinstance(each, Tensor) for each in given):
        name = event.name.rpartition(".")[2]
        told = f"{name}() gives float64 in the file, and ONNX Runtime has no convolution of these"
        yield told, {_LEGACY: Harm.FAILS}


_SIGNAL = 3
"""Axes of a signal, or of words."""


def weigh_divisor(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`F.avg_pool2d(x, 2, divisor_override=3)`: both write an AveragePool without it."""
    if event.arguments.get("divisor_override", NONE) != NONE:
        yield "divisor_override is left out of the file", {_NEW: Harm.SILENT, _LEGACY: Harm.SILENT}


def weigh_strided(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.as_strided(x, size, stride)`, where the strides are read off a tensor."""
    strides = event.arguments.get("stride")
    numbers = strides.items if isinstance(strides, Items) else None
    if numbers and all(isinstance(each, Constant) for each in numbers):
        return
    harm, shape = {_NEW: Harm.REFUSED}, _find_shape(event)
    if dynamic and shape and any(varies(size) is True for size in shape[1:]):
        harm |= {_LEGACY: Harm.SILENT, _TRACED: Harm.SILENT}
    yield "as_strided is written with the strides of the example, if at all", harm


def counts_down(value: Value | None, evaluation: Evaluation, dynamic: bool) -> bool:
    """Whether an index is `torch.arange(x.size(1) - 1, -1, -1)`, down to and with 0, from a size that varies.

    ONNX Runtime 1.32 makes a Slice of a Gather by such a Range, and reads its end, -1, as the last item.
    """
    made = evaluation.ways.find_maker(value)
    while isinstance(made, Called) and made.name.rpartition(".")[2] in ("long", "to"):
        made = evaluation.ways.find_maker(made.positional[0])
    if not dynamic or not isinstance(made, Called) or made.name != "torch.arange":
        return False
    start, end, step = (made.arguments.get(each, NONE) for each in ("start", "end", "step"))
    steps = step.value if isinstance(step, Constant) else None
    down = isinstance(steps, int) and steps < 0 and end == Constant(-1)
    return down and isinstance(start, Number) and start.varies is True


COUNTS_DOWN = "ONNX Runtime takes an index that counts down to 0 for a slice, and gives nothing"


def weigh_selected(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`x.index_select(1, torch.arange(n - 1, -1, -1))`."""
    if counts_down(event.arguments.get("index"), evaluation, dynamic):
        yield COUNTS_DOWN, {_LEGACY: Harm.SILENT}


def weigh_inverse(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`irfft(spectrum * filter)`: a DFT that ONNX Runtime fails on where the number of samples varies."""
    held = event.arguments.get("input")
    made = evaluation.ways.find_maker(held)
    direct = isinstance(made, Called) and made.name.rpartition(".")[2].startswith("rfft")
    count = event.arguments.get("n", event.arguments.get("s", NONE))
    counts = count.items or () if isinstance(count, Items) else (count,)
    varying = any(isinstance(each, Number) and each.varies is True for each in counts)
    shape = _find_shape(event)
    open_ = count == NONE and bool(shape) and any(varies(size) is True for size in shape or ())
    if dynamic and not direct and held is not None and (varying or open_):
        name = event.name.rpartition(".")[2]
        yield (
            f"{name} of a spectrum that was worked out fails in ONNX Runtime",
            {_NEW: Harm.FAILS, _LEGACY: Harm.REFUSED},
        )


def weigh_length(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.istft(spectrum, n, length=samples)`: torch.export holds the number of samples fixed."""
    length = event.arguments.get("length")
    if dynamic and isinstance(length, Number) and length.varies is True:
        told = "istft to a length that varies ties it to the example's"
        yield told, dict.fromkeys((_NEW, _LEGACY, "torch.export"), Harm.REFUSED)


def weigh_distances(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.cdist(x, y, p=1)`: written as a distance of powers and a root, of other numbers than 2 wrongly."""
    power = event.arguments.get("p", Constant(2.0))
    if isinstance(power, Constant) and power.value != 2:
        yield (
            f"cdist with p={power.value} gives other numbers, or nan",
            {_LEGACY: Harm.SILENT, _NEW: Harm.REFUSED},
        )


def weigh_extremes(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.aminmax(x)` of no axis."""
    if event.arguments.get("dim", NONE) == NONE:
        yield "aminmax of all axes has no translation in the new exporter", {_NEW: Harm.REFUSED}


def weigh_floor(left: Value, right: Value, evaluation: Evaluation) -> Said:
    """`x // 0.3`: a Div and a cast, which rounds what is negative up."""
    real = isinstance(left, Tensor) and left.sure and left.data is not False
    broken = isinstance(right, Constant) and isinstance(right.value, float)
    if not real or not (broken or _is_real(left) or _is_real(right)):
        return
    maker = evaluation.ways.find_maker(left)
    if isinstance(maker, Called) and maker.name.rpartition(".")[2].rstrip("_") in NEVER_NEGATIVE:
        return
    told = "// of a tensor of floats rounds what is negative towards zero in the file"
    yield told, {_LEGACY: Harm.SILENT}


def _is_real(value: Value) -> bool:
    return isinstance(value, Tensor) and (value.dtype or "").startswith("float")


NEVER_NEGATIVE = frozenset(
    {
        "abs", "relu", "sigmoid", "softmax", "exp", "square", "norm", "rand", "rand_like", "arange",
        "sqrt", "clamp", "clip", "cdist", "float", "to", "linspace", "argmax", "clamp_min",
    }
)  # fmt: skip
"""Operators that give nothing negative, and casts, of which that may be so."""


def weigh_copy(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`y.copy_(x)`: the legacy exporter writes it into slices alone, the new one spreads no smaller tensor."""
    held = event.arguments.get("self")
    given = event.arguments.get("src", event.arguments.get("other"))
    if not isinstance(held, Tensor) or not held.sure:
        return
    sliced = isinstance(evaluation.ways.find_maker(held), Indexed)
    harm = {} if sliced else {_LEGACY: Harm.REFUSED}
    if _is_spread(held, given):
        harm[_NEW] = Harm.FAILS if sliced else Harm.SILENT
    if harm:
        told = "copy_ of a smaller tensor is not spread over the larger" if _NEW in harm else ""
        yield told or "copy_ to a whole tensor has no translation in the legacy exporter", harm


def _is_spread(held: Tensor, given: Value | None) -> bool:
    other = given.shape if isinstance(given, Tensor) else None
    return held.shape is not None and other is not None and len(other) < len(held.shape)


INVERSES = ("irfft", "irfft2")
ALONG = ("take_along_dim", "kron", "gradient", "linalg.multi_dot")
AVERAGES = ("avg_pool2d", "avg_pool3d", "AvgPool2d", "AvgPool3d")
BY_NAME: dict[str, Weigh] = {
    **dict.fromkeys(("torch.unique", "torch.Tensor.unique"), weigh_unique),
    **dict.fromkeys(("torch.repeat_interleave", "torch.Tensor.repeat_interleave"), weigh_repeats),
    **{f"torch.{name}": weigh_along for name in ALONG},
    "torch.Tensor.take_along_dim": weigh_along,
    **dict.fromkeys(("torch.as_strided", "torch.Tensor.as_strided"), weigh_strided),
    **dict.fromkeys(("torch.aminmax", "torch.Tensor.aminmax"), weigh_extremes),
    **dict.fromkeys(("torch.index_select", "torch.Tensor.index_select"), weigh_selected),
    **{f"torch.fft.{name}": weigh_inverse for name in INVERSES},
    "torch.cdist": weigh_distances,
    **dict.fromkeys(("torch.istft", "torch.Tensor.istft"), weigh_length),
    **dict.fromkeys(CONVOLUTIONS, weigh_kernel),
    "torch.Tensor.copy_": weigh_copy,
    **dict.fromkeys(("torch.normal", "torch.Tensor.normal_"), weigh_normal),
    **{f"torch.nn.functional.avg_pool{n}d": weigh_divisor for n in (2, 3)},
    **{f"torch.nn.AvgPool{n}d.forward": weigh_divisor for n in (2, 3)},
    **dict.fromkeys(CLAMPS, weigh_bounds),
    **MIXED,
}
REMEDIES = {
    "unique": "reshape the inverse: inverse.view(x.shape)",
    "repeat_interleave": "repeat along the first axis: x.transpose(0, 1), and back",
    "take_along_dim": "write torch.gather(x, dim, index.expand(...))",
    "as_strided": "write x.unfold(dim, size, step)",
    **dict.fromkeys(
        INVERSES, "use the whole spectrum: torch.fft.fft(x), and torch.fft.ifft(y).real"
    ),
    **dict.fromkeys((each.rpartition(".")[2] for each in CONVOLUTIONS), KERNEL),
    "istft": "leave length out, and cut the samples: torch.istft(...)[..., :n]",
    "index_select": "write x.flip(dim)",
    "cdist": "write the distances: (a[..., :, None, :] - b[..., None, :, :]).abs().sum(-1)",
    "aminmax": "x.amin() and x.amax()",
    "copy_": "assign by an index, y[:] = x.expand_as(y), or give the name another tensor",
    **dict.fromkeys(AVERAGES, "scale the mean: F.avg_pool2d(x, k) * (k * k / divisor)"),
    **dict.fromkeys(("normal", "normal_"), "write torch.randn(...) * std + mean"),
    "kron": "write (a[:, None, :, None] * b[None, :, None, :]).reshape(...)",
    "multi_dot": "write a @ b @ c",
    **dict.fromkeys((each.rpartition(".")[2] for each in CLAMPS), BOUNDS),
    **MIXED_REMEDIES,
    "gradient": "write the differences: (x[..., 2:] - x[..., :-2]) / 2",
}
"""By the last part of the name."""
