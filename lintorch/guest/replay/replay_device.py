"""Whether what is made on one device meets tensors of the model on another: the model runs elsewhere.

That device is torch's `meta`, which has no numbers and refuses to compute with tensors of the CPU
as a GPU does, in all that works by element; of some other operators it is known. Such an operator
is repeated with its operands moved, so that the run goes on.

The model runs so twice: as it is, and once more while all that a line puts on the device of a
tensor stays on the CPU, as it does in a trace, which keeps the device of its example.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.process.error_text import text_of
from lintorch.guest.replay.run_again import Replay
from lintorch.guest.replay.values_for_python import ValuesForPython
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.operator_names import name_operator
from lintorch.guest.watch.record_run import WatchedModel
from lintorch.record.events import KeptDevice, MixedDevices, RunEvent, SameDevice
from lintorch.record.sites import Site

_SIZED = ("zeros", "ones", "rand", "randn", "full", "empty", "tensor")
MAKERS = tuple(f"torch.{name}" for name in (*_SIZED, "arange", "linspace", "logspace", "eye"))
MOVES = ("torch.Tensor.to", "torch.Tensor.new_tensor", "torch.as_tensor")
_REFUSALS = ("is not on the expected device", "are not at the same device")
_UNCHECKED = frozenset(
    (
        "bmm", "baddbmm", "bilinear", "cdist", "conv1d", "conv2d", "conv3d", "einsum", "embedding",
        "gather", "index_select", "linear", "matmul", "mm", "mv", "scatter", "scatter_",
        "__matmul__", "__rmatmul__",
    )
)  # fmt: skip
"""Operators that take tensors of one device only, and of which `meta` does not say so."""


def replay_elsewhere(replay: Replay, events: Sequence[RunEvent]) -> Iterator[RunEvent]:
    """`MixedDevices` per line that mixes what was made on the CPU with what is where the model is.

    `SameDevice` per line that does not, although it uses what was made there, if the model runs
    to its end without numbers. `KeptDevice` per line that mixes where the device stays the example's.
    """
    as_it_is = _run_elsewhere(replay, keeps=False)
    for site, met in as_it_is.mixed.items():
        made_at = met.origin.site.row
        yield MixedDevices(site, operator=met.operator, row=made_at, there=met.there, made=met.made)
    yield from (SameDevice(site) for site in as_it_is.same if site not in as_it_is.mixed)
    for site, met in _run_elsewhere(replay, keeps=True).kept.items():
        yield KeptDevice(
            site,
            function=met.origin.function,
            operator=met.operator,
            row=met.row,
            there=met.there,
            made=met.made,
        )


def _run_elsewhere(replay: Replay, *, keeps: bool) -> _Elsewhere:
    """What one run on the other device has noted."""
    subject, mode = replay.subject, _Elsewhere(replay.subject, keeps)
    state = [*subject.module.named_parameters(), *subject.module.named_buffers()]
    moved = {name: value.detach().to("meta") for name, value in state}
    given = replay.inputs_on("meta")
    output = None
    try:
        with torch.no_grad(), mode:
            output = torch.func.functional_call(subject.module, moved, given)
    except Exception:  # whatever user code raises: it reads numbers, for one
        mode.same.clear()
    for lost in mode.values.list_lost(make_tensors.flatten_output(output)):
        mode.kept.pop(lost, None)
    return mode


@dataclass(frozen=True)
class _Origin:
    """The line that made what is on the CPU; whether it was put there in place of a tensor's device."""

    site: Site
    function: str
    kept: bool


@dataclass(frozen=True)
class _Meeting:
    """What met a tensor of the model, whose shape is `there`."""

    origin: _Origin
    operator: str
    row: int
    there: tuple[int, ...]
    made: tuple[int, ...]


