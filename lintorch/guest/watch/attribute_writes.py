"""What a run writes to the attributes and buffers of modules: `self.calls += 1`, `self.total.add_(x)`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from lintorch.guest.watch.inplace_writes import Writes
from lintorch.guest.watch.tensor_views import memory
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import plain
from lintorch.record.trace import Event

Add = Callable[[Event], None]
_ABSENT = object()


class Attributes:
    """Follows one run of a model's modules; `add` takes a `module.write` event for each write.

    Only what forward will find again is meant: no submodules, and nothing of modules made on the way.
    """

    def __init__(self, root: nn.Module, files: UserLines, add: Add) -> None:
        self._paths = {id(module): path for path, module in reversed(list(root.named_modules()))}
        self._files, self._add = files, add

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Within, `module.attribute = value` of the user's files is told."""
        original = nn.Module.__setattr__

        def setting(module: nn.Module, name: str, value: Any) -> None:
            path = self._paths.get(id(module))
            frame = sys._getframe(1)
            if path is None or not self._files.is_user(frame.f_code.co_filename):
                original(module, name, value)
                return
            before = _held(module, name)
            original(module, name, value)
            if site := self._files.site(frame):
                args = {"attribute": name, "same": same(before, value)}
                args |= {"before": described(before), "after": described(value)}
                self._add(Event("module.write", site, path, args=args))

        nn.Module.__setattr__ = setting
        try:
            yield
        finally:
            nn.Module.__setattr__ = original


class BufferWrites(Writes):
    """Follows in-place operators, also those that change a buffer of the model."""

    def __init__(self, arguments: Iterable[torch.Tensor], root: nn.Module) -> None:
        super().__init__(arguments)
        self._buffers = {memory(each): name.rpartition(".") for name, each in root.named_buffers()}

    def after(self, event: Event, tensors: list[torch.Tensor], out: Any) -> Iterator[Event]:
        """As of any write; a `module.write` first where it is to a buffer."""
        if tensors and self._buffers and event.is_write:
            path, _, name = self._buffers.get(memory(tensors[0]), ("", "", ""))
            operator = event.name.rpartition(".")[2]
            args = {"attribute": name, "same": False, "operator": operator}
            if name:
                yield Event("module.write", event.site, path, args=args)
        yield from super().after(event, tensors, out)


def same(before: Any, after: Any) -> bool:
    """Whether an attribute is what it was: the same object, or an equal plain value or tensor."""
    if before is after:
        return True
    if isinstance(before, torch.Tensor) and isinstance(after, torch.Tensor):
        alike = before.shape == after.shape and before.dtype == after.dtype
        if not alike or before.device != after.device or before.is_meta:
            return False
        with torch._C.DisableTorchFunction():
            return bool(torch.equal(before, after))
    before, after = plain(before), plain(after)
    simple = isinstance(before, (bool, int, float, str)) and type(before) is type(after)
    return simple and bool(before == after)


def described(value: Any) -> Any:
    """A value as it travels: a number or text itself, a tensor's shape in words, else its kind."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {list(value.shape)}"
    return "nothing" if value is _ABSENT else f"a {type(value).__name__}"


def _held(module: nn.Module, name: str) -> Any:
    """What a module has under a name, without asking properties or `__getattr__`."""
    for table in (module.__dict__, module._buffers, module._parameters):
        if name in table:
            return table[name]
    return _ABSENT
