"""A model gets weights by which what goes wrong inside it is seen in its output."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from lintorch.guest.export.eager_reference import Eager
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.feed.lively_weights import keep_weights, list_weights, liven_weights
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process import surroundings
from lintorch.guest.process.isolate import Send
from lintorch.guest.watch import make_tensors
from lintorch.record.framing import Message
from lintorch.record.models import Model
from lintorch.record.work_bounds import LIVEN_SECONDS

_TIME_SHARE = 0.5
"""Of the seconds that are left."""
_LARGE_SHARE = 0.1
"""The share of the memory it may take above which a model's weights are left alone."""


@dataclass(frozen=True)
class WeightsLivened(Message, tag="livened"):
    """The model runs as well with other weights, which lie in memory that is shared."""


def liven_model(work: ModelWork, module: nn.Module, fed: Fed) -> bool:
    """Give a module lively weights; False where it keeps its own.

    It does where it would not run, or give numbers that are not finite or that rounding moves.
    """
    weights = list_weights(module)
    if make_tensors.is_weightless(module) or any(map(is_lazy, weights)):
        return False
    size = sum(map(_count_bytes, weights))
    if not size or size > _LARGE_SHARE * work.options.limits.memory:
        return False
    with mmap.mmap(-1, size) as shared:

        def send_weights(send: Send) -> None:
            if _find_weights(module, fed):
                _each_value(shared, weights, lambda kept, value: kept.copy_(value))
                send(WeightsLivened())

        seconds = min(LIVEN_SECONDS, _TIME_SHARE * work.count_seconds_left())
        sent, _ = work.run_step(send_weights, seconds, WeightsLivened)
        if sent:
            _each_value(shared, weights, lambda kept, value: value.copy_(kept))
    return bool(sent)


def _find_weights(module: nn.Module, fed: Fed) -> bool:
    """Give a module lively weights, in a process of its own; whether it is as well with these."""
    model = Model("", "", 1, inputs=fed.inputs, sizes=fed.sizes)
    with copy_module(module) as untouched, copy_module(module) as lively:
        if lively is module:
            return False
        surroundings.seed_generators()
        liven_weights(lively, make_tensors.make_arguments(module, fed.inputs, fed.sizes))
        keep_weights(module, lively)
        before, after = Eager(untouched, model), Eager(module, model)
        for sizes in (fed.sizes, *fed.varied):
            odd = _count_odd(after, sizes)
            if odd and odd > _count_odd(before, sizes):
                return False
    return after.is_firm()


def _count_odd(eager: Eager, sizes: Mapping[str, int]) -> int:
    """How many numbers of a model's outputs are not finite."""
    return sum(int((~torch.isfinite(each)).sum()) for each in eager.list_numbers_at(sizes))


def _each_value(
    shared: mmap.mmap,
    weights: Sequence[torch.Tensor],
    copy: Callable[[torch.Tensor, torch.Tensor], object],
) -> None:
    """Call with the place of each weight in memory that is shared, and the weight."""
    begins = accumulate(map(_count_bytes, weights), initial=0)
    with torch.no_grad():
        for value, begin in zip(weights, begins, strict=False):
            if value.numel():
                kept = torch.frombuffer(
                    shared, dtype=value.dtype, count=value.numel(), offset=begin
                )
                copy(kept.view(value.shape), value)


def _count_bytes(value: torch.Tensor) -> int:
    """Bytes of a weight in shared memory, where each begins at a multiple of 16."""
    size: int = value.numel() * value.element_size()
    return -(-size // 16) * 16
