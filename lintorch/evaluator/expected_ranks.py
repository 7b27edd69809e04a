"""How many axes operators ask of tensors whose shape is unknown: an input is taught them, others are given them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from lintorch.evaluator.learn import (
    SPATIAL,
    name_axes,
    name_sides,
    teach_sequence,
    teach_shape,
    teach_width,
)
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.arguments import make_fresh
from lintorch.evaluator.sizes import Dim, make_symbol
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    FALSE,
    TRUE,
    Constant,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
    size_in,
)

_WINDOWED = ("conv", "conv_transpose", "max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool")  # fmt: skip
_SIGNALS = ("torch.stft", "torch.Tensor.stft")
_RANKS = {
    "torch.mm": 2, "torch.Tensor.mm": 2, "torch.t": 2, "torch.Tensor.t": 2, "torch.bmm": 3, "torch.Tensor.bmm": 3,
    **{f"torch.nn.functional.{kind}{n}d": n + 2 for kind in _WINDOWED for n in SPATIAL},
    "torch.nn.functional.unfold": 4, "torch.nn.functional.fold": 3,
    **dict.fromkeys(_SIGNALS, 2), "torch.istft": 3, "torch.Tensor.istft": 3,
    "torch.pixel_shuffle": 4, "torch.pixel_unshuffle": 4,
    "torch.nn.functional.pixel_shuffle": 4, "torch.nn.functional.pixel_unshuffle": 4,
}  # fmt: skip
"""Of the tensors that a function is given first, as they stand in most code: images and signals come in batches."""
_LAYERS = {
    "Unfold": 4, "Fold": 3, "PixelShuffle": 4, "PixelUnshuffle": 4, "ChannelShuffle": 4,
    **dict.fromkeys(("TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder",
                     "TransformerDecoderLayer"), 3),
}  # fmt: skip
"""Layers whose names do not end with how many axes they work on."""
_OF_ANY_RANK = (
    *("Dropout", "ConstantPad", "ZeroPad"),
    *("ReflectionPad1d", "ReplicationPad1d", "CircularPad1d"),
)
"""Layers whose names end so, and that are given other numbers of axes, too: signals without channels."""
_PAIRED = frozenset({"mm", "bmm"})
_TURNS = frozenset({"torch.permute", "torch.Tensor.permute"})
_JOINS = frozenset({"torch.cat", "torch.concat", "torch.concatenate"})
_MODES = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
_RESIZES = frozenset({"torch.nn.functional.interpolate", "torch.nn.functional.upsample"})
_CHANNELS = ("in_channels", "num_features")
KEEPS_RANK = frozenset(
    {
        "add", "sub", "mul", "div", "true_divide", "pow", "clone", "relu", "sigmoid", "tanh", "exp",
        "log", "abs", "clamp", "neg", "sqrt", "interpolate", "pad", "roll", "flip", "cat", "float",
        "dropout", "leaky_relu", "gelu", "silu", "normalize", "softmax", "masked_fill", "contiguous",
        "long", "int", "half", "double", "bool", "to", "type", "type_as", "detach", "cuda", "cpu",
    }
)  # fmt: skip
"""Last parts of the names of functions whose result has as many axes as what they are given first."""

_TURNING = frozenset({"transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "permute"})
"""The same of functions that put the axes in another order."""
_REDUCING = frozenset({"mean", "sum", "std", "var", "prod", "amax", "amin", "norm", "logsumexp"})
"""The same of functions that leave an axis of one cell where keepdim says so."""


def place_axes(machine: Machine, name: str, given: Given) -> Given:
    """The arguments of a function, where it says how many axes a tensor has of which that is unknown."""
    if name in _JOINS:
        return _place_joined(machine, given)
    if name == "torch.einsum":
        return _place_summed(machine, given)
    rank = _RANKS.get(name) or _read_rank(machine, name, given)
    if not rank:
        _guess_counted(machine, name, given)
        return given
    count = 2 if name.rpartition(".")[2] in _PAIRED else 1
    lengths = (rank - 1,) if name in _SIGNALS or name.endswith("1d") else ()
    placed = [give_rank(machine, each, rank, None, lengths) for each in given.positional[:count]]
    return Given((*placed, *given.positional[count:]), given.keyword, given.open)


def _read_rank(machine: Machine, name: str, given: Given) -> int:
    if name in _TURNS and not given.open:
        order = given.positional[1:]
        if len(order) == 1:
            order = known_items(machine, order[0]) or ()
        return len(order) if all(isinstance(each, Constant) for each in order) else 0
    if name in _RESIZES:
        mode = given.keyword.get("mode")
        return _MODES.get(str(mode.value), 0) if isinstance(mode, Constant) else 0
    return 0


def _guess_counted(machine: Machine, name: str, given: Given) -> None:
    """`x.mean(dim=3)`, `x.transpose(2, 3)`: an input of which the fourth axis is named is an image."""
    first = given.positional[0] if given.positional else None
    if not isinstance(first, Tensor) or first.shape is not None or not first.ranked_as:
        return
    short = name.rpartition(".")[2]
    written = [each for key, each in given.keyword.items() if key in _AXES]
    if short in _BY_AXIS:
        written += given.positional[1:]
    listed = [known_items(machine, each) or (each,) for each in written]
    if Constant(3) in (each for items in listed for each in items) and short not in _ADDS_AXIS:
        teach_width(machine, first.ranked_as, name_axes(first.ranked_as, 4))


_AXES = frozenset({"dim", "dims", "dim0", "dim1"})
_BY_AXIS = frozenset({"flip", "mean", "sum", "transpose", "amax", "amin", "softmax"})
"""Those whose plain numbers behind the tensor are axes."""
_ADDS_AXIS = frozenset({"unsqueeze", "stack"})


def _place_summed(machine: Machine, given: Given) -> Given:
    """`torch.einsum("bti,mi->btm", x, w)`: each has an axis for every letter."""
    if not given.positional or given.open:
        return given
    pattern, *operands = given.positional
    written = pattern.value if isinstance(pattern, Constant) else None
    if not isinstance(written, str) or "." in written:
        return given
    letters = [part.strip() for part in written.partition("->")[0].split(",")]
    if len(letters) != len(operands):
        return given
    pairs = zip(operands, letters, strict=True)
    placed = (give_rank(machine, each, len(part.replace(" ", ""))) for each, part in pairs)
    return Given((pattern, *placed), given.keyword, given.open)


def rank_in_layer(name: str, built: Mapping[str, Value]) -> int:
    """How many axes a layer's input has, batch and channels too; 0 where its class does not say so."""
    if name[-2:] in ("1d", "2d", "3d") and not name.startswith(_OF_ANY_RANK):
        return int(name[-2]) + 2
    mode = built.get("mode") if name == "Upsample" else None
    return _MODES.get(str(mode.value), 0) if isinstance(mode, Constant) else _LAYERS.get(name, 0)


