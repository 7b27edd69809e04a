"""Each operator that torch runs, as a run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class OperatorWatch(TorchDispatchMode):  # type: ignore[misc]
    """Within, `note` is called for each operator behind its run."""

    def note(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        """The operator, what it was given, and what it gave."""
        raise NotImplementedError

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        out = func(*args, **given)
        self.note(func, args, given, out)
        return out
