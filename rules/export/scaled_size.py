"""LT119: a size scaled by a float or rounded, which an exporter bakes or works out differently."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Baked, Called, Combined
from lintorch.evaluator.own_views import CHANNELS
from lintorch.evaluator.sizes import (
    Dim,
    Operation,
    Size,
    compare,
    is_counted,
    is_ratio,
    is_symbol,
    lower_bound,
    make_operation,
    upper_bound,
)
from lintorch.evaluator.values import Number
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
from lintorch.evidence.treatment import name_sizes, report_refusal
from lintorch.facts.models.empty_inputs import is_for_empty
from lintorch.facts.models.given_sizes import holds_open_size
from lintorch.facts.models.tracing_choices import is_traced
from lintorch.facts.models.whole_quotients import write_whole
from lintorch.source import Source, literal
from lintorch.syntax.plain_reads import is_read

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
        `math.log` everywhere, `round` and `divmod` are refused; torch.export follows `math.ceil`,
        `math.floor` and `round`, and torch.export.save refuses the program then. `h >> 1` and
        `n & 7` are no operators of ONNX: the new exporter refuses them, the legacy one `&`, `|`
        and `^`. A floor division
        whose left side is negative (`-(-h // 4)`) rounds the other way in ONNX, under both
        exporters, without a word. `interpolate(scale_factor=...)` with a number worked out from a
        size is refused.
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
    remedy="stay with integers: h * 3 // 4, (h + k - 1) // k",
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
ABSOLUTE = {"torch.export": Harm.REFUSED, "onnx": Harm.AUTO}
FUNCTION = {"torch.export": Harm.REFUSED, "onnx": Harm.AUTO, **TRACED}
NEGATIVE = {"onnx": Harm.SILENT, "onnx-legacy": Harm.SILENT}
SHIFTED = {"onnx": Harm.REFUSED}
MASKED = {**SHIFTED, "onnx-legacy": Harm.REFUSED}
BITS = {
    **dict.fromkeys(("LShift", "RShift"), SHIFTED),
    **dict.fromkeys(("BitAnd", "BitOr"), MASKED),
    "BitXor": {**MASKED, "torch.export": Harm.REFUSED},
}
"""What becomes of bits, by the class of the ast operator."""
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
BAKING = tuple(f"math.{name}" for name in (
    "log", "log1p", "log2", "log10", "exp", "sin", "cos", "tan", "tanh", "erf", "atan", "hypot",
    "gcd", "lcm", "comb", "factorial", "fmod", "degrees", "radians", "copysign", "atan2",
))  # fmt: skip
"""What nothing stands in for that every exporter follows."""
FUNCTIONS = frozenset({"math.sqrt", *BAKING})
INNER_LOGARITHM = re.compile(r"(int|(math\.)?(ceil|floor|trunc))\(.*\blog(2|1p)?\(", re.DOTALL)
ROUNDS = frozenset({"round", "divmod", "math.isqrt"}) | UPWARD | FUNCTIONS
UNSAVED = {"ceil": "math.ceil", "floor": "math.floor", "trunc": "math.trunc", "round": "round"}
"""What torch.export follows, and torch.export.save refuses, by the name that it says."""
NOT_SAVED = re.compile(r"<built-in function (\w+)> is not in _SYM_OPS")
SYMBOLIC = ("torch.export", "onnx")
"""What follows `torch.sym_int`, which TorchScript does not know."""
KEEP_SIDES = "take height and width from the shape before they are flattened"
DIVIDE = "stay with integers: a // b for int(a / b), with // inside of b too"
BY_ARITHMETIC = "write h // 2 for h >> 1, h * 4 for h << 2, n % 8 for n & 7"
UPWARDS = "write (h + k - 1) // k for -(-h // k), and -((d + k - 1) // k) for -d // k"
REWRITES = {
    "int": "stay with integers: h * 3 // 4 for int(h * 0.75)",
    "round": "stay with integers: (h * 3 + 2) // 4 for round(h * 0.75)",
    "divmod": "write h // k and h % k",
    "math.ceil": "write (h + k - 1) // k for math.ceil(h / k)",
    "math.floor": "write h // k for math.floor(h / k)",
    "math.trunc": "write h // k for math.trunc(h / k)",
    "math.sqrt": "write h ** 0.5 where it only divides or multiplies",
    "math.isqrt": KEEP_SIDES,
    "math.pow": "write h ** 2 for math.pow(h, 2)",
    "math.fabs": "write abs(h) for math.fabs(h)",
    **dict.fromkeys(BAKING, "give the number as a constant"),
}
"""What exporters follow, by the function that they do not."""
RESIZES = ("torch.nn.functional.interpolate", "torch.nn.functional.upsample")
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {
    SizeUse.INT: WHOLE,
    SizeUse.FLOAT: WHOLE,
    SizeUse.CEIL: TRACED,
    SizeUse.ROUND: ROUNDED,
    SizeDivided: NEGATIVE,
}


@rule.event(Baked)
def in_model(event: Baked, source: Source) -> Iterator[Hit]:
    """A size that was rounded, or made a float and whole again, on its way into an operator.

    Of one that may never vary only a run can tell.
    """
    if not source.profile.dynamic or event.varies is False or rounds_logarithm(event, source):
        return
    chosen = event.via.size is not None and is_counted(event.via.size)
    if chosen or is_for_empty(event, source.evaluation):
        return
    if is_of_channels(source.call_at(event)):
        return
    waits = not (event.varies or is_side(event))
    harm = weigh_rounding(event)
    if harm:
        text = source.evaluation.text(event.spot)
        call = source.call_at(event)
        if call and is_factor(call, source):
            return  # told where that is given to the resize
        fix = exact(call, source) if call and is_quotient(event.via.size) else None
        fix = fix or (write_quotient(call, event, source) if call else None)
        fix = fix or (write_root(call, event, source) if call else None)
        if call and is_traced(call, source) is False:
            harm = {name: kind for name, kind in harm.items() if name not in TRACED}
        elif call and fix is None:
            fix = trace_side(call, source)
        said = f"`{text}` is worked out from the size of the example"
        name = event.via.name
        remedy = DIVIDE if divides(call) else name_rewrite(event)
        unsaved = name in UNSAVED.values() and not source.profile.concerns(harm)
        waits = waits or unsaved
        if (fix is not None or not waits) and (harm or unsaved):
            felt = None if unsaved else harm
            yield Hit(event, said, fix=fix, harm=felt, remedy=remedy, cause=name, confirms=waits)


def is_of_channels(call: cst.Call | None) -> bool:
    """`math.sqrt(in_channels)` of what code calls so, of whatever axis it is."""
    given = call.args[0].value if call is not None and len(call.args) == 1 else None
    return isinstance(given, cst.Name) and CHANNELS.fullmatch(given.value) is not None


def is_factor(call: cst.Call, source: Source) -> bool:
    """`interpolate(x, scale_factor=math.sqrt(n / 196))`."""
    around = source.parent(call)
    while isinstance(around, (cst.BinaryOperation, cst.Tuple, cst.Element)):
        around = source.parent(around)
    word = around.keyword if isinstance(around, cst.Arg) else None
    return word is not None and word.value == "scale_factor"


def rounds_logarithm(event: Baked, source: Source) -> bool:
    """`math.ceil(math.log2(n))`: the logarithm is told, which nothing behind it mends."""
    return bool(INNER_LOGARITHM.match(source.evaluation.text(event.spot)))


def divides(call: cst.Call | None) -> bool:
    """`int(n / k)`."""
    given = call.args[0].value if call is not None and len(call.args) == 1 else None
    named = isinstance(call.func, cst.Name) and call.func.value == "int" if call else False
    return (
        named
        and isinstance(given, cst.BinaryOperation)
        and (isinstance(given.operator, cst.Divide))
    )


def name_rewrite(event: Baked) -> str:
    """What is followed by every exporter in the place of a function."""
    size, name = event.via.size, event.via.name
    atoms = size.atoms if isinstance(size, Size) else ()
    root = any(isinstance(each, Operation) and each.kind == "sqrt" for each in atoms)
    if root or (name == "math.sqrt" and "int" in event.also):
        return KEEP_SIDES
    return REWRITES[name]


def is_quotient(size: Dim | None) -> bool:
    """Whether a number is `h / k` of an int that is at least 0 and a whole number k."""
    atom = next(iter(size.atoms)) if isinstance(size, Size) else None
    if not isinstance(atom, Operation) or size != make_operation("/", *atom.operands):
        return False
    above, below = atom.operands[0], atom.operands[-1]
    return isinstance(below, int) and (lower_bound(above) or -1) >= 0


def is_side(event: Baked) -> bool:
    """`int(x.shape[1] ** 0.5)`: of a number of channels nobody makes the root whole."""
    given, name = event.via.size, event.via.name
    rooted: tuple[Dim, ...]
    if name == "math.sqrt":
        whole, rooted = "int" in event.also, () if given is None else (given,)
    else:
        roots = (each for each in list_operations(given) if each.kind == "sqrt")
        whole, rooted = name == "int", tuple(size for root in roots for size in root.operands)
    shares = (each.kind == "/" for size in rooted for each in list_operations(size))
    return event.varies is None and whole and bool(rooted) and not any(shares)


def list_operations(size: Dim | None) -> list[Operation]:
    """What a size is made of besides sums and products of symbols."""
    atoms = size.atoms if isinstance(size, Size) else ()
    return [each for each in atoms if isinstance(each, Operation)]


def weigh_rounding(event: Baked) -> dict[str, Harm]:
    """What becomes of a number that went through a function; nothing where that is said of another."""
    name, inside = event.via.name, "int" in event.also
    if is_ratio(event.via.size):
        return {}
    if name == "int":
        told = any(other in ROUNDS or other.startswith("numpy.") for other in event.also)
        return {} if event.via.whole or told else WHOLE
    if name == "math.trunc":
        return ROUNDED_WHOLE if inside else NOT_TRACED
    if name in UPWARD:
        return WHOLE if inside else TRACED
    if name in FUNCTIONS:
        return FUNCTION if is_symbol(event.via.size) else WHOLE
    if name == "round" and not event.via.whole:
        return ROUNDED_WHOLE if inside else ROUNDED
    alone = {"divmod": REFUSED, "math.isqrt": ROOT, "math.pow": TRACED, "math.fabs": ABSOLUTE}
    return alone.get(name, {})


@rule.event(Combined)
def in_division(event: Combined, source: Source) -> Iterator[Hit]:
    """`-(-h // 4)`, `-h // 2`."""
    size = event.left.size if isinstance(event.left, Number) else None
    if event.operator != "FloorDiv" or not isinstance(size, Size) or size.varies is False:
        return
    if not event.way.forward or not source.profile.dynamic:
        return
    if size.varies and (compare(size, "<", 0) or sinks_below_zero(size)):
        text = source.evaluation.text(event.spot)
        what = "a negative size" if compare(size, "<", 0) else "what is negative at some sizes"
        said = f"`{text}` divides {what}, which ONNX rounds towards zero"
        node = source.node_at(event, cst.BinaryOperation)
        fix = upwards(node, source) or turn_round(node, source) if node else None
        yield Hit(event, said, fix=fix, harm=NEGATIVE, remedy=UPWARDS)
    elif isinstance(event.left, Number) and event.left.whole and not compare(size, ">=", 0):
        node = source.node_at(event, cst.BinaryOperation)
        differs = node is not None and isinstance(node.left, cst.BinaryOperation)
        if node is not None and differs and (fix := turn_round(node, source)):
            yield Hit(event, "divides what may be negative", fix=fix, confirms=True)


def sinks_below_zero(size: Size) -> bool:
    """Whether a number is at most 0, and less at some sizes: `H - 2 * ((H + 1) // 2)`."""
    return upper_bound(size) == 0 and (lower_bound(size) or 0) < 0


@rule.event(Combined)
def in_bits(event: Combined, source: Source) -> Iterator[Hit]:
    """`h >> 1`, `n & 7`, of which a tensor or another number is made: a test is settled by the example."""
    size, harm = event.left, BITS.get(event.operator, {})
    if not harm or not event.way.forward or not isinstance(size, Number) or not size.varies:
        return
    if size.data or size.truth or not source.profile.dynamic:
        return
    if any(isinstance(each, ast.Compare) for each in source.evaluation.list_around(event)):
        return
    text = source.evaluation.text(event.spot)
    said, node = f"`{text}` works on the bits of a size", source.node_at(event, cst.BinaryOperation)
    fix = by_arithmetic(node, source) if node else None
    yield Hit(event, said, fix=fix, harm=harm, remedy=BY_ARITHMETIC, cause="bits")


def by_arithmetic(node: cst.BinaryOperation, source: Source) -> Fix | None:
    """`h // 2` for `h >> 1`, `h * 4` for `h << 2`."""
    count = literal(node.right)
    shifts = isinstance(node.operator, (cst.RightShift, cst.LeftShift))
    if not shifts or type(count) is not int or not 0 <= count < 32:
        return None
    sign = "//" if isinstance(node.operator, cst.RightShift) else "*"
    written = f"{write_operand(node.left, source)} {sign} {2**count}"
    edit = source.replace(node, source.fitted(written, node))
    return Fix(f"write {written}", (edit,))


@rule.event(*RESIZES)
def in_resize(event: Called, source: Source) -> Iterator[Hit]:
    """`interpolate(x, scale_factor=h / 8)`."""
    varying = holds_open_size(event.arguments.get("scale_factor"))
    if varying and event.way.forward and source.profile.dynamic:
        told = "scale_factor is worked out from a size"
        yield Hit(
            event,
            told,
            harm=SCALED,
            remedy="give size=(h, w), worked out from the shape by * and //",
        )


# exact rewrites of h / k with a whole number k


def in_int(call: cst.Call, source: Source) -> bool:
    """Whether a call is all that int() is called with."""
    outer = source.enclosing(call, cst.Call)
    return outer is not None and source.name(outer.func) == "int" and outer.args[0].value is call


def exact(call: cst.Call, source: Source) -> Fix | None:
    """`h // k` for int(h / k) and math.floor(h / k), `(h + k - 1) // k` for math.ceil(h / k).

    `(2 * h + k) // (2 * k)` for round(h / k) of an odd k, which leaves no halves.
    """
    name, given = source.name(call.func), call.args[0].value
    if name not in ("int", "round", *UPWARD) or len(call.args) != 1:
        return None
    parts = split_quotient(given, source, cst.Divide)
    if parts is None or (name == "round" and parts[1] % 2 == 0):
        return None
    whole = source.enclosing(call, cst.Call) if in_int(call, source) else call
    assert whole is not None
    size, divisor = parts
    up = divisor - 1 if name == "math.ceil" else 0
    text = f"({size} + {up}) // {divisor}" if up else f"{size} // {divisor}"
    if name == "round" and divisor > 1:
        text = f"(2 * {size} + {divisor}) // {2 * divisor}"
    edit = source.replace(whole, source.fitted(text, whole))
    return Fix(f"write {text}", (edit,))


def write_quotient(call: cst.Call, event: Baked, source: Source) -> Fix | None:
    """`n * k // (h * w)` for `int(n / (h * w / k))`, of numbers that are whole as far as is known."""
    name = source.name(call.func)
    called = next(source.evaluation.list_calls_at(event.spot), None)
    node = called.node if called is not None and event.spot.path == source.path else None
    if not isinstance(node, ast.Call) or event.via.name != name:
        return None
    text = write_whole(node, name, source.evaluation)
    if text is None:
        return None
    whole = source.enclosing(call, cst.Call) if in_int(call, source) else call
    assert whole is not None
    edit = source.replace(whole, source.fitted(text, whole))
    return Fix(f"write {text}", (edit,), Applicability.UNSAFE)


def write_root(call: cst.Call, event: Baked, source: Source) -> Fix | None:
    """`x / h ** 0.5` for `x / math.sqrt(h)`."""
    outer = source.parent(call)
    scales = isinstance(outer, cst.BinaryOperation) and isinstance(
        outer.operator, (cst.Multiply, cst.Divide)
    )
    if source.name(call.func) != "math.sqrt" or event.via.name != "math.sqrt" or not scales:
        return None
    if len(call.args) != 1 or call.args[0].star:
        return None
    given = call.args[0].value
    text = write_operand(given, source)
    edit = source.replace(call, f"{text} ** 0.5")
    return Fix(f"write {text} ** 0.5", (edit,), Applicability.UNSAFE)


def trace_side(call: cst.Call, source: Source) -> Fix | None:
    """`torch.as_tensor(n).double().sqrt().long() if torch.jit.is_tracing() else torch.sym_int(n ** 0.5)`.

    A tracer follows a tensor, torch.export and the new ONNX exporter `sym_int`, where int() makes a number.
    """
    inner = source.parent(call) if source.name(call.func) == "math.sqrt" else None
    outer = source.parent(inner) if inner is not None else call
    made = outer if isinstance(outer, cst.Call) else None
    size = find_squared(call, source)
    if made is None or size is None or source.name(made.func) != "int" or len(made.args) != 1:
        return None
    names = ("torch.as_tensor", "torch.jit.is_tracing", "torch.sym_int")
    reached = [source.reach(name, call) for name in names]
    tensor, tracing, whole = (name for name, _ in reached)
    if not tensor or not tracing or not whole:
        return None
    exporters = source.profile.exporters
    symbolic = not exporters.isdisjoint(SYMBOLIC) and "torchscript-script" not in exporters
    text = f"{whole}({write_operand(size, source)} ** 0.5)" if symbolic else source.code(made)
    if source.profile.concerns(TRACED):
        root = f"{tensor}({source.code(size)}).double().sqrt().long()"
        text = f"{root} if {tracing}() else {text}"
    elif not symbolic:
        return None
    alone = isinstance(source.parent(made), (cst.Assign, cst.AnnAssign)) or " if " not in text
    edit = source.replace(made, text if alone else f"({text})")
    edits = (edit, *dict.fromkeys(each for _, needed in reached for each in needed))
    return Fix("work the side out as exporters follow it", edits, Applicability.UNSAFE)


def find_squared(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """`n` of `math.sqrt(n)` and of `int(n ** 0.5)`."""
    given = call.args[0].value if len(call.args) == 1 and not call.args[0].star else None
    if source.name(call.func) == "math.sqrt":
        return given
    if not isinstance(given, cst.BinaryOperation) or not isinstance(given.operator, cst.Power):
        return None
    return given.left if literal(given.right) == 0.5 else None


def upwards(node: cst.BinaryOperation, source: Source) -> Fix | None:
    """`(h + k - 1) // k` for `-(-h // k)`, `-((h + k - 1) // k)` for `-h // k`."""
    outer, left = source.parent(node), node.left
    if not isinstance(left, cst.UnaryOperation) or not isinstance(left.operator, cst.Minus):
        return None
    parts = split_quotient(node.with_changes(left=left.expression), source, cst.FloorDivide)
    if parts is None:
        return None
    text = f"({parts[0]} + {parts[1] - 1}) // {parts[1]}"
    if not (isinstance(outer, cst.UnaryOperation) and isinstance(outer.operator, cst.Minus)):
        return Fix(f"write -({text})", (source.replace(node, f"-({text})"),))
    return Fix(f"write {text}", (source.replace(outer, source.fitted(text, outer)),))


def turn_round(node: cst.BinaryOperation, source: Source) -> Fix | None:
    """`-((b - a + k - 1) // k)` for `(a - b) // k`, where b is larger; `-((k - 1 - d) // k)` for `d // k`."""
    parts, left = split_quotient(node, source, cst.FloorDivide), node.left
    if parts is not None and parts[1] > 1 and isinstance(left, cst.Name):
        text = f"-(({parts[1] - 1} - {left.value}) // {parts[1]})"
        edit = source.replace(node, source.fitted(text, node))
        return Fix(f"write {text}", (edit,), Applicability.UNSAFE)
    if parts is None or not isinstance(left, cst.BinaryOperation):
        return None
    plain = all(is_read(each) for each in (left.left, left.right))
    if not isinstance(left.operator, cst.Subtract) or not plain:
        return None
    less, more = source.code(left.left), source.code(left.right)
    up = f" + {parts[1] - 1}" if parts[1] > 1 else ""
    text = f"-(({more} - {less}{up}) // {parts[1]})"
    edit = source.replace(node, source.fitted(text, node))
    return Fix(f"write {text}", (edit,), Applicability.UNSAFE)


def split_quotient(
    node: cst.BaseExpression, source: Source, kind: type[cst.BaseBinaryOp]
) -> tuple[str, int] | None:
    """The text of h and the number k of `h / k`."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, kind):
        return None
    divisor = literal(node.right)
    if not isinstance(divisor, int) or isinstance(divisor, bool) or divisor < 1:
        return None
    return write_operand(node.left, source), divisor


