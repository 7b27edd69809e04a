"""Whether numbers were drawn: the generator they came from stands elsewhere then."""

from __future__ import annotations

import random
import sys
from collections.abc import Hashable

import torch


def list_generator_states() -> tuple[Hashable, ...]:
    """Where the generators of torch, Python and NumPy stand."""
    drawn = (random.getstate(), torch.default_generator.get_state().numpy().tobytes())
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return drawn
    name, keys, *place = numpy.get_state()
    return (*drawn, name, keys.tobytes(), *place)


class GeneratorWatch:
    """Looks at the state of torch's generator, again and again."""

    def __init__(self) -> None:
        self._seen = torch.default_generator.get_state()

    def has_moved(self) -> bool:
        """Whether the generator has drawn, or was seeded, since it was last looked at."""
        state = torch.default_generator.get_state()
        moved = not torch.equal(state, self._seen)
        self._seen = state
        return moved
