"""The line at which a step behind a cache first computes something else than the whole text does there."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from lintorch.guest.decoding.find_form import Found
from lintorch.guest.decoding.subject import Subject
from lintorch.guest.export.compare_numbers import find_difference, measure_differences
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.operator_names import name_operator
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import PastForgotten
from lintorch.record.sites import Site

_LENGTH = 6
"""Tokens of the text; all but the last are in the cache."""


@dataclass
class _Call:
    """One operator: where it is called, what it gave, and the calls whose results it took."""

    key: tuple[Site, str, int]
    given: torch.Tensor
    takes: tuple[int, ...]


@dataclass
class _Listener(TorchFunctionMode):  # type: ignore[misc]
    """Notes each operator that a line of the user's calls."""

    files: UserLines
    calls: list[_Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._seen: Counter[tuple[Site, str]] = Counter()
        self._made: dict[int, int] = {}
        self._kept: list[torch.Tensor] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        name = name_operator(function)
        site = self.files.find_site(sys._getframe(1)) if name else None
        if site is not None:
            self._note(site, name, [*args, *(kwargs or {}).values()], result)
        return result

    def _note(self, site: Site, name: str, given: list[Any], result: Any) -> None:
        outputs = [*find_tensors(given[0] if result is None and given else result)]
        if not outputs:
            return
        takes = tuple(
            self._made[id(each)] for each in find_tensors(given) if id(each) in self._made
        )
        self._seen[site, name] += 1
        for output in outputs:
            self._made[id(output)] = len(self.calls)
            self._kept.append(output)  # so that nothing else gets its id
        key = (site, name, self._seen[site, name])
        self.calls.append(_Call(key, outputs[0].detach().clone(), takes))


def find_forgotten_past(found: Found, subject: Subject, files: UserLines) -> PastForgotten | None:
    """Where the past is lost; None where logits agree, or no line of the user's is to blame."""
    text, past = subject.make_tokens(1, _LENGTH), _LENGTH - 1
    whole, step = _Listener(files), _Listener(files)
    with copy_module(found.decoder.module) as module, torch.no_grad():
        decoder = found.take_module(module)
        cache = decoder.begin(text[:, :past]).cache
        with step:
            stepped = decoder.go_on(text[:, past:], past, cache).logits
        with whole:
            expected = decoder.begin(text).logits
    (apart,) = measure_differences([expected], [stepped])
    if apart.amount is None or apart.amount <= apart.tolerance:
        return None
    culprit = next(_list_culprits(step.calls, {call.key: call.given for call in whole.calls}), None)
    if culprit is None:
        return None
    site, name, _ = culprit.key
    return PastForgotten(
        site, function=name, past=past, amount=apart.amount, tolerance=apart.tolerance
    )


def _list_culprits(step: list[_Call], whole: dict[Any, torch.Tensor]) -> Iterator[_Call]:
    """Those that reach the logits and differ, though nothing that they take does; in their order."""
    differs = [_differs(whole.get(call.key), call.given) for call in step]
    tainted: list[bool] = []
    for call, own in zip(step, differs, strict=True):
        tainted.append(bool(own) or (own is None and any(tainted[n] for n in call.takes)))
    reaching = {len(step) - 1}
    for number in range(len(step) - 1, -1, -1):
        if number in reaching and tainted[number]:
            reaching |= {*step[number].takes}
    for number, call in enumerate(step):
        if number in reaching and differs[number] and not any(tainted[n] for n in call.takes):
            yield call


def _differs(whole: torch.Tensor | None, step: torch.Tensor) -> bool | None:
    """Whether a step's values are others than the last ones of the whole; None where they have no match."""
    if whole is None or whole.dim() != step.dim() or whole.dtype != step.dtype:
        return None
    for axis, size in enumerate(step.shape):
        if size > whole.shape[axis]:
            return None
        whole = whole.narrow(axis, whole.shape[axis] - size, size)
    return find_difference([whole], [step]) is not None
