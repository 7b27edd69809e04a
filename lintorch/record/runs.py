"""What one model did when it ran, and as which graphs it was traced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from lintorch.record.events import RunEvent
from lintorch.record.sites import Site

MOST_EVENTS = 20_000
"""A run records no more than these."""


@dataclass(frozen=True)
class ModelRun:
    """One execution of the model, with its named sizes and everything that happened, in order.

    One in which an `axis` was changed shows what the model takes, not what is deployed. It has an
    `error` where the model took no other size there that was tried.
    """

    sizes: Mapping[str, int]
    events: tuple[RunEvent, ...]
    error: str = ""
    axis: tuple[int, ...] = ()
    """The input, and the axis of it, that has another size than `sizes` say, where that was tried."""
    half: str = ""
    """One of `lintorch.record.decoders.HALVES`, of a decoder; "" for the model as it is."""


class Tracer(Enum):
    """A way of tracing a model as a graph: `torch.fx.symbolic_trace`, or `torch.export.export`."""

    FX = "fx"
    EXPORT = "torch.export"


@dataclass(frozen=True)
class GraphCapture:
    """How one way of tracing a model as a graph went.

    `operators` holds (operator, site) for each call node of the graph.
    """

    tracer: Tracer
    ok: bool
    error: str = ""
    site: Site | None = None
    operators: tuple[tuple[str, Site | None], ...] = ()
    lasting: tuple[str, ...] = ()
    """Those of the operators, as functions without side effects, that torch cannot take apart."""
