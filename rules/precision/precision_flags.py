"""LT308: old and new switches of TF32 in one file."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT308",
    summary="old and new switches of TF32 together",
    why="""
        Whether float32 products may use TF32 was set by `allow_tf32`, and since torch 2.9 is set
        by `fp32_precision`. torch raises when the old switch is read after the new one was
        written, also from within itself. Off by default: one of the two often stands in a library.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def quick():
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cuda.matmul.fp32_precision = "tf32"
    """,
    good="""
        import torch


        def quick():
            torch.backends.cuda.matmul.fp32_precision = "tf32"
    """,
    proof="""
        quick()
        torch.backends.cuda.matmul.fp32_precision = "ieee"
        if "allow_tf32" in quick.__code__.co_names:
            torch.backends.cuda.matmul.allow_tf32
    """,
    severity=Severity.NOTE,
    default=False,
)

OLD = frozenset({"torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32"})
NEW = frozenset(
    {
        "torch.backends.fp32_precision", "torch.backends.cuda.matmul.fp32_precision",
        "torch.backends.cudnn.fp32_precision", "torch.backends.cudnn.conv.fp32_precision",
        "torch.backends.cudnn.rnn.fp32_precision",
    }
)  # fmt: skip
SINCE = (2, 9)


@rule.source(cst.Module, needs=("fp32_precision",))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    if source.profile.torch < SINCE:
        return
    written = [
        (target.target, source.name(target.target))
        for assign in source.nodes(cst.Assign)
        for target in assign.targets
    ]
    new = [node for node, name in written if name in NEW]
    for node, name in written:
        if name in OLD and any(not _exclude(node, other, source) for other in new):
            message = "allow_tf32 and fp32_precision are both set: reading the old one raises"
            yield Hit(node, message, remedy="leave allow_tf32 out")


def _exclude(one: cst.CSTNode, other: cst.CSTNode, source: Source) -> bool:
    """Whether two nodes stand in different branches of one `if`."""
    mine, its = ([node, *source.ancestors(node)] for node in (one, other))
    shared = next((node for node in mine if node in its), None)
    return isinstance(shared, cst.If)
