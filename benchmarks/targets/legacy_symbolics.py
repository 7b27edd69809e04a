"""Writes lintorch/targets/data/_legacy_symbolics.json: what the older ONNX exporter of torch translates, and from which opset on.

    python benchmarks/targets/legacy_symbolics.py

Reads torch's own register of translations; needs torch. An operator that is not in the file has none.
"""

from __future__ import annotations

import importlib
import json
from contextlib import suppress
from pathlib import Path

FILE = Path(__file__).parents[2] / "lintorch/targets/data/_legacy_symbolics.json"
PACKAGE = "torch.onnx._internal.torchscript_exporter"
OPSETS = range(7, 21)


def read_register() -> dict[str, int]:
    """By operator, `aten::tril`, the lowest opset at which it is translated."""
    for opset in OPSETS:
        with suppress(ImportError):
            importlib.import_module(f"{PACKAGE}.symbolic_opset{opset}")
    registry = importlib.import_module(f"{PACKAGE}.registration").registry
    firsts: dict[str, int] = {}
    for name in sorted(registry.all_functions()):
        group = registry.get_function_group(name)
        first = next((n for n in OPSETS if group is not None and group.get(n)), None)
        if first is not None:
            firsts[name] = first
    return firsts


if __name__ == "__main__":
    FILE.write_text(json.dumps({"firsts": read_register()}, indent=0) + "\n")