def _place_joined(machine: Machine, given: Given) -> Given:
    """`torch.cat([x, y])`: all have as many axes as the one of which that is known."""
    listed = given.pick(0, "tensors")
    if isinstance(listed, Tensor):
        teach_sequence(machine, listed)
    parts = known_items(machine, listed) if isinstance(listed, (Held, Items)) else None
    shapes = [each.shape for each in parts or () if isinstance(each, Tensor) and not each.guessed]
    ranks = {len(shape) for shape in shapes if shape is not None and shape != (0,)}
    if not parts or len(ranks) != 1 or len(ranks) == len(parts):
        return given
    placed = tuple(give_rank(machine, each, min(ranks)) for each in parts)
    named = {name: value for name, value in given.keyword.items() if name != "tensors"}
    return Given((Items("tuple", placed), *given.positional[1:]), named, given.open)


def keep_rank(machine: Machine, name: str, given: Given, result: Tensor) -> Tensor:
    """What a function gives, with the input of unknown shape that has as many axes."""
    short = name.rpartition(".")[2].rstrip("_")
    if short == "unsqueeze":
        return replace(result, grown_from=_find_grown(given))
    result = _keep_rows(short, given, result)
    kept = short in _REDUCING and given.keyword.get("keepdim") == TRUE
    if not kept and short not in KEEPS_RANK | _TURNING:
        return result
    if joined := _list_joined(machine, given):
        return replace(result, joined_from=joined)
    grown = {e.grown_from for e in given.values if isinstance(e, Tensor) and e.grown_from}
    if len(grown) == 1 and short in KEEPS_RANK:
        return replace(result, grown_from=grown.pop())
    named = _list_ranked(machine, given)
    rank, turned = named.pop() if len(named) == 1 else ("", False)
    turned = turned or short in _TURNING
    return replace(result, ranked_as="" if turned else rank, turned_from=rank if turned else "")


def _keep_rows(short: str, given: Given, result: Tensor) -> Tensor:
    """What is worked out of each row of `x[mask]`, which are as many as data choose."""
    held = given.pick(0, "input")
    if not isinstance(held, Tensor) or held.rows is None or short not in KEEPS_RANK - _JOINED:
        return result
    return replace(result, rows=held.rows)


_JOINED = frozenset({"cat", "pad"})


def _find_grown(given: Given) -> str:
    """The input of unknown shape behind whose batch `x.unsqueeze(1)` puts an axis."""
    held, place = given.pick(0, "input"), given.pick(1, "dim")
    if not isinstance(held, Tensor) or place != Constant(1):
        return ""
    return held.ranked_as or held.turned_from


