"""Made up sequences: of channels that grow, of strides, of sides, of switches."""

from __future__ import annotations

from typing import Any

from lintorch.guest.construct.conventional_values import VALUE_BY_NAME
from lintorch.guest.construct.sequence_lengths import USUAL_LENGTH

_LONGEST_GROWING = 6
"""Items up to which channels double from 16: the sixth has 512."""
_SIDE_ENDINGS = ("size", "resolution", "img_dim", "img_size", "image_size", "shape")
_COUNT_WORDS = ("depth", "layers", "blocks", "num_res", "repeat", "n_conv")


def make_sequence(name: str, length: int, annotation: str = "") -> tuple[Any, ...]:
    """A sequence for an argument of this name. Channels grow, the last switch is on."""
    length = length or (2 if _is_of_sides(name) and "shape" not in name else USUAL_LENGTH)
    if "bool" in annotation:
        return (*(False,) * (length - 1), True)
    if "dropout" in name:
        return (VALUE_BY_NAME["dropout"],) * length
    if name.startswith("up") and ("kernel" in name or "stride" in name or "scale" in name):
        return (2,) * (length - 1)
    if "kernel" in name or "window" in name:
        return (3 if "kernel" in name else 7,) * length
    if "stride" in name or "upsample" in name or "downsample" in name:
        return (1, *(2,) * (length - 1)) if length > 2 else (2,) * length
    if "dilat" in name or "padding" in name:
        return (1,) * length
    if "head" in name:
        return (4,) * length
    if any(word in name for word in _COUNT_WORDS):
        return (2,) * length
    if "level" in name:
        return tuple(range(length))
    if "shape" in name and length == USUAL_LENGTH:
        return (3, 64, 64)
    if _is_of_sides(name):
        return (VALUE_BY_NAME.get(name, 8 if "patch" in name else 64),) * length
    if length > _LONGEST_GROWING:  # several of them have to be equal
        return (32,) * length
    return tuple(min(512, 16 * 2**stage) for stage in range(length))


def _is_of_sides(name: str) -> bool:
    return name.endswith(_SIDE_ENDINGS) and "kernel" not in name
