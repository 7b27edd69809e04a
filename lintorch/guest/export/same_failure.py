"""Whether a part of a model, exported alone, fails or gives wrong numbers as the whole does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import find_difference
from lintorch.guest.export.exporter import Exported
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.part_calls import Part
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.outcomes import AS_TRACED, Outcome, Variation

_NUMBER = re.compile(r"\d+")


def is_same_failure(whole: Outcome, part: Outcome | None) -> bool:
    """Whether a part fails like the whole: for the same operators, or by the same error at its line."""
    if part is None or whole.stage != part.stage:
        return False
    if whole.operators or part.operators:
        return bool(set(whole.operators) & set(part.operators))
    if part.site is None:
        return _strip_sizes(whole.message) == _strip_sizes(part.message)
    return part.site == whole.site and _get_error_kind(part) == _get_error_kind(whole)


def _strip_sizes(message: str) -> str:
    """A message up to where it names the sizes that are fixed, and without numbers."""
    return _NUMBER.sub("", message.partition(" the code fixes ")[0])


def _get_error_kind(outcome: Outcome) -> str:
    return outcome.message.partition(":")[0]


def is_wrong_alike(wrong: Mapping[Variation, float | None], part: Part, made: Exported) -> bool:
    """Whether a part is wrong at some of the sizes at which the whole is.

    Where the whole is wrong at the traced sizes already, so must the part be; where it is not,
    what is wrong with the part there is another matter.
    """
    found = {*_find_wrong_sizes(part, made)}
    return bool(found & set(wrong)) and (AS_TRACED in found) == (AS_TRACED in wrong)


def _find_wrong_sizes(part: Part, made: Exported) -> Iterator[Variation]:
    """At which sizes of the whole a part differs from eager, or raises where eager runs."""
    for at, example in {AS_TRACED: part.example, **part.others}.items():
        try:
            expected = _run_eager(part.module, example)
        except Exception:
            continue
        try:
            with torch.no_grad():
                given = made.run(_clone_tensors(example))
        except Exception:
            yield at
            continue
        if find_difference(expected, given) is not None:
            yield at


def _run_eager(module: nn.Module, example: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    with copy_module(module, module.training) as copied, torch.no_grad():
        return flatten_output(copied(*_clone_tensors(example)))


def _clone_tensors(example: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Parts may write into what they are given."""
    return tuple(tensor.clone() for tensor in example)
