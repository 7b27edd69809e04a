"""The smallest module inside a model that alone fails as the whole does."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import nn

from lintorch.trace.record import Outcome
from lintorch.trials.calls import Alone, Part, parts
from lintorch.trials.exporter import Job
from lintorch.trials.state import fresh
from lintorch.trials.trouble import UserFile

Fails = Callable[[Job], Outcome | None]
"""How an export fails; None where it does not."""
_NUMBER = re.compile(r"\d+")


def smallest(
    whole: Part, failed: Outcome, job: Job, fails: Fails, user_file: UserFile, deadline: float
) -> Iterator[str]:
    """Names of ever smaller parts, the last the smallest found: `neck.pool (Pool)`.

    Goes down while a part still fails alone; stops where no part does, or time is up.
    `job` is the export of the whole, of which opset and folder are kept.
    """
    found: Part | None = whole
    while found is not None:
        found = _failing(found, failed, job, fails, user_file, deadline)
        if found is not None:
            yield f"{found.name} ({type(_bare(found)).__name__})"


def _failing(
    whole: Part, failed: Outcome, job: Job, fails: Fails, user_file: UserFile, deadline: float
) -> Part | None:
    tried: set[tuple[str, object]] = set()
    for part in sorted(parts(whole), key=lambda part: not _holds(part, failed, user_file)):
        alike = repr(_bare(part)), tuple(given.shape for given in part.inputs)
        if alike in tried or not part.example:
            continue
        tried.add(alike)
        if time.monotonic() > deadline:
            return None
        if _same(failed, fails(_job(part, job))):
            return part
    return None


def _job(part: Part, job: Job) -> Job:
    with fresh(part.module, part.module.training) as module, torch.no_grad():
        output = module(*part.example)
    names = frozenset(
        size for given in part.inputs for size in given.shape if isinstance(size, str)
    )
    return replace(
        job,
        module=part.module,
        inputs=part.inputs,
        example=part.example,
        dynamic=names,
        output=output,
        keep=False,
    )


def _same(whole: Outcome, part: Outcome | None) -> bool:
    """Whether a part fails like the whole: for the same operators, or by the same error at its line."""
    if part is None or whole.stage != part.stage:
        return False
    if whole.operators or part.operators:
        return bool(set(whole.operators) & set(part.operators))
    if part.site is None:
        return _without_sizes(whole.message) == _without_sizes(part.message)
    return part.site == whole.site and _kind(part) == _kind(whole)


def _without_sizes(message: str) -> str:
    """A message up to where it names the sizes that are fixed, and without numbers."""
    return _NUMBER.sub("", message.partition(" the code fixes ")[0])


def _kind(outcome: Outcome) -> str:
    return outcome.message.partition(":")[0]


def _holds(part: Part, failed: Outcome, user_file: UserFile) -> bool:
    """Whether the line that failed is in the class of a part, which is then tried first."""
    kind = type(_bare(part))
    try:
        lines, first = inspect.getsourcelines(kind)
        path = user_file(inspect.getsourcefile(kind) or "")
    except (OSError, TypeError):
        return False
    site = failed.site
    return site is not None and site.path == path and first <= site.row < first + len(lines)


def _bare(part: Part) -> nn.Module:
    return part.module.part if isinstance(part.module, Alone) else part.module