def write_operand(node: cst.BaseExpression, source: Source) -> str:
    """Its text, in brackets unless it is a plain read or has them."""
    text = source.code(node)
    return text if is_read(node) or node.lpar else f"({text})"


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
        if is_unsaved(outcome, event):
            yield refuse_save(event, outcome)
            return
        divided = isinstance(event, SizeDivided)
        explains = uneven(event, trial.trace) if divided else None
        hit = blame_event(outcome, event, trial, TRACE_HARM[event.key], explains)
        if hit and (divided or is_rounded(event)):
            yield hit


def is_unsaved(outcome: Outcome, event: SizeRead | SizeDivided) -> bool:
    """Whether a size was rounded there by the function that torch.export.save does not know."""
    found = NOT_SAVED.search(outcome.message) if outcome.status == "failed" else None
    if found is None or found[1] not in UNSAVED or isinstance(event, SizeDivided):
        return False
    line = linecache.getline(event.site.path, event.site.row)
    return is_rounded(event) and bool(re.search(rf"\b{found[1]}\(", line))


def refuse_save(event: SizeRead | SizeDivided, outcome: Outcome) -> Hit:
    """What is written instead: what sizes are rounded by is known to the program, and not to its file."""
    name = UNSAVED[NOT_SAVED.findall(outcome.message)[0]]
    said = f"{name} of a size is exported, and torch.export.save has no way to write it"
    return replace(report_refusal(event.site, outcome, said), remedy=REWRITES[name])


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
