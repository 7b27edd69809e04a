"""What `lintorch models` prints."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lintorch.core.cell_rows import CellRows
from lintorch.record.input_notation import write_arguments
from lintorch.record.models import Failure, Model
from lintorch.report.opset_lines import forecast_values, list_forecast_lines
from lintorch.report.places import shown_path
from lintorch.run.describe_models import describe_model
from lintorch.run.list_models import ListedModels

_HINT = (
    "Name a factory, its arguments and inputs in [tool.lintorch.models.NAME], which --write begins."
    " -v shows tracebacks."
)

_PACKAGE = re.compile(r"\(pip install ([\w.\-]+)\)")
_NEEDS = re.compile(r"needs [\w.]+, which is not installed(?= \(pip install)")
_TRACEBACK = " " * 6


def format_models(listed: ListedModels, *, verbose: bool = False, width: int | None = None) -> str:
    """A line for each model, then one for each reason why others could not be had, with these.

    With `verbose` the traceback of the first of them follows. Lines are broken at the `width`, if any.
    """
    lines = [line for model in listed.models for line in _describe_found(model, listed)]
    if listed.failures:
        lines += ["", "Not built, fed or run:"] if listed.models else ["Not built, fed or run:"]
        lines += [
            line for same in _group_by_cause(listed) for line in _describe_failures(same, verbose)
        ]
        lines += ["", *_list_hints(listed)]
    if not listed.models and not listed.failures:
        lines = ["No models found." if listed.files else "No Python files found."]
    return "".join(f"{part}\n" for line in lines for part in _break_line(line, width))


def _break_line(line: str, width: int | None) -> list[str]:
    """A line in as many as it takes; a traceback, which stands further in, stays as it is."""
    if width is None or len(line) <= width or line.startswith(_TRACEBACK):
        return [line]
    behind = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(
        line, width, subsequent_indent=behind, break_long_words=False, break_on_hyphens=False
    )


def _list_hints(listed: ListedModels) -> Iterator[str]:
    """What can be done about models that could not be had, the shortest first."""
    packages = dict.fromkeys(filter(None, map(_find_package, listed.failures)))
    if packages:
        yield f"pip install {' '.join(packages)}, in the environment that models run in."
    if not all(map(_find_package, listed.failures)):
        yield _HINT


def _find_package(failure: Failure) -> str:
    """The package that installing would help; "" where it fails for another reason."""
    found = _PACKAGE.search(failure.cause)
    return found[1] if found else ""


def format_models_json(listed: ListedModels) -> str:
    """An array of objects: those with `inputs` ran, those with `cause` did not."""
    return (
        json.dumps(
            [
                *(_model_object(model, listed) for model in listed.models),
                *(_failure_object(failure, listed.cells) for failure in listed.failures),
            ],
            indent=2,
        )
        + "\n"
    )


def format_containment(held: Mapping[str, str]) -> str:
    """A line for each thing that models are kept from."""
    return "".join(f"{name:<10}{how}\n" for name, how in held.items())


def _model_object(model: Model, listed: ListedModels) -> dict[str, Any]:
    needs = listed.needs.get((model.path, model.qualname))
    return {
        "model": f"{shown_path(model.path)}:{model.qualname}",
        **_row_values(model.path, model.row, listed.cells),
        "arguments": dict(model.arguments),
        "inputs": write_arguments(model.inputs, model.sizes),
        "parameters": model.parameters,
        "contains": list(model.contains),
        "assumptions": list(model.assumptions),
        "purpose": model.purpose or None,
        "needs": forecast_values(needs) if needs else None,
    }


def _failure_object(failure: Failure, cells: CellRows) -> dict[str, Any]:
    return {
        "model": f"{shown_path(failure.path)}:{failure.qualname}",
        **_row_values(failure.path, failure.row, cells),
        "stage": failure.stage,
        "cause": failure.cause,
    }


def _row_values(path: str, row: int, cells: CellRows) -> dict[str, Any]:
    cell, inner = cells.find_row(path, row)
    return {"cell": cell or None, "row": inner}


def _describe_found(model: Model, listed: ListedModels) -> Iterator[str]:
    yield f"{describe_model(model)}  {_count_parameters(model)}"
    if model.purpose:
        yield f"  a {model.purpose}: run, and not exported"
    yield from (f"  {assumption}" for assumption in model.assumptions)
    if not model.purpose and (needs := listed.needs.get((model.path, model.qualname))):
        yield from (f"  {line}" for line in list_forecast_lines(needs))


def _group_by_cause(listed: ListedModels) -> Iterable[list[Failure]]:
    """Failures of one stage and cause, or for want of one package, in order of the first of each."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in listed.failures:
        package = _find_package(failure)
        key = ("", package) if package else (failure.stage, failure.cause)
        groups.setdefault(key, []).append(failure)
    return groups.values()


def _describe_failures(same: list[Failure], verbose: bool) -> Iterator[str]:
    first = same[0]
    needs = _NEEDS.search(first.cause)
    yield f"  {_place_of(first)}  {needs[0] if needs else f'{first.stage}: {first.cause}'}"
    if same[1:]:
        yield f"    and {', '.join(map(_place_of, same[1:]))}"
    if verbose and first.traceback:
        yield from (f"{_TRACEBACK}{line}" for line in first.traceback.splitlines())


def _count_parameters(model: Model) -> str:
    millions = model.parameters / 1e6
    return f"{millions:.1f} M parameters" if millions >= 0.1 else f"{model.parameters} parameters"


def _place_of(failure: Failure) -> str:
    name = f":{failure.qualname}" if failure.qualname else ""
    return f"{shown_path(failure.path)}{name}"
