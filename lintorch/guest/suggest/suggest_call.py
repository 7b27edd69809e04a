"""The export call of one model with one exporter: as many sizes open as come out right, written out and run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct.make_model import Built
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.name_outputs import name_outputs
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import text_of
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.suggest.free_axes import free_axes
from lintorch.guest.suggest.open_sizes import Attempt, Attempts, MakeJob, find_open_sizes
from lintorch.guest.suggest.run_program import run_program
from lintorch.guest.suggest.size_terms import SizeTerm, drop_names, find_terms
from lintorch.guest.suggest.write_arguments import list_record_names
from lintorch.guest.suggest.write_building import write_building
from lintorch.guest.suggest.write_call import CallText
from lintorch.guest.watch.make_tensors import find_dynamic_names, make_inputs
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Model
from lintorch.record.suggestions import UNWRITTEN, FixedSize, Suggestion

SUGGESTED = ("torch.export", "onnx", "onnx-legacy", "torchscript-trace")
"""The exporters whose calls are written."""
_OPSETS = {"onnx": (18,), "onnx-legacy": (11, 12, 13, 14, 15, 16, 17, 18, 19, 20)}
"""The opsets that are tried, the lowest first: the new exporter writes none below 18 of its own."""
_SUFFIXES = {"torch.export": ".pt2", "onnx": ".onnx", "onnx-legacy": ".onnx"}
_MOST_REFUSALS = 3
_FROM = "from "
"""What the words for settings begin with that a file of the project holds."""
_SHARE_FOR_SIZES = 0.5
"""Of the time, for finding the sizes that can stay open; the rest is for the program itself."""


@dataclass(frozen=True)
class Asked:
    """What a call is suggested for: one model, how it was built, and where it may be run and write."""

    exporter: str
    built: Built
    model: Model
    others: Sequence[NamedSizes]
    opset: int | None
    strict: bool
    user_file: UserFile
    directory: Path
    project: str


def suggest_call(asked: Asked, seconds: float) -> Suggestion:
    """The call, tried in so many seconds."""
    late = clock() + seconds
    try:
        records = list_record_names(asked.built.module)
        imports, building, spelled = write_building(asked.built.recipe, asked.project, records)
    except ValueError as error:
        return Suggestion(refused=f"{UNWRITTEN}: {error}")
    model, others = free_axes(asked.built.module, asked.model, asked.others)
    asked = replace(asked, model=model, others=others)
    attempts = _make_attempts(asked, lambda: clock() > late - seconds * _SHARE_FOR_SIZES)
    attempts, attempt, fixed = _find_widest(asked, attempts)
    if not attempt.is_right:
        why = attempt.outcome.message or attempt.outcome.detail
        return Suggestion(refused=why, site=attempt.site)
    sizes = [asked.model.sizes, *attempts.list_sizes(attempt.open)]
    call = _write_first(asked, attempts, attempt)
    call = replace(call, imports=tuple(imports), building=tuple(building), spelled=spelled)
    ran = ""
    for each in _list_calls(call, attempts):
        ran = run_program(each, sizes, asked.project, late - clock())
        if not ran or clock() > late:
            call = each
            break
    shown = replace(call, path=f"{_name_file(asked.model)}{_SUFFIXES.get(asked.exporter, '.pt')}")
    return Suggestion(
        shown.write(),
        ran=ran,
        compared=tuple(dict(each) for each in sizes),
        fixed=tuple(fixed),
        pruned=attempt.outcome.pruned,
    )


def _find_widest(asked: Asked, attempts: Attempts) -> tuple[Attempts, Attempt, list[FixedSize]]:
    """The widest export: with the lowest opset where that is as wide as can be."""
    names = find_dynamic_names(asked.model.sizes, asked.others)
    if asked.exporter in _OPSETS and asked.opset is None:
        lowest = _ask_opset(attempts.make_job, _OPSETS[asked.exporter][0])
        lower = replace(attempts, make_job=lowest, made={})
        if lower.export_with(names).is_right:
            return lower, lower.export_with(names), []
    return attempts, *find_open_sizes(attempts, names)


def _make_attempts(asked: Asked, is_late: Callable[[], bool]) -> Attempts:
    model, module = asked.model, asked.built.module
    eager = Eager(module, model)
    output = eager.run_at(model.sizes)

    def make_job(copied: nn.Module, names: frozenset[str]) -> Job:
        example = make_inputs(model.inputs, model.sizes)
        return Job(
            copied,
            model.inputs,
            example,
            names,
            asked.opset,
            asked.directory,
            output,
            strict=asked.strict,
        )

    return Attempts(asked.exporter, make_job, module, eager, asked.others, asked.user_file, is_late)


def _list_made_up(built: Built) -> tuple[str, ...]:
    """The arguments that nobody gave, each with the file of settings that stands in for it: `h (here from config.json)`."""
    told = {name: str(built.arguments.get(name, "")) for name in built.made_up}
    return tuple(
        f"{name} (here {value})" if value.startswith(_FROM) else name
        for name, value in told.items()
    )


def _write_first(asked: Asked, attempts: Attempts, attempt: Attempt) -> CallText:
    """The call as it is tried first: each size by name, names for all that is given back."""
    sizes = asked.model.sizes
    others = attempts.list_sizes(attempt.open)
    conditions = [
        each for each in attempt.conditions if all(each.holds(at) for at in (sizes, *others))
    ]  # the ONNX exporter makes several attempts, and those that it gave up are heard as well
    terms = find_terms(attempt.open, sizes, others, conditions, _make_runner(attempts))
    job = attempts.make_job(asked.built.module, attempt.open)
    call = CallText(
        asked.exporter,
        job,
        sizes,
        terms,
        (),
        (),
        str(asked.directory / f"suggested{_SUFFIXES.get(asked.exporter, '.pt')}"),
        made_up=_list_made_up(asked.built),
        source=asked.built.like.source,
    )
    if asked.exporter == "torch.export":
        return replace(call, terms=_name_accepted(call, attempts))
    if asked.exporter in _OPSETS:
        labels = [each.label for each in pick_tensors(job.inputs)]
        outputs = name_outputs(asked.built.module, job.output, labels)
        return replace(call, opset=_find_opset(asked, attempts, attempt), outputs=outputs)
    return call


def _make_runner(attempts: Attempts) -> Callable[[NamedSizes], bool]:
    """Whether the model runs at some sizes."""

    def runs_at(sizes: NamedSizes) -> bool:
        if attempts.is_late():
            return False
        try:
            with limit_seconds(10.0):
                return all(tensor.numel() for tensor in attempts.eager.list_numbers_at(sizes))
        except (Exception, TooSlow):  # whatever user code raises
            return False

    return runs_at


def _name_accepted(call: CallText, attempts: Attempts) -> tuple[SizeTerm, ...]:
    """The sizes with a Dim of their own as far as torch.export takes these."""
    terms = call.terms
    for _ in range(_MOST_REFUSALS):
        if not any(term.named for term in terms):
            return terms
        refused = _refuse_dims(replace(call, terms=terms), attempts.module)
        if not refused:
            return terms
        terms = drop_names(terms, refused)
    return drop_names(terms, "")


def _refuse_dims(call: CallText, module: nn.Module) -> str:
    """What torch.export says against the Dims of a call; "" where it takes them."""
    space: dict[str, Any] = {"Dim": torch.export.Dim}
    exec("\n".join(call.write_dims()), space)
    shapes = eval(call.write_nested_shapes(), space)
    arguments = call.job.arrange_arguments(call.job.example)
    try:
        with copy_module(module) as copied:
            torch.export.export(copied, arguments, dynamic_shapes=shapes, strict=False)
    except Exception as error:
        return text_of(error) or type(error).__name__
    return ""


def _find_opset(asked: Asked, attempts: Attempts, attempt: Attempt) -> int | None:
    """The lowest opset tried with which the export is right, or the one that was asked for."""
    lowest = _OPSETS[asked.exporter][0]
    if asked.opset is not None or attempt.outcome.opset == lowest:
        return attempt.outcome.opset
    for opset in _OPSETS[asked.exporter]:
        if attempts.is_late():
            break
        lower = replace(attempts, make_job=_ask_opset(attempts.make_job, opset), made={})
        found = lower.export_with(attempt.open)
        if found.is_right and found.outcome.opset == opset:
            return opset
    return attempt.outcome.opset


def _ask_opset(make_job: MakeJob, opset: int) -> MakeJob:
    return lambda module, names: replace(make_job(module, names), opset=opset)


def _list_calls(call: CallText, attempts: Attempts) -> Iterator[CallText]:
    """The call, then what is left where it does not run: without names for outputs, with no named Dim."""
    yield call
    if call.outputs:
        yield replace(call, outputs=())
    if call.exporter == "torch.export" and any(term.named for term in call.terms):
        yield replace(call, terms=drop_names(call.terms, ""))


def _name_file(model: Model) -> str:
    return model.qualname.rpartition(".")[2] or Path(model.path).stem
