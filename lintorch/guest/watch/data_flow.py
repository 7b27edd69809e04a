"""Which calls of a run take what which others gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.watch.make_tensors import find_tensors


class DataFlow:
    """The tensors of one run, by the numbers of the calls that gave them, from 0 in their order.

    What the model is fed has the numbers -1, -2 and so on. A call that is not told is passed
    through: what it gives comes of all that it took.
    """

    def __init__(self, inputs: Sequence[torch.Tensor]) -> None:
        self._calls = 0
        self._origins: Any = WeakIdKeyDictionary()
        for place, tensor in enumerate(inputs):
            self._origins[tensor] = (-1 - place,)

    def find_origins(self, tensors: Iterable[torch.Tensor]) -> tuple[int, ...]:
        """The numbers of the calls that these come of, each once, in order."""
        found = (number for each in tensors for number in self._origins.get(each, ()))
        return tuple(dict.fromkeys(found))

    def note_call(self, out: Any) -> None:
        """The next call is told, and gave this."""
        self._note(out, (self._calls,))
        self._calls += 1

    def pass_through(self, tensors: Iterable[torch.Tensor], out: Any) -> None:
        """A call that is not told took these tensors and gave this."""
        if origins := self.find_origins(tensors):
            self._note(out, origins)

    def _note(self, out: Any, origins: tuple[int, ...]) -> None:
        for tensor in find_tensors(out):
            self._origins[tensor] = origins
