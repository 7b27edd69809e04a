"""LT116: an adaptive pool to an output size above 1, whose window an exporter bakes or cannot work out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import Dim, varies
from lintorch.evaluator.values import NONE, Items, Number, Tensor, size_in
from lintorch.evidence import OperatorCall, Outcome, Trace, Trial
from lintorch.evidence.size_changes import describe_outcome, may_be_of, may_be_wrong_by
from lintorch.evidence.treatment import read_first_line, report_refusal
from lintorch.facts.models.cell_pools import AVERAGE, AVERAGE_3D, LARGEST, LARGEST_3D, add_class
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT116",
    summary="an adaptive pool to an output size above 1",
    why="""
        An adaptive pool works out its window from the size of its input. ONNX has no such
        operator, so an exporter writes a fixed window. With fixed height and width that is
        right where the output divides the input. Where height or width may vary, the new ONNX
        exporter keeps the window of the example input and gives an output of another size,
        without a word; the legacy exporter refuses. To an output size of 1 (1 or (1, 1)) every exporter
        is right at every size. A size kept by None or read from a shape is refused by the legacy
        exporter; under the new one, (None, 1) and (h, 1) are right only while the width stays the same,
        and a max pool that keeps a height which is declared dynamic is refused, as by `torch.export`.
        AdaptiveAvgPool3d to more than that, and a max pool whose output does not divide the
        input, have no translation in the new exporter either. Measured on torch 2.13.

        The often-copied replacement AvgPool2d(kernel=in-(out-1)*stride, stride=in//out) gives
        the same numbers only where `in % out` is 0 or 1.
    """,
    bad="""
        import torch
        from torch import nn


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.pool = nn.AdaptiveAvgPool2d(7)

            def forward(self, x):
                return torch.flatten(self.pool(x), 1)
    """,
    good="""
        import torch
        from torch import nn


        class AverageCells(nn.AdaptiveAvgPool2d):
            \"\"\"The means of its base, in operators that exporters follow at every size.\"\"\"

            def forward(self, x):
                size = self.output_size
                for axis, count in zip((-2, -1), (size, size) if isinstance(size, int) else size):
                    if count is not None:
                        cells = torch.arange(count, device=x.device)[:, None]
                        places = torch.arange(x.shape[axis], device=x.device)
                        begins = cells * x.shape[axis] // count
                        ends = ((cells + 1) * x.shape[axis] + count - 1) // count
                        inside = (places >= begins) & (places < ends)
                        share = inside.to(x.dtype) / inside.sum(1, keepdim=True)
                        x = share @ x if axis == -2 else x @ share.transpose(0, 1)
                return x


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.pool = AverageCells(7)

            def forward(self, x):
                return torch.flatten(self.pool(x), 1)
    """,
    remedy="export with a fixed height and width, or pool a fixed window: nn.AvgPool2d(k)",
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        sizes = ({2: torch.export.Dim.DYNAMIC, 3: torch.export.Dim.DYNAMIC},)
        small, large = torch.randn(1, 3, 14, 14), torch.randn(1, 3, 28, 28)
        torch.onnx.export(Head().eval(), (small,), "head.onnx", dynamic_shapes=sizes)
        session = onnxruntime.InferenceSession("head.onnx")
        (output,) = session.run(None, {"x": large.numpy()})
        assert output.shape == Head()(large).shape
    """,
    fix=Applicability.UNSAFE,
)

RANKS = (1, 2, 3)
FUNCTIONS = {
    f"torch.nn.functional.adaptive_{kind}_pool{n}d" for kind in ("avg", "max") for n in RANKS
}
LAYERS = {f"torch.nn.Adaptive{kind}Pool{n}d" for kind in ("Avg", "Max") for n in RANKS}
VARYING = {"onnx": Harm.SILENT, "onnx-legacy": Harm.REFUSED}
REFUSED = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
LEGACY = {"onnx-legacy": Harm.REFUSED}
FIXED = ("a fixed length", "a fixed height and width", "a fixed depth, height and width")
"""By how many axes are pooled."""
REFUSALS = ("adaptive", "declared dynamic", "user-specified dim")
"""What the exporters say of a pool, the last two of a max pool that keeps a varying size."""
MEANS_3D = ("adaptive_avg_pool3d", "AdaptiveAvgPool3d")


