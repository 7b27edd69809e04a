"""Records one eager run: every operator with the user's line, every question that Python asked of a tensor."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.watch import watched_sizes as sized_module
from lintorch.guest.watch.array_reads import holds_size
from lintorch.guest.watch.data_flow import DataFlow
from lintorch.guest.watch.inplace_writes import WriteWatch
from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.operator_names import name_arguments, name_operator
from lintorch.guest.watch.running_layers import LayerWatch
from lintorch.guest.watch.torch_draws import GeneratorWatch
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import as_sized, hear_questions
from lintorch.record.events import (
    OperatorCall,
    RunEvent,
    Shapes,
    SizeChosen,
    SizeCompared,
    SizeRead,
    SizeUse,
    TensorRead,
    TensorUse,
    TorchDraw,
)
from lintorch.record.runs import MOST_EVENTS
from lintorch.record.sites import Site

_MOST_NUMBERS = 16
_ITERATED = torch.Tensor.__iter__.__code__
_TORCH = os.path.dirname(torch.__file__) + os.sep
_PLUMBING = frozenset(
    (
        __file__,
        sized_module.__file__,
        *(
            os.path.join(os.path.dirname(__file__), name)
            for name in ("array_reads.py", "size_ranges.py")
        ),
        *(_TORCH + name for name in ("_tensor.py", "overrides.py", "utils/_contextlib.py")),
    )
)
_QUESTIONS: Mapping[str, SizeUse | TensorUse] = {
    "torch.Tensor.__len__": SizeUse.LEN,
    "torch.Tensor.item": TensorUse.ITEM,
    "torch.Tensor.__bool__": TensorUse.BOOL,
    "torch.Tensor.is_nonzero": TensorUse.BOOL,
    "torch.Tensor.__contains__": TensorUse.BOOL,
    "torch.Tensor.__int__": TensorUse.INT,
    "torch.Tensor.__index__": TensorUse.INT,
    "torch.Tensor.__float__": TensorUse.FLOAT,
    "torch.Tensor.tolist": TensorUse.LIST,
    "torch.Tensor.numpy": TensorUse.NUMPY,
    "torch.Tensor.__array__": TensorUse.NUMPY,
}
_SIZES = frozenset(
    (
        "torch.Tensor.shape.__get__",
        "torch.Tensor.size",
        "torch.Tensor.numel",
        "torch.Tensor.nelement",
    )
)
_FROM_SIZES = frozenset(("torch.tensor", "torch.as_tensor"))
_DATA = "torch.Tensor.data.__get__"
_ORDER = ("<", "<=", ">", ">=")


class Follower(Protocol):
    """Takes note of every operator of a run, whosever line it stands on."""

    def follow_operator(
        self, name: str, args: Sequence[Any], tensors: Sequence[torch.Tensor], out: Any
    ) -> None:
        """An operator ran on these arguments, `tensors` being those among them."""


class Recorder(TorchFunctionMode):  # type: ignore[misc]
    """Use as a context around one call of the model; `events` fills up meanwhile.

    With `follow`, sizes read from a shape are numbers that report what becomes of them.
    """

    def __init__(
        self,
        files: UserLines,
        layers: LayerWatch,
        writes: WriteWatch,
        follow: bool,
        flow: DataFlow,
        followers: Sequence[Follower] = (),
    ) -> None:
        super().__init__()
        self.events: list[RunEvent] = []
        self._files, self._layers, self._writes, self._follow = files, layers, writes, follow
        self._flow, self._followers = flow, followers
        self._data: Any = WeakIdKeyDictionary()
        self._generator = GeneratorWatch()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        name = name_operator(func)
        asker = _asker(sys._getframe(1))
        if func is torch.Tensor.unbind and sys._getframe(1).f_code is _ITERATED:
            self._iterated(args[0], asker)
        before = _before(args, given)
        with hear_questions(None):
            out = func(*args, **given)
            if not name or len(self.events) > MOST_EVENTS:
                return out
            if name in _SIZES:
                return self._size(args[0], out, asker)
            self._record(func, name, args, given, out, asker, before)
            for follower in self._followers:
                follower.follow_operator(name, (*args, *given.values()), before.tensors, out)
        return out

    def hear_question(self, kind: type[RunEvent], parts: Mapping[str, Any]) -> None:
        """A size was asked something; questions of torch and of other libraries are not the user's."""
        asker = _asker(sys._getframe(1))
        if site := self._asked_at(asker):
            if kind is SizeCompared and parts["operator"] in _ORDER and _in_call(asker):
                kind = SizeChosen
            self._add(kind(site, *self._layers.current_layer(), **parts))

    def _asked_at(self, asker: FrameType | None) -> Site | None:
        if asker is None or not self._files.is_user(asker.f_code.co_filename):
            return None
        return self._files.find_site(asker)

    def _size(self, tensor: Any, out: Any, asker: FrameType | None) -> Any:
        """The sizes that were asked for, as numbers that report."""
        site = self._asked_at(asker)
        if site is None or not isinstance(out, (int, tuple)):
            return out
        if tensor in self._data:
            value = tuple(out) if isinstance(out, tuple) else out
            where = self._layers.current_layer()
            self._add(SizeRead(site, *where, how=SizeUse.DATA, value=value))
        if not self._follow:
            return out
        return torch.Size(map(as_sized, out)) if isinstance(out, tuple) else as_sized(out)

    def _iterated(self, tensor: torch.Tensor, asker: FrameType | None) -> None:
        if site := self._asked_at(asker):
            shape = tuple(tensor.shape)
            rows = shape[0] if shape else None
            self._add(self._read(TensorUse.ITERATION, site, (shape,), rows))

    def _record(
        self,
        func: Callable[..., Any],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        out: Any,
        asker: FrameType | None,
        before: _Before,
    ) -> None:
        site = self._files.find_site(asker)
        if site is None:
            self._flow.pass_through(before.tensors, out)
            return
        if name == _DATA and isinstance(out, torch.Tensor):
            self._data[out] = True
        question = self._question(name, asker, args)
        if question:
            self._add(self._read(question, site, before.shapes, _answer(out)))
            if question is not SizeUse.TENSOR:
                return
        if name in _QUESTIONS or (name.endswith(".__get__") and not isinstance(out, torch.Tensor)):
            return
        plain = name_arguments(func, args, kwargs)
        outputs = tuple(tuple(t.shape) for t in find_tensors(out))
        call = OperatorCall(
            site,
            *self._layers.current_layer(),
            name=name,
            inputs=before.shapes,
            dtypes=before.dtypes,
            outputs=outputs,
            args=plain,
            takes=self._flow.find_origins(before.tensors),
        )
        self._add(call)
        self._flow.note_call(out)
        if self._generator.has_moved():
            self._add(TorchDraw(site, *self._layers.current_layer(), function=name))
        extra: RunEvent
        for extra in self._writes.find_shown_writes(name.rpartition(".")[2], before.tensors):
            self._add(extra)
        for extra in self._writes.follow_call(call, before.tensors, out):
            self._add(extra)

    def _question(
        self, name: str, asker: FrameType | None, args: tuple[Any, ...]
    ) -> SizeUse | TensorUse | None:
        """The question that the user's own line, or a library that it calls, asks with this call."""
        asked = _QUESTIONS.get(name)
        if self._asked_at(asker) is None:
            by_library = asked is TensorUse.NUMPY and _is_library(asker)
            return TensorUse.ARRAY if by_library else None
        if name in _FROM_SIZES and args and holds_size(args[0]):
            return SizeUse.TENSOR
        return asked

    def _read(
        self, how: SizeUse | TensorUse, site: Site, shapes: Shapes, value: Any
    ) -> SizeRead | TensorRead:
        where = self._layers.current_layer()
        if isinstance(how, SizeUse):
            return SizeRead(site, *where, how=how, value=value)
        return TensorRead(site, *where, how=how, inputs=shapes, value=value)

    def _add(self, event: RunEvent) -> None:
        if len(self.events) < MOST_EVENTS:
            self.events.append(event)


