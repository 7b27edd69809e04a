"""Records one eager run: every operator with the user's line, every question that Python asked of a tensor."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from lintorch.trace.layers import Layers
from lintorch.trace.operators import arguments, name_of
from lintorch.trace.record import Event, Site
from lintorch.trace.site import Files
from lintorch.trace.sized import Sized, listening, sized
from lintorch.trace.writes import Writes

MOST_EVENTS = 20_000
_PLUMBING = ("torch/_tensor.py", "torch/overrides.py", "torch/utils/_contextlib.py")
_QUESTIONS = {
    "torch.Tensor.__len__": "size.len",
    "torch.Tensor.item": "tensor.item",
    "torch.Tensor.__bool__": "tensor.bool",
    "torch.Tensor.is_nonzero": "tensor.bool",
    "torch.Tensor.__contains__": "tensor.bool",
    "torch.Tensor.__int__": "tensor.int",
    "torch.Tensor.__index__": "tensor.int",
    "torch.Tensor.__float__": "tensor.float",
    "torch.Tensor.tolist": "tensor.tolist",
    "torch.Tensor.numpy": "tensor.numpy",
    "torch.Tensor.__array__": "tensor.numpy",
}
_SIZES = frozenset(
    ("torch.Tensor.shape.__get__", "torch.Tensor.size", "torch.Tensor.numel", "torch.Tensor.nelement")
)
_FROM_SIZES = frozenset(("torch.tensor", "torch.as_tensor"))


class Recorder(TorchFunctionMode):
    """Use as a context around one call of the model; `events` fills up meanwhile.

    With `follow`, sizes read from a shape are numbers that report what becomes of them.
    """

    def __init__(self, files: Files, layers: Layers, writes: Writes, follow: bool) -> None:
        super().__init__()
        self.events: list[Event] = []
        self._files, self._layers, self._writes, self._follow = files, layers, writes, follow
        self._data = torch.utils.weak.WeakIdKeyDictionary()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        name = name_of(func)
        asker = _asker(sys._getframe(1))
        shapes = _shapes(args, given) if name else None
        with listening(None):
            out = func(*args, **given)
            if not name or len(self.events) > MOST_EVENTS:
                return out
            if name in _SIZES:
                return self._size(args[0], out, asker)
            self._record(func, name, args, given, out, asker, shapes)
        return out

    def heard(self, question: str, answer: Any, operands: Mapping[str, Any]) -> None:
        """A size was asked something; torch's own questions are not the user's."""
        asker = _asker(sys._getframe(2))
        if asker is not None and not _is_torch(asker) and (site := self._files.site(asker)):
            self._add(Event(question, site, args=operands, value=answer, **self._layers.current()))

    def _record(
        self,
        func: Callable[..., Any],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        out: Any,
        asker: FrameType | None,
        shapes: Any,
    ) -> None:
        site = self._files.site(asker)
        if site is None:
            return
        if name == "torch.Tensor.data.__get__" and isinstance(out, torch.Tensor):
            self._data[out] = True
        tensors, inputs, dtypes = shapes
        question = self._question(name, asker, args, kwargs)
        if question:
            self._add(self._event(question, site, inputs, _answer(name, out, inputs)))
            if not name.startswith("torch.tensor"):
                return
        if name.endswith(".__get__") and not isinstance(out, torch.Tensor):
            return
        plain = arguments(func, args, kwargs)
        where = self._layers.current()
        outputs = tuple(tuple(t.shape) for t in _tensors(out))
        event = Event(name, site, inputs=inputs, dtypes=dtypes, outputs=outputs, args=plain, **where)
        self._add(event)
        for extra in self._writes.reads(tensors):
            self._add(extra)
        for extra in self._writes.after(name.rpartition(".")[2], event, tensors, out):
            self._add(extra)
