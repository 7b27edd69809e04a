"""What selecting and reporting need to know of a rule, without its code."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.core.finding import Evidence, Severity


@dataclass(frozen=True)
class Card:
    """A rule as the catalogue lists it; `evidence` is what its detectors look at."""

    code: str
    name: str
    theme: str
    severity: Severity
    default: bool
    evidence: frozenset[Evidence]
    formerly: tuple[str, ...] = ()
    """The code and the name that it had together with others."""
