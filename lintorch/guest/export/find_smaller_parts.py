"""The smallest module inside a model that alone goes wrong as the whole does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.flat_outputs import flatten_outputs
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.part_calls import Part, list_parts, unwrap_part
from lintorch.guest.export.size_guards import GuardLog
from lintorch.guest.process.deadline import clock
from lintorch.record.arguments import pick_tensors
from lintorch.record.outcomes import Outcome

Alike = Callable[[Part], bool]
"""Whether the export of a part goes wrong as that of the whole does."""


def find_smaller_parts(
    whole: Part, alike: Alike, rank: Callable[[Part], int], late: float
) -> Iterator[str]:
    """Names of ever smaller parts, the last the smallest found: `neck.pool (Pool)`.

    Goes down while a part is still `alike` alone; stops where none is, or time is up. Parts of
    low `rank` are tried first.
    """
    found: Part | None = whole
    while found is not None:
        found = _find_inside(found, alike, rank, late)
        if found is not None:
            yield f"{found.name} ({type(unwrap_part(found.module)).__name__})"


def _find_inside(
    whole: Part, alike: Alike, rank: Callable[[Part], int], late: float
) -> Part | None:
    tried: set[tuple[str, object]] = set()
    for part in sorted(list_parts(whole), key=rank):
        same = (
            repr(unwrap_part(part.module)),
            tuple(given.shape for given in pick_tensors(part.inputs)),
        )
        if same in tried or not part.example:
            continue
        tried.add(same)
        if clock() > late:
            return None
        if alike(part):
            return part
    return None


def rank_by_site(part: Part, failed: Outcome, user_file: UserFile) -> int:
    """0 for the part whose class holds the line that failed, else 1."""
    return int(not _has_failed_line(part, failed, user_file))


def rank_by_kind(part: Part) -> int:
    """The user's modules and those with parts first; of torch's the last are those with weights."""
    module = unwrap_part(part.module)
    if not type(module).__module__.startswith("torch.nn") or any(module.children()):
        return 0
    return 2 if any(True for _ in module.parameters(recurse=False)) else 1


def make_part_job(part: Part, job: Job) -> Job:
    """The export of a part, to what an export of the whole goes to, and at its opset."""
    with copy_module(part.module, part.module.training) as module, torch.no_grad():
        output = module(*part.example)
    names = frozenset(
        size for given in pick_tensors(part.inputs) for size in given.shape if isinstance(size, str)
    )
    made = replace(
        job,
        module=part.module,
        inputs=part.inputs,
        example=part.example,
        dynamic=names,
        output=output,
        keep=False,
        guards=GuardLog(),
        strict=False,
    )
    return replace(made, module=flatten_outputs(made))


def _has_failed_line(part: Part, failed: Outcome, user_file: UserFile) -> bool:
    """Whether the line that failed is in the class of a part, which is then tried first."""
    kind = type(unwrap_part(part.module))
    try:
        lines, first = inspect.getsourcelines(kind)
        path = user_file(inspect.getsourcefile(kind) or "")
    except (OSError, TypeError):
        return False
    site = failed.site
    return site is not None and site.path == path and first <= site.row < first + len(lines)
