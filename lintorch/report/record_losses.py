"""What exporting in another type costs the models of a record, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from lintorch.record.precisions import QUANTIZATIONS, PrecisionLoss
from lintorch.report.matrix_losses import read_loss, write_share
from lintorch.report.places import shown_path
from lintorch.report.record_cells import Trial


def list_losses(trials: Iterable[Trial]) -> Iterator[str]:
    """For each type, how far eager and each export are off float32, and the layer that explains it."""
    found = defaultdict[str, list[tuple[Trial, PrecisionLoss]]](list)
    for each in trials:
        loss = read_loss(each.get("loss"))
        if loss is not None:
            found[each["dtype"]].append((each, loss))
    for precision, tried in found.items():
        first = tried[0][1]
        rounded = " with layers rounded to 8 bits" if precision in QUANTIZATIONS else ""
        shares = [f"{write_share(first.eager)} in eager{rounded}"]
        for each, loss in tried:
            if loss.exported.amount is not None or "finite" in loss.exported.why:
                shares.append(f"{write_share(loss.exported)} in {each['exporter']}")
        yield f"{precision} is off float32 by {', '.join(shares)}; more than {100 * first.tolerance:.3g}% is lossy"
        layers = dict.fromkeys(_write_layer(*each) for each in tried)
        yield from (f"{precision}: {text}" for text in layers if text)


def _write_layer(each: Trial, loss: PrecisionLoss) -> str:
    """`explained in eager by head (Linear), which is 3% off, called at net.py:14`."""
    layer = loss.layer
    if layer is None:
        return ""
    where = f"the file of {each['exporter']}" if loss.in_file else "eager"
    site = layer.called or layer.built
    called = f", called at {shown_path(site.path)}:{site.row}" if site else ""
    name = f"{layer.name or 'the model'} ({layer.kind})"
    if loss.given is not None:
        off = write_share(loss.given)
        return f"first explained in {where} by what {name} is given, {off} off already{called}"
    return f"first explained in {where} by {name}, {write_share(layer.distance)} off{called}"
