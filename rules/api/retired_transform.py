"""LT609: a transform that torchvision's second version has retired."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT609",
    summary="torchvision.transforms.v2.ToTensor",
    why="""
        torchvision.transforms.v2.ToTensor warns whenever it is made, and is to be removed: it
        converts and scales in one step, and takes no other images than arrays and those of PIL.
        ToImage and then ToDtype(torch.float32, scale=True) give the same up to rounding. The
        ToTensor of torchvision.transforms itself is not retired. Seen on torchvision 0.28.
    """,
    bad="""
        import torch
        from torchvision.transforms import v2

        prepare = v2.Compose([v2.Resize(256), v2.ToTensor()])
    """,
    good="""
        import torch
        from torchvision.transforms import v2

        prepare = v2.Compose([v2.Resize(256), v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])])
    """,
    unproven="the tests run without torchvision, which warns where the transform is made",
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

_RETIRED = "torchvision.transforms.v2.ToTensor"
_MESSAGE = "v2.ToTensor warns and is to be removed"
_REMEDY = "use ToImage() and ToDtype(torch.float32, scale=True)"


@rule.source(cst.Call, needs=("ToTensor",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func).replace("._deprecated.", ".") == _RETIRED:
        yield Hit(call, _MESSAGE, _say_both(call, source), remedy=_REMEDY)


def _say_both(call: cst.Call, source: Source) -> Fix | None:
    if not isinstance(call.func, cst.Attribute) or call.args:
        return None
    here, torch = source.code(call.func.value), source.spell("torch.float32", call)
    if not torch:
        return None
    text = f"{here}.Compose([{here}.ToImage(), {here}.ToDtype({torch}, scale=True)])"
    return Fix("convert, then scale", (source.replace(call, text),), Applicability.UNSAFE)
