"""LT507: a bias that the norm right behind it takes away again."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import NormedBias, Site, Trace
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.classes.classes import is_self
from lintorch.facts.nets.layers import CONV, TRANSPOSED, Layer
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT507",
    summary="a bias that the norm behind it takes away",
    why="""
        BatchNorm and InstanceNorm subtract the mean of each channel, and with it any constant
        that the layer before them added. The bias gets no gradient but rounding noise, and
        still costs memory, an optimizer state, and an operation in training. With bias=False
        the model computes the same. Measured on torch 2.13.

        The fix takes a key out of the state_dict: a checkpoint saved before it no longer loads
        strictly, and one that was trained with the bias has it in its running mean.
    """,
    bad="""
        from torch import nn

        block = nn.Sequential(
            nn.Conv2d(3, 16, 3),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
    """,
    good="""
        from torch import nn

        block = nn.Sequential(
            nn.Conv2d(3, 16, 3, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
    """,
    proof="""
        block(torch.randn(4, 3, 16, 16)).square().sum().backward()
        for weight in block.parameters():
            assert weight.grad.abs().max() > 1e-2, f"{tuple(weight.shape)} does not learn"
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

BIASED: dict[str, tuple[str, ...]] = {f"Conv{n}d": CONV for n in (1, 2, 3)} | {
    f"ConvTranspose{n}d": TRANSPOSED for n in (1, 2, 3)
}
BIASED |= {"Linear": ("in_features", "out_features", "bias")}
NORMS = ("BatchNorm", "InstanceNorm", "SyncBatchNorm")
WORDS = ("BatchNorm", "InstanceNorm")


@rule.source(cst.Call, needs=WORDS)
def in_row(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.layers.is_sequential(call):
        return
    parts = list(source.layers.parts(call))
    for part, after in pairwise(parts):
        if isinstance(part, cst.Call):
            yield from between(part, after, source)


@rule.source(cst.Call, needs=WORDS)
def in_forward(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.norm(self.conv(x))`, and the same in two lines that follow each other."""
    own = is_own(call.func) and len(call.args) == 1
    given: cst.CSTNode | None = call.args[0].value if own else None
    if isinstance(given, cst.Name):
        given = line_before(call, given.value, source)
    if isinstance(given, cst.Call) and is_own(given.func) and uses(given.func, source) == 1:
        made = source.layers.only_value(given.func)
        if isinstance(made, cst.Call):
            yield from between(made, call.func, source)


@rule.trace(NormedBias)
def in_trace(event: NormedBias, trace: Trace) -> Iterator[Hit | Refuted]:
    """All layers that the line made, in all runs."""
    if not all(map(is_whole_run, trace.runs)):
        return
    said = [
        e
        for run in trace.runs
        for e in run.events
        if isinstance(e, NormedBias) and e.site == event.site
    ]
    kind, name = event.kind, trace.record.qualname
    if other := next((e for e in said if not e.normed), None):
        taken = other.other or "nothing"
        yield Refuted(event, f"in {name} what {other.layer} puts out is taken by {taken}")
    elif len(said) == len(trace.runs) and not passes_on(event.site):
        norm, shape = event.norm, list(event.shape)
        message = f"{norm} alone took the {shape} of this {kind}, and with the mean its bias"
        yield Hit(event, message, confirms=not all(e.whole for e in said))


def passes_on(site: Site) -> bool:
    """Whether a line makes layers with a bias that its caller decides: `bias=bias`."""
    try:
        tree = ast.parse("".join(linecache.getlines(site.path)))
    except SyntaxError:
        return False
    return any(
        isinstance(node, ast.Call)
        and node.lineno <= site.row <= (node.end_lineno or 0)
        and any(k.arg == "bias" and not isinstance(k.value, ast.Constant) for k in node.keywords)
        for node in ast.walk(tree)
    )


def between(made: cst.Call, after: cst.CSTNode, source: Source) -> Iterator[Hit]:
    """A layer with a bias and what is run on its output."""
    layers, norms = source.layers.row(made), source.layers.row(after)
    if len(layers) != 1 or layers[0].call is not made or not takes_mean(norms[:1], source):
        return
    parameters = BIASED.get(layers[0].name, ())
    given = source.arguments(made, *parameters)
    if not parameters or not given.complete or given.value("bias", True) is not True:
        return
    run = norms[0].call
    norm = source.name(run.func).rpartition(".")[2] if isinstance(run, cst.Call) else ""
    if layers[0].name == "Linear" and norm == "InstanceNorm1d":
        return
    message = f"{norm} subtracts the mean, and with it the bias of this {layers[0].name}"
    written = given.get("bias")
    edit = (
        source.replace(written, "False")
        if written is not None
        else source.insert_argument(made, "bias=False")
    )
    yield Hit(made, message, Fix("leave the bias out", (edit,), Applicability.UNSAFE))


def takes_mean(row: tuple[Layer, ...], source: Source) -> bool:
    """Whether a row begins with a norm that subtracts a mean of each channel."""
    call = row[0].call if row else None
    name = source.name(call.func) if isinstance(call, cst.Call) else ""
    return name.startswith("torch.nn.") and name.removeprefix("torch.nn.").startswith(NORMS)


def is_own(node: cst.CSTNode) -> TypeGuard[cst.Attribute]:
    return isinstance(node, cst.Attribute) and is_self(node.value)


def uses(layer: cst.Attribute, source: Source) -> int:
    """How often the class reads `self.x`, so that no other code may want its bias."""
    around = source.classes.around(layer)
    return sum(
        node.attr.value == layer.attr.value
        and is_self(node.value)
        and source.classes.around(node) is around
        and not isinstance(source.parent(node), (cst.AssignTarget, cst.AnnAssign))
        for node in source.nodes(cst.Attribute)
    )


def line_before(call: cst.Call, name: str, source: Source) -> cst.CSTNode | None:
    """What `name` is assigned in the line before a line that assigns it anew from it."""
    line = source.enclosing(call, cst.SimpleStatementLine)
    block = source.parent(line) if line else None
    if line is None or not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return None
    index = next(n for n, other in enumerate(block.body) if other is line)
    before = block.body[index - 1] if index else None
    values = [assigned(statement, name) for statement in (before, line)]
    return values[0] if values[0] is not None and values[1] is call else None


def assigned(line: cst.CSTNode | None, name: str) -> cst.BaseExpression | None:
    """The value of a line `name = value`."""
    statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    return statement.value if isinstance(target, cst.Name) and target.value == name else None
