"""LT130: a resize mode that an exporter refuses, or gets wrong at some sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import Constant, Items, Number, Tensor
from lintorch.evidence import AS_TRACED, OperatorCall, Outcome, Trace, Trial, Variation
from lintorch.evidence.size_changes import describe_outcome, may_be_of
from lintorch.evidence.treatment import read_first_line, report_refusal
from lintorch.facts.models.cell_pools import AVERAGE, add_class, define_above
from lintorch.facts.models.written_resizes import define_function, name_function, scale_sizes
from lintorch.source import UNKNOWN, Source

rule = Rule(
    __name__,
    code="LT130",
    summary="a resize mode that an exporter refuses or gets wrong at some sizes",
    why="""
        The legacy ONNX exporter translates neither nearest-exact nor antialias=True, and area only
        to a constant size that divides an input of fixed height and width.

        The new one is wrong, without a word, for antialias with align_corners=True (always); for
        antialias by a fraction where scale times size is not whole; and for area where height or
        width vary and the output does not divide them the way it divided the example.
        recompute_scale_factor=True, or an explicit size, cures antialias, but changes what the
        model computes by a little. nearest-exact is right in the new exporter at nearly every
        scale (of 17 tried one was wrong, 1.7): a trial export tells. Measured on torch 2.13.

        `torchvision.transforms.functional.resize` smooths a tensor where nothing is said.

        The fix writes these resizes out, in a function that it puts into the file: antialias as a
        product with a matrix of weights along each axis, nearest-exact as an index. All four
        exporters are right then at every size tried, and numbers the same but for rounding (up to
        1e-5).
    """,
    bad="""
        from torch import nn
        from torch.nn import functional as F


        class Shrink(nn.Module):
            def forward(self, x):
                return F.interpolate(x, None, (0.5, 0.5), "bilinear", antialias=True)
    """,
    good="""
        from torch import nn
        from torch.nn import functional as F


        class Shrink(nn.Module):
            def forward(self, x):
                return F.interpolate(x, None, (0.5, 0.5), "bilinear", antialias=True, recompute_scale_factor=True)
    """,
    remedy="export with dynamo=True",
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        sizes = ({2: torch.export.Dim.DYNAMIC, 3: torch.export.Dim.DYNAMIC},)
        even, odd = torch.randn(1, 3, 32, 32), torch.randn(1, 3, 33, 37)
        torch.onnx.export(Shrink().eval(), (even,), "shrink.onnx", dynamic_shapes=sizes)
        session = onnxruntime.InferenceSession("shrink.onnx")
        (output,) = session.run(None, {"x": odd.numpy()})
        torch.testing.assert_close(torch.tensor(output), Shrink()(odd), atol=1e-3, rtol=1e-3)
    """,
    fix=Applicability.UNSAFE,
)

INTERPOLATE = "torch.nn.functional.interpolate"
PARAMETERS = (
    "input", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias",
)  # fmt: skip
UPSAMPLE = "torch.nn.Upsample"
LEGACY = {"onnx-legacy": Harm.REFUSED}
BOTH = {"onnx": Harm.SILENT, "onnx-legacy": Harm.REFUSED}


WHOLE_PIXELS = "give size= in whole pixels, or recompute_scale_factor=True"
FIXED_WINDOW = (
    "export with a fixed height and width, or write F.avg_pool2d(x, k) for a factor 1 / k"
)


@rule.event(INTERPOLATE, f"{UPSAMPLE}.forward")
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward:
        return
    values = {name: read_setting(event, name) for name in PARAMETERS[1:]}
    if values["mode"] == "area":
        yield from area(event, values, source)
    elif values["mode"] == "nearest-exact":
        yield Hit(event, "resizes by nearest-exact", write_out(event, values, source), LEGACY)
    elif values["antialias"] is True:
        hit = antialiased(event, values)
        fix = write_out(event, values, source)
        if fix is None and hit.remedy == WHOLE_PIXELS:
            fix = round_first(event, source)
        yield replace(hit, fix=fix)


