"""The keys and shapes of what a model saves and loads."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from lintorch.record.sites import Shape


def measure_state(module: nn.Module) -> dict[str, Shape | None]:
    """Shapes by key of the state_dict; None for those that a lazy module has not decided yet."""
    return {
        str(key): None if is_lazy(value) else tuple(value.shape)
        for key, value in module.state_dict(keep_vars=True).items()
        if isinstance(value, Tensor)
    }
