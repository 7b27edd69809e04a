"""LT218: a normalization that looks at its batch in eval mode too."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import FALSE
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT218",
    summary="a BatchNorm without running statistics",
    why="""
        With `track_running_stats=False` a BatchNorm uses the statistics of the batch at hand, in
        eval mode too: what the model says of one sample depends on what else is in the batch, and
        BatchNorm1d of a single sample raises. Exported models keep it so. Meant where each batch is
        a domain of its own; else leave the argument out. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn

        norm = nn.BatchNorm1d(4, track_running_stats=False).eval()
    """,
    good="""
        from torch import nn

        norm = nn.BatchNorm1d(4).eval()
    """,
    remedy="leave track_running_stats=False out",
    proof="""
        x = torch.randn(8, 4)
        assert torch.allclose(norm(x)[:2], norm(x[:2])), "the batch decides"
    """,
    severity=Severity.NOTE,
)

NORMS = tuple(
    f"torch.nn.{kind}BatchNorm{rank}"
    for kind in ("", "Lazy", "Sync")
    for rank in ("", "1d", "2d", "3d")
)


@rule.event(*NORMS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    if event.arguments.get("track_running_stats") == FALSE:
        short = event.name.rpartition(".")[2]
        yield Hit(event, f"{short} without running statistics: in eval mode the batch decides")