RESIZE = "torchvision.transforms.functional.resize"
PLAIN = "pass antialias=False, or call F.interpolate"


@rule.event(RESIZE)
def in_torchvision(event: Called, source: Source) -> Iterator[Hit]:
    """`resize(x, [8, 8])` smooths tensors unless told otherwise; measured with torchvision 0.28."""
    told = not {"antialias", "interpolation"}.isdisjoint(event.keyword)
    if event.way.forward and not told and len(event.positional) < 3:
        yield Hit(event, "resize of torchvision smooths a tensor", harm=LEGACY, remedy=PLAIN)


def write_out(event: Called, values: dict[str, Any], source: Source) -> Fix | None:
    """`resize_smoothly(x, (33, 33), "bilinear")` for `F.interpolate(x, (33, 33), …, antialias=True)`."""
    call, mode = source.call_at(event), values["mode"]
    function = name_function(mode) if isinstance(mode, str) else ""
    if call is None or event.built or not function or values["align_corners"] is True:
        return None
    given = source.arguments(call, *PARAMETERS)
    held, size = given.get("input"), given.get("size") if values["size"] is not None else None
    image = source.code(held) if isinstance(held, cst.Name) else ""
    if not given.complete or not (image or size) or held is None:
        return None
    ratio, sizes = "", write_sizes(event, source.code(size)) if size is not None else None
    if size is None:
        factor = values["scale_factor"]
        plain = isinstance(factor, (int, float)) and not isinstance(factor, bool)
        sizes = scale_sizes(image, (factor, factor)) if plain else None
        whole = values["recompute_scale_factor"] is True
        ratio = "" if whole or not plain else f", ratio={1 / factor!r}"
    asked = {"tensor": "torch.tensor", "arange": "torch.arange", "where": "torch.where"}
    edits = define_above(
        function, asked, lambda s: define_function(mode, dict(s)), source.file, call, source.reach
    )
    if sizes is None or edits is None:
        return None
    text = f"{function}({source.code(held)}, {sizes}{ratio})"
    if function != "pick_nearest":
        text = f'{function}({source.code(held)}, {sizes}, "{mode}"{ratio})'
    return Fix(f"write {text}", (source.replace(call, text), *edits), Applicability.UNSAFE)


def write_sizes(event: Called, text: str) -> str | None:
    """Height and width, where one number or two are given."""
    size, image = event.arguments.get("size"), event.arguments.get("input")
    pair = isinstance(size, Items) and (len(size.items or ()) == 2 or size.kind == "Size")
    rank = len(image.shape or ()) if isinstance(image, Tensor) else 0
    if pair:
        return text
    one = isinstance(size, Number) or (isinstance(size, Constant) and type(size.value) is int)
    return f"({text}, {text})" if one and rank == 4 else None


def round_first(event: Called, source: Source) -> Fix | None:
    """`recompute_scale_factor=True`, which makes a size in whole pixels of a factor, and a factor of that."""
    made = source.evaluation.find_making(event) if event.built else event
    call = source.call_at(made) if made is not None else None
    given = [] if call is None else [arg.keyword.value for arg in call.args if arg.keyword]
    if call is None or any(arg.star for arg in call.args) or "recompute_scale_factor" in given:
        return None
    text = "recompute_scale_factor=True"
    return Fix(f"say {text}", (source.insert_argument(call, text),), Applicability.UNSAFE)


def pool_cells(event: Called, source: Source) -> Fix | None:
    """`AverageCells((8, 8))(x)` for `F.interpolate(x, size=(8, 8), mode="area")`, which averages cells."""
    call, image = source.call_at(event), event.arguments.get("input")
    rank = len(image.shape or ()) if isinstance(image, Tensor) else 0
    sides = event.arguments.get("size")
    pair = isinstance(sides, Items) and len(sides.items or ()) == 2
    if call is None or event.built or not (pair or rank == 4):
        return None
    given = source.arguments(call, *PARAMETERS)
    held, size = given.get("input"), given.get("size")
    if held is None or size is None or len(call.args) != 3:
        return None
    edits = add_class(AVERAGE, source.file, call, source.reach)
    if edits is None:
        return None
    text = f"{AVERAGE.name}({source.code(size)})({source.code(held)})"
    return Fix(f"write {text}", (source.replace(call, text), *edits), Applicability.UNSAFE)


