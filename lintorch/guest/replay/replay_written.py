"""Whether what forward writes to a module reaches the output of the next call, or is never read there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import Difference
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.process.error_text import class_name_of
from lintorch.guest.replay.run_again import Outputs, Replay, describe_difference
from lintorch.guest.replay.unusable import Unusable
from lintorch.guest.watch.attribute_writes import describe_value, is_same_value
from lintorch.record.events import KeptWrite, ModuleWrite, ResetWrite, RunEvent
from lintorch.record.events.replay_verdicts import WrittenKind

Key = tuple[str, str]
"""Path of a module and name of its attribute."""
_MOST = 6
_PLAIN = (bool, int, float, str, type(None), torch.Tensor)


def replay_writes(replay: Replay, events: Sequence[RunEvent]) -> Iterator[RunEvent]:
    """`KeptWrite` per line that writes what makes the next call with the same input another one.

    `ResetWrite` per line that writes what is written again before it is read.
    """
    writes = [e for e in events if isinstance(e, ModuleWrite) and not e.same]
    keys = dict.fromkeys(map(_key, writes))
    before, after, again = _twice(replay, list(keys)[:_MOST])
    for key in before:
        if again and not is_same_value(before[key], after[key]):
            alone = replay.compare_outputs(
                replay.run_model(partial(_holding, key=key, value=after[key]))
            )
            if alone:
                kind, change = _kind(replay.subject.module, key, before), describe_difference(again)
                then, now = describe_value(before[key]), describe_value(after[key])
                for write in _first_on_line(key, writes):
                    yield KeptWrite(
                        write.site,
                        write.layer,
                        attribute=write.attribute,
                        operator=write.operator,
                        kind=kind,
                        change=change,
                        then=then,
                        now=now,
                    )
                continue
        if not isinstance(before[key], torch.Tensor) and _is_unread(replay, key):
            for write in _first_on_line(key, writes):
                name, operator = write.attribute, write.operator
                yield ResetWrite(write.site, write.layer, attribute=name, operator=operator)


def _twice(
    replay: Replay, keys: Sequence[Key]
) -> tuple[Mapping[Key, Any], Mapping[Key, Any], Difference | None]:
    """What attributes hold before and after a call, and how a second call in a row differs."""
    with copy_module(replay.subject.module) as module:
        before = {key: _copied(_held(module, key)) for key in keys}
        replay.call_module(module)
        after = {key: _copied(_held(module, key)) for key in keys}
        plain = [k for k in keys if isinstance(before[k], _PLAIN) and isinstance(after[k], _PLAIN)]
        before = {key: before[key] for key in plain}
        try:
            return before, after, replay.compare_outputs(replay.call_module(module))
        except Exception as error:  # whatever user code raises
            why = f"it raises {class_name_of(error)}"
            return before, after, Difference(None, why=why)


@contextmanager
def _holding(module: nn.Module, key: Key, value: Any) -> Iterator[None]:
    """A module whose attribute has another value."""
    path, name = key
    part = module.get_submodule(path)
    table = part._buffers if name in part._buffers else part.__dict__
    held = table.get(name)
    alike = isinstance(value, torch.Tensor) and isinstance(held, torch.Tensor)
    if alike and held.shape == value.shape and held.dtype == value.dtype:
        held.data.copy_(value)  # other names of it stay names of it
    else:
        table[name] = _copied(value)
    yield


def _is_unread(replay: Replay, key: Key) -> bool:
    """Whether a call gives the same output, and writes the attribute, where its old value cannot be used."""
    poison = Unusable()
    try:
        with copy_module(replay.subject.module) as module, _holding(module, key, poison):
            outputs: Outputs = replay.call_module(module)
            return replay.compare_outputs(outputs) is None and _held(module, key) is not poison
    except Exception:  # it was used
        return False


def _first_on_line(key: Key, writes: Sequence[ModuleWrite]) -> list[ModuleWrite]:
    """Of the writes to an attribute, the first on each line; the last line comes first."""
    return [*{write.site: write for write in reversed(writes) if _key(write) == key}.values()]


def _key(write: ModuleWrite) -> Key:
    return write.layer, write.attribute


def _held(module: nn.Module, key: Key) -> Any:
    part = module.get_submodule(key[0])
    absent = object()
    return part._buffers.get(key[1], part.__dict__.get(key[1], absent))


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _kind(module: nn.Module, key: Key, before: Mapping[Key, Any]) -> WrittenKind:
    if key[1] in module.get_submodule(key[0])._buffers:
        return "buffer"
    return "number" if isinstance(before[key], (bool, int, float)) else "tensor"
