"""LT412: torch is seeded, and the other sources of randomness in the file are not."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT412",
    summary="a seed for torch alone",
    why="""
        `torch.manual_seed` seeds neither `random` nor `numpy.random`: runs differ as soon as the
        file draws from those. `cudnn.benchmark = True` chooses algorithms by timing, which
        undoes `cudnn.deterministic = True`. Off by default: seeds are often set elsewhere.
        Measured on torch 2.13.
    """,
    bad="""
        import random

        import torch


        def draw():
            torch.manual_seed(0)
            return random.random()
    """,
    good="""
        import random

        import torch


        def draw():
            torch.manual_seed(0)
            random.seed(0)
            return random.random()
    """,
    proof="""
        assert draw() == draw()
    """,
    severity=Severity.NOTE,
    default=False,
)

SEEDS = {"random": "random.seed", "numpy.random": "numpy.random.seed"}
EVERYTHING = ("seed_everything", "set_seed", "fix_seed", "setup_seed", "set_random_seed")
OWN = ("Random", "RandomState", "default_rng", "Generator", "SystemRandom", "getstate", "get_state")
"""What has a seed of its own."""


@rule.source(cst.Call, needs=("manual_seed",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.manual_seed" or source.mentions(EVERYTHING):
        return
    if "time" in source.code(call) or not _is_first(call, source):
        return  # random on purpose, or said already
    called = [source.name(other.func) for other in source.nodes(cst.Call)]
    for module, seed in SEEDS.items():
        drawn = [
            n for n in called if n.startswith(f"{module}.") and n.rpartition(".")[2] not in OWN
        ]
        if drawn and seed not in called:
            said = f"seeds torch; {drawn[0]} draws from {module}, which no seed is set for"
            yield Hit(call, said, remedy=f"call {seed}(seed) too")


@rule.source(cst.Assign, needs=("deterministic",))
def in_flags(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    if _sets(assign, "torch.backends.cudnn.benchmark", source):
        block = source.enclosing(assign, cst.IndentedBlock)
        for other in source.nodes(cst.Assign):
            same = source.enclosing(other, cst.IndentedBlock) is block
            if same and _sets(other, "torch.backends.cudnn.deterministic", source):
                yield Hit(
                    assign,
                    "cudnn.benchmark = True undoes cudnn.deterministic = True",
                    remedy="leave benchmark False",
                )


def _is_first(call: cst.Call, source: Source) -> bool:
    calls = source.nodes(cst.Call)
    return next(c for c in calls if source.name(c.func) == "torch.manual_seed") is call


def _sets(assign: cst.Assign, name: str, source: Source) -> bool:
    targets = (source.name(t.target) for t in assign.targets)
    return name in targets and literal(assign.value) is True