def read_setting(event: Called, name: str) -> Any:
    """What an argument is where it is written down; None where there is none of the name."""
    value = event.arguments.get(name)
    if isinstance(value, Items) and value.items is not None:
        each = [item.value for item in value.items if isinstance(item, Constant)]
        return tuple(each) if len(each) == len(value.items) else UNKNOWN
    if isinstance(value, Constant):
        return value.value
    return None if value is None else UNKNOWN


@rule.trace(INTERPOLATE)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    others = list(trace.find_again(event).values())
    found = hazard(event, others)
    if found is None:
        return
    message, harm = found
    if trace.profile.concerns(harm):
        remedy = name_remedy(event) if "onnx" in harm else None
        yield Hit(event.site, message, harm=harm, severity=Severity.WARNING, remedy=remedy)
    elif trace.never_changes(event, shape):
        reason = f"{message} at every size tried: right under the exporters in use"
        yield Refuted(event.site, reason)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(INTERPOLATE):
        found = hazard(event, list(trial.trace.find_again(event).values()))
        exact = event.args.get("mode") == "nearest-exact" and outcome.exporter == "onnx"
        if found is None or not (exact or outcome.exporter in found[1]):
            continue
        if outcome.status == "wrong" and set(outcome.wrong_at) & resized_at(event, trial.trace):
            told, remedy = describe_outcome(outcome, silently=True), name_remedy(event)
            yield Hit(event.site, told, severity=Severity.ERROR, remedy=remedy)
        elif outcome.status == "failed" and refuses(outcome, event):
            why = read_first_line(outcome.message)[:200]
            yield report_refusal(event.site, outcome, why)


def resized_at(event: OperatorCall, trace: Trace) -> set[Variation]:
    """The traced sizes, and those at which the resize was of another size."""
    others = trace.find_again(event)
    return {AS_TRACED, *(at for at, other in others.items() if shape(other) != shape(event))}


def refuses(outcome: Outcome, event: OperatorCall) -> bool:
    told = any(word in outcome.message for word in ("upsample", "adaptive"))
    return told and may_be_of(outcome, event)


def name_remedy(event: OperatorCall) -> str:
    """What comes out right under the new ONNX exporter, too."""
    if event.args.get("mode") == "area":
        return FIXED_WINDOW
    return WHOLE_PIXELS if event.args.get("antialias") else "give size= instead of scale_factor="


def antialiased(node: object, values: dict[str, Any]) -> Hit:
    """antialias=True: always wrong with align_corners, else by a fraction of the input."""
    if values["align_corners"] is True:
        remedy = "leave align_corners=True out, which changes the numbers a little"
        return Hit(node, "antialias with align_corners=True", harm=BOTH, remedy=remedy)
    factors = values["scale_factor"]
    if fraction(factors) and values["recompute_scale_factor"] in (None, False):
        message = f"antialias by {factors}, where that leaves no whole number of pixels"
        return Hit(node, message, harm=BOTH, severity=Severity.WARNING, remedy=WHOLE_PIXELS)
    return Hit(node, "resizes with antialias", harm=LEGACY)


