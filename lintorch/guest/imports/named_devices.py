"""Has tensors that code makes on a GPU by name (`torch.zeros(2, device="cuda")`) made on the CPU.

Only where a model raised for it, since a mode of torch has to see each call of torch from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from torch.overrides import TorchFunctionMode

from lintorch.guest.imports.cpu_for_gpu import name_cpu, note_cpu_taken
from lintorch.guest.process.error_text import text_of

_NO_GPU = re.compile(
    r"not compiled with \w+ enabled|Found no \w+ driver|No \w+ GPUs are available|not linked with support for \w+ devices"
)
_entered: list[TorchFunctionMode] = []


class _MadeOnCpu(TorchFunctionMode):
    """The CPU for each device that is not there, which a function of torch is told by name."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if "device" in given:
            given["device"] = name_cpu(given["device"])
        return func(*args, **given)


def make_tensors_on_cpu(error: BaseException, place: str) -> bool:
    """Whether an error speaks of a GPU that is not there, and what raised it is worth another try.

    All is made on the CPU from then on.
    """
    if _entered or not _NO_GPU.search(text_of(error)):
        return False
    mode = _MadeOnCpu()
    mode.__enter__()
    _entered.append(mode)
    note_cpu_taken(place)
    return True
