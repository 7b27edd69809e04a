"""What a run leaves in a module for the next one, and what becomes of an export made after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import find_difference
from lintorch.guest.export.eager_reference import Eager
from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.shared_state import find_shared_state
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.replay.unusable import Unusable
from lintorch.guest.watch.attribute_writes import is_same_value
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.outcomes import Outcome

Export = Callable[[Job], Exported | Outcome]
JudgeAgainst = Callable[[Exported, Eager], Outcome]
Held = dict[tuple[str, str], Any]
"""By the path of a module and the name of an attribute or buffer: what it holds."""
_OWN = frozenset(vars(nn.Module())) - {"training"}
"""What every module keeps of itself."""


def try_after_run(
    right: Outcome,
    job: Job,
    export: Export,
    judge: JudgeAgainst,
    eager: Eager,
    late: float,
) -> Outcome:
    """The same outcome, unless a run leaves what the next one reads and an export after it goes wrong.

    Then it is compared with what eager gives after that run. The same too where it is `late`.
    """
    judged = right
    with copy_module(job.module) as warmed, torch.no_grad():
        kept = [] if warmed is job.module else _find_kept_state(warmed, job, eager)
        if not kept:
            return right
        with suppress(TooSlow), limit_seconds(max(1.0, late - clock())):
            judged = _export_warmed(warmed, job, export, judge, eager)
    names = tuple(".".join(filter(None, key)) for key in kept)
    told = f"exported after a run, which leaves {' and '.join(names)}: "
    if judged.status == "failed" and judged.stage != "stopped":
        return replace(judged, message=f"{told}{judged.message}", kept=names)
    if judged.status == "wrong":
        wrong, error = told + judged.detail, judged.error
        return replace(right, status="wrong", detail=wrong, error=error, kept=names)
    return right


def _export_warmed(
    warmed: nn.Module, job: Job, export: Export, judge: JudgeAgainst, eager: Eager
) -> Outcome:
    with TemporaryDirectory() as folder:
        made = export(replace(job, module=warmed, directory=Path(folder), keep=False))
        return made if isinstance(made, Outcome) else judge(made, Eager(warmed, eager.model))


def _find_kept_state(module: nn.Module, job: Job, eager: Eager) -> list[tuple[str, str]]:
    """Run a module; what that has changed in it, if a run depends on what is there before it."""
    before = _hold_values(module)
    arguments = job.arrange_arguments(job.example)
    try:
        with copy_module(module) as other:
            module(*arguments)
            after = _hold_values(module)
            changed = [key for key, value in after.items() if not _is_alike(before, key, value)]
            return changed if changed and _is_read(other, changed, arguments, eager) else []
    except Exception:  # a run more than was tried before
        return []


def _hold_values(module: nn.Module) -> Held:
    """All but what hooks write to: each run writes that before its forward reads it."""
    found: Held = {}
    shared = find_shared_state(module)
    for path, part in module.named_modules():
        for name, value in _list_held(part):
            if id(value) not in shared:
                found[path, name] = _copy_shallowly(value)
    return found


def _list_held(part: nn.Module) -> Iterator[tuple[str, Any]]:
    yield from part._buffers.items()
    yield from ((name, value) for name, value in vars(part).items() if name not in _OWN)


def _copy_shallowly(value: Any) -> Any:
    """What may be changed in place, as it is now."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return type(value)(value) if type(value) in (dict, list, set) else value


def _is_alike(before: Mapping[tuple[str, str], Any], key: tuple[str, str], now: Any) -> bool:
    if key not in before:
        return False
    value = before[key]
    if type(value) in (dict, list, set) and type(value) is type(now):
        return len(value) == len(now) and all(map(_is_same, _list_parts(value), _list_parts(now)))
    return _is_same(value, now)


def _list_parts(value: Any) -> Iterable[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value)


def _is_same(value: Any, now: Any) -> bool:
    return value is now or is_same_value(value, now)


def _is_read(
    module: nn.Module, changed: Iterable[tuple[str, str]], arguments: tuple[Any, ...], eager: Eager
) -> bool:
    """Whether a run is another, or ends, where what was there before can not be used."""
    for path, name in changed:
        part = module.get_submodule(path)
        (part._buffers if name in part._buffers else vars(part))[name] = Unusable()
    try:
        given = flatten_output(module(*arguments))
    except Exception:
        return True
    return find_difference(eager.list_numbers_at(eager.model.sizes), given) is not None