def area(event: Called, values: dict[str, Any], source: Source) -> Iterator[Hit]:
    """mode="area", which is an adaptive average pool."""
    target = values["size"]
    several_cells = target not in (None, UNKNOWN) and set(several(target)) != {1}
    if several_cells and source.profile.dynamic and not is_settled(event):
        message, fix = (
            f"area to {target}, where height or width may vary",
            pool_cells(event, source),
        )
        yield Hit(event, message, fix, BOTH, Severity.WARNING, remedy=FIXED_WINDOW)
    elif shrinks(values["scale_factor"]):
        message = f"area by {values['scale_factor']}, where that does not divide the input"
        yield Hit(event, message, harm=BOTH, severity=Severity.WARNING, remedy=FIXED_WINDOW)
    elif values["scale_factor"] not in (None, UNKNOWN) or read_from_shape(event):
        yield Hit(event, "area to a size that is not constant", harm=LEGACY)


def is_settled(event: Called) -> bool:
    """Whether what is resized surely has one height and width in every run."""
    image = event.arguments.get("input")
    shape = image.shape if isinstance(image, Tensor) else None
    return shape is not None and all(
        size is not None and varies(size) is False for size in shape[2:]
    )


def read_from_shape(event: Called) -> bool:
    """Whether a size, or a part of it, was read from a tensor."""
    size = event.arguments.get("size")
    if isinstance(size, Items):
        return size.kind == "Size" or any(isinstance(each, Number) for each in size.items or ())
    return isinstance(size, Number)


def hazard(event: OperatorCall, others: list[OperatorCall]) -> tuple[str, dict[str, Harm]] | None:
    """What the exporters do with a resize that ran; None for modes that are right everywhere."""
    args = event.args
    if args.get("mode") == "nearest-exact":
        return "resizes by nearest-exact", LEGACY
    if args.get("mode") == "area":
        return in_area(event, others)
    if not args.get("antialias"):
        return None
    if args.get("align_corners"):
        return "antialias with align_corners=True", BOTH
    whole = args.get("recompute_scale_factor") or all(exact(e) for e in (event, *others))
    if whole:
        return "antialias to a whole number of pixels", LEGACY
    uneven = next(e for e in (event, *others) if not exact(e))
    return f"antialias of {by(shape(uneven))} by {factor(event)} leaves a fraction of a pixel", BOTH


def in_area(event: OperatorCall, others: list[OperatorCall]) -> tuple[str, dict[str, Harm]]:
    runs = (event, *others)
    if all(set(shape(e, e.outputs)) == {1} for e in runs):
        return "area to a size of 1", {}
    steps = {tuple(map(divmod, shape(e), shape(e, e.outputs))) for e in runs}
    fixed = len({shape(e) for e in runs}) == 1
    whole = all(not rest for step in steps for _, rest in step)
    shrinking = all(into for step in steps for into, _ in step)
    message = " and ".join(
        dict.fromkeys(f"{by(shape(e))} to {by(shape(e, e.outputs))}" for e in runs)
    )
    if len(steps) > 1 and shrinking:
        return f"area from {message} as the input varies", BOTH
    legacy = {} if fixed and whole and event.args.get("scale_factor") is None else LEGACY
    return f"area from {message}", legacy


def exact(event: OperatorCall) -> bool:
    """Whether scale times size is whole along every axis; sure where a size was given."""
    factors = event.args.get("scale_factor")
    if factors is None:
        return True
    sizes = shape(event)
    scales = several(factors) * (len(sizes) if len(several(factors)) == 1 else 1)
    return all((n * scale) % 1 == 0 for n, scale in zip(sizes, scales, strict=False))


def factor(event: OperatorCall) -> Any:
    return event.args.get("scale_factor")


def shape(event: OperatorCall, of: tuple[tuple[int, ...], ...] = ()) -> tuple[int, ...]:
    """Height and width (or length, or depth too) of what is resized."""
    return (of or event.inputs)[0][2:]


def several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def fraction(factors: Any) -> bool:
    """Whether some known factor is not a whole number."""
    return any(isinstance(f, float) and not f.is_integer() for f in several(factors))


def shrinks(factors: Any) -> bool:
    return any(isinstance(f, float) and f < 1 for f in several(factors))


def by(sizes: tuple[int, ...]) -> str:
    """14×14."""
    return "×".join(map(str, sizes))
