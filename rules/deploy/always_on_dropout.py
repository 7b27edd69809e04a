"""LT202: dropout in a forward pass that never looks at the mode, so that eval() does not stop it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import TRUE, Constant, Number, Value, name_setting
from lintorch.evidence import OperatorCall, Outcome, Trace, Trial
from lintorch.evidence.host_reads import is_run_whole
from lintorch.source import Source

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
    remedy="pass training=self.training",
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
NOTHING = (Constant(0), Constant(0.0))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MODE = re.compile(r"train|determin|infer|eval|sampl|stochastic|(^|_)mc(_|$)", re.I)


@rule.event(*sorted(ON | OFF | TOLD))
def in_function(event: Called, source: Source) -> Iterator[Hit]:
    """`F.dropout(x, p)` without `training`, or with one that is True in either mode."""
    given, switch = name_given(event), "train" if event.name in TOLD else "training"
    told, call = given.get(switch), source.call_at(event)
    off = told is None and event.name not in ON
    if (
        event.open
        or off
        or not event.way.forward
        or is_none_dropped(given.get("p"), "p", call, source)
    ):
        return
    if told not in (None, TRUE) or asks_mode(event, source) or is_handed_on(event, switch, source):
        return
    short, written = event.name.rpartition(".")[2], find_written(call, switch, 2, event, source)
    if told is None:
        fix = fix_call(call, event, source, written)
        yield Hit(event, f"{short} without training= drops in eval mode too", fix)
    else:
        message = f"{short} is told to drop in eval mode too, so that what is exported is random"
        fix = fix_call(call, event, source, written) if written is not None else None
        yield Hit(event, message, fix, severity=Severity.NOTE)


@rule.event(ATTENTION)
def in_attention(event: Called, source: Source) -> Iterator[Hit]:
    """`dropout_p` that is a number or a setting: the same in either mode."""
    share, call = event.arguments.get("dropout_p"), source.call_at(event)
    known = isinstance(share, (Constant, Number)) or bool(name_setting(share))
    if not known or not event.way.forward or is_none_dropped(share, "dropout_p", call, source):
        return
    written = find_written(call, "dropout_p", 4, event, source)
    shown, fix = "", None
    if call is not None and written is not None:
        shown = f"={source.code(written)}"
        edit = source.replace(written, f"{source.code(written)} if self.training else 0.0")
        fix = make_fix(call, source, edit)
    if not asks_mode(event, source):
        remedy = "write dropout_p=p if self.training else 0.0"
        yield Hit(event, f"dropout_p{shown} drops in eval mode too", fix, remedy=remedy)


@rule.event(*sorted(f"{layer}.forward" for layer in LAYERS))
def in_layer(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.Dropout(p)(x)`, which no call of eval() reaches."""
    around, made = source.evaluation.list_around(event), event.built
    function = next((node for node in around if isinstance(node, _FUNCTIONS)), None)
    if made is None or function is None or made.path != event.spot.path:
        return
    starts, ends = (
        (function.lineno, function.col_offset),
        (function.end_lineno or 0, function.end_col_offset or 0),
    )
    inside = starts <= (made.row, made.column) and (made.end_row, made.end_column) <= ends
    dropped = event.settings.get("p") not in NOTHING
    if inside and dropped and event.way.forward and not asks_mode(event, source):
        short = event.name.removesuffix(".forward").rpartition(".")[2]
        message = f"a {short} made in forward is in training mode at every call"
        yield Hit(event, message, remedy="make it in __init__ and call it here")


def is_given_nothing(trace: Trace) -> bool:
    """Whether somebody built the model with a 0, which is no default that others may change."""
    record = trace.record
    given = (value for name, value in record.arguments.items() if name not in record.made_up)
    return any(type(value) in (int, float) and value == 0 for value in given)


@rule.trace(*FUNCTIONS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    share, active = _dropped(event)
    if share == 0:
        if is_run_whole(event.site) and is_given_nothing(trace):
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


def is_none_dropped(share: Value | None, name: str, call: cst.Call | None, source: Source) -> bool:
    """Whether the share is 0, and no setting may make it another."""
    if share not in NOTHING:
        return False
    written = source.arguments(call, "input").get(name) if call is not None else None
    if written is None and call is not None and name == "p" and len(call.args) > 1:
        written = call.args[1].value
    values = source.classes.assigned(written) if isinstance(written, cst.Attribute) else []
    return not any(isinstance(each, cst.Name) for each in values)


def is_handed_on(event: Called, switch: str, source: Source) -> bool:
    """Whether the switch is an argument of forward, which its caller decides."""
    function = source.evaluation.find_function(event)
    named = [each.value for each in getattr(event.node, "keywords", ()) if each.arg == switch]
    named += getattr(event.node, "args", [])[2:3]
    inside = isinstance(function, ast.FunctionDef) and function.name == "forward"
    return inside and any(isinstance(each, ast.Name) for each in named)


def asks_mode(event: Called, source: Source) -> bool:
    """Whether the line stands under a test of some switch such as `training` or `deterministic`."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and _MODE.search(ast.unparse(outer.test)):
            return True
        if isinstance(outer, ast.FunctionDef):
            return False
    return False


def find_written(
    call: cst.Call | None, name: str, place: int, event: Called, source: Source
) -> cst.BaseExpression | None:
    """An argument as it is written in a call of the function by its own name."""
    if call is None or source.name(call.func) != event.name:
        return None
    parameters = [f"_{at}" for at in range(place)]
    return source.arguments(call, *parameters, name).get(name)


def fix_call(
    call: cst.Call | None, event: Called, source: Source, written: cst.BaseExpression | None
) -> Fix | None:
    """`training=self.training`."""
    if call is None or source.name(call.func) != event.name or any(a.star for a in call.args):
        return None
    if written is not None:
        return make_fix(call, source, source.replace(written, "self.training"))
    return make_fix(call, source, source.insert_argument(call, "training=self.training"))


def make_fix(call: cst.Call, source: Source, edit: Edit) -> Fix | None:
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
