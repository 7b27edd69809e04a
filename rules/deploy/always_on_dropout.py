"""LT202: dropout in a forward pass that never looks at the mode, so that eval() does not stop it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant
from lintorch.evidence import OperatorCall, Outcome, Trace, Trial
from lintorch.evidence.host_reads import is_run_whole
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT202",
    summary="dropout that eval() does not switch off",
    why="""
        `F.dropout(x, p)` drops unless it is told `training=False`; it knows nothing of the
        mode of the module around it. After `model.eval()` the output is still random, and so
        is what torch.export, ONNX (both exporters), TorchScript and torch.fx write, most of
        them without a warning. The same holds for `scaled_dot_product_attention` with a
        `dropout_p`, and for a `nn.Dropout` made and called in forward, which is new and
        therefore in training mode each time. Measured on torch 2.13.

        Where dropout is meant to stay on, as in Monte Carlo dropout, say so with
        `# lintorch: ignore[LT202]`.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.classify = nn.Linear(512, 10)

            def forward(self, x):
                x = F.dropout(x, 0.2)
                return self.classify(x)
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.classify = nn.Linear(512, 10)

            def forward(self, x):
                x = F.dropout(x, 0.2, training=self.training)
                return self.classify(x)
    """,
    proof="""
        head, features = Head().eval(), torch.ones(1, 512)
        assert torch.equal(head(features), head(features))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_F = "torch.nn.functional."
ON = frozenset(_F + name for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"))
OFF = frozenset(_F + name for name in ("alpha_dropout", "feature_alpha_dropout"))
"""Functions that drop only where they are told `training=True`."""
TOLD = frozenset(("torch.dropout", "torch.alpha_dropout", "torch.feature_dropout"))
"""Functions whose third argument has no default."""
LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout")
)
ATTENTION = _F + "scaled_dot_product_attention"
FUNCTIONS = (*sorted(ON | OFF), ATTENTION)
_MODE = re.compile(r"train|determin|infer|eval|sampl|stochastic|(^|_)mc(_|$)", re.I)


@rule.event(*ON)
def in_flow(event: Called, source: Source) -> Iterator[Hit]:
    """A function that is not told the mode, with arguments that come to it by another way."""
    call, given = source.call_at(event), name_given(event)
    known = not event.open and "training" not in given
    if not known or not event.way.forward or given.get("p") in (Constant(0), Constant(0.0)):
        return
    if call is not None and (any(_report(call, source)) or _asks_mode(call, source)):
        return
    short = event.name.rpartition(".")[2]
    yield Hit(event, f"{short} without training= drops in eval mode too")


@rule.source(cst.Call, needs=("ropout",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    yield from _report(call, source)


def _report(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in ON | OFF | TOLD:
        found = _function(call, name, source)
    elif name == ATTENTION:
        found = _attention(call, source)
    else:
        found = _layer(call, source)
    if found and source.in_forward(call) and not _asks_mode(call, source):
        yield found


@rule.trace(*FUNCTIONS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    share, active = _dropped(event)
    if share == 0 and is_run_whole(event.site):
        yield Refuted(event, "p is 0 here: nothing is dropped")
    elif active:
        yield Hit(event, f"drops {share:.0%} although the model is in eval mode")
    elif event.args.get("training") is False and is_run_whole(event.site):
        yield Refuted(event, "it was told training=False: the model is in eval mode")


@rule.trial("random")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*FUNCTIONS):
        if _dropped(event)[1]:
            yield Hit(event, f"{outcome.exporter} and eager disagree: {outcome.detail}")


def _dropped(event: OperatorCall) -> tuple[float | None, bool]:
    """The share that an event drops, and whether it does."""
    attention = event.name == ATTENTION
    share = event.args.get("dropout_p" if attention else "p")
    if not isinstance(share, (int, float)):
        return None, False
    return share, bool(share) and (attention or event.args.get("training") is True)


def _function(call: cst.Call, name: str, source: Source) -> Hit | None:
    """`F.dropout(x, p)` without `training`, or with a literal True."""
    given = source.arguments(call, "input", "p", "train" if name in TOLD else "training", "inplace")
    told = given.value("train" if name in TOLD else "training", name in ON)
    if told is not True or not given.complete or given.value("p", 0.5) in (0, 0.0):
        return None
    short = name.rpartition(".")[2]
    written = given.get("train" if name in TOLD else "training")
    if written is None:
        message = f"{short} without training= drops in eval mode too"
        edit = source.insert_argument(call, "training=self.training")
        return Hit(call, message, _fix(call, source, edit))
    message = f"{short} is told to drop in eval mode too, so that what is exported is random"
    edit = source.replace(written, "self.training")
    return Hit(call, message, _fix(call, source, edit), severity=Severity.NOTE)


def _attention(call: cst.Call, source: Source) -> Hit | None:
    """`dropout_p` that is a number or an attribute of the module: the same in either mode."""
    given = source.arguments(call, "query", "key", "value", "attn_mask", "dropout_p")
    share = given.get("dropout_p")
    if share is None or not _is_fixed(share, source):
        return None
    edit = source.replace(share, f"{source.code(share)} if self.training else 0.0")
    message = f"dropout_p={source.code(share)} drops in eval mode too"
    return Hit(call, message, _fix(call, source, edit))


def _layer(call: cst.Call, source: Source) -> Hit | None:
    """`nn.Dropout(p)(x)`."""
    made = call.func
    if not isinstance(made, cst.Call) or source.name(made.func) not in LAYERS:
        return None
    if source.arguments(made, "p").value("p", 0.5) in (0, 0.0):
        return None
    short = source.name(made.func).rpartition(".")[2]
    return Hit(call, f"a {short} made in forward is in training mode at every call")


def _is_fixed(share: cst.BaseExpression, source: Source) -> bool:
    number = literal(share)
    if isinstance(number, (int, float)):
        return number > 0
    values = source.classes.assigned(share) if isinstance(share, cst.Attribute) else []
    return (
        bool(values)
        and all(isinstance(v, (cst.Name, cst.Float)) for v in values)
        and not any(literal(v) == 0 for v in values)
    )


def _asks_mode(node: cst.CSTNode, source: Source) -> bool:
    """Whether the line stands under a test of some switch such as `training` or `deterministic`."""
    for outer in source.ancestors(node):
        if isinstance(outer, (cst.If, cst.IfExp)) and _MODE.search(source.code(outer.test)):
            return True
        if isinstance(outer, cst.FunctionDef):
            return False
    return False


def _fix(call: cst.Call, source: Source, edit: Edit) -> Fix | None:
    """Only where `self` is the module."""
    method = source.enclosing(call, cst.FunctionDef)
    info = source.classes.around(call)
    if method is None or info is None or not info.is_module:
        return None
    params = method.params.params
    own = (
        info.methods.get(method.name.value) is method and params and params[0].name.value == "self"
    )
    return Fix("follow the mode of the module", (edit,), Applicability.UNSAFE) if own else None