class _Elsewhere(TorchFunctionMode):  # type: ignore[misc]
    """Follows what the user's lines make on the CPU, and notes where it meets what is not there.

    With `keeps`, what a line puts on the device of a tensor stays on the CPU. `values` tells which
    lines only Python asks for what came of that.
    """

    def __init__(self, subject: WatchedModel, keeps: bool) -> None:
        super().__init__()
        self.mixed: dict[Site, _Meeting] = {}  # by the line where they meet
        self.kept: dict[Site, _Meeting] = {}  # by the line that keeps the device
        self.same: dict[Site, bool] = {}
        self.values = ValuesForPython()
        self._met: set[Site] = set()
        self._files, self._keeps = subject.files, keeps
        self._made: Any = WeakIdKeyDictionary()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given, name = dict(kwargs or {}), name_operator(func)
        tensors = make_tensors.flatten_output([args, given])
        lines = self.values.follow_call(name, tensors)
        self._met.clear()
        out = self._run_call(func, name, args, given, tensors)
        written = tensors[:1] if out is None else make_tensors.flatten_output(out)
        self.values.mark_tensors(written, lines | self._met)
        return out

    def _run_call(
        self,
        func: Callable[..., Any],
        name: str,
        args: tuple[Any, ...],
        given: dict[str, Any],
        tensors: Sequence[torch.Tensor],
    ) -> Any:
        made = [tensor for tensor in tensors if tensor in self._made]
        if self._keeps and _puts_elsewhere(name, args, given):
            return self._keep_here(func(*args, **given), name)
        try:
            if made and name.rpartition(".")[2] in _UNCHECKED and _are_mixed(made, tensors):
                raise RuntimeError(_REFUSALS[0])
            out = func(*args, **given)
        except RuntimeError as error:
            if not made or not any(words in text_of(error) for words in _REFUSALS):
                raise
            self._note(name, made[0], tensors)
            args, given = tree_map(_moved, (args, given))
            return func(*args, **given)
        if made or (name in MAKERS and given.get("device") is None):
            self._follow(name, made, tensors, out)
        return out

    def _keep_here(self, out: Any, name: str) -> Any:
        """A tensor that was to be elsewhere as one on the CPU, from the user's line."""
        site = self._files.find_site(sys._getframe(2))
        if site is None or not isinstance(out, torch.Tensor) or not out.is_meta:
            return out
        kept = torch.zeros_like(out, device="cpu")
        self._made[kept] = _Origin(site, name, True)
        return kept

    def _note(self, name: str, made: torch.Tensor, tensors: Sequence[torch.Tensor]) -> None:
        site = self._files.find_site(sys._getframe(2))
        there = next((tensor for tensor in tensors if tensor.is_meta), made)
        if site and there is not made:
            origin = self._made[made]
            shapes = tuple(there.shape), tuple(made.shape)
            noted, at = (self.kept, origin.site) if origin.kept else (self.mixed, site)
            noted.setdefault(at, _Meeting(origin, name, site.row, *shapes))
            self._met.add(at)

    def _follow(
        self,
        name: str,
        made: Sequence[torch.Tensor],
        tensors: Sequence[torch.Tensor],
        out: Any,
    ) -> None:
        site = self._files.find_site(sys._getframe(2))
        if site is None or not isinstance(out, torch.Tensor) or out.is_meta:
            return
        if made and not any(tensor.is_meta for tensor in tensors):
            self.same[site] = True
        self._made[out] = self._made[made[0]] if made else _Origin(site, name, False)


def _puts_elsewhere(name: str, args: Sequence[Any], given: Mapping[str, Any]) -> bool:
    """Whether a call puts its result on the device of a tensor, which is the other one."""
    if name == "torch.Tensor.new_tensor":
        return given.get("device") is None and isinstance(args[0], torch.Tensor) and args[0].is_meta
    wanted = [given.get("device"), *(args[1:2] if name == "torch.Tensor.to" else ())]
    return any(_is_elsewhere(value) for value in (*wanted, given.get("other")))


def _is_elsewhere(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.is_meta)
    return isinstance(value, (str, torch.device)) and str(value) == "meta"


def _are_mixed(made: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> bool:
    """Whether one with a dimension is on the CPU, and another one is not."""
    return any(tensor.ndim and not tensor.is_meta for tensor in made) and any(
        tensor.is_meta for tensor in tensors
    )


def _moved(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value
