"""What `lintorch opset` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lintorch.report.opset_lines import forecast_values, list_forecast_lines
from lintorch.report.places import shown_path
from lintorch.run.foretell_opsets import Forecasts


def format_forecasts(found: Forecasts) -> str:
    """Of each model its name, a line for each exporter, and what they rest on."""
    if not found.models:
        return "No models found.\n" if found.files else "No Python files found.\n"
    return "\n".join(_list_lines(found)) + "\n"


def _list_lines(found: Forecasts) -> Iterator[str]:
    for model in found.models:
        yield f"{shown_path(model.path)}:{model.model}"
        yield from (f"  {line}" for line in list_forecast_lines(model))


def format_forecasts_json(found: Forecasts) -> str:
    """An array of objects, one for each model."""
    told = [
        {"model": f"{shown_path(each.path)}:{each.model}", **forecast_values(each)}
        for each in found.models
    ]
    return json.dumps(told, indent=2) + "\n"