@rule.event(*FUNCTIONS, "torch.adaptive_avg_pool1d", *(f"{each}.forward" for each in LAYERS))
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    pool = read_pool(event) if event.way.forward else None
    if pool is None or (not any(pool.before) and is_drawn(event, source)):
        return
    harm = expect_harm(pool)
    if pool.hangs_on_size and not source.profile.dynamic:
        harm = {}
    if harm:
        varied = "the length" if len(pool.asked) == 1 else "height or width"
        where = f", where {varied} may vary" if pool.hangs_on_size else ""
        said = f"{pool.name} {describe_size(pool)}{where}"
        yield Hit(
            event,
            said,
            fix=pool_by_cells(event, pool, source),
            harm=harm,
            remedy=name_remedy(pool),
        )


def is_drawn(event: Called, source: Source) -> bool:
    """Whether a generator has made the image of codes, as large as it is built to: `images, _ = self.decoder([codes])`."""
    function = source.evaluation.find_function(event)
    given = event.node.args[0] if isinstance(event.node, ast.Call) and event.node.args else None
    if function is None or not isinstance(given, ast.Name):
        return False
    calls = [
        each.value
        for each in ast.walk(function)
        if isinstance(each, ast.Assign)
        and isinstance(each.value, ast.Call)
        and any(
            isinstance(n, ast.Name) and n.id == given.id for t in each.targets for n in ast.walk(t)
        )
    ]
    made = [each for each in calls if each is not event.node]
    return bool(made) and all(
        GENERATOR.search(ast.unparse(each.func))
        and each.args
        and CODES.search(ast.unparse(each.args[0]))
        for each in made
    )


GENERATOR = re.compile(r"(decoder|generator|synthesis|\b(net)?G(_ema)?)$", re.I)
CODES = re.compile(r"\b(codes?|latents?|styles?|ws?|z)\b|_(latents?|codes?)\b")


def pool_by_cells(event: Called, pool: Pool, source: Source) -> Fix | None:
    """`AverageCells(7)` for `nn.AdaptiveAvgPool2d(7)`: each cell worked out of all that may lie in it."""
    name = event.name.removesuffix(".forward")
    deep = len(pool.asked) > 2
    means, maxima = (AVERAGE_3D, LARGEST_3D) if deep else (AVERAGE, LARGEST)
    kind = maxima if "max" in name.lower() else means
    made = source.evaluation.find_making(event) if event.built else event
    call = source.call_at(made) if made is not None else None
    if call is None or source.name(call.func) not in (name, event.name):
        return None
    given = source.arguments(call, *(() if event.built else ("input",)), "output_size")
    image, size = given.get("input"), given.get("output_size")
    if size is None or len(call.args) != (1 if event.built else 2) or not (image or event.built):
        return None
    if len(pool.asked) == 1 and isinstance(event.arguments.get("output_size"), Items):
        return None
    edits = add_class(kind, source.file, call, source.reach)
    if edits is None:
        return None
    cells = source.code(size) if len(pool.asked) > 1 else write_line(size, source)
    text = f"{kind.name}({cells})" + (f"({source.code(image)})" if image is not None else "")
    edit = source.replace(call, text)
    return Fix(f"write {text}", (edit, *edits), Applicability.UNSAFE)


def write_line(size: cst.BaseExpression, source: Source) -> str:
    """`(None, 8)` for the 8 cells of a line: the axis before it is left as it is."""
    return f"(None, {source.code(size)})"


def name_remedy(pool: Pool) -> str | None:
    """What does the same where sizes vary; None where nothing does."""
    if pool.several:
        axes, kind = len(pool.asked), "Max" if "max" in pool.name.lower() else "Avg"
        fixed = FIXED[axes - 1]
        return f"export with {fixed}, or pool a fixed window: nn.{kind}Pool{axes}d(k)"
    if any(pool.kept) or pool.reduces_varying:
        return "reduce the other axis itself: x.mean(-1, keepdim=True), or amax of a max pool"
    return "export with dynamo=True"


