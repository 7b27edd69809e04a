"""LT607: an import of a package that is no longer developed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.names.scopes import dotted_text
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT607",
    summary="an import of a package that is no longer developed",
    why="""
        torchtext ended with 0.18, which was built for torch 2.3: its compiled part does not load
        beside later releases. apex.amp and apex.parallel were taken into torch (torch.amp,
        DistributedDataParallel, SyncBatchNorm), and apex must be compiled for each release. The
        import works as long as the project pins its packages, which is why this is off by
        default. An import that is tried with a fallback is left alone.
    """,
    bad="""
        from apex import amp


        def backward(loss, optimizer):
            with amp.scale_loss(loss, optimizer) as scaled:
                scaled.backward()
    """,
    good="""
        import torch


        def backward(loss, optimizer, scaler: torch.amp.GradScaler):
            scaler.scale(loss).backward()
    """,
    unproven="""
        The packages are not there to be imported: that they stopped is told by their own pages,
        and that their import then fails beside a newer torch needs an old build of them.
    """,
    severity=Severity.NOTE,
    default=False,
)
DEAD = {
    "torchtext": (
        "torchtext ended with 0.18, for torch 2.3",
        "read texts with datasets, from PyPI",
    ),
    "apex.amp": ("apex.amp is deprecated", "use torch.amp"),
    "apex.parallel": (
        "apex.parallel is deprecated",
        "use torch.nn.parallel.DistributedDataParallel and torch.nn.SyncBatchNorm",
    ),
    "apex.fp16_utils": ("apex.fp16_utils is deprecated", "use torch.amp"),
}


@rule.source(cst.Import, cst.ImportFrom, needs=("torchtext", "apex"))
def in_source(node: cst.Import | cst.ImportFrom, source: Source) -> Iterator[Hit]:
    told = {
        said for dotted in imported(node) for name, said in DEAD.items() if within(dotted, name)
    }
    if told and not is_tentative(node, source):
        said, remedy = min(told)
        yield Hit(node, said, remedy=remedy)


def imported(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    if isinstance(node, cst.Import):
        yield from (dotted_text(alias.name) for alias in node.names)
    elif not node.relative:
        origin = dotted_text(node.module)
        yield origin
        if not isinstance(node.names, cst.ImportStar):
            yield from (f"{origin}.{dotted_text(alias.name)}" for alias in node.names)


def within(dotted: str, package: str) -> bool:
    return dotted == package or dotted.startswith(f"{package}.")
