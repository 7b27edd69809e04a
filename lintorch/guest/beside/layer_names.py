"""Names of layers and weights in a file, whatever a wrapper has put before them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from lintorch.guest.export.onnx_graph import read_layer

_PREFIXES = ("module.", "_orig_mod.", "model.", "net.", "inner.", "wrapped.")


def strip_prefixes(name: str) -> str:
    """Without the names by which wrappers call the model inside them."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def find_layer(node: Any, known: Container[str]) -> str:
    """The layer that a node stands in, as the model calls it where it is one of the `known`."""
    layer = read_layer(node)
    return layer if layer in known else strip_prefixes(layer)
