"""LT148: numbers drawn by a torch.Generator in forward."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import External, Held, Tensor
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT148",
    summary="numbers drawn by a torch.Generator in forward",
    why="""
        ONNX has no generators: both ONNX exporters refuse a model that draws with
        `generator=`, but for `normal_` under the legacy one. torch.export takes it for sizes that
        are numbers, and refuses torch.rand, torch.randn and torch.randint of a size that varies, "SymIntArrayRef
        expected to contain only concrete integers". torch.jit.trace keeps the generator, and
        torch.jit.script a copy of it. Measured on torch 2.13.

        Draw the numbers outside and pass them in: then the caller seeds them, and every exporter
        writes the same model.
    """,
    bad="""
        import torch
        from torch import nn


        class Noisy(nn.Module):
            def __init__(self):
                super().__init__()
                self.generator = torch.Generator().manual_seed(0)

            def forward(self, x):
                return x + torch.randn(x.shape, generator=self.generator)
    """,
    good="""
        import torch
        from torch import nn


        class Noisy(nn.Module):
            def __init__(self):
                super().__init__()

            def forward(self, x, noise):
                return x + noise
    """,
    proof="""
        import inspect

        x = torch.zeros(2, 4)
        given = (x,) if len(inspect.signature(Noisy.forward).parameters) == 2 else (x, x + 1)
        batch = torch.export.Dim("batch")
        torch.export.export(Noisy(), given, dynamic_shapes=tuple({0: batch} for _ in given))
    """,
    severity=Severity.ERROR,
)

SHAPED = ("torch.rand", "torch.randn", "torch.randint", "torch.normal")
"""Functions that are given sizes."""
IN_PLACE = ("bernoulli_", "uniform_", "random_", "exponential_", "normal_", "geometric_")
DRAWS = (
    *SHAPED, "torch.bernoulli", "torch.multinomial", "torch.poisson",
    "torch.Tensor.bernoulli", "torch.Tensor.multinomial",
    *(f"torch.Tensor.{name}" for name in IN_PLACE),
)  # fmt: skip
INSTEAD = "draw the numbers outside and pass them in"


@rule.event(*DRAWS)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    by = name_given(event).get("generator")
    if not event.way.forward or not isinstance(by, Held) or by.of != External("torch.Generator"):
        return
    harm = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
    if event.name == "torch.Tensor.normal_":
        del harm["onnx-legacy"]
    if source.profile.dynamic and event.name in SHAPED[:3] and is_varying(event):
        harm["torch.export"] = Harm.REFUSED
    short = event.name.rpartition(".")[2]
    yield Hit(event, f"{short} with a generator in forward; {INSTEAD}", harm=harm)


def is_varying(event: Called) -> bool:
    """Whether as many are drawn as an input is long."""
    shape = event.result.shape if isinstance(event.result, Tensor) else None
    return shape is not None and any(varies(size) is True for size in shape)
