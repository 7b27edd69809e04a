"""Reads how long a model takes off a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming, SizeCost, Spread


def read_timing(told: Mapping[str, Any] | None) -> ModelTiming | None:
    """What `timing` in JSON says; None where nothing was to be timed."""
    if told is None:
        return None
    return ModelTiming(
        told["sizes"],
        told["threads"],
        told["rounds"],
        told["warm_up"],
        told["load"],
        told["cores"],
        tuple(map(_read_form, told["forms"])),
        tuple(map(_read_cost, told["uneven_sizes"])),
        told["stopped"] or "",
    )


def _read_form(told: Mapping[str, Any]) -> FormTiming:
    return FormTiming(
        told["form"],
        _read_spread(told) if told["median"] is not None else None,
        told["first"],
        told["calls"],
        told["operators"],
        told["file_bytes"],
        told["weight_bytes"],
        told["activation_bytes"],
        told["not_timed"] or "",
    )


def _read_spread(told: Mapping[str, Any]) -> Spread:
    return Spread(told["median"], told["low"], told["high"])


def _read_cost(told: Mapping[str, Any]) -> SizeCost:
    at = told["location"]
    return SizeCost(
        told["layer"],
        told["class"],
        (told["sizes"][0], told["sizes"][1]),
        (told["padded"][0], told["padded"][1]),
        _read_spread(told["own"]),
        _read_spread(told["other"]),
        Site(at["filename"], at["row"]) if at else None,
    )
