"""The types that an export is tried in beside the model's own, and what is lost by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lintorch.record.file_comparisons import Distance, LayerNumbers

OWN = "float32"
"""Asks for the model as it is built."""
FLOATS = ("float16", "bfloat16", "float64")
QUANTIZATIONS = ("int8-dynamic", "int8-static")
"""What ONNX Runtime makes of an exported file; PT2E of a program for ExecuTorch, and NNCF of OpenVINO's model."""
PRECISIONS = (OWN, *FLOATS, *QUANTIZATIONS)
_QUANTIZES = {
    "onnx": QUANTIZATIONS,
    "onnx-legacy": QUANTIZATIONS,
    "executorch": QUANTIZATIONS,
    "openvino": ("int8-static",),
}
_LACKS = {"openvino": ("bfloat16",), "ncnn": FLOATS, "onnx2tf": FLOATS}
"""Types that a runtime cannot be fed from Python: numpy has no bfloat16, pnnx converts float32 alone, and onnx2tf was tried with that."""


def list_precisions(exporter: str, asked: Iterable[str]) -> Iterator[str]:
    """Those that an exporter is tried in; "" for the model as it is built, also where nothing is asked."""
    wanted = tuple(dict.fromkeys(asked)) or (OWN,)
    for each in wanted:
        lacks = each in _LACKS.get(exporter, ())
        if not lacks and (each not in QUANTIZATIONS or each in _QUANTIZES.get(exporter, ())):
            yield "" if each == OWN else each


MOST_LAYER_ERRORS = 256
"""Of one trial, layers whose errors are told."""


@dataclass(frozen=True)
class LayerError:
    """How far what a call of a layer gives is off float32: at most, and of its largest number.

    Both None where that is not finite. `name` is its dotted path, `call` counts its calls from 1 on.
    """

    name: str
    kind: str
    call: int
    amount: float | None
    relative: float | None


@dataclass(frozen=True)
class PrecisionLoss:
    """How far numbers are from those of eager in float32, at most over all sizes that were compared.

    `eager` is eager in that type; for integers, eager whose layers have weights and inputs rounded
    to 8 bits. `exported` is what was exported. `tolerance` is of the largest number of an output;
    `is_lossy` where either is further off than that allows, of integers the export.
    """

    eager: Distance
    exported: Distance
    tolerance: float
    is_lossy: bool = False
    layer: LayerNumbers | None = None
    """The first whose error alone, put into eager in float32, makes half of the output's error or more."""
    given: Distance | None = None
    """How far off what that layer is given is already, where that is as much: code between layers did it."""
    in_file: bool = False
    """Whether the layers' numbers are those of the exported file, and not of eager in that type."""
    layers: tuple[LayerError, ...] = ()
    """All whose numbers could be had, in the order of their calls; no more than `MOST_LAYER_ERRORS`."""
