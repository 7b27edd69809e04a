"""LT119: a size scaled by a float or rounded, which an exporter bakes or works out differently."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Baked
from lintorch.evidence import (
    AS_TRACED,
    EventKey,
    Outcome,
    SizeDivided,
    SizeRead,
    SizeUse,
    Trace,
    Trial,
    Variation,
)
from lintorch.evidence.size_changes import (
    blame_event,
    clear_fixed_line,
    clear_lines,
    find_changes,
    get_question,
    is_function_of,
)
from lintorch.evidence.treatment import name_sizes
from lintorch.source import Kind, Source, is_ratio, is_read, is_scaled, literal, may_vary

rule = Rule(
    __name__,
    code="LT119",
    summary="a size that is scaled by a float or rounded",
    why="""
        `h // 2`, `(h + 3) // 4` and `-h % 4` are followed by every exporter. A size that becomes
        a float and is made whole again (`int(h / 2)`, `int(h * 0.75)`, `int(n ** 0.5)`) is not:
        the new ONNX exporter writes the number it was for the example and says nothing,
        `torch.export` ties the input to sizes that give this number, the legacy exporter and
        jit.trace warn and bake it. `math.ceil` and `math.floor` bake only there, `math.sqrt` and
        `math.log` everywhere, `round` and `divmod` are refused. A floor division whose left side
        is negative (`-(-h // 4)`) rounds the other way in ONNX, under both exporters, without a
        word. `interpolate(scale_factor=...)` with a number worked out from a size is refused.
        Measured on torch 2.13.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class Half(nn.Module):
            def forward(self, x):
                return F.pad(x, [0, 0, 0, int(x.shape[2] / 2)])
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class Half(nn.Module):
            def forward(self, x):
                return F.pad(x, [0, 0, 0, x.shape[2] // 2])
    """,
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        sizes = ({2: torch.export.Dim.DYNAMIC},)
        torch.onnx.export(Half(), (torch.ones(1, 3, 12, 8),), "half.onnx", dynamic_shapes=sizes)
        session = onnxruntime.InferenceSession("half.onnx")
        image = torch.ones(1, 3, 20, 8)
        (output,) = session.run(None, {"x": image.numpy()})
        assert output.shape == Half()(image).shape
    """,
    fix=Applicability.SAFE,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
WHOLE = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **TRACED}
"""int() of a float; math.sqrt and the like of a size that was worked out first."""
FUNCTION = {"torch.export": Harm.REFUSED, "onnx": Harm.AUTO, **TRACED}
NEGATIVE = {"onnx": Harm.SILENT, "onnx-legacy": Harm.SILENT}
NOT_TRACED = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}
ROUNDED = {"onnx": Harm.REFUSED, **NOT_TRACED, "torchscript-script": Harm.REFUSED}
ROUNDED_WHOLE = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **NOT_TRACED}
REFUSED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED, **NOT_TRACED}
SCALED = {**REFUSED, "torch.export": Harm.FAILS}
ROOT = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.AUTO,
    **dict.fromkeys(("onnx-legacy", "torchscript-trace"), Harm.SILENT),
}

UPWARD = frozenset({"math.ceil", "math.floor", "math.trunc"})
FUNCTIONS = frozenset({f"math.{name}" for name in ("sqrt", "log", "log1p", "log2")})
RESIZES = frozenset({"torch.nn.functional.interpolate", "torch.nn.functional.upsample"})
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {
    SizeUse.INT: WHOLE,
    SizeUse.FLOAT: WHOLE,
    SizeUse.CEIL: TRACED,
    SizeUse.ROUND: ROUNDED,
    SizeDivided: NEGATIVE,
}


@rule.source(cst.Call)
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.profile.dynamic or not call.args:
        return
    name = source.name(call.func)
    if (name not in RESIZES and name not in HARM) or not source.in_traced_forward(call):
        return
    if source.place(call).row in source.evaluation.rows.weighed:
        return  # what is known there decides
    if name in RESIZES:
        yield from resized(call, source)
    elif sized(call.args[0].value, source) or is_side(call, source):
        harm = HARM[name](call, source)
        if harm is not None and source.in_graph(call):
            yield Hit(call, message(call, source), fix=exact(call, source), harm=harm)


@rule.event(Baked)
def in_model(event: Baked, source: Source) -> Iterator[Hit]:
    """A size that was rounded, or made a float and whole again, on its way into an operator."""
    if not source.profile.dynamic or not event.varies:
        return
    harm = weigh_rounding(event)
    if harm:
        text = source.evaluation.text(event.spot)
        call = source.call_at(event)
        fix = exact(call, source) if call else None
        said = f"`{text}` is worked out from the size of the example"
        yield Hit(event, said, fix=fix, harm=harm)


