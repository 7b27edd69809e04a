"""Names of layers and weights in a file, whatever a wrapper has put before them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lintorch.guest.export.onnx_graph import read_layer

_PREFIXES = ("module.", "_orig_mod.", "model.", "net.", "inner.", "wrapped.")


def strip_prefixes(name: str) -> str:
    """Without the names by which wrappers call the model inside them."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def find_layer(node: Any, known: Collection[str]) -> str:
    """The layer that a node stands in, as the model calls it where it is one of the `known`.

    The older exporter leaves out containers that nobody calls: `h.0.attn` of `transformer.h.0.attn`.
    """
    layer = read_layer(node)
    if layer in known:
        return layer
    stripped = strip_prefixes(layer)
    if stripped in known or not layer:
        return stripped
    for asked in (layer, stripped):
        longer = [each for each in known if _leaves_out(asked, each)]
        if len(longer) == 1:
            return longer[0]
    return stripped


def _leaves_out(short: str, path: str) -> bool:
    """Whether a path has these names in order, others among them, and ends alike."""
    wanted, atoms = short.split("."), path.split(".")
    rest = iter(atoms)
    return wanted[-1] == atoms[-1] and len(wanted) < len(atoms) and all(w in rest for w in wanted)
