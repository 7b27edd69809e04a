"""LT165: complex numbers in an operator that the new ONNX exporter translates of real ones alone."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed, ItemSet
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.exporting.complex_operators import (
    APART,
    REAL_ALONE,
    is_complex,
    picks_complex,
    takes_complex,
)
from lintorch.facts.exporting.complex_rewrites import (
    call_by_parts,
    multiply_itself,
    pick_by_parts,
)
from lintorch.facts.exporting.complex_writes import fill_real
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT165",
    summary="an operator of complex numbers without a translation to ONNX",
    why="""
        ONNX has no complex numbers. The new exporter writes each as two real ones, for some
        operators: mul, matmul, add, sub, div, abs, angle, conj, sum, mean, cat, stack, slices,
        view, permute, roll, flip and Fourier transforms. It refuses the others ("No decompositions
        registered for the complex-valued input"): einsum, bmm, pow, exp, log, sqrt, tanh, where,
        linear, expand, repeat, unsqueeze, split, gather, cumsum, `z[:, 0]`, `z[..., None]` and
        writing into `z[...]`. `torch.export` and jit.trace take all of them; the legacy exporter
        takes no complex numbers at all (LT121). Measured on torch 2.13.

        The fix writes a sum of products as a matmul, or as sums of real ones in a function that is
        put into the file, `z**2` as `z * z`, `z[:, 0]` as
        `torch.complex(z.real[:, 0], z.imag[:, 0])`, and a tensor of zeros that is filled part by
        part as one of real and imaginary parts, behind which `view_as_complex` stands: the new
        exporter is right after each, the legacy one still refuses. Numbers differ by rounding.
    """,
    bad="""
        import torch
        from torch import nn


        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(4, 4, dtype=torch.cfloat))

            def forward(self, x):
                spectrum = torch.fft.rfft(x)
                mixed = torch.einsum("bcn,cd->bdn", spectrum, self.weight)
                return torch.fft.irfft(mixed)
    """,
    good="""
        import torch
        from torch import nn


        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(4, 4, dtype=torch.cfloat))

            def forward(self, x):
                spectrum = torch.fft.rfft(x)
                mixed = torch.matmul(spectrum.transpose(-1, -2), self.weight).transpose(-1, -2)
                return torch.fft.irfft(mixed)
    """,
    remedy=APART,
    proof="""
        warnings.simplefilter("ignore")
        torch.onnx.export(Mixed().eval(), (torch.rand(2, 4, 8),), dynamo=True, verbose=False)
    """,
    fix=Applicability.UNSAFE,
    severity=Severity.ERROR,
    example_profile=("onnx",),
)

HARM = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
REFUSAL = "No decompositions registered for the complex-valued input"


@rule.event(*REAL_ALONE)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if event.way.forward and takes_complex(event):
        yield from tell(event, f"{event.name.rpartition('.')[2]}()", call_by_parts(event, source))


@rule.event(Indexed)
def in_index(event: Indexed, source: Source) -> Iterator[Hit]:
    """`z[:, 0]`, `z[..., None]`."""
    if event.way.forward and picks_complex(event):
        yield from tell(event, "an index that is no slice", pick_by_parts(event, source))


@rule.event(ItemSet)
def in_item(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`z[:, :4] = part`."""
    if event.way.forward and is_complex(event.held):
        yield from tell(event, "writing into a part", fill_real(event, source))


@rule.event(Combined)
def in_power(event: Combined, source: Source) -> Iterator[Hit]:
    """`z ** 2`."""
    if event.operator == "Pow" and event.way.forward and is_complex(event.left):
        yield from tell(event, "a power", multiply_itself(event, source))


def tell(event: Called | Indexed | ItemSet | Combined, what: str, fix: Fix | None) -> Iterator[Hit]:
    """Of a tensor that is complex for sure."""
    said = f"{what} of complex numbers has no translation to ONNX"
    yield Hit(event, said, fix, HARM, cause="complex numbers")


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.exporter in HARM and REFUSAL in outcome.message and outcome.site is not None:
        why = "an operator of complex numbers has no translation to ONNX"
        yield report_refusal(outcome.site, outcome, why)
