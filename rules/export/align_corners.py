"""LT117: a resize or a grid whose align_corners is unset, impossible, or lost at an old opset."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import NONE, Value
from lintorch.evidence import AS_TRACED, OperatorCall, Outcome, Site, Trace, Trial
from lintorch.evidence.size_changes import may_be_of
from lintorch.source import UNKNOWN, Source
from lintorch.syntax.literals import Arguments

rule = Rule(
    __name__,
    code="LT117",
    summary="align_corners unset, impossible, or lost at an old opset",
    why="""
        Without align_corners, grid_sample and affine_grid warn on the first call and take False;
        to write False keeps every number. interpolate takes False too, without a word.

        Up to opset 10 the legacy ONNX exporter has no operator that resizes as torch does: linear,
        bilinear and trilinear give other numbers where align_corners is False or unset, and are
        refused where it is True or where the size is a constant; bicubic is always refused. From
        opset 11 on, and in the new exporter, both settings are right, whatever older advice says.
        Changing the flag changes what the model computes: raise the opset instead.

        Modes that do not interpolate (nearest, nearest-exact, area) raise where it is given at
        all, and a size together with a scale_factor raises too. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn
        from torch.nn import functional as F


        class Warp(nn.Module):
            def forward(self, x, grid):
                return F.grid_sample(x, grid)
    """,
    good="""
        from torch import nn
        from torch.nn import functional as F


        class Warp(nn.Module):
            def forward(self, x, grid):
                return F.grid_sample(x, grid, align_corners=False)
    """,
    remedy="ask for opset_version=11 or later",
    proof="""
        Warp()(torch.ones(1, 3, 4, 4), torch.zeros(1, 4, 4, 2))
    """,
    fix=Applicability.SAFE,
)

GRIDS = {
    "torch.nn.functional.grid_sample": (
        "input", "grid", "mode", "padding_mode", "align_corners",
    ),
    "torch.nn.functional.affine_grid": ("theta", "size", "align_corners"),
}  # fmt: skip
RESIZES = (
    "torch.nn.functional.interpolate",
    "torch.nn.functional.upsample",
    "torch.nn.Upsample",
)
TWICE = "torch.nn.UpsamplingBilinear2d"
LINEAR = ("linear", "bilinear", "trilinear")
FIRST_RIGHT = 11
"""The first opset whose resize operator can do what torch does."""
SAY = "pass align_corners=False, which is what it means"
REFUSALS = ("upsample", "'NoneType' object is not subscriptable")


@rule.event(*GRIDS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    if event.arguments.get("align_corners") != NONE or hands_on(event):
        return
    call, short = source.call_at(event), event.name.rpartition(".")[2]
    fix = None
    if call is not None and source.name(call.func) == event.name:
        fix = written(call, source.arguments(call, *GRIDS[event.name]), source)
    yield Hit(event, unset(short), fix, severity=Severity.NOTE, remedy=SAY)


def hands_on(event: Called) -> bool:
    """Whether the flag is a parameter of a function that nobody here calls: it may be given another."""
    given = event.node.keywords if isinstance(event.node, ast.Call) else []
    named = any(each.arg == "align_corners" and isinstance(each.value, ast.Name) for each in given)
    return named and not event.way.certain


@rule.event(*RESIZES, TWICE)
def in_resize(event: Called, source: Source) -> Iterator[Hit]:
    """Resizing by the function, and the layers that do, where they are made."""
    given = event.arguments
    if event.name == TWICE:
        flag, mode, size, smoothed = True, "bilinear", None, False
    else:
        flag, mode, size = (
            read_argument(given, name) for name in ("align_corners", "mode", "size")
        )
        smoothed = read_argument(given, "antialias") is True  # refused at any opset
        if wrong := impossible(mode, flag, size, read_argument(given, "scale_factor")):
            if is_written(event):
                yield Hit(event, wrong, severity=Severity.ERROR, remedy="leave one of them out")
            return
    layer = event.name.rpartition(".")[2][0].isupper()
    outdated = old(source.profile.opset_of("onnx-legacy")) and not smoothed
    if outdated and (layer or event.way.forward):
        yield from resized(event, mode, flag, size)


def read_argument(given: Mapping[str, Value], name: str) -> Any:
    """A constant argument; None where there is none of the name, UNKNOWN where it is not known."""
    return read_plain(given[name]) if name in given else None


def is_written(event: Called) -> bool:
    """Whether what is given surely comes together: no argument is one of several, or open."""
    if event.open or not event.way.certain or not isinstance(event.node, ast.Call):
        return False
    kept = [each.arg for each in event.node.keywords if isinstance(each.value, ast.Attribute)]
    return not {"mode", "align_corners"} <= {*kept}  # what a constructor is given, or its defaults


@rule.trace(*GRIDS)
def in_grid_run(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    if event.args.get("align_corners", UNKNOWN) is None:
        said = unset(event.name.rpartition(".")[2])
        yield Hit(event, said, severity=Severity.NOTE, remedy=SAY)


@rule.trace("torch.nn.functional.interpolate")
def in_run(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    if old(trace.profile.opset_of("onnx-legacy")):
        yield from asked(event)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.exporter != "onnx-legacy" or not old(outcome.opset or 0):
        return
    for event in trial.trace.find_events("torch.nn.functional.interpolate"):
        for hit in asked(event):
            refused = (hit.harm or {})["onnx-legacy"] is Harm.REFUSED
            if outcome.status == "failed" and refused and said(outcome, event):
                message = f"onnx-legacy refuses at opset {outcome.opset}: {hit.message}"
                yield Hit(hit.node, message, severity=Severity.ERROR)
            elif outcome.status == "wrong" and not refused and AS_TRACED in outcome.wrong_at:
                message = f"onnx-legacy is wrong at opset {outcome.opset}: {outcome.detail}"
                yield Hit(hit.node, message, severity=Severity.ERROR)


def unset(short: str) -> str:
    return f"{short} without align_corners warns, and means False"


def written(call: cst.Call, given: Arguments, source: Source) -> Fix:
    """The flag written out as what it is."""
    none = given.get("align_corners")
    if none is not None:
        edit = source.replace(none, "False")
    else:
        edit = source.insert_argument(call, "align_corners=False")
    return Fix("Pass align_corners=False, which is what it means", (edit,))


def impossible(mode: Any, flag: Any, size: Any, factor: Any) -> str:
    """Why torch raises for these arguments; "" where it does not, or where they are not known."""
    if flag in (True, False) and mode in ("nearest", "nearest-exact", "area"):
        return f"raises: mode {mode!r} and align_corners do not go together"
    known = UNKNOWN not in (size, factor)
    if known and size is not None and factor is not None:
        return "raises: size and scale_factor do not go together"
    return ""


def resized(node: object, mode: Any, flag: Any, size: Any) -> Iterator[Hit]:
    """A resize that the legacy exporter cannot write below opset 11."""
    if mode == "bicubic":
        yield Hit(node, "bicubic below opset 11", harm={"onnx-legacy": Harm.REFUSED})
    elif mode in LINEAR and (flag is True or size not in (None, UNKNOWN)):
        how = "align_corners=True" if flag is True else "to a constant size"
        yield Hit(node, f"{mode} {how} below opset 11", harm={"onnx-legacy": Harm.REFUSED})
    elif mode in LINEAR:
        message = f"{mode} with align_corners={bool(flag)} below opset 11"
        yield Hit(node, message, harm={"onnx-legacy": Harm.WARNED})


def asked(event: OperatorCall) -> Iterator[Hit]:
    """The same of a resize that ran; there a size may have been worked out, so none is constant."""
    args = event.args
    if not args.get("antialias"):
        yield from resized(site(event), args.get("mode"), args.get("align_corners"), UNKNOWN)


def site(event: OperatorCall) -> Site:
    """The line to change: where an upsampling layer was made, else where the function is called."""
    layer = event.layer_class in (*RESIZES, TWICE)
    return event.built if layer and event.built else event.site


def said(outcome: Outcome, event: OperatorCall) -> bool:
    told = any(word in outcome.message for word in REFUSALS)
    return told and may_be_of(outcome, event)


def old(opset: int) -> bool:
    return 0 < opset < FIRST_RIGHT
