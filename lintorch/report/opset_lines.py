"""The line on opsets and runtimes: `opset 16 · onnxruntime >= 1.11 · tensorrt >= 8.5 (GridSample)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lintorch.report.forecast import CallPlace, ModelForecast, OpsetForecast
from lintorch.report.places import shown_path
from lintorch.targets.first_releases import FirstRelease

_MOST = 3
"""Names that a line has room for."""


def write_forecast(forecast: OpsetForecast, *, sure: bool = True) -> str:
    """The line of one exporter; where not all is known, each bound is the least."""
    if forecast.opset is None:
        names = _join(name_call(each.name) for each in forecast.refused)
        return f"{forecast.exporter} refuses {names or 'it'} at every opset"
    least = "" if sure and not forecast.unknown else "at least "
    why = f" ({_join(map(name_call, forecast.deciding))})" if forecast.deciding else ""
    parts = [f"{forecast.exporter} {least}opset {forecast.opset}{why}"]
    return " · ".join([*parts, *(_write_release(each) for each in forecast.runtimes)])


def write_basis(model: ModelForecast) -> str:
    """How far to trust it."""
    if model.basis == "graph":
        return "known from the exported graph"
    if model.sure:
        return f"from source, all {model.calls} kinds of calls followed"
    unknown = f"{len(model.unknown)} unknown" if model.unknown else "not followed to its end"
    named = _join(dict.fromkeys(_name_unknown(each) for each in model.unknown))
    return (
        f"from source, {model.calls} kinds of calls known, {unknown}{f': {named}' if named else ''}"
    )


def write_graph_forecast(forecast: OpsetForecast) -> str:
    """The line of an export that was tried, and what it rests on."""
    return f"{write_forecast(forecast)}; known from the exported graph"


def list_forecast_lines(model: ModelForecast) -> Iterator[str]:
    """Of a model: one line for each exporter, then what they rest on."""
    yield from (write_forecast(each, sure=model.sure) for each in model.forecasts)
    yield write_basis(model)


def forecast_values(model: ModelForecast) -> dict[str, Any]:
    """The same for programs."""
    return {
        "basis": model.basis,
        "sure": model.sure,
        "unknown": [
            {"name": each.name, "filename": shown_path(each.path), "row": each.row}
            for each in model.unknown
        ],
        "exporters": [exporter_values(each) for each in model.forecasts],
    }


def exporter_values(forecast: OpsetForecast) -> dict[str, Any]:
    """Of one exporter, for programs."""
    return {
        "exporter": forecast.exporter,
        "lowest_opset": forecast.opset,
        "because_of": list(forecast.deciding),
        "untried": [each.name for each in forecast.unknown],
        "refuses": [each.name for each in forecast.refused],
        "runtimes": [_release_values(each) for each in forecast.runtimes],
    }


def _release_values(first: FirstRelease) -> dict[str, Any]:
    return {
        "runtime": first.family,
        "first_release": first.version if first.takes is None else None,
        "release": first.version if first.takes is not None else None,
        "takes": None if first.takes is None else str(first.takes),
        "earlier_unknown": first.unsure,
        "documented_only": first.documented,
        "because_of": list(first.reasons),
    }


def _write_release(first: FirstRelease) -> str:
    why = f" ({_join(first.reasons)})" if first.reasons else ""
    if first.takes is not None:
        promised = " by its documentation alone" if first.documented else ""
        return f"{first.family}-{first.version}: {first.takes}{promised}{why}"
    if first.version is None:
        return f"{first.family}: {'unknown' if first.unsure else 'no release is known to'}{why}"
    told = ["earlier unknown"] if first.unsure else [_join(first.reasons)] if first.reasons else []
    told += ["documented only"] * first.documented
    said = f" ({'; '.join(told)})" if told else ""
    return f"{first.family} >= {first.version}{said}"


def name_call(name: str) -> str:
    """As people write it: `F.interpolate[bicubic]`."""
    return name.removeprefix("torch.").replace("nn.functional.", "F.")


def _name_unknown(call: CallPlace) -> str:
    return f"{name_call(call.name)} at {shown_path(call.path)}:{call.row}"


def _join(names: Iterable[str]) -> str:
    told: Sequence[str] = list(names)
    more = len(told) - _MOST
    return ", ".join(told[:_MOST]) + (f" and {more} more" if more > 0 else "")
