"""Kinds of value that an expression in a model can have, and how two of them join."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum


class Kind(Enum):
    """What a value is. UNKNOWN is never flagged by a rule."""

    TENSOR = "tensor"
    TENSORS = "tensors"
    """A tuple or list of tensors, as from `chunk`."""
    SHAPE = "shape"
    """A torch.Size or a sequence of sizes."""
    SIZE = "size"
    """A Python number worked out from a tensor's shape."""
    HOST = "host"
    """A Python number or list read from a tensor's data."""
    NDARRAY = "ndarray"
    MODULE = "module"
    NUMBER = "number"
    """A Python number that no tensor decides."""
    OTHER = "other"
    UNKNOWN = "unknown"


_CHANNELS = (-1, -3)
"""Where channels stand, counted from the end, in sequences and in images."""


@dataclass(frozen=True)
class Read:
    """One size read from a tensor: of which axis (None: of all or of an unknown one).

    `dynamic`: whether that axis usually varies between calls (batch, height, length: True), does
    not (channels: False), or cannot be told from the source (None).
    """

    axis: int | None
    dynamic: bool | None


@dataclass(frozen=True)
class Value:
    """A kind and what is known with it.

    `roots`: parameters whose memory a tensor shares or may share. `reads`: the sizes that a
    number, or a tensor made of numbers, was worked out from. `first`: of a shape, the axis its
    first entry stands for. `negative`: of a size, True if surely, None if maybe below zero.
    `whole`: of a number, True if surely an int, False if a float, None if it cannot be told.
    `copied`: of a tensor with roots, whether it may as well be a copy, as after `float()`, `to()`,
    or a clone in one of two branches. `moved`: of a tensor, whether its layout may be such that
    `contiguous()` and `reshape()` copy, as after `permute()`. `detached`: of a tensor, whether it was read through
    `.data`. `given`: of a shape or size, whether it is that of an argument of the function, or of
    a view of one. `sure` is False for tensors that are presumed, such as what a layer or helper gave when it
    was called with a tensor, and for what was read from them. `heads`: of a shape, whether it may
    be that of a tensor split into heads.
    """

    kind: Kind = Kind.UNKNOWN
    roots: frozenset[str] = frozenset()
    reads: frozenset[Read] = frozenset()
    first: int | None = 0
    negative: bool | None = False
    whole: bool | None = None
    copied: bool = False
    moved: bool = False
    detached: bool = False
    fixed: bool = False
    given: bool = False
    sure: bool = True
    heads: bool = False
    items: tuple[Value, ...] = ()

    @property
    def is_tensor(self) -> bool:
        """Whether the value is one tensor."""
        return self.kind is Kind.TENSOR

    @property
    def dynamic(self) -> bool:
        """Whether the value was worked out from a size that varies between calls."""
        return any(read.dynamic for read in self.reads)

    @property
    def may_vary(self) -> bool:
        """Whether a size went into the value that may vary; channels usually do not."""
        return any(r.dynamic or (r.dynamic is None and r.axis not in _CHANNELS) for r in self.reads)


UNKNOWN_VALUE = Value()
OTHER = Value(Kind.OTHER)
NUMBER = Value(Kind.NUMBER)
INTEGER = Value(Kind.NUMBER, whole=True)
FLOAT = Value(Kind.NUMBER, whole=False)
TENSOR = Value(Kind.TENSOR)
WEIGHT = Value(Kind.TENSOR, fixed=True)
PRESUMED = Value(Kind.TENSOR, sure=False)

_STATIC_NAME = re.compile(
    r"^(k[hwxy]|kernel\w*|c|c_\w+|ch|\w+_ch|chan|n_?classes|num_classes|channels?|n_?channels|nc|dim|d_model|d_k|embed\w*|hidden\w*|\w*heads?|in_channels|features?|\w+_dims?|\w+_channels)$",
    re.I,
)
_DYNAMIC_NAME = re.compile(
    r"^(_?b|bs|bsz?|batch\w*|n_?batch|h|w|height|width|_?[hw]\d?|\w*_[hw]|t|l|s|seq\w*|len_\w+|\w*len|\w*length|time\w*|frames?|tokens?|n_tokens)$",
    re.I,
)


def join(left: Value, right: Value) -> Value:
    """What is known of a value that is one or the other."""
    if left == right:
        return left
    if left.kind is not right.kind:
        return UNKNOWN_VALUE
    return replace(
        left,
        roots=left.roots | right.roots,
        reads=left.reads | right.reads,
        first=left.first if left.first == right.first else None,
        negative=left.negative if left.negative == right.negative else None,
        whole=left.whole if left.whole is right.whole else None,
        moved=left.moved or right.moved,
        copied=left.copied or right.copied or left.roots != right.roots,
        detached=left.detached and right.detached,
        fixed=left.fixed and right.fixed,
        given=left.given or right.given,
        sure=left.sure and right.sure,
        items=(),
    )


def size(axis: int | None, dynamic: bool | None) -> Value:
    """A size read from one axis."""
    return Value(Kind.SIZE, reads=frozenset({Read(axis, dynamic)}), whole=True)


def varying(value: Value, dynamic: bool | None, axis: int | None = None) -> Value:
    """A size read from one axis, with what is known of that axis."""
    return replace(
        value,
        reads=frozenset(Read(r.axis if axis is None else axis, dynamic) for r in value.reads),
    )


def is_fixed_name(name: str) -> bool:
    """Whether a name says that a size never varies, such as `num_channels`."""
    return bool(_STATIC_NAME.match(name))


def named(value: Value, name: str) -> Value:
    """A size whose axis could not be told, after it was given a telling name."""
    if value.kind is not Kind.SIZE or len(value.reads) != 1:
        return value
    (read,) = value.reads
    if is_fixed_name(name):
        dynamic: bool | None = False
    elif read.dynamic is None and _DYNAMIC_NAME.match(name):
        dynamic = True
    else:
        return value
    return replace(value, reads=frozenset({Read(read.axis, dynamic)}))


def usual(axis: int | None, image: bool) -> bool | None:
    """Whether an axis usually varies: the batch does; beyond the channels it does in images."""
    if axis == 0:
        return True
    if image:
        return axis != 1 if axis is not None and axis >= 1 else None
    return False if axis in (-1, 3) else None
