"""What a run writes to the attributes and buffers of modules: `self.calls += 1`, `self.total.add_(x)`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from lintorch.guest.watch.inplace_writes import WriteWatch
from lintorch.guest.watch.tensor_views import storage_id
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import as_plain
from lintorch.record.events import ModuleWrite, OperatorCall, RunEvent

Add = Callable[[ModuleWrite], None]
_ABSENT = object()


class AttributeWatch:
    """Follows one run of a model's modules; `add` takes an event for each write.

    Only what forward will find again is meant: no submodules, and nothing of modules made on the way.
    """

    def __init__(self, root: nn.Module, files: UserLines, add: Add) -> None:
        self._paths = {id(module): path for path, module in reversed(list(root.named_modules()))}
        self._files, self._add = files, add

    @contextmanager
    def follow_writes(self) -> Iterator[None]:
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
            if site := self._files.find_site(frame):
                self._add(
                    ModuleWrite(
                        site,
                        path,
                        attribute=name,
                        same=is_same_value(before, value),
                        before=describe_value(before),
                        after=describe_value(value),
                    )
                )

        nn.Module.__setattr__ = setting
        try:
            yield
        finally:
            nn.Module.__setattr__ = original


class BufferWatch(WriteWatch):
    """Follows in-place operators, also those that change a buffer of the model."""

    def __init__(self, arguments: Iterable[torch.Tensor], root: nn.Module) -> None:
        super().__init__(arguments)
        self._buffers = {
            storage_id(each): name.rpartition(".") for name, each in root.named_buffers()
        }

    def follow_call(
        self, call: OperatorCall, tensors: list[torch.Tensor], out: Any
    ) -> Iterator[RunEvent]:
        """As of any write; a `ModuleWrite` first where it is to a buffer."""
        if tensors and self._buffers and call.is_write:
            path, _, name = self._buffers.get(storage_id(tensors[0]), ("", "", ""))
            operator = call.name.rpartition(".")[2]
            if name:
                yield ModuleWrite(call.site, path, attribute=name, operator=operator)
        yield from super().follow_call(call, tensors, out)


def is_same_value(before: Any, after: Any) -> bool:
    """Whether an attribute is what it was: the same object, or an equal plain value or tensor."""
    if before is after:
        return True
    if isinstance(before, torch.Tensor) and isinstance(after, torch.Tensor):
        alike = before.shape == after.shape and before.dtype == after.dtype
        if not alike or before.device != after.device or before.is_meta:
            return False
        with torch._C.DisableTorchFunction():
            return bool(torch.equal(before, after))
    before, after = as_plain(before), as_plain(after)
    simple = isinstance(before, (bool, int, float, str)) and type(before) is type(after)
    return simple and bool(before == after)


def describe_value(value: Any) -> Any:
    """A value as it travels: a number or text itself, a tensor's shape in words, else its kind."""
    value = as_plain(value)
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
