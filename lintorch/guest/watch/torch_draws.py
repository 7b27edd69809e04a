"""Whether an operator drew from torch's own generator, which stands elsewhere then."""

from __future__ import annotations

import torch


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