@dataclass(frozen=True)
class _Before:
    """Tensors among the arguments, with shapes and dtypes as they were before the call."""

    tensors: list[torch.Tensor]
    shapes: Shapes
    dtypes: tuple[str, ...]


def _before(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Before:
    tensors = list(find_tensors((args, tuple(kwargs.values()))))
    shapes = tuple(tuple(t.shape) for t in tensors)
    return _Before(tensors, shapes, tuple(str(t.dtype).removeprefix("torch.") for t in tensors))


def _asker(frame: FrameType | None) -> FrameType | None:
    """The frame that asked, past the plumbing between it and here."""
    while frame is not None and frame.f_code.co_filename in _PLUMBING:
        frame = frame.f_back
    return frame


def _is_library(asker: FrameType | None) -> bool:
    return asker is not None and not asker.f_code.co_filename.startswith(_TORCH)


def _in_call(frame: FrameType | None) -> bool:
    """Whether a frame is in a call of what is no Python code: max(), min() or sorted()."""
    if frame is None or frame.f_lasti < 0:
        return False
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("CALL")


def _answer(out: Any) -> Any:
    """The answer where it is a number, a truth, or few numbers."""
    if isinstance(out, torch.Tensor):
        with suppress(Exception):
            return _nested(out.tolist()) if out.numel() <= _MOST_NUMBERS else None
    if isinstance(out, (bool, int, float)):
        return out
    return None


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value
