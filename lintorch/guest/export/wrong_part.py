"""Whether a part of a model, exported alone, gives wrong numbers as the whole does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import difference
from lintorch.guest.export.exporter import Exported
from lintorch.guest.export.module_state import fresh
from lintorch.guest.export.part_calls import Part
from lintorch.guest.watch.make_tensors import flatten


def wrong_alike(wrong: Mapping[str, float | None], part: Part, made: Exported) -> bool:
    """Whether a part is wrong at some of the sizes at which the whole is.

    Where the whole is wrong at the traced sizes already, so must the part be; where it is not,
    what is wrong with the part there is another matter.
    """
    found = {*_wrong(part, made)}
    return bool(found & set(wrong)) and ("" in found) == ("" in wrong)


def _wrong(part: Part, made: Exported) -> Iterator[str]:
    """At which sizes of the whole a part differs from eager, or raises where eager runs."""
    for group, example in {"": part.example, **part.others}.items():
        try:
            expected = _eager(part.module, example)
        except Exception:
            continue
        try:
            with torch.no_grad():
                given = made.run(_copied(example))
        except Exception:
            yield group
            continue
        if difference(expected, given) is not None:
            yield group


def _eager(module: nn.Module, example: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    with fresh(module, module.training) as copied, torch.no_grad():
        return flatten(copied(*_copied(example)))


def _copied(example: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Parts may write into what they are given."""
    return tuple(tensor.clone() for tensor in example)
