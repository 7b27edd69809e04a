"""What is wrong inside an export whose outputs are right: a part whose effect on them is too small to be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import Difference, find_difference
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.shown_parts import ChangedPart, ShownParts
from lintorch.guest.export.size_guards import GuardLog
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.outcomes import Deviation, Outcome, Variation

Export = Callable[[Job], Exported | Outcome]
_LOUDER = 1000.0
"""How many times what is wrong in a part is made larger, to see whether any of it reaches the output."""


@dataclass(frozen=True)
class _WrongPart:
    """A part, what the exported model gives for it at some sizes, and how far off that is."""

    name: str
    sizes: NamedSizes
    given: tuple[torch.Tensor, ...]
    found: Difference


def look_into_parts(
    right: Outcome,
    job: Job,
    export: Export,
    eager: Eager,
    others: Sequence[NamedSizes],
    late: float,
) -> Outcome:
    """The same outcome, unless a part that has an effect on the output is wrong at other sizes alone.

    Its weights may be small as they are here: with others the same export is wrong at its outputs.
    The same too where it is `late`, or the model with its parts shown is not exported.
    """
    judged = right
    with suppress(TooSlow), limit_seconds(max(1.0, late - clock())), torch.no_grad():
        judged = _export_with_parts(right, job, export, eager, others)
    return judged


def _export_with_parts(
    right: Outcome, job: Job, export: Export, eager: Eager, others: Sequence[NamedSizes]
) -> Outcome:
    with copy_module(job.module) as copied, TemporaryDirectory() as folder:
        shown = ShownParts(copied)
        watched = Eager(shown, eager.model)
        try:
            output = watched.run_at(eager.model.sizes)
        except Exception:  # what a part gives can not be copied
            return right
        slices = dict(shown.slices)
        telling = replace(
            job,
            module=shown,
            output=output,
            directory=Path(folder),
            keep=False,
            guards=GuardLog(),
        )
        made = export(telling)
        if isinstance(made, Outcome):
            return right
        for sizes in others:
            for part in _find_wrong_parts(shown, slices, made, watched, sizes):
                if not _has_effect(copied, part, eager):
                    continue
                # what pnnx gives of a convolution is flat already, where the model flattens it next
                at_first = _find_wrong_parts(shown, slices, made, watched, eager.model.sizes)
                if part.name not in {each.name for each in at_first}:
                    return _describe_part(right, copied, part, eager)
    return right


def _find_wrong_parts(
    shown: ShownParts,
    slices: Mapping[str, slice],
    made: Exported,
    watched: Eager,
    sizes: NamedSizes,
) -> Iterator[_WrongPart]:
    """The parts that differ from eager at some sizes, in the order in which they end.

    None where other parts run than at the first sizes.
    """
    try:
        given = made.run(watched.make_inputs(sizes))
        expected = watched.list_numbers_at(sizes)
    except Exception:  # the plain export ran there
        return
    if shown.slices != slices or len(given) != len(expected):
        return
    for name, place in slices.items():
        found = find_difference(expected[place], given[place])
        part = found and _WrongPart(name, sizes, tuple(given[place]), found)
        if part and not _is_rounding(shown, part, watched):
            yield part


def _is_rounding(shown: ShownParts, part: _WrongPart, watched: Eager) -> bool:
    alone = Eager(ShownParts(shown.module, only=part.name), watched.model)
    known = part.found.amount is not None
    return known and alone.is_excused(part.sizes, part.given, part.found)


def _has_effect(module: nn.Module, part: _WrongPart, eager: Eager) -> bool:
    """Whether the output is another where a part gives what the export gives for it, only more so."""
    try:
        with copy_module(module) as copied:
            changed = ChangedPart(copied, part.name, part.given, _LOUDER)
            given = flatten_output(Eager(changed, eager.model).run_at(part.sizes))
    except Exception:  # it can not be used
        return True
    return find_difference(eager.list_numbers_at(part.sizes), given, exact=True) is not None


def _describe_part(right: Outcome, module: nn.Module, part: _WrongPart, eager: Eager) -> Outcome:
    at = Variation.between(eager.model.sizes, part.sizes)
    name = f"{part.name} ({type(module.get_submodule(part.name)).__name__})"
    amount = part.found.amount
    apart = part.found.why.removeprefix("the output ") or f"differs from eager by {amount:.3g}"
    return replace(
        right,
        status="wrong",
        wrong=(Deviation(at, amount, part.found.why),),
        detail=(
            f"at {at.write_sizes()} what {name} gives {apart}; "
            "the output agrees, on which it has little effect as the weights are"
        ),
        part=name,
    )
