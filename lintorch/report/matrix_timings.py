"""How long each form of a model takes, beside the others: a table for people, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lintorch.core.codes import UNALIGNED_DIMS
from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming, SizeCost, Spread
from lintorch.report.characters import count_columns
from lintorch.report.places import shown_path
from lintorch.report.styled_lines import Line

HEADS = (
    "form",
    "median",
    "quartiles",
    "beside eager",
    "operators",
    "file",
    "weights",
    "activations",
)
_EAGER = "eager"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_NONE = "-"


def write_timing(timing: ModelTiming | None, name: str) -> Iterator[Line]:
    """The table of a model that was timed, and what noise leaves open; nothing for others."""
    if timing is None:
        return
    yield ()
    yield [(name, "strong"), (f" {describe_timing(timing)}", "dim")]
    if timing.stopped:
        return
    rows = [HEADS, *list_cells(timing)]
    widths = [max(count_columns(each[place]) for each in rows) for place in range(len(HEADS))]
    for number, each in enumerate(rows):
        cells = zip(each, widths, strict=True)
        text = "  ".join(cell + " " * (width - count_columns(cell)) for cell, width in cells)
        yield [("  ", ""), (text, "" if number else "dim")]
    for note in list_notes(timing):
        yield [(f"  {note}", "dim")]


def describe_timing(timing: ModelTiming) -> str:
    """At which sizes, in how many threads and rounds."""
    if timing.stopped:
        return f"not timed: {timing.stopped}"
    sizes = ", ".join(f"{name} {size}" for name, size in timing.sizes.items())
    threads = f"{timing.threads} thread{'' if timing.threads == 1 else 's'}"
    rounds = f"{timing.rounds} interleaved rounds after {timing.warm} calls of each"
    return f"timed at {sizes or 'its only size'}: {threads}, {rounds}"


def list_cells(timing: ModelTiming) -> Iterator[tuple[str, ...]]:
    """A row of the table for each form that was timed."""
    spreads = {each.form: each.spread for each in timing.forms}
    for each in timing.forms:
        if each.spread is not None:
            spread = each.spread
            yield (
                each.form,
                write_seconds(spread.median),
                f"{write_seconds(spread.low)} to {write_seconds(spread.high)}",
                _compare(spread, spreads.get(each.beside)) if each.form != _EAGER else _NONE,
                str(sum(each.operators.values())) if each.operators else _NONE,
                write_bytes(each.file),
                write_bytes(each.weights),
                write_bytes(each.activations),
            )


def list_notes(timing: ModelTiming) -> Iterator[str]:
    """What was not timed, what noise leaves open, and what sizes cost."""
    for each in timing.forms:
        if each.why:
            yield f"{each.form} was not timed: {each.why}"
        elif each.form == "torch.compile" and each.first is not None:
            yield f"torch.compile took {write_seconds(each.first)} to compile"
    timed = [each for each in timing.forms if each.spread]
    if fastest := min(
        timed, key=lambda each: each.spread.median if each.spread else 0, default=None
    ):
        alike = _list_alike(fastest, timing.forms)
        close = f"; within its spread: {', '.join(alike)}" if alike else ""
        yield f"{fastest.form} is the fastest{close}"
    if timing.load is not None and timing.load > timing.cores:
        cores = f"{timing.cores} core{'' if timing.cores == 1 else 's'}"
        yield f"the machine was busy: {timing.load:g} processes wanted {cores}"
    for cost in timing.costs:
        if cost.own.differs_from(cost.other):
            yield _write_cost(cost)


def _list_alike(form: FormTiming, forms: Sequence[FormTiming]) -> list[str]:
    """The other forms that noise does not tell from this one."""
    return [
        each.form
        for each in forms
        if each.form != form.form
        and each.spread
        and form.spread
        and not each.spread.differs_from(form.spread)
    ]


def _write_cost(cost: SizeCost) -> str:
    own, other = write_seconds(cost.own.median), write_seconds(cost.other.median)
    site = f" built at {shown_path(cost.site.path)}:{cost.site.row}" if cost.site else ""
    return (
        f"{UNALIGNED_DIMS}: {cost.layer} ({cost.kind} {_write_sizes(cost.sizes)}){site} takes {own};"
        f" as {_write_sizes(cost.padded)} it takes {other}"
    )


def _write_sizes(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]}→{sizes[1]}"


def _compare(spread: Spread, eager: Spread | None) -> str:
    """`2.1× as fast`; where the middle halves overlap, that they do."""
    if eager is None or not spread.median:
        return _NONE
    if not spread.differs_from(eager):
        return "the same"
    return f"{eager.median / spread.median:.2g}× as fast"


def write_seconds(seconds: float) -> str:
    """`1.23 ms`."""
    scale, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def write_bytes(size: int | None) -> str:
    """`1.2 MB`, of 1000 bytes each step; `-` where it is not known."""
    if size is None:
        return _NONE
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def timing_values(timing: ModelTiming | None) -> dict[str, Any] | None:
    """The value of `timing` in JSON; seconds and bytes."""
    if timing is None:
        return None
    return {
        "stopped": timing.stopped or None,
        "sizes": dict(timing.sizes),
        "threads": timing.threads,
        "rounds": timing.rounds,
        "warm_up": timing.warm,
        "load": timing.load,
        "cores": timing.cores,
        "forms": [_form_values(each, timing.forms) for each in timing.forms],
        "uneven_sizes": list(map(_cost_values, timing.costs)),
    }


def _form_values(form: FormTiming, forms: Sequence[FormTiming]) -> dict[str, Any]:
    return {
        "form": form.form,
        **_spread_values(form.spread),
        "first": form.first,
        "calls": form.calls,
        "within_spread_of": _list_alike(form, forms),
        "operators": dict(form.operators),
        "file_bytes": form.file,
        "weight_bytes": form.weights,
        "activation_bytes": form.activations,
        "not_timed": form.why or None,
    }


def _spread_values(spread: Spread | None) -> dict[str, float | None]:
    if spread is None:
        return {"median": None, "low": None, "high": None}
    return {"median": spread.median, "low": spread.low, "high": spread.high}


def _cost_values(cost: SizeCost) -> dict[str, Any]:
    return {
        "layer": cost.layer,
        "class": cost.kind,
        "sizes": list(cost.sizes),
        "padded": list(cost.padded),
        "own": _spread_values(cost.own),
        "other": _spread_values(cost.other),
        "differs": cost.own.differs_from(cost.other),
        "location": _site_values(cost.site),
    }


def _site_values(site: Site | None) -> dict[str, Any] | None:
    return {"filename": shown_path(site.path), "row": site.row} if site else None
