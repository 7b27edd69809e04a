"""Sizes of one input that follow a size of another one: twice as long, or longer by a token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Input, Model

_LEAST = 2
_IMAGE = 4
_MOST_TIMES = 64
_MOST_MORE = 2
_MOST_PAIRS = 24
_AXES = {2: "height", 3: "width"}


@dataclass(frozen=True)
class Relation:
    """A model in which an axis and the one that follows it have names.

    `base` is the first one's name, `follower` the other's, `work_out` gives its size. `new` are the
    names that the model did not have, with the sizes that these have at first.
    """

    model: Model
    base: str
    follower: str
    work_out: Callable[[int], int]
    new: NamedSizes

    def vary(self, size: int) -> NamedSizes:
        """All sizes where the base has another one."""
        return {**self.model.sizes, self.base: size, self.follower: self.work_out(size)}


@dataclass(frozen=True)
class _Axis:
    place: int
    number: int
    size: int


def list_relations(model: Model, others: Sequence[NamedSizes]) -> Iterator[Relation]:
    """Pairs of axes of two inputs that may be related, by their sizes alone."""
    axes = [*_list_axes(model, others)]
    pairs = ((a, b) for a in axes for b in axes if a.place != b.place and a.size < b.size)
    tried = 0
    for base, follower in pairs:
        work_out = _guess_relation(base.size, follower.size)
        if work_out is None or tried >= _MOST_PAIRS or not _is_number(model, follower):
            continue
        tried += 1
        yield _name_both(model, base, follower, work_out)


def _list_axes(model: Model, others: Sequence[NamedSizes]) -> Iterator[_Axis]:
    """Those that are numbers, or names of sizes that do not vary."""
    fixed = {name for name in model.sizes if len({at[name] for at in (model.sizes, *others)}) == 1}
    for place, given in enumerate(model.inputs):
        for axis, size in enumerate(given.shape if isinstance(given, Input) else ()):
            is_channel = axis == 1 and isinstance(given, Input) and len(given.shape) >= _IMAGE
            known = size if isinstance(size, int) else model.sizes[size] if size in fixed else 0
            if known >= _LEAST and not is_channel:
                yield _Axis(place, axis, known)


def _is_number(model: Model, axis: _Axis) -> bool:
    given = model.inputs[axis.place]
    return isinstance(given, Input) and isinstance(given.shape[axis.number], int)


def _guess_relation(base: int, follower: int) -> Callable[[int], int] | None:
    times, more = follower // base, follower - base
    if more <= _MOST_MORE:
        return lambda size: size + more
    if follower % base == 0 and times <= _MOST_TIMES:
        return lambda size: size * times
    return None


def _name_both(
    model: Model, base: _Axis, follower: _Axis, work_out: Callable[[int], int]
) -> Relation:
    first = _find_name(model, base)
    named = _put_name(model, base, first) if _is_number(model, base) else model
    second = _make_name(named, follower)
    named = _put_name(named, follower, second)
    new = {name: size for name, size in named.sizes.items() if name not in model.sizes}
    return Relation(named, first, second, work_out, new)


def _find_name(model: Model, axis: _Axis) -> str:
    """The one that the axis has, else a new one."""
    given = model.inputs[axis.place]
    size = given.shape[axis.number] if isinstance(given, Input) else ""
    return size if isinstance(size, str) else _make_name(model, axis)


def _make_name(model: Model, axis: _Axis) -> str:
    given = model.inputs[axis.place]
    several = len(given.shape) >= _IMAGE if isinstance(given, Input) else False
    plain = _AXES.get(axis.number, "length") if several else "length"
    label = given.label if isinstance(given, Input) else ""
    choices = (plain, f"{plain}_{label}", *(f"{plain}_{label}_{n}" for n in range(2, 99)))
    return next(name for name in choices if name not in model.sizes)


def _put_name(model: Model, axis: _Axis, name: str) -> Model:
    given = pick_tensors([model.inputs[axis.place]])[0]
    shape = tuple(name if n == axis.number else size for n, size in enumerate(given.shape))
    inputs = [*model.inputs]
    inputs[axis.place] = replace(given, shape=shape)
    return replace(model, inputs=tuple(inputs), sizes={**model.sizes, name: axis.size})
