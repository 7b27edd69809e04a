"""What exporting in another type costs a model, in words and as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from lintorch.record.file_comparisons import Distance, LayerNumbers
from lintorch.record.precisions import QUANTIZATIONS, PrecisionLoss
from lintorch.report.matrix import Row, Tried
from lintorch.report.places import shown_path


def list_losses(row: Row) -> Iterator[str]:
    """For each type, how far eager and each export are off float32, and the layer that explains it."""
    found = defaultdict[str, list[tuple[Tried, PrecisionLoss]]](list)
    for each in row.tried:
        if each.outcome.loss is not None:
            found[each.outcome.precision].append((each, each.outcome.loss))
    for precision, tried in found.items():
        first = tried[0][1]
        rounded = " with layers rounded to 8 bits" if precision in QUANTIZATIONS else ""
        shares = [f"{write_share(first.eager)} in eager{rounded}"]
        for each, loss in tried:
            if loss.exported.amount is not None or "finite" in loss.exported.why:
                shares.append(f"{write_share(loss.exported)} in {each.outcome.exporter}")
        yield f"{precision} is off float32 by {', '.join(shares)}; more than {100 * first.tolerance:.3g}% is lossy"
        layers = dict.fromkeys(_write_layer(*each) for each in tried)
        yield from (f"{precision}: {text}" for text in layers if text)


def _write_layer(each: Tried, loss: PrecisionLoss) -> str:
    """`explained in eager by head (Linear), which is 3% off, called at net.py:14`."""
    layer = loss.layer
    if layer is None:
        return ""
    where = f"the file of {each.outcome.exporter}" if loss.in_file else "eager"
    site = layer.called or layer.built
    called = f", called at {shown_path(site.path)}:{site.row}" if site else ""
    name = f"{layer.name or 'the model'} ({layer.kind})"
    if loss.given is not None:
        off = write_share(loss.given)
        return f"first explained in {where} by what {name} is given, {off} off already{called}"
    return f"first explained in {where} by {name}, {write_share(layer.distance)} off{called}"


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
        "eager": _distance_values(loss.eager),
        "exported": _distance_values(loss.exported),
        "tolerance": loss.tolerance,
        "lossy": loss.is_lossy,
        "layer": _layer_values(loss.layer) if loss.layer else None,
        "given": _distance_values(loss.given) if loss.given else None,
        "in_file": loss.in_file,
    }


def _distance_values(distance: Distance) -> dict[str, Any]:
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
        **_distance_values(layer.distance),
        "location": {"filename": shown_path(site.path), "row": site.row} if site else None,
    }
