"""LT511: options of a DataLoader that need workers, where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.finding import Applicability, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import NONE, TRUE, Constant, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.facts.training.loaders import LOADER, find_argument, leave_out
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT511",
    summary="an option of a DataLoader that needs workers",
    why="""
        `prefetch_factor`, `persistent_workers`, `multiprocessing_context` and `timeout` speak of
        the processes that load data. Without any, as with `num_workers=0`, the default, the first
        three raise ValueError where the DataLoader is built, and `timeout` AssertionError where it
        is read. Measured on torch 2.13.

        Reported where num_workers surely is 0. `prefetch_factor=2` was allowed until torch 1.13.
    """,
    bad="""
        from torch.utils.data import DataLoader


        def loader(data):
            return DataLoader(data, batch_size=2, persistent_workers=True)
    """,
    good="""
        from torch.utils.data import DataLoader


        def loader(data):
            return DataLoader(data, batch_size=2)
    """,
    proof="""
        assert len(list(loader([1, 2, 3]))) == 2
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    remedy="leave it out, or raise num_workers",
    formerly=("LT501", "loader-arguments"),
)


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    call, given = source.call_at(event), name_arguments(event)
    if given["num_workers"] != Constant(0) or is_tentative(call, source):
        return
    if call is not None and is_left_to_others(call, source):
        return
    for name in list_worker_options(given, source):
        raised = "AssertionError when it is read" if name == "timeout" else "ValueError"
        message = f"{name} needs num_workers above 0: {raised}"
        yield Hit(event, message, leave_out(call, name, source))
        return


def is_left_to_others(call: cst.Call, source: Source) -> bool:
    """`num_workers=self.num_workers` of a class that others of the project extend, which may set it."""
    arg, owner = find_argument(call, "num_workers"), source.enclosing(call, cst.ClassDef)
    if arg is None or owner is None or not source.code(arg.value).startswith("self."):
        return False
    extended = re.compile(rb"class \w+\([^)]*\b%s\b" % owner.name.value.encode())
    return is_written_around(extended, source.path, source.consulted)


def list_worker_options(given: Mapping[str, Value], source: Source) -> Iterator[str]:
    """The options given that only workers can heed."""
    factor, context, wait = (
        given[name] for name in ("prefetch_factor", "multiprocessing_context", "timeout")
    )
    was_default = factor == Constant(2) and source.profile.torch < (2, 0)
    if isinstance(factor, Constant) and factor != NONE and not was_default:
        yield "prefetch_factor"
    if given["persistent_workers"] == TRUE:
        yield "persistent_workers"
    if isinstance(context, Constant) and context != NONE:
        yield "multiprocessing_context"
    if isinstance(wait, Constant) and isinstance(wait.value, (int, float)) and wait.value > 0:
        yield "timeout"
