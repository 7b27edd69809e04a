"""Export calls as they happened: which exporter one took."""

from __future__ import annotations

from lintorch.core.exporter_calls import DYNAMO_BY_DEFAULT, DYNAMO_SINCE
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import list_given
from lintorch.evaluator.values import FALSE, TRUE, Constant
from lintorch.facts.exporting.export_calls import HasProfile


def choose_exporter(event: Called, source: HasProfile) -> str:
    """Which of the two ONNX exporters a `torch.onnx.export` took; "" where it cannot be told."""
    release, given = source.profile.torch, list_given(event)
    if release < DYNAMO_SINCE:
        return "onnx-legacy"
    if event.open and "dynamo" not in given:
        return ""
    chosen = given.get("dynamo", Constant(release >= DYNAMO_BY_DEFAULT))
    return "onnx" if chosen == TRUE else "onnx-legacy" if chosen == FALSE else ""
