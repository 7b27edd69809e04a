"""Operators of a run that ONNX has as one operator, by what was measured of the exporters."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.evidence.trace import Trace
from lintorch.record.trace import Event
from lintorch.targets import written_operators

_EXPORTERS = ("onnx", "onnx-legacy")
FUNCTIONS = tuple(
    name
    for name in written_operators.rows()
    if name.startswith("torch.nn.functional.") or name.islower()
)
"""The names of the events that it concerns."""


def as_one(event: Event, trace: Trace) -> Iterator[tuple[str, int]]:
    """The ONNX operator that alone is written for an event, and the opset, per exporter in use.

    Its first input is then the first of the event.
    """
    for exporter in _EXPORTERS:
        if exporter in trace.profile.exporters and event.inputs:
            opset = trace.profile.opset_of(exporter)
            names = written_operators.operators(event.name, exporter, opset) or ()
            if len(names) == 1:
                yield names[0], opset