def weigh_rounding(event: Baked) -> dict[str, Harm]:
    name, inside = event.via.name, "int" in event.also
    if name == "int":
        told = any(other in HARM for other in event.also)
        return {} if event.via.whole or told else WHOLE
    if name in UPWARD:
        return (
            (ROUNDED_WHOLE if inside else NOT_TRACED)
            if name == "math.trunc"
            else (WHOLE if inside else TRACED)
        )
    if name in FUNCTIONS:
        return WHOLE
    if name == "round" and not event.via.whole:
        return ROUNDED_WHOLE if inside else ROUNDED
    return {}


@rule.source(cst.BinaryOperation, needs=("//",))
def in_division(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`-(-h // 4)`, `-h // 2`."""
    if not isinstance(node.operator, cst.FloorDivide) or not source.profile.dynamic:
        return
    if not source.in_traced_forward(node):
        return
    negative = source.value(node.left).negative and sized(node.left, source)
    if negative and source.in_graph(node):
        said = f"{source.code(node)} divides a negative size, which ONNX rounds towards zero"
        yield Hit(node, said, fix=upwards(node, source), harm=NEGATIVE)


def resized(call: cst.Call, source: Source) -> Iterator[Hit]:
    """interpolate(x, scale_factor=h / 8)."""
    given = source.arguments(call, "input", "size", "scale_factor").get("scale_factor")
    if given is None:
        return
    value = source.value(given)
    if (value.kind is Kind.SIZE or value.items) and may_vary(value):
        said = f"scale_factor={source.code(given)} is worked out from a size: give size= instead"
        yield Hit(given, said, harm=SCALED)


def converted(call: cst.Call, source: Source) -> dict[str, Harm] | None:
    """int(h / 2); what stands inside as a call of its own is said there."""
    given = call.args[0].value
    told = isinstance(given, cst.Call) and source.name(given.func) in HARM
    return WHOLE if is_scaled(given, source) and not told and not is_ratio(given, source) else None


def upward(call: cst.Call, source: Source) -> dict[str, Harm]:
    """math.ceil(h / 4); no tracer takes math.trunc."""
    if source.name(call.func) == "math.trunc":
        return ROUNDED_WHOLE if in_int(call, source) else NOT_TRACED
    return WHOLE if in_int(call, source) else TRACED


def function(call: cst.Call, source: Source) -> dict[str, Harm]:
    """math.sqrt(h)."""
    direct = is_read(call.args[0].value) and not in_int(call, source)
    return FUNCTION if direct else WHOLE


def rounded(call: cst.Call, source: Source) -> dict[str, Harm] | None:
    """round(h * 0.5); of an int it does nothing."""
    if source.value(call.args[0].value).whole:
        return None
    return ROUNDED_WHOLE if in_int(call, source) else ROUNDED


HARM = {
    "int": converted,
    "float": converted,
    "round": rounded,
    "divmod": lambda call, source: REFUSED,
    "math.isqrt": lambda call, source: ROOT,
    **dict.fromkeys(UPWARD, upward),
    **dict.fromkeys(FUNCTIONS, function),
}


def message(call: cst.Call, source: Source) -> str:
    """What happens to which size."""
    given, name = source.code(call.args[0].value), source.code(call.func)
    return f"{name}({given}) leaves the sizes that an exporter can follow"


def sized(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is worked out from a size that may vary."""
    value = source.value(node)
    return value.kind is Kind.SIZE and may_vary(value)


def is_side(call: cst.Call, source: Source) -> bool:
    """`int(x.shape[1] ** 0.5)`: the root of a number of tokens, never of channels."""
    inner = call.args[0].value
    if source.name(call.func) != "int":
        return False
    match inner:
        case cst.BinaryOperation(operator=cst.Power(), left=rooted, right=power):
            reads = source.value(rooted).reads if literal(power) == 0.5 else ()
            return any(read.axis == 1 for read in reads)
    return False


def in_int(call: cst.Call, source: Source) -> bool:
    """Whether a call is all that int() is called with."""
    outer = source.enclosing(call, cst.Call)
    return outer is not None and source.name(outer.func) == "int" and outer.args[0].value is call


# exact rewrites of h / k with a whole number k


def exact(call: cst.Call, source: Source) -> Fix | None:
    """`h // k` for int(h / k) and math.floor(h / k), `(h + k - 1) // k` for math.ceil(h / k)."""
    name, given = source.name(call.func), call.args[0].value
    if name not in ("int", *UPWARD) or len(call.args) != 1:
        return None
    parts = quotient(given, source, cst.Divide)
    if parts is None:
        return None
    whole = source.enclosing(call, cst.Call) if in_int(call, source) else call
    assert whole is not None
    size, divisor = parts
    up = divisor - 1 if name == "math.ceil" else 0
    text = f"({size} + {up}) // {divisor}" if up else f"{size} // {divisor}"
    edit = source.replace(whole, source.fitted(text, whole))
    return Fix(f"write {text}", (edit,))


def upwards(node: cst.BinaryOperation, source: Source) -> Fix | None:
    """`(h + k - 1) // k` for `-(-h // k)`."""
    outer, left = source.parent(node), node.left
    if not (isinstance(outer, cst.UnaryOperation) and isinstance(outer.operator, cst.Minus)):
        return None
    if not isinstance(left, cst.UnaryOperation):
        return None
    parts = quotient(node.with_changes(left=left.expression), source, cst.FloorDivide, left)
    if parts is None:
        return None
    text = f"({parts[0]} + {parts[1] - 1}) // {parts[1]}"
    return Fix(f"write {text}", (source.replace(outer, source.fitted(text, outer)),))


def quotient(
    node: cst.BaseExpression,
    source: Source,
    kind: type[cst.BaseBinaryOp],
    known: cst.BaseExpression | None = None,
) -> tuple[str, int] | None:
    """The text of h and the number k of `h / k`, where h is surely a size above zero."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, kind):
        return None
    value, divisor = source.value(known or node.left), literal(node.right)
    if not isinstance(divisor, int) or isinstance(divisor, bool) or divisor < 1:
        return None
    if not value.whole or (known is None and value.negative is not False):
        return None
    text = source.code(node.left)
    return (text if is_read(node.left) or node.left.lpar else f"({text})"), divisor


# the run


@rule.trace(*TRACE_HARM)
def in_trace(event: SizeRead | SizeDivided, trace: Trace) -> Iterator[Hit | Refuted]:
    changed = find_changes(event, trace)
    yield from clear_fixed_line(event, trace, f"{shown(event)} at every size tried")
    if isinstance(event, SizeDivided):
        asked_anew = find_changes(event, trace, get_question)
        if asked_anew and (sizes := name_sizes(uneven(event, trace))):
            yield Hit(event.site, f"{shown(event)}, rounded down", harm=NEGATIVE, sizes=sizes)
    elif changed and is_rounded(event):
        key, other = next(iter(changed.items()))
        said = f"{shown(event)} and {shown(other)} when {key} changes"
        yield Hit(event.site, said, harm=TRACE_HARM[event.key], sizes=name_sizes(changed))


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*TRACE_HARM):
        divided = isinstance(event, SizeDivided)
        explains = uneven(event, trial.trace) if divided else None
        hit = blame_event(outcome, event, trial, TRACE_HARM[event.key], explains)
        if hit and (divided or is_rounded(event)):
            yield hit


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    trace = trial.trace
    divided = trace.find_events(SizeDivided)
    rounded = (e for e in trace.find_events(*TRACE_HARM) if is_rounded(e))
    yield from clear_lines(outcome, rounded, trial)
    yield from clear_lines(outcome, divided, trial, lambda event: uneven(event, trace))


def is_rounded(event: SizeRead | SizeDivided) -> bool:
    """Whether a float was made whole, or a size given to math.sqrt; dynamic-size tells of int(h)."""
    if isinstance(event, SizeDivided):
        return False
    if event.how in (SizeUse.CEIL, SizeUse.ROUND) or is_function_of(event):
        return True
    return isinstance(event.operand, float)


def uneven(event: SizeDivided, trace: Trace) -> list[Variation]:
    """The sizes at which a negative division leaves a remainder."""
    every = {AS_TRACED: event, **trace.find_again(event)}
    return [at for at, e in every.items() if e.left % e.right]


def shown(event: SizeRead | SizeDivided) -> str:
    """`int(10.5) is 10`, `the size is 256`, `-21 // 4 is -6`."""
    if isinstance(event, SizeDivided):
        return f"{event.left} // {event.right} is {event.value}"
    if is_function_of(event):
        return f"the size is {event.operand}"
    return f"{event.how.value}({event.operand}) is {event.value}"
