"""Each operator that torch runs, as a run goes on."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

_DYNAMO = "torch._dynamo"
_UNSEEN = "__dynamo_disable"
"""Where torch keeps what it calls in place of a function that its compiler is not to follow."""


class OperatorWatch(TorchDispatchMode):  # type: ignore[misc]
    """Within, `note` is called for each operator behind its run."""

    def note(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        """The operator, what it was given, and what it gave."""
        raise NotImplementedError

    def __enter__(self) -> OperatorWatch:
        _keep_compiler_unloaded()
        entered: OperatorWatch = super().__enter__()
        return entered

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


def _keep_compiler_unloaded() -> None:
    """Let torch load its compiler, which takes seconds, for no more than not to compile what is watched here."""
    dispatch = inspect.unwrap(OperatorWatch.__torch_dispatch__)
    if _DYNAMO not in sys.modules:
        setattr(dispatch, _UNSEEN, dispatch)
    elif getattr(dispatch, _UNSEEN, None) is dispatch:
        delattr(dispatch, _UNSEEN)