@dataclass(frozen=True)
class Pool:
    """A pool: sizes that go in and those that it was asked for, None where nothing is known."""

    name: str
    before: tuple[Dim | None, ...]
    asked: tuple[Dim | None, ...]
    kept: tuple[bool, ...]
    """The axes that None leaves as they are."""
    computed: bool
    """Whether a size that was asked for is worked out from one that varies."""

    @property
    def several(self) -> bool:
        """Whether it surely makes more than one cell along some axis."""
        sizes = zip(self.asked, self.kept, strict=True)
        return any(isinstance(n, int) and n > 1 for n, kept in sizes if not kept)

    @property
    def reduces_varying(self) -> bool:
        """Whether an axis that surely varies is reduced to one cell."""
        sizes = zip(self.before, self.asked, strict=True)
        return any(n is not None and varies(n) is True and asked == 1 for n, asked in sizes)

    @property
    def keeps_varying(self) -> bool:
        """Whether an axis that surely varies stays as long as it is."""
        sizes = zip(self.before, self.asked, self.kept, strict=True)
        known = ((n, asked == n or kept) for n, asked, kept in sizes if n is not None)
        return any(varies(n) is True and stays for n, stays in known)

    @property
    def hangs_on_size(self) -> bool:
        """Whether the window of some axis may differ between inputs."""
        return any(map(may_differ, self.before))


def read_pool(event: Called) -> Pool | None:
    """What is pooled to what."""
    name = event.name.removesuffix(".forward").rpartition(".")[2]
    axes, given = int(name[-2]), event.arguments.get("output_size")
    if given is None:
        return None
    items = given.items if isinstance(given, Items) else (given,) * axes
    if items is None:
        return None
    items = items * axes if len(items) == 1 else items
    image = event.arguments.get("input")
    shape = image.shape if isinstance(image, Tensor) else None
    known = shape is not None and len(shape) >= axes and len(items) == axes
    before = shape[-axes:] if shape is not None and known else (None,) * axes
    kept = tuple(item == NONE for item in items)
    computed = any(isinstance(item, Number) and item.varies for item in items)
    return Pool(name, before, tuple(map(size_in, items)), kept, computed)


def expect_harm(pool: Pool) -> dict[str, Harm]:
    """What the exporters do with a pool."""
    if pool.several:
        return expect_several(pool)
    if any(pool.kept):
        single = all(n == 1 for n, kept in zip(pool.asked, pool.kept, strict=True) if not kept)
        return expect_kept(pool) if single else {}
    return expect_computed(pool) if pool.computed else {}


def expect_kept(pool: Pool) -> dict[str, Harm]:
    """The same of one that leaves an axis as long as it is, by None or by asking for its size."""
    if "max" in pool.name.lower() and pool.keeps_varying:
        return {**LEGACY, "torch.export": Harm.REFUSED, "onnx": Harm.AUTO}
    return {**LEGACY, "onnx": Harm.SILENT} if pool.reduces_varying else LEGACY


def expect_computed(pool: Pool) -> dict[str, Harm]:
    """The same of a size that is worked out from one that varies."""
    if not pool.name.endswith("1d") and (pool.reduces_varying or pool.keeps_varying):
        return expect_kept(pool)
    harm = dict(LEGACY)
    if pool.name.endswith("1d") or "max" in pool.name.lower():
        harm["torch.export"] = Harm.FAILS
    if pool.name in ("adaptive_avg_pool1d", "AdaptiveAvgPool1d"):
        harm["torchscript-trace"] = Harm.SILENT
    return harm


def expect_several(pool: Pool) -> dict[str, Harm]:
    """The same of one that surely makes several cells along an axis."""
    if pool.name in MEANS_3D:
        return REFUSED
    if pool.hangs_on_size:
        return VARYING
    pairs = list(zip(pool.before, pool.asked, strict=True))
    if any(not isinstance(n, int) or not isinstance(m, int) for n, m in pairs):
        return LEGACY if any(pool.kept) else {}
    if all(n % m == 0 for n, m in pairs if isinstance(n, int) and isinstance(m, int) and m):
        return {}
    return REFUSED if "max" in pool.name.lower() else LEGACY


def may_differ(size: Dim | None) -> bool:
    """Whether nothing says that a size is the same in every run of a model."""
    return size is None or varies(size) is True


