"""Which of the inputs that a model was fed its error is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.guest.watch.user_lines import walk_frames

_FEWEST = 2
"""Inputs below which nothing is to be told apart."""


class InputOrigins(TorchFunctionMode):  # type: ignore[misc]
    """Within, each tensor that comes of an input is known by the numbers of the inputs that it comes of."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        super().__init__()
        self._of: Any = WeakIdKeyDictionary()
        self._failed: tuple[BaseException | None, frozenset[int]] = (None, frozenset())
        for number, given in enumerate(inputs):
            self._of[given] = frozenset((number,))

    def find_blamed(self, error: BaseException) -> frozenset[int]:
        """Of what the call that raised was given, else of what is at hand where it was raised."""
        raised, blamed = self._failed
        if raised is error:
            return blamed
        for frame, _ in reversed([*walk_frames(error.__traceback__)]):
            if found := self._join(frame.f_locals.values()):
                return found
        return frozenset()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        try:
            made = func(*args, **given)
        except BaseException as error:
            self._failed = (error, self._join((*args, *given.values())))
            raise
        if isinstance(made, (torch.Tensor, tuple, list)):
            self._note(made, self._join((*args, *given.values())))
        return made

    def _note(self, made: Any, origins: frozenset[int]) -> None:
        for part in flatten_output(made) if origins else ():
            self._of[part] = self._of.get(part, frozenset()) | origins

    def _join(self, values: Iterable[Any]) -> frozenset[int]:
        found = (self._of.get(part) for value in values for part in _list_tensors(value))
        return frozenset(number for each in found if each for number in each)


def follow_inputs(arguments: Any) -> InputOrigins | None:
    """For the tensors in what a model is called with, in order; None where there is one alone."""
    inputs = flatten_output(arguments)
    return InputOrigins(inputs) if len(inputs) >= _FEWEST else None


def _list_tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, (torch.Tensor, tuple, list)):
        with suppress(Exception):  # objects of the user's may raise whatever they are asked
            yield from flatten_output(value)
