"""Whether what is made on the CPU meets tensors of the model: the model runs on another device.

That device is torch's `meta`, which has no numbers and refuses to compute with tensors of the CPU
as a GPU does, in all that works by element. Such an operator is repeated with its operands moved,
so that the run goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.process.error_text import text_of
from lintorch.guest.replay.run_again import Replay
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.operator_names import name_operator
from lintorch.guest.watch.record_run import WatchedModel
from lintorch.record.events import MixedDevices, RunEvent, SameDevice
from lintorch.record.sites import Site

_SIZED = ("zeros", "ones", "rand", "randn", "full", "empty", "tensor")
MAKERS = tuple(f"torch.{name}" for name in (*_SIZED, "arange", "linspace", "logspace", "eye"))
_REFUSAL = "is not on the expected device"


def replay_elsewhere(replay: Replay, events: Sequence[RunEvent]) -> Iterator[RunEvent]:
    """`MixedDevices` per line that mixes what was made on the CPU with what is where the model is.

    `SameDevice` per line that does not, although it uses what was made there, if the model runs
    to its end without numbers.
    """
    subject, mode = replay.subject, _Elsewhere(replay.subject)
    state = [*subject.module.named_parameters(), *subject.module.named_buffers()]
    moved = {name: value.detach().to("meta") for name, value in state}
    given = replay.inputs_on("meta")
    try:
        with torch.no_grad(), mode:
            torch.func.functional_call(subject.module, moved, given)
    except Exception:  # whatever user code raises: it reads numbers, for one
        mode.same.clear()
    yield from mode.mixed.values()
    yield from (SameDevice(site) for site in mode.same if site not in mode.mixed)


class _Elsewhere(TorchFunctionMode):  # type: ignore[misc]
    """Follows what the user's lines make on the CPU, and notes where it meets what is not there."""

    def __init__(self, subject: WatchedModel) -> None:
        super().__init__()
        self.mixed: dict[Site, MixedDevices] = {}
        self.same: dict[Site, bool] = {}
        self._files = subject.files
        self._made: Any = WeakIdKeyDictionary()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        tensors = make_tensors.flatten_output([args, given])
        made = [tensor for tensor in tensors if tensor in self._made]
        try:
            out = func(*args, **given)
        except RuntimeError as error:
            if _REFUSAL not in text_of(error) or not made:
                raise
            self._note(name_operator(func), made[0], tensors)
            args, given = tree_map(_moved, (args, given))
            return func(*args, **given)
        if made or (name_operator(func) in MAKERS and given.get("device") is None):
            self._follow(func, made, tensors, out)
        return out

    def _note(self, name: str, made: torch.Tensor, tensors: Sequence[torch.Tensor]) -> None:
        site = self._files.find_site(sys._getframe(2))
        there = next((tensor for tensor in tensors if tensor.is_meta), made)
        if site and there is not made:
            self.mixed.setdefault(
                site,
                MixedDevices(
                    site,
                    operator=name,
                    row=self._made[made].row,
                    there=tuple(there.shape),
                    made=tuple(made.shape),
                ),
            )

    def _follow(
        self,
        func: Callable[..., Any],
        made: Sequence[torch.Tensor],
        tensors: Sequence[torch.Tensor],
        out: Any,
    ) -> None:
        site = self._files.find_site(sys._getframe(2))
        if site is None or not isinstance(out, torch.Tensor) or out.is_meta:
            return
        if made and not any(tensor.is_meta for tensor in tensors):
            self.same[site] = True
        origin = self._made[made[0]] if made else site
        self._made[out] = origin


def _moved(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value
