"""Loads, when it is imported, what the new ONNX exporter translates operators with: once for all its trials.

It takes longer than many a model's export. ONNX Runtime is not among it: it starts a thread, and
processes are forked from the one that imports this.
"""

from __future__ import annotations

import logging

import onnx  # noqa: F401 - loaded for those that are forked
import onnxscript  # noqa: F401
import torch.onnx._internal.exporter._compat  # noqa: F401
from torch.onnx._internal.exporter._registration import ONNXRegistry

_LOGGER = logging.getLogger("torch.onnx")


def load_translations() -> None:
    """Has onnxscript compile its functions; what it says of packages that are missing is said in trials."""
    level = _LOGGER.level
    _LOGGER.setLevel(logging.CRITICAL)
    try:
        ONNXRegistry.from_torchlib()
    finally:
        _LOGGER.setLevel(level)


load_translations()
