"""Two exported halves of a decoder that keeps its past in itself: the step goes on where the prompt ended."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from lintorch.guest.decoding.generate import Run
from lintorch.guest.export.exporter import Exported
from lintorch.guest.watch.make_tensors import flatten_output


def share_state(prefill: Exported, step: Exported) -> tuple[Run, Run]:
    """Both as they run one after the other; where one is no module, nothing can be handed over."""
    if prefill.module is None or step.module is None:
        return prefill.run, step.run
    first, then = copy.deepcopy(prefill.module), copy.deepcopy(step.module)

    def begin(values: Sequence[Any]) -> list[torch.Tensor]:
        given = flatten_output(first(*values))
        held = dict(first.named_buffers())
        with torch.no_grad():
            for name, value in then.named_buffers():
                if name in held and held[name].shape == value.shape:
                    value.copy_(held[name])
        return given

    return begin, lambda values: flatten_output(then(*values))
