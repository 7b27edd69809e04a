"""LT125: an opset is asked for that the exporter does not write."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_plain
from lintorch.facts.exporting.export_calls import onnx_arguments
from lintorch.facts.exporting.export_events import choose_exporter, find_script
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT125",
    summary="an opset that the exporter does not write",
    why="""
        The new ONNX exporter (`dynamo=True`, the default since torch 2.9) has translations for
        opset 18 and later. A lower one is reached by converting the finished model, and where
        that does not succeed opset 18 is written, with no more than a line in the log: a
        convolution and a ReLU asked for opset 9, 11 or 13 come out as 18. The same happens above 25.
        The legacy exporter writes up to 20; above that it warns and only changes the number.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx", opset_version=11)
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx", opset_version=18)
    """,
    remedy="ask for opset_version=18, or for the lower one with dynamo=False",
    proof="""
        import inspect
        import re

        import onnx

        warnings.simplefilter("ignore")
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()).eval()
        export(model, torch.ones(1, 3, 8, 8))
        asked = re.search("opset_version=([0-9]+)", inspect.getsource(export))[1]
        assert onnx.load("model.onnx").opset_import[0].version == int(asked)
    """,
    fix=Applicability.UNSAFE,
)

LOWEST, HIGHEST = 18, 25
"""Opsets that the new exporter of torch 2.13 has translations for."""
CONVERTED = 17
"""One below that conversion reaches with most operators: not with a mean, a pad or a norm."""
LEGACY_HIGHEST = 20
MEASURED = (2, 13)
FIRST = (2, 9)
"""The release whose highest opsets are known, and the first whose lowest is the same."""


@rule.event(ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    opset = read_plain(name_given(event).get("opset_version"))
    if source.profile.torch < FIRST or type(opset) is not int:
        return
    exporter, known = choose_exporter(event, source), source.profile.torch == MEASURED
    if exporter == "onnx" and find_script(event, source.evaluation.ways) is not None:
        return  # another rule tells that it raises
    if exporter == "onnx" and opset < CONVERTED:
        message = f"opset {opset} is asked for; unless conversion succeeds, 18 is written"
        yield Hit(event, message, _raise_opset(event, source), cause="opset")
    elif exporter == "onnx" and known and opset > HIGHEST:
        said = f"opset {opset} is asked for, and 18 is written"
        yield Hit(event, said, remedy=f"ask for opset_version={HIGHEST} at most")
    elif exporter == "onnx-legacy" and known and opset > LEGACY_HIGHEST:
        said = (
            f"the legacy exporter knows no opset above {LEGACY_HIGHEST}: {opset} is only a number"
        )
        yield Hit(event, said, remedy=f"ask for opset_version={LEGACY_HIGHEST} at most")


def _raise_opset(event: Called, source: Source) -> Fix | None:
    """Where the number is written in the call."""
    call = source.call_at(event)
    asked = onnx_arguments(call).get("opset_version") if call is not None else None
    if asked is None or not isinstance(literal(asked), int):
        return None
    edit = source.replace(asked, str(LOWEST))
    return Fix("ask for opset 18", (edit,), Applicability.UNSAFE)
