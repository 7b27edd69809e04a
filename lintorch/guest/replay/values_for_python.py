"""What of the operators that a run is watched at ends in Python, and never in the output: no trace keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.record.sites import Site

_READS = frozenset(
    f"torch.Tensor.{name}"
    for name in ("__bool__", "__int__", "__float__", "__index__", "item", "tolist")
)


class ValuesForPython:
    """Follows what is computed of the results of some operators, by the lines that they go back to."""

    def __init__(self) -> None:
        self._lines: Any = WeakIdKeyDictionary()
        self._read: set[Site] = set()

    def follow_call(self, name: str, given: Iterable[torch.Tensor]) -> set[Site]:
        """The lines behind what an operator is given; noted where Python reads it."""
        lines: set[Site] = set().union(*(self._lines.get(tensor, ()) for tensor in given))
        if name in _READS:
            self._read |= lines
        return lines

    def mark_tensors(self, tensors: Iterable[torch.Tensor], lines: set[Site]) -> None:
        """Say which lines tensors go back to."""
        for tensor in tensors if lines else ():
            self._lines[tensor] = lines | self._lines.get(tensor, set())

    def list_lost(self, outputs: Iterable[torch.Tensor]) -> set[Site]:
        """The lines of which Python read what came, and nothing reached these outputs."""
        reached: set[Site] = set().union(*(self._lines.get(tensor, ()) for tensor in outputs))
        return self._read - reached