def _list_joined(machine: Machine, given: Given) -> tuple[str, ...]:
    """Several inputs of unknown shape that are joined, and nothing else."""
    first = given.positional[0] if given.positional else None
    parts = (known_items(machine, first) or ()) if isinstance(first, (Held, Items)) else ()
    named = tuple(each.ranked_as if isinstance(each, Tensor) else "" for each in parts)
    return named if all(named) and len({*named}) > 1 else ()


def _list_ranked(machine: Machine, given: Given) -> set[tuple[str, bool]]:
    """Which inputs have as many axes as what is given, each with whether they may be in another order."""
    first = given.positional[0] if given.positional else None
    if isinstance(first, (Held, Items)):
        tensors = known_items(machine, first) or ()
    elif not all(isinstance(each, _BESIDE) for each in given.positional):
        return set()
    else:
        held = [each for each in given.values if isinstance(each, Tensor)]
        tensors = tuple(
            e for e in held if e.shape is None or (len(e.shape) > 1 and not _is_beside(e))
        )
    found = {_read_ranked(each) if isinstance(each, Tensor) else ("", False) for each in tensors}
    names = {name for name, _ in found}
    return {(names.pop(), any(turned for _, turned in found))} if len(names) == 1 else set()


def _is_beside(tensor: Tensor) -> bool:
    """A weight, a table of places or a film (`[B, C, 1, 1]`), which is added to what has as many axes."""
    shape = tensor.shape or ()
    return tensor.data is False or (len(shape) > 2 and shape[-1] == 1)


def _read_ranked(tensor: Tensor) -> tuple[str, bool]:
    return tensor.ranked_as or tensor.turned_from, not tensor.ranked_as


_BESIDE = (Tensor, Constant, Number, Items, Held)
"""What may stand beside the tensor of which the rank is kept: also the widths of a pad."""


def place_in_layer(machine: Machine, name: str, built: Mapping[str, Value], given: Given) -> Given:
    """The same for a layer, which may also say how many channels there are; `name` is that of its class."""
    rank = rank_in_layer(name, built)
    if not rank or not given.positional or "Norm1d" in name:
        return given
    first = given.positional[0]
    if isinstance(first, Tensor) and (first.shape is not None or first.origin == "input"):
        return given
    sizes = (size_in(built[each]) for each in _CHANNELS if each in built)
    held = Tensor() if isinstance(first, Unknown) else first
    if rank == _STEPS and isinstance(held, Tensor) and held.ranked_as and _puts_steps_first(built):
        steps = make_symbol(f"{held.ranked_as}.0"), make_symbol("B")
        teach_shape(machine, held.ranked_as, (*steps, make_symbol(f"{held.ranked_as}.2", None)))
    placed = give_rank(machine, held, rank, next(sizes, None))
    return Given((placed, *given.positional[1:]), given.keyword, given.open)


_STEPS = 3
"""Axes of what a transformer is given."""


def _puts_steps_first(built: Mapping[str, Value]) -> bool:
    return built.get("batch_first") == FALSE


def give_rank(
    machine: Machine,
    value: Value,
    rank: int,
    channels: Dim | None = None,
    lengths: Collection[int] = (),
) -> Value:
    """A tensor with so many axes where it had no known shape, or one that was presumed."""
    if not isinstance(value, Tensor):
        return value
    if value.shape is not None:
        return replace(value, guessed=value.guessed and len(value.shape) != rank)
    if value.ranked_as:
        teach_shape(machine, value.ranked_as, _name_all(value.ranked_as, rank, lengths))
    for name in value.joined_from:
        teach_shape(machine, name, _name_all(name, rank, lengths))
    if value.grown_from and rank > 2:
        axes = name_sides(value.grown_from, rank - 1, range(1, rank - 1))
        teach_shape(machine, value.grown_from, axes)
    if value.turned_from:
        teach_shape(machine, value.turned_from, name_sides(value.turned_from, rank, ()))
    if value.origin == "input":
        return replace(value, shape=_name_all(value.name, rank, lengths))
    inputs = [each for each in value.memory if each.startswith("input ")]
    if rank == 4 and inputs and value.data is not False:
        sides = (make_fresh(make_symbol(f"{inputs[0][6:]}.{side}")) for side in "HW")
        return replace(value, shape=(make_symbol("B"), channels or make_fresh(), *sides))
    shape = [make_fresh() for _ in range(rank)]
    return replace(
        value, shape=(shape[0], channels or shape[1], *shape[2:]) if rank > 1 else tuple(shape)
    )


def _name_all(name: str, rank: int, lengths: Collection[int]) -> tuple[Dim, ...]:
    return name_sides(name, rank, (), lengths) if lengths else name_axes(name, rank)
