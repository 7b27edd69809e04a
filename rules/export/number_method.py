"""LT164: a method of Python's numbers is called of a size, which a tracer makes a tensor."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.number_methods import NUMBER_METHODS, OF_INT
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Number, Tensor
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.models.remainder_pads import RemainderAsked, read_remainder
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT164",
    summary="a method of numbers called of a size",
    why="""
        `x.shape[1]` is a number until a model is traced: then it is a tensor, which has no
        `is_integer()`, `bit_length()`, `as_integer_ratio()` or `hex()`. `torch.jit.trace` and the
        legacy ONNX exporter raise AttributeError, whether the size varies or not. `torch.export`
        and the new ONNX exporter know `is_integer()` of a quotient; of the other methods they know
        none where the size varies, nor `is_integer()` of a size as it was read.
        Measured on torch 2.13.

        The fix asks for the rest: `n % 8 == 0` for `(n / 8).is_integer()`.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class Windows(nn.Module):
            def forward(self, x):
                n = x.shape[1]
                if (n / 8).is_integer():
                    return x
                return F.pad(x, (0, 0, 0, -n % 8))
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class Windows(nn.Module):
            def forward(self, x):
                n = x.shape[1]
                if n % 8 == 0:
                    return x
                return F.pad(x, (0, 0, 0, -n % 8))
    """,
    remedy="write n % k == 0 for (n / k).is_integer(), and a constant for what counts bits",
    proof="""
        warnings.simplefilter("ignore")
        torch.jit.trace(Windows(), torch.ones(2, 16, 4))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
    example_profile=("torchscript-trace",),
)

TRACED = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}
EVERYWHERE = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED, **TRACED}
MISSING = re.compile(rf"'Tensor' object has no attribute '({'|'.join(sorted(NUMBER_METHODS))})'")


@rule.event(*(f"number.{name}" for name in sorted(NUMBER_METHODS)))
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    """`(n / 8).is_integer()`, `n.bit_length()` of a size of a tensor."""
    held = event.positional[0]
    if not event.way.forward or not isinstance(held, Number) or held.data:
        return
    name = event.name.removeprefix("number.")
    every = name in OF_INT or (name == "is_integer" and held.whole)
    said = f"{name}() is no method of a size that is traced"
    harm = EVERYWHERE if every and held.varies and source.profile.dynamic else TRACED
    fix = ask_for_rest(event, source)
    if is_size(held, source):
        yield Hit(event, said, fix=fix, harm=harm)
    elif fix is not None and held.varies is None:
        yield Hit(event, said, fix=fix, harm=harm, confirms=True)


def is_size(held: Number, source: Source) -> bool:
    """Whether it is read from a shape, or worked out of one: no number that a model was made with."""
    sources = source.evaluation.ways.list_sources(held)
    return bool(held.varies) or any(isinstance(each, Tensor) for each in sources)


def find_quotient(event: Called, source: Source) -> RemainderAsked | None:
    """What is divided by what, where a name that is given once has the quotient."""
    function = source.evaluation.find_function(event)
    if function is None or not isinstance(event.node, ast.expr):
        return None
    return read_remainder(event.node, function)


def ask_for_rest(event: Called, source: Source) -> Fix | None:
    """`n % 8 == 0` for `(n / 8).is_integer()`."""
    call = source.call_at(event)
    if call is None or event.name != "number.is_integer":
        return None
    asked = call.func
    quotient = asked.value if isinstance(asked, cst.Attribute) else None
    if isinstance(quotient, cst.BinaryOperation) and isinstance(quotient.operator, cst.Divide):
        size, count = (write_operand(each, source) for each in (quotient.left, quotient.right))
        text = f"{size} % {count} == 0"
    elif isinstance(quotient, cst.Name) and (named := find_quotient(event, source)):
        text = f"{named.size} % {named.step} == 0"
    else:
        return None
    tight = isinstance(
        source.parent(call), (cst.BinaryOperation, cst.Comparison, cst.ComparisonTarget)
    )
    edit = source.replace(call, f"({text})" if tight else text)
    return Fix(f"write {text}", (edit,), Applicability.UNSAFE)


def write_operand(node: cst.BaseExpression, source: Source) -> str:
    """Its text, in parentheses where `%` would take a part of it."""
    loose = isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.IfExp)) and not node.lpar
    return f"({source.code(node)})" if loose else source.code(node)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    found = MISSING.search(outcome.message)
    if outcome.exporter in TRACED and found and outcome.site is not None:
        why = f"a size that is traced is a tensor, which has no {found[1]}()"
        yield report_refusal(outcome.site, outcome, why)
