"""A line for each model that ran: how it was built, what it was fed, and how each attempt went."""

from __future__ import annotations

from lintorch.host.reports import Report
from lintorch.record.input_notation import describe_inputs
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome
from lintorch.record.runs import GraphCapture, Tracer
from lintorch.report.compared_sizes import list_compared_sizes, write_comparisons
from lintorch.report.places import shown_path


def describe_run(report: Report) -> str:
    """`net.py:Net(width=8) on image: float32[batch, 3, 64, 64]`, then how each attempt went."""
    assert report.model is not None
    attempts = [_describe_graph(each) for each in report.captures] + [
        _describe_trial(o) for o in report.outcomes
    ]
    model = report.model
    compared = [
        (each.exporter, list_compared_sizes(each, model), each.draws) for each in report.outcomes
    ]
    attempts += write_comparisons(compared, model.sizes)
    return "\n".join(
        [
            describe_model(report.model),
            *(f"  {assumption}" for assumption in report.model.assumptions),
            *(["  " + "; ".join(attempts)] if attempts else []),
        ]
    )


def describe_model(model: Model) -> str:
    """How a model was built and what it was fed."""
    given = ", ".join(f"{name}={shorten_text(repr(v))}" for name, v in model.arguments.items())
    fed = describe_inputs(model.inputs, model.sizes)
    return f"{model.path}:{model.qualname}{f'({given})' if given else ''} on {fed or 'nothing'}"


def _describe_graph(capture: GraphCapture) -> str:
    by_fx = capture.tracer is Tracer.FX
    name, use = ("torch.fx", "exports do not need one") if by_fx else (capture.tracer.value, "")
    if capture.ok:
        return f"{name} graph ok"
    site = capture.site
    where = f"{shown_path(site.path)}:{site.row}" if site else shorten_text(capture.error)
    why = "; ".join(part for part in (where, use) if part)
    return f"no {name} graph{f' ({why})' if why else ''}"


def _describe_trial(outcome: Outcome) -> str:
    how = outcome.stage if outcome.stage == "stopped" else outcome.status
    return f"{outcome.exporter} {how}"


def shorten_text(text: str, most: int = 80) -> str:
    """A text, cut to so many letters with an ellipsis as the last one."""
    return text if len(text) <= most else text[: most - 1] + "…"
