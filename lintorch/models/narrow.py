"""The sizes of what a model runs on that may vary."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from torch import nn

from lintorch.models.guess import Guess
from lintorch.trace import feed
from lintorch.trace.record import Input, Model
from lintorch.trace.run import call
from lintorch.worker.limits import TooSlow, within


@dataclass(frozen=True)
class Fed:
    """What the model runs on; the other sizes at which it runs too, per group of names."""

    inputs: tuple[Input, ...]
    sizes: Mapping[str, int]
    varied: Mapping[str, Mapping[str, int]]


def narrowed(guess: Guess, module: nn.Module, deadline: float) -> Fed:
    """Names only for sizes that may vary; the others become numbers."""

    def runs(sizes: Mapping[str, int]) -> bool:
        if time.monotonic() > deadline:
            return False
        try:
            with within(max(1.0, deadline - time.monotonic())):
                call(module, feed.placed(module, guess.inputs, sizes))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            return False
        return True

    model = Model("", "", 0, inputs=guess.inputs, sizes=guess.sizes)
    varied = feed.varied(model, runs)
    free = {name for group in varied for name in group.split(",")}
    inputs = tuple(
        replace(
            given,
            shape=tuple(
                guess.sizes[size] if isinstance(size, str) and size not in free else size
                for size in given.shape
            ),
        )
        for given in guess.inputs
    )
    sizes = {name: size for name, size in guess.sizes.items() if name in free}
    kept = {group: {n: s for n, s in at.items() if n in free} for group, at in varied.items()}
    return Fed(inputs, sizes, kept)
