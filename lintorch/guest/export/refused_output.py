"""Whether an exporter refuses a model for nothing but the kind of thing that its forward gives back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import torch

from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.flat_outputs import NAMED_TUPLE, flatten_outputs, list_odd_outputs
from lintorch.guest.export.module_state import copy_module
from lintorch.record.outcomes import Outcome
from lintorch.record.sites import Site

Export = Callable[[Job], Exported | Outcome]
Judge = Callable[[Exported], Outcome]
_TRACE = "torchscript-trace"
_NOT_TAKEN = {
    _TRACE: ("a ", "None"),
    "torch.export": (NAMED_TUPLE,),
    "onnx-legacy": ("a number", "a bool", "a dict"),
    "onnx": ("a number", "a bool", "a string"),
}
"""By exporter: what it refuses, as `list_odd_outputs` names it; of dicts, those whose keys are numbers. Of
objects each knows some classes."""
_MOST = 120
"""Characters of the exporter's own words that are told."""


def explain_refused_output(
    refused: Outcome, job: Job, export: Export, judge: Judge, user_file: UserFile
) -> Outcome:
    """The refusal, with what forward returns and where, if the export comes out with other outputs.

    What is wrong with that one is told, too.
    """
    odds = (odd for odd in list_odd_outputs(job.output) if _may_refuse(refused, odd))
    odd = next(odds, "")
    if refused.stage not in ("export", "save") or not odd:
        return refused
    for other, advice in _list_ways(refused.exporter, job):
        with TemporaryDirectory() as folder:
            made = export(replace(other, directory=Path(folder), keep=False))
        if isinstance(made, Exported):
            judged = judge(made)
            then = f", and is then wrong: {judged.detail}" if judged.status == "wrong" else ""
            said = (
                refused.message if len(refused.message) <= _MOST else f"{refused.message[:_MOST]}…"
            )
            message = f"forward returns {odd}; {advice}{then} ({said})"
            site = _find_return(job, user_file) or refused.site
            return replace(refused, message=message, site=site, returned=odd)
    return refused


def _may_refuse(refused: Outcome, odd: str) -> bool:
    """Whether an exporter may have refused such an output."""
    name = odd.rpartition(" ")[2]
    is_object = odd.startswith(("an object", "a mapping")) and name in refused.message
    return is_object or odd.startswith(_NOT_TAKEN.get(refused.exporter, "-"))


def _list_ways(exporter: str, job: Job) -> Iterator[tuple[Job, str]]:
    """The export with other outputs, and what to say where it comes out."""
    if exporter == _TRACE and job.strict:
        yield replace(job, strict=False), "strict=False takes it"
    yield replace(job, module=flatten_outputs(job)), "return tensors alone"


def _find_return(job: Job, user_file: UserFile) -> Site | None:
    """The return statement of the user's that gives back the output, the outermost forward's first."""
    ended: list[tuple[str, int, str, int]] = []

    def note_return(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and not isinstance(value, torch.Tensor):
            code = frame.f_code
            ended.append((code.co_filename, frame.f_lineno or 1, code.co_name, id(value)))

    output = None
    with copy_module(job.module, job.module.training) as module, torch.no_grad():
        before = sys.getprofile()
        sys.setprofile(note_return)
        try:
            with suppress(Exception):
                output = module(*job.arrange_arguments(job.example))
        finally:
            sys.setprofile(before)
    given = [
        Site(shown, row, name)
        for path, row, name, value in reversed(ended)
        if value == id(output) and (shown := user_file(path)) is not None
    ]
    return max(given, key=lambda site: site.function == "forward", default=None)
