"""Which opset and which releases of runtimes a model needs, and how far that is known."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.targets.first_releases import FirstRelease


@dataclass(frozen=True)
class CallPlace:
    """An operation by the name that exports of it were measured under, and where it is written."""

    name: str
    path: str
    row: int


@dataclass(frozen=True)
class OpsetForecast:
    """What one exporter needs to write a model, and which runtimes take that.

    `opset` is None where the exporter refuses some call at every opset: `refused`. `deciding` are
    the calls without which a lower opset would do.
    """

    exporter: str
    opset: int | None
    runtimes: tuple[FirstRelease, ...] = ()
    deciding: tuple[str, ...] = ()
    refused: tuple[CallPlace, ...] = ()
    unknown: tuple[CallPlace, ...] = ()
    """Operations that were tried with another exporter only."""


@dataclass(frozen=True)
class ModelForecast:
    """The forecasts of one model; `basis` is "source" or "graph".

    `calls` is how many different operations were followed, `unknown` those of which nothing is known:
    with any of them, or where not all was followed (`whole`), the answers are at least so.
    """

    model: str
    path: str
    basis: str
    forecasts: tuple[OpsetForecast, ...]
    calls: int = 0
    unknown: tuple[CallPlace, ...] = ()
    whole: bool = True

    @property
    def sure(self) -> bool:
        """Whether everything that the model calls is known."""
        return self.whole and not self.unknown
