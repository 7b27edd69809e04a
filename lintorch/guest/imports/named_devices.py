"""Has tensors that code makes on a GPU by name (`torch.zeros(2, device="cuda")`) made on the CPU.

Only where a model raised for it, since a mode of torch has to see each call of torch from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from torch.overrides import TorchFunctionMode

from lintorch.guest.imports.cpu_for_gpu import name_cpu, note_cpu_taken
from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.process.error_text import text_of
from lintorch.record.sites import Site

_NO_GPU = re.compile(
    r"not compiled with \w+ enabled|Found no \w+ driver|No \w+ GPUs are available|not linked with support for \w+ devices"
)
_places: list[str] = []


class _MadeOnCpu(TorchFunctionMode):  # type: ignore[misc]
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


def make_tensors_on_cpu(place: str) -> None:
    """From now on make all on the CPU that is made on a GPU by name, as the code at this place does."""
    if place and not _places:
        _places.append(place)
        _MadeOnCpu().__enter__()
        note_cpu_taken(place)


def helps_to_take_cpu(error: BaseException, where: Site | None) -> bool:
    """Whether an error speaks of a GPU that is not there, so that the CPU is taken from now on."""
    code = get_user_code()
    if _places or where is None or code is None or not _NO_GPU.search(text_of(error)):
        return False
    make_tensors_on_cpu(f"{code.shorten_path(where.path)}:{where.row}")
    return True


def find_place() -> str:
    """The line for which all is made on the CPU; "" where nothing had to be."""
    return next(iter(_places), "")
