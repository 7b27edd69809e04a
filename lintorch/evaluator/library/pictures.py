"""What OpenCV reads: arrays of bytes, unless a flag asks for the file's own depth."""

from __future__ import annotations

import ast

from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import UNKNOWN, Array, Constant, External, Given, Value

_BYTES = (
    *(Constant(0), Constant(1)),
    *(External("cv2.IMREAD_COLOR"), External("cv2.IMREAD_GRAYSCALE"), External("cv2.IMREAD_COLOR_RGB")),
)  # fmt: skip


@does("cv2.imread")
def read_picture(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`cv2.imread(path)`."""
    flag = given.pick(1, "flags")
    return Array(dtype="uint8") if flag is None or flag in _BYTES else UNKNOWN


@does("cv2.cvtColor", "cv2.resize", "cv2.flip", "cv2.rotate", "cv2.GaussianBlur", "cv2.warpAffine")
def keep_type(machine: Machine, node: ast.AST, given: Given) -> Value:
    """What gives an array of the type of the one that it is given."""
    held = given.pick(0, "src")
    return Array(dtype=held.dtype) if isinstance(held, Array) else UNKNOWN
