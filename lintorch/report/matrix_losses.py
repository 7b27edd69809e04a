"""What exporting in another type costs a model, in words and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.record.file_comparisons import Distance, LayerNumbers
from lintorch.record.precisions import LayerError, PrecisionLoss
from lintorch.record.sites import Site
from lintorch.report.places import shown_path


def write_loss(loss: PrecisionLoss) -> str:
    """Whether what is lost is lost by the type or by the export."""
    eager, exported = write_share(loss.eager), write_share(loss.exported)
    if is_beyond(loss.eager, loss.tolerance):
        return f"the type loses it: eager itself is {eager} off float32, the export {exported}"
    return f"the export loses it: it is {exported} off float32, the type alone makes {eager}"


def is_beyond(distance: Distance, tolerance: float) -> bool:
    """Whether numbers are further off than so much of the largest one, or not finite."""
    return distance.relative is None or distance.relative > tolerance


def write_share(distance: Distance) -> str:
    """`0.013 %` of the largest number; where there is none, why."""
    if distance.amount is None:
        return "not finite" if "finite" in distance.why else "unmeasured"
    if distance.relative is None:
        return f"{distance.amount:.2g}"
    share = 100 * distance.relative
    return f"{share:.0f}%" if share >= 10 else f"{share:.2g}%"


def loss_values(loss: PrecisionLoss) -> dict[str, Any]:
    """The value of `loss` in JSON."""
    return {
        "eager": distance_values(loss.eager),
        "exported": distance_values(loss.exported),
        "tolerance": loss.tolerance,
        "lossy": loss.is_lossy,
        "layer": _layer_values(loss.layer) if loss.layer else None,
        "given": distance_values(loss.given) if loss.given else None,
        "in_file": loss.in_file,
        "layers": [_error_values(each) for each in loss.layers],
    }


def distance_values(distance: Distance) -> dict[str, Any]:
    """`{max_abs, relative, cosine, why}`."""
    return {
        "max_abs": distance.amount,
        "relative": distance.relative,
        "cosine": distance.cosine,
        "why": distance.why or None,
    }


def _layer_values(layer: LayerNumbers) -> dict[str, Any]:
    site = layer.called or layer.built
    return {
        "name": layer.name,
        "class": layer.kind,
        "call": layer.call,
        "value": layer.value or None,
        **distance_values(layer.distance),
        "location": {"filename": shown_path(site.path), "row": site.row} if site else None,
    }


def _error_values(error: LayerError) -> dict[str, Any]:
    return {
        "name": error.name,
        "class": error.kind,
        "call": error.call,
        "max_abs": error.amount,
        "relative": error.relative,
    }


def read_loss(told: Mapping[str, Any] | None) -> PrecisionLoss | None:
    """What `loss` in JSON says; None where nothing was measured."""
    if told is None:
        return None
    return PrecisionLoss(
        _read_distance(told["eager"]),
        _read_distance(told["exported"]),
        told["tolerance"],
        told["lossy"],
        _read_layer(told["layer"]) if told["layer"] else None,
        _read_distance(told["given"]) if told["given"] else None,
        told["in_file"],
    )


def _read_distance(told: Mapping[str, Any]) -> Distance:
    return Distance(told["max_abs"], told["relative"], told["cosine"], told["why"] or "")


def _read_layer(told: Mapping[str, Any]) -> LayerNumbers:
    at = told["location"]
    return LayerNumbers(
        told["name"],
        told["class"],
        told["value"] or "",
        "",
        _read_distance(told),
        told["call"],
        called=Site(at["filename"], at["row"]) if at else None,
    )
