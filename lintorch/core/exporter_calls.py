"""The calls by which projects export models, and what they do where they do not say."""

from __future__ import annotations

ONNX_EXPORT = "torch.onnx.export"
EXPORTER_CALLS = {
    "torch.export.export": ("torch.export", "mod"),
    "torch.export.export_for_inference": ("torch.export", "mod"),
    "torch.export.draft_export": ("torch.export", "mod"),
    ONNX_EXPORT: ("onnx", "model"),
    "torch.onnx.dynamo_export": ("onnx", "model"),
    "torch.jit.trace": ("torchscript-trace", "func"),
    "torch.jit.trace_module": ("torchscript-trace", "mod"),
    "torch.jit.script": ("torchscript-script", "obj"),
}
"""By full name: the exporter, and the name of the parameter that takes the model.

Which exporter `torch.onnx.export` takes, its argument `dynamo` says.
"""
DIAGNOSING = frozenset({"torch.export.draft_export"})
"""Those that only tell what would go wrong: nobody deploys what they make."""
DYNAMO_SINCE = (2, 5)
"""The release of torch since which `torch.onnx.export` takes `dynamo`."""
DYNAMO_BY_DEFAULT = (2, 9)
"""The release since which it is True where nothing is said."""
