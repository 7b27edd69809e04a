"""What of a forward pass the ONNX exporters write as operators, by the name that was measured."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.dataflow.value_uses import HasUses
from lintorch.syntax.literals import arguments
from lintorch.targets import written_operators

INTERPOLATE, SIZES = "torch.nn.functional.interpolate", ("input", "size", "scale_factor", "mode")
MODES = ("nearest", "linear", "bilinear", "trilinear", "bicubic")


def exported_name(call: cst.Call, source: HasUses) -> str:
    """The full name of a layer that is built, or of a function that a forward pass calls; "" for none."""
    name = source.names.name(call.func)
    if name.startswith("torch.nn.") and not name.startswith("torch.nn.functional."):
        return name
    if not name and isinstance(call.func, cst.Attribute):
        named = f"torch.{call.func.attr.value}"
        value = (
            source.flows.value(call.func.value) if named in written_operators.load_rows() else None
        )
        sure = value is not None and value.is_tensor and (value.sure or not value.roots)
        name = named if sure else ""
    if name == INTERPOLATE and arguments(call, *SIZES).value("mode", "nearest") not in MODES:
        return ""  # written otherwise
    known = name in written_operators.load_rows() or name.startswith("torch.nn.functional.")
    runs = known and source.regions.is_traced(call) and source.uses.in_graph(call)
    return name if runs else ""