def describe_size(pool: Pool) -> str:
    """What it makes."""
    if pool.several:
        return "to an output size above 1"
    return (
        "to a size that None leaves as it is" if any(pool.kept) else "to a size read from a shape"
    )


@rule.trace(*FUNCTIONS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    others = list(trace.find_again(event).values())
    harm, message = harms(event, others), described(event, others)
    if trace.profile.concerns(harm):
        yield Hit(event.site, message, harm=harm, severity=Severity.WARNING)
    elif set(pooled(event)) == {1} and trace.never_changes(event, pooled):
        yield Refuted(event.site, "output size 1: right at every input size")
    elif any(spatial(e) != spatial(event) for e in others) or trace.never_changes(event, spatial):
        yield Refuted(event.site, f"{message}: right under the exporters in use")


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*FUNCTIONS):
        others = trial.trace.find_again(event)
        if outcome.exporter not in harms(event, list(others.values())):
            continue
        varied = [key for key, other in others.items() if spatial(other) != spatial(event)]
        if outcome.status == "failed" and refuses(outcome, event):
            yield report_refusal(event.site, outcome, read_first_line(outcome.message)[:200])
        elif outcome.status == "wrong" and may_be_wrong_by(outcome, varied):
            yield Hit(event.site, describe_outcome(outcome, silently=True), severity=Severity.ERROR)


def refuses(outcome: Outcome, event: OperatorCall) -> bool:
    """Whether a refusal is of this pool: of its operator, or of its line."""
    if outcome.operators:
        return any(event.name.rpartition(".")[2] in name for name in outcome.operators)
    told = any(word in outcome.message.lower() for word in REFUSALS)
    return told and may_be_of(outcome, event)


def harms(event: OperatorCall, others: list[OperatorCall]) -> dict[str, Harm]:
    """What the exporters do with a pool whose sizes are known, here and as the input varies."""
    before, after = spatial(event), pooled(event)
    one = all(set(pooled(e)) == {1} for e in (event, *others))
    fixed = all(spatial(other) == before for other in others)
    divides = all(n % m == 0 for n, m in zip(before, after, strict=True))
    found: dict[str, Harm] = {}
    if kept(event.args.get("output_size")) or (not one and not (fixed and divides)):
        found["onnx-legacy"] = Harm.REFUSED
    if one:
        return found
    average = "avg" in event.name
    if event.name.endswith(MEANS_3D) or (not average and not divides):
        found["onnx"] = Harm.REFUSED
    elif not average and any(same_size(event, other) for other in others):
        found |= {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
    elif any(ratio(other) != ratio(event) for other in others):
        found["onnx"] = Harm.SILENT if divides else Harm.FAILS
    return found


def same_size(event: OperatorCall, other: OperatorCall) -> bool:
    """Whether an axis varies and is left as it is."""
    axes = zip(spatial(event), pooled(event), spatial(other), strict=True)
    return any(now == out and now != then for now, out, then in axes)


def ratio(event: OperatorCall) -> list[tuple[int, int]]:
    """How many inputs go into a cell and how many are left over, for each axis."""
    return [divmod(n, m) for n, m in zip(spatial(event), pooled(event), strict=True)]


def described(event: OperatorCall, others: list[OperatorCall]) -> str:
    """What is pooled to what, at two sizes where the input varies."""
    varied = next((other for other in others if spatial(other) != spatial(event)), None)
    first = f"pools {by(spatial(event))} to {by(pooled(event))}"
    if varied is None:
        return f"{first} at every size tried"
    return f"{first} and {by(spatial(varied))} to {by(pooled(varied))} as the input varies"


def kept(size: Any) -> bool:
    """Whether a known output size leaves some axis as it is."""
    return size is None or (isinstance(size, (tuple, list)) and None in size)


def spatial(event: OperatorCall) -> tuple[int, ...]:
    """Height and width (or length, or depth too) of what is pooled."""
    return event.inputs[0][-int(event.name[-2]) :]


def pooled(event: OperatorCall) -> tuple[int, ...]:
    """Height and width (or length, or depth too) of what comes out."""
    return event.outputs[0][-int(event.name[-2]) :]


def by(sizes: tuple[Any, ...]) -> str:
    """14×14."""
    return "×".join(map(str, sizes))
