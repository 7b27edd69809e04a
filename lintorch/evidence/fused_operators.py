"""Operators of a run that ONNX has as one operator, by what was measured of the exporters."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.profile import WRITES_ONNX
from lintorch.evidence.trace import Trace
from lintorch.record.events import OperatorCall
from lintorch.targets import written_operators

FUNCTIONS = tuple(
    name
    for name in written_operators.load_rows()
    if name.startswith("torch.nn.functional.") or name.islower()
)
"""The names of the operators that it concerns."""


def find_fused_operators(call: OperatorCall, trace: Trace) -> Iterator[tuple[str, int]]:
    """The ONNX operator that alone is written for a call, and the opset, per exporter in use.

    Its first input is then the first of the call.
    """
    for exporter in WRITES_ONNX:
        if exporter in trace.profile.exporters and call.inputs:
            opset = trace.profile.opset_of(exporter)
            names = written_operators.list_written(call.name, exporter, opset) or ()
            if len(names) == 1:
                yield names[0], opset
