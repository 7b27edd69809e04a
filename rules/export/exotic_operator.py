"""LT121: an operator that an ONNX exporter has no translation for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, Called, Combined, Indexed, ItemSet
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.subscripts import split_index
from lintorch.evaluator.values import FALSE, NONE, TRUE, Constant, Items, Number, Tensor, Value
from lintorch.evidence import OperatorCall, Trace
from lintorch.evidence.host_reads import describe_call
from lintorch.facts.exporting.axes_from_end import (
    WRITTEN_FROM_END,
    count_from_front,
    find_axes_from_end,
)
from lintorch.facts.exporting.cast_operands import cast_operands
from lintorch.facts.exporting.clamp_bounds import CLAMPS, write_floats
from lintorch.facts.exporting.complex_operators import is_complex
from lintorch.facts.exporting.declared_lengths import is_declared
from lintorch.facts.exporting.diagonal_writes import write_diagonal
from lintorch.facts.exporting.exotic_operators import (
    COMPILED,
    FIRST,
    LAYERS,
    LEGACY,
    LOADED,
    METHODS,
    NAMES,
    NEITHER,
    NEVER,
    NEW,
    TRACERS,
    UNFOLLOWED,
    UNFOLLOWED_OPEN,
    UNKNOWN_TO_NEW,
)
from lintorch.facts.exporting.folded_values import are_folded
from lintorch.facts.exporting.layer_rewrites import scatter_unpool, settle_norm, unflatten_later
from lintorch.facts.exporting.mend_axes import write_axes, write_squeeze
from lintorch.facts.exporting.refused_arguments import (
    BY_NAME,
    COUNTS_DOWN,
    REMEDIES,
    Weigh,
    counts_down,
    weigh_floor,
)
from lintorch.facts.exporting.refused_axes import (
    NO_SQUEEZE,
    ONE_BY_ONE,
    ONE_ELLIPSIS,
    weigh_ellipsis,
    weigh_squeeze,
)
from lintorch.facts.exporting.scatter_places import FIRST_ADDED, scatter_places
from lintorch.facts.exporting.spectrum_writes import index_windows, split_spectrum
from lintorch.facts.exporting.uneven_splits import SPLITS, weigh_rest, write_parts
from lintorch.facts.exporting.without_batch import BATCHLESS, WITH_BATCH, weigh_batchless
from lintorch.facts.models.value_ways import is_one
from lintorch.source import Source, literal
from lintorch.syntax.edits import indent_below
from lintorch.syntax.plain_reads import is_read
from lintorch.targets.untranslated import UNTRANSLATED
from lintorch.targets.written_out import INEXACT, SPELLED_AS, WRITTEN_OUT

rule = Rule(
    __name__,
    code="LT121",
    summary="an operator without a translation to ONNX",
    why="""
        ONNX has no operator for most of linear algebra, for sparse tensors and for a number of
        special functions, and the exporters refuse a model that calls them. The new exporter
        writes Fourier transforms, complex numbers, determinants and max_unpool; the legacy
        exporter writes none of them, and others only from some opset on. Some are refused for
        some arguments alone: `is_causal` and the sizes of `nn.Unflatten` worked out from a shape,
        which tracers hold as tensors; and under the legacy exporter an InstanceNorm that keeps
        statistics where the batch may vary, `x.unfold` of an axis that varies or is padded, or attention with `batch_first` of something to itself
        where `torch.no_grad()` is on. Eager takes tensors of two types where ONNX has none: an
        einsum of whole numbers and floats is written, and not loaded; `torch.outer` of them is
        worked out in whole numbers by the legacy exporter. `x // 0.3` of floats is written there as
        a quotient that is cut off: -1 for what is -2 in eager; `torch.div(x, 0.3,
        rounding_mode="floor")` is right. `torch.cdist` of another norm than the second gives other
        numbers there, and ONNX Runtime 1.32 gives nothing for an index that counts down to 0
        (`x[:, torch.arange(n - 1, -1, -1)]`); `x.flip(1)` is right. Of `x.unfold(-1, 16, 8)` the legacy
        exporter writes the windows one axis too late, silently where as many windows are as long:
        `x.unfold(2, 16, 8)` is right. It copies axes that count from the end into the file, which
        ONNX Runtime then does not load, of `x.permute(0, -1, 1)` and `x.movedim(-1, 1)`, or cannot
        run, of `x.index_add(-1, i, y)`. Of `x.view(b, -1, 32).split(10, 2)` it writes four parts
        of 10, and no file that is loaded; `x.split([10, 10, 10, 2], 2)` is right. A kernel that is repeated
        for `x.shape[1]` channels has no shape for the legacy exporter, where any size may vary:
        `int(x.shape[1])` has. `torch.fft.irfft` of a
        product of spectra fails in ONNX Runtime where the number of samples varies, in files of the
        new exporter; `torch.fft.ifft` does not. The new exporter refuses the remainder of whole numbers by
        a size that varies, `places % width`, and `x.clamp(0, 0.9)`, of a whole number and a float;
        `x.clamp(0.0, 0.9)` is right. `nn.MaxPool1d` ties the length of its
        input for torch.export, unless it gives indices too; that is told where exporters are named
        or sizes declared. Measured on torch 2.13: the tables are
        what its two exporters said.

        Fixes write out what takes a line (`x.mT`, `torch.fliplr(x)`, `torch.diff(x)`), `scatter_add`
        for `index_add` from opset 16 on,
        `is_causal=bool(...)`, a cast of the whole numbers among operands, and, as a class or function of the file, MaxUnpool2d, Unflatten, an InstanceNorm
        that keeps statistics and `torch.diag`, and `torch.eye(n).bool()`: ONNX Runtime has no EyeLike
        of truths.

        Work such a part out before or after the model, or write it with operators that ONNX has.
    """,
    bad="""
        import torch
        from torch import nn


        class Whiten(nn.Module):
            def forward(self, x):
                return torch.linalg.solve(x @ x.transpose(1, 2), x)
    """,
    good="""
        import torch
        from torch import nn


        class Whiten(nn.Module):
            def forward(self, x):
                return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    """,
    remedy="work it out before or after the exported part of the model",
    proof="""
        import io
        import warnings

        warnings.simplefilter("ignore")
        torch.onnx.export(Whiten(), (torch.randn(2, 3, 3),), io.BytesIO(), dynamo=False)
    """,
    severity=Severity.ERROR,
)

METHOD_KEYS = [f"torch.Tensor.{name.rpartition('.')[2]}" for name in NAMES]
METHOD_NAMES = frozenset(f"torch.{name}" for name in METHODS) | {
    name for name in (*NEVER, *FIRST) if name.count(".") == 1
}
DYNAMO = "export with dynamo=True"
FRONT = (
    "count the axis from the front: of three axes x.unfold(2, size, step) for -1; or dynamo=True"
)
LINE_POOLS = ("torch.nn.functional.max_pool1d", "torch.max_pool1d", "torch.nn.MaxPool1d.forward")
PAIRED = "give it return_indices=True and take the first of both results"
OF_ARGUMENTS = {
    "Unflatten": "write x.unflatten(dim, sizes)",
    "scaled_dot_product_attention": "write is_causal=bool(...) of the comparison",
    "eye": "write torch.eye(n).bool()",
    "histc": "write it out: ((x >= low) & (x < high)).sum() of each bin, or give min and max",
    **dict.fromkeys(
        ("index_add", "index_add_"),
        "write zeros.scatter_add(0, index[:, None].expand_as(rows), rows)",
    ),
    **REMEDIES,
    **dict.fromkeys(("max_pool1d", "MaxPool1d"), PAIRED),
    "layer_norm": "give the shape as numbers: F.layer_norm(x, (dim,))",
    **dict.fromkeys(
        ("MultiheadAttention", "TransformerEncoderLayer"),
        "call torch.backends.mha.set_fastpath_enabled(False) before the export",
    ),
}
"""The same for operators that are refused for some arguments."""
SPELLED = {
    name: (written, Applicability.UNSAFE if name in INEXACT else Applicability.SAFE)
    for name, written in SPELLED_AS.items()
}
"""What is put in for operators that are given a tensor alone: right with all exporters at sizes that vary."""
TURNED = ("mT", "mH")
"""Attributes that turn a matrix; `transpose(-2, -1)` is translated."""
EXPORTED = {**TRACERS, "torch.export": Harm.REFUSED}
Said = Iterator[tuple[str, dict[str, Harm]]]


def weigh_norm(event: Called, source: Source) -> Said:
    """InstanceNorm with running statistics, BatchNorm without."""
    tracks, batch = event.settings.get("track_running_stats"), "BatchNorm" in event.name
    if source.profile.dynamic and isinstance(tracks, Constant) and bool(tracks.value) is not batch:
        name = event.name.removesuffix(".forward").rpartition(".")[2]
        told = "without" if batch else "with"
        yield f"{name} {told} running statistics needs a batch that is fixed", LEGACY


def weigh_unflatten(event: Called, source: Source) -> Said:
    """A layer built from sizes of a tensor; the function takes them."""
    if any(map(is_traced, list_items(event.arguments.get("unflattened_size")))):
        harm = EXPORTED if source.profile.dynamic else TRACERS
        yield "nn.Unflatten takes no size that is traced, as x.unflatten does", harm


def weigh_attention(event: Called, source: Source) -> Said:
    """A flag that is a comparison of sizes is a tensor while it is traced."""
    flag = event.arguments.get("is_causal")
    asked = isinstance(flag, Number) and flag.truth and len(flag.asked) == 1
    written = [
        each.value for each in getattr(event.node, "keywords", ()) if each.arg == "is_causal"
    ]
    asked = asked and not any(isinstance(each, ast.Call) for each in written)  # bool(...)
    if asked and is_traced(flag):
        harm = {**EXPORTED, "onnx": Harm.REFUSED} if source.profile.dynamic else TRACERS
        yield "is_causal is no bool where it is worked out from traced sizes", harm


def weigh_samples(event: Called, source: Source) -> Said:
    """As many samples as some axis is long."""
    if is_traced(event.arguments.get("num_samples")):
        yield "multinomial takes no number of samples that is read from a shape", LEGACY


def weigh_shape(event: Called, source: Source) -> Said:
    """`F.layer_norm(x, x.shape[1:])`, whether these vary or not: a size that is traced is a tensor."""
    items = list_items(event.arguments.get("normalized_shape"))
    if any(map(is_traced, items)) or reads_shape(event, 1, "normalized_shape"):
        yield "layer_norm takes no shape that is read from a tensor", LEGACY


def reads_shape(event: Called, place: int, name: str) -> bool:
    """Whether an argument is written with the shape of a tensor."""
    node = event.node
    if not isinstance(node, ast.Call):
        return False
    named = next((each.value for each in node.keywords if each.arg == name), None)
    given = named or next(iter(node.args[place : place + 1]), None)
    return given is not None and any(map(is_shape, ast.walk(given)))


def is_shape(node: ast.AST) -> bool:
    """`x.shape`, `x.size(...)`; of a weight, `self.weight.shape`, it is no traced number."""
    match node:
        case (
            ast.Attribute(value=held, attr="shape")
            | ast.Call(func=ast.Attribute(value=held, attr="size"))
        ):
            return isinstance(held, ast.Name)
    return False


def weigh_line_pool(event: Called, source: Source) -> Said:
    """`nn.MaxPool1d(2)`: without indices it is worked out by a function that asks for the length as a number."""
    held = event.arguments.get("input")
    shape = held.shape if isinstance(held, Tensor) else None
    paired = event.arguments.get("return_indices", FALSE) != FALSE
    open_length = source.profile.dynamic and shape and varies(shape[-1]) is True
    if open_length and not paired and is_declared(source.profile, source.evaluation):
        yield (
            "max_pool1d takes the length of the example for good",
            {"torch.export": Harm.REFUSED},
        )


def weigh_fast_path(event: Called, source: Source) -> Said:
    """Attention to itself in evaluation mode runs as one operator where no gradient is asked for."""
    given = event.arguments
    if SLOW_PATH in source.text:
        return
    first, heads = given.get("batch_first"), given.get("num_heads", given.get("nhead"))
    even = not (isinstance(heads, Constant) and isinstance(heads.value, int) and heads.value % 2)
    query = given.get("query")
    alone = "key" not in given or all(is_one(query, given[name]) for name in ("key", "value"))
    if first == TRUE and even and alone and all(given.get(name, NONE) == NONE for name in MASKS):
        name = event.name.removesuffix(".forward").rpartition(".")[2]
        yield f"{name} runs as one operator without translation where torch.no_grad() is on", LEGACY


SLOW_PATH = "set_fastpath_enabled(False)"


def take_slow_path(event: Called, source: Source) -> Fix | None:
    """Above the line that runs the layer: while torch.jit traces, attention in operators of its own."""
    call = source.call_at(event)
    if call is None or "torchscript-script" in source.profile.exporters:
        return None
    asks, imports = source.reach("torch.jit.is_tracing", call)
    switch, more = source.reach("torch.backends.mha.set_fastpath_enabled", call)
    if not asks or not switch:
        return None
    above = source.above(call, f"if {asks}():")
    margin = above.content[: len(above.content) - len(above.content.lstrip())]
    if not margin.strip("\r\n") or not above.content.endswith("\n"):
        return None
    end = above.content[len(above.content.rstrip()) :]
    branch = replace(above, content=f"{above.content}{indent_below(margin)}{switch}(False){end}")
    edits = (branch, *dict.fromkeys((*imports, *more)))
    return Fix("trace attention in operators of its own", edits, Applicability.UNSAFE)


PADS = re.compile(r"torch\.nn\.(functional\.pad|\w+Pad\dd\.forward)")


def weigh_windows(event: Called, source: Source) -> Said:
    """`x.unfold(1, 3, 1)`: as many slices are written as the example has windows."""
    given = event.arguments
    tensor, axis = given.get("self"), given.get("dimension")
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    place = axis.value if isinstance(axis, Constant) else None
    along = shape[place : place + 1 or None] if shape and isinstance(place, int) else ()
    made = source.evaluation.ways.find_maker(tensor)
    if source.profile.dynamic and along and varies(along[0]) is True:
        yield (
            "unfold of an axis that varies: the legacy exporter refuses it, dynamo=True writes it",
            LEGACY,
        )
    elif isinstance(made, Called) and PADS.fullmatch(made.name):
        yield "unfold of what is padded, of which the legacy exporter knows no size", LEGACY
    elif counts_from_end(event, source):
        yield LATE, {"onnx-legacy": Harm.SILENT}


LATE = "unfold along an axis that counts from the end puts the windows one axis too late"


def counts_from_end(event: Called, source: Source) -> bool:
    """`x.unfold(-1, 16, 8)` of an axis of one size: the legacy exporter writes it, and mistakes the place."""
    tensor, axis = event.arguments.get("self"), event.arguments.get("dimension")
    place = axis.value if isinstance(axis, Constant) else None
    if not isinstance(place, int) or place >= 0 or not isinstance(tensor, Tensor):
        return False
    shape = tensor.shape or ()
    fixed = -place <= len(shape) and varies(shape[place]) is False
    return fixed or not source.profile.dynamic


def place_windows(event: Called, source: Source) -> Fix | None:
    from_end = counts_from_end(event, source)
    return count_from_front(event, source) if from_end else index_windows(event, source)


def weigh_identity(event: Called, source: Source) -> Said:
    """`torch.eye(n, dtype=torch.bool)` of a size that is read off a tensor: ONNX Runtime has none of truths."""
    sizes = [event.arguments.get(each) for each in ("n", "m")]
    truths = isinstance(event.result, Tensor) and event.result.dtype == "bool"
    if truths and any(isinstance(each, Number) and not each.data for each in sizes):
        yield (
            "eye of truths is written as an operator that ONNX Runtime has of numbers alone",
            LOADED,
        )


def weigh_histogram(event: Called, source: Source) -> Said:
    """`torch.histc(x, 10, 0, 1)`: the new exporter writes it between bounds that are given."""
    low, high = (event.arguments.get(each) for each in ("min", "max"))
    bound = isinstance(low, Constant) and isinstance(high, Constant) and low != high
    harm = LEGACY if bound else {**LEGACY, "onnx": Harm.REFUSED}
    told = "in the legacy exporter" if bound else "to ONNX without bounds"
    yield f"histc has no translation {told}", harm


def weigh_places(event: Called, source: Source) -> Said:
    """`zeros.index_add(0, index, rows)`, where several rows go to one place."""
    made = source.evaluation.ways.find_maker(event.arguments.get("index"))
    listed = made.positional[:1] if isinstance(made, Called) and made.name == "torch.tensor" else ()
    numbers = [each for given in listed for each in list_items(given)]
    apart = all(isinstance(e, Constant) for e in numbers) and len(set(numbers)) == len(numbers) > 1
    if not apart and not (isinstance(made, Called) and made.name == "torch.arange"):
        harm = Harm.SILENT if source.profile.dynamic else Harm.REFUSED
        message = "index_add keeps one of the rows that go to the same place"
        yield message, {"onnx-legacy": harm}


def weigh_spectrum(event: Called, source: Source) -> Said:
    """`torch.stft`: real numbers from opset 17 on, complex ones never."""
    answer = event.arguments.get("return_complex")
    held = event.arguments.get("input", event.arguments.get("self"))
    opset = source.profile.opset_of("onnx-legacy")
    if answer in (None, NONE) and source.profile.torch >= (2, 0) and not is_complex(held):
        return  # it raises, of which another rule tells
    if answer in (TRUE, None, NONE):
        hint = "return_complex=False has one from opset 17 on"
        yield f"stft of complex numbers has no translation in the legacy exporter: {hint}", LEGACY
    elif opset < FIRST_SPECTRUM:
        yield f"stft needs opset {FIRST_SPECTRUM}, and {opset} is written", LEGACY


FIRST_SPECTRUM = 17
MASKS = ("key_padding_mask", "attn_mask", "src_mask", "src_key_padding_mask")


def is_traced(value: Value | None) -> bool:
    """Whether a number is worked out from sizes."""
    return isinstance(value, Number) and value.varies is True and not value.data


def list_items(value: Value | None) -> tuple[Value, ...]:
    """The items of a tuple or list; the value itself where it is none."""
    if isinstance(value, Items):
        return value.items or ()
    return () if value is None else (value,)


def weigh_known(weigh: Weigh) -> Callable[[Called, Source], Said]:
    return lambda event, source: weigh(event, source.evaluation, source.profile.dynamic)


ARGUMENTS: dict[str, Callable[[Called, Source], Said]] = {
    **{
        f"torch.nn.{kind}Norm{n}d.forward": weigh_norm
        for kind in ("Instance", "Batch")
        for n in (1, 2, 3)
    },
    "torch.nn.Unflatten": weigh_unflatten,
    "torch.nn.functional.scaled_dot_product_attention": weigh_attention,
    "torch.multinomial": weigh_samples,
    "torch.Tensor.multinomial": weigh_samples,
    "torch.nn.functional.layer_norm": weigh_shape,
    "torch.Tensor.unfold": weigh_windows,
    "torch.eye": weigh_identity,
    **dict.fromkeys(("torch.histc", "torch.Tensor.histc"), weigh_histogram),
    **dict.fromkeys(
        ("torch.index_add", "torch.Tensor.index_add", "torch.Tensor.index_add_"), weigh_places
    ),
    **dict.fromkeys(LINE_POOLS, weigh_line_pool),
    "torch.stft": weigh_spectrum,
    "torch.Tensor.stft": weigh_spectrum,
    "torch.nn.MultiheadAttention.forward": weigh_fast_path,
    "torch.nn.TransformerEncoderLayer.forward": weigh_fast_path,
    **{name: weigh_known(weigh) for name, weigh in BY_NAME.items()},
}
"""Operators that are refused for some arguments, each with what says which."""


def ask_identity(event: Called, source: Source) -> Fix | None:
    """`torch.eye(n).bool()` for `torch.eye(n, dtype=torch.bool)`."""
    call = source.call_at(event)
    args = call.args if call is not None else ()
    typed = next((each for each in args if each.keyword and each.keyword.value == "dtype"), None)
    named = {each.keyword.value for each in args if each.keyword is not None}
    if call is None or typed is None or "out" in named or any(each.star for each in args):
        return None
    end = source.replace(call, "").end
    edits = (source.remove_argument(call, typed), Edit(end, end, ".bool()"))
    return Fix("make truths of numbers", edits)


def add_places(event: Called, source: Source) -> Fix | None:
    """`zeros.scatter_add(0, index[:, None].expand_as(rows), rows)`, where the opset that is written adds them up."""
    added = source.profile.opset_of("onnx-legacy") >= FIRST_ADDED
    return scatter_places(event, source) if added else None


FIXES: dict[str, Callable[[Called, Source], Fix | None]] = {
    **{f"torch.nn.InstanceNorm{n}d.forward": settle_norm for n in (1, 2, 3)},
    "torch.Tensor.unfold": place_windows,
    "torch.eye": ask_identity,
    "torch.nn.MultiheadAttention.forward": take_slow_path,
    "torch.nn.TransformerEncoderLayer.forward": take_slow_path,
    "torch.nn.Unflatten": unflatten_later,
    **dict.fromkeys(("torch.einsum", "torch.outer", "torch.ger"), cast_operands),
    **dict.fromkeys(CLAMPS, write_floats),
    "torch.stft": split_spectrum,
    "torch.Tensor.stft": split_spectrum,
    **dict.fromkeys(
        ("torch.index_add", "torch.Tensor.index_add", "torch.Tensor.index_add_"), add_places
    ),
}


@rule.event(*NAMES, *METHOD_KEYS, *(f"{layer}.forward" for layer in LAYERS))
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    of_tensor = event.name.startswith("torch.Tensor.")
    if of_tensor and not event.open and "self" not in event.arguments:
        return  # called as no tensor is
    if not event.way.forward or for_complex_only(event, source) or is_nested_again(event, source):
        return
    name = name_operator(event.name)
    given = (*event.positional, *event.keyword.values())
    real = not is_complex(event.result) and ".fft." not in event.name
    folded = "onnx-legacy" if real and are_folded(given, source.evaluation.ways) else ""
    for message, weighed in weigh_operator(name, source):
        harm = {who: what for who, what in weighed.items() if who != folded}
        if not harm:
            continue
        fix = write_out(event, name.rpartition(".")[2], source) or scatter_unpool(event, source)
        fix = fix or write_diagonal(event, source) or draw_alike(event, source)
        yield Hit(event, message, fix, harm, remedy=name_remedy(name, harm))


def is_nested_again(event: Called, source: Source) -> bool:
    """Whether the file works on nested tensors, of which is told where the first is made."""
    if event.name != NESTED:
        return False
    made = (each for _, each in source.evaluation.list_events((NESTED,)))
    spots = (e.spot for e in made if isinstance(e, Called) and e.way.forward)
    return any(s.path == event.spot.path and s.row < event.spot.row for s in spots)


NESTED = "torch.nested.nested_tensor"


@rule.event(AttributeRead)
def in_attribute(event: AttributeRead, source: Source) -> Iterator[Hit]:
    turned = event.attribute in TURNED and isinstance(event.held, Tensor)
    if turned and event.way.forward:
        message = f"{event.attribute} has no translation in the legacy exporter"
        remedy = "write x.transpose(-2, -1), or export with dynamo=True"
        yield Hit(event, message, write_turned(event, source), LEGACY, remedy=remedy)


@rule.event("torch.Tensor.unfold")
def in_windows(event: Called, source: Source) -> Iterator[Hit]:
    """`x.unfold(1, 3, 1)` of a tensor of which only a run knows whether the exporter knows that axis."""
    if not event.way.forward or not source.profile.dynamic:
        return
    if (fix := index_windows(event, source)) is not None:
        said = "unfold of an axis that varies: the legacy exporter refuses it"
        yield Hit(event, said, fix, LEGACY, confirms=True)


@rule.event("torch.nn.Unflatten")
def in_sizes(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.Unflatten(2, (h // p, w // p))` in forward, of sizes that only a run knows."""
    sizes = list_items(event.arguments.get("unflattened_size"))
    if not event.way.forward or any(map(is_traced, sizes)):
        return
    if (fix := unflatten_later(event, source)) is not None:
        yield Hit(event, "nn.Unflatten takes no size that is traced", fix, EXPORTED, confirms=True)


@rule.event(ItemSet)
def in_items(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`x[:, 0] = y`, of a tensor."""
    opset = source.profile.opset_of("onnx-legacy")
    of_tensor = isinstance(event.held, Tensor) and event.held.sure
    if of_tensor and event.way.forward and opset < FIRST["torch.index_put"]:
        message = f"writing into items needs opset 11, and {opset} is written"
        yield Hit(event, message, harm=LEGACY)


@rule.event(Indexed)
def in_index(event: Indexed, source: Source) -> Iterator[Hit]:
    """`table[index.int()]`: a GatherND has indices of 64 bits."""
    held, index = event.held, event.index
    parts = split_index(index) or ()
    narrow = any(isinstance(e, Tensor) and e.sure and e.dtype == "int32" for e in parts)
    if narrow and isinstance(held, Tensor) and held.sure and event.way.forward:
        said = "an index of int32 is a file that ONNX Runtime does not load"
        remedy = "index by whole numbers of 64 bits: index.long()"
        yield Hit(event, said, harm={"onnx": Harm.FAILS}, remedy=remedy)
    known = source.evaluation, source.profile.dynamic
    if event.way.forward and any(counts_down(each, *known) for each in parts):
        harm = {"onnx-legacy": Harm.SILENT}
        yield Hit(event, COUNTS_DOWN, harm=harm, remedy="write x.flip(dim)")


@rule.event(Combined)
def in_quotient(event: Combined, source: Source) -> Iterator[Hit]:
    """`x // 0.3`."""
    if event.operator == "FloorDiv" and event.way.forward and not event.inplace:
        for message, harm in weigh_floor(event.left, event.right, source.evaluation):
            yield Hit(event, message, write_floor(event, source), harm, remedy=FLOOR)


@rule.event(Combined, "torch.remainder", "torch.Tensor.remainder")
def in_remainder(event: Combined | Called, source: Source) -> Iterator[Hit]:
    """`places % width`, of whole numbers, by a size that varies."""
    if isinstance(event, Combined):
        left, right = (event.left, event.right) if event.operator == "Mod" else (NONE, NONE)
    else:
        left = event.arguments.get("input", event.arguments.get("self", NONE))
        right = event.arguments.get("other", NONE)
    whole = isinstance(left, Tensor) and left.sure and (left.dtype or "").startswith("int")
    if whole and is_traced(right) and source.profile.dynamic and event.way.forward:
        said = "the remainder of whole numbers by a size that varies has no translation"
        yield Hit(event, said, harm=UNKNOWN_TO_NEW, remedy="write i - i // n * n for i % n")


BITS = {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}
TO_BOOL = "make masks of bools: mask.bool()"


@rule.event(Combined)
def in_bits(event: Combined, source: Source) -> Iterator[Hit]:
    """`mask & kept.byte()`, of bits that are no truths."""
    if event.operator not in BITS or not event.way.forward:
        return
    written = source.profile.opset_of("onnx-legacy")
    sides = (event.left, event.right)
    kinds = [each.dtype for each in sides if isinstance(each, Tensor) and each.sure]
    whole = [each for each in kinds if each and each.startswith(("int", "uint"))]
    if len(kinds) == 2 and whole and (event.operator != "BitAnd" or written < FIRST_AND):
        sign = BITS[event.operator]
        message = f"`{sign}` of {whole[0]} is for truths alone there"
        yield Hit(event, message, write_truths(event, source), LEGACY, remedy=TO_BOOL)


FIRST_AND = 18
"""The opset from which on the legacy exporter writes `&` of whole numbers."""


def write_truths(event: Combined, source: Source) -> Fix | None:
    """`mask & kept.bool()`, of a mask that holds truths."""
    node = source.node_at(event, cst.BinaryOperation)
    if node is None or event.inplace:
        return None
    sides = ((node.left, event.left), (node.right, event.right))
    others = [held for held, value in sides if getattr(value, "dtype", "") != "bool"]
    if len(others) != 1:
        return None
    text, tight = source.code(others[0]), (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
    held = text if isinstance(others[0], tight) or others[0].lpar else f"({text})"
    held = held.removesuffix(".byte()")
    edit = source.replace(others[0], f"{held}.bool()")
    return Fix(f"write {held}.bool()", (edit,), Applicability.UNSAFE)


FLOOR = 'write torch.div(x, y, rounding_mode="floor")'


def write_floor(event: Combined, source: Source) -> Fix | None:
    """`torch.div(x, 0.3, rounding_mode="floor")` for `x // 0.3`: the same numbers."""
    node = source.node_at(event, cst.BinaryOperation)
    if node is None or not isinstance(event.left, Tensor) or not event.left.sure:
        return None
    spelled, edits = source.reach("torch.div", node)
    left, right = source.code(node.left), source.code(node.right)
    text = f'{spelled}({left}, {right}, rounding_mode="floor")'
    return Fix(f"write {text}", (source.replace(node, text), *edits)) if spelled else None


@rule.event(*ARGUMENTS)
def in_arguments(event: Called, source: Source) -> Iterator[Hit]:
    """Operators that are translated, but not as they are called here."""
    if event.way.forward:
        for message, harm in ARGUMENTS[event.name](event, source):
            last = event.name.removesuffix(".forward").rpartition(".")[2]
            remedy = FRONT if message == LATE else OF_ARGUMENTS.get(last, DYNAMO)
            fix = FIXES.get(event.name, answer_flag)(event, source)
            if "stft" in event.name and source.profile.opset_of("onnx-legacy") < FIRST_SPECTRUM:
                fix = None
            yield Hit(event, message, fix, harm, remedy=remedy)


@rule.event(*BATCHLESS)
def in_batchless(event: Called, source: Source) -> Iterator[Hit]:
    """`F.max_pool2d(scores, 2)` of an image that has no axis for the batch."""
    said = weigh_batchless(event) if event.way.forward else None
    if said is not None:
        yield Hit(event, said[0], harm=said[1], remedy=WITH_BATCH)


@rule.event("torch.squeeze", "torch.Tensor.squeeze", "torch.Tensor.squeeze_")
def in_squeeze(event: Called, source: Source) -> Iterator[Hit]:
    """`x.squeeze(1)` of three channels, `x.squeeze((2, 3))`."""
    if event.way.forward:
        for message, harm in weigh_squeeze(event):
            fix = write_squeeze(event, source)
            yield Hit(
                event, message, fix, harm, remedy=NO_SQUEEZE if "onnx" in harm else ONE_BY_ONE
            )


@rule.event(*SPLITS)
def in_split(event: Called, source: Source) -> Iterator[Hit]:
    """`x.view(b, -1, 32).split(10, 2)`."""
    if event.way.forward and source.profile.dynamic:
        for message, harm in weigh_rest(event, source.evaluation.ways):
            fix = write_parts(event, source)
            yield Hit(event, message, fix, harm, remedy="list the sizes of all parts")


@rule.event(*WRITTEN_FROM_END)
def in_axes(event: Called, source: Source) -> Iterator[Hit]:
    """`x.permute(0, -1, 1)`."""
    if event.way.forward and (said := find_axes_from_end(event)):
        fix = count_from_front(event, source)
        yield Hit(event, said, fix, LOADED, remedy="count the axes from the front")


@rule.event("torch.einsum")
def in_ellipsis(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.einsum("...id,...jd->...ij", x, weight)`."""
    if event.way.forward:
        for message, harm in weigh_ellipsis(event):
            yield Hit(event, message, write_axes(event, source), harm, remedy=ONE_ELLIPSIS)


def write_turned(event: AttributeRead, source: Source) -> Fix | None:
    """`x.transpose(-2, -1)` for `x.mT`."""
    node = source.node_at(event, cst.Attribute)
    if node is None or node.attr.value != "mT" or event.attribute != "mT":
        return None
    edit = source.replace(node, f"{source.code(node.value)}.transpose(-2, -1)")
    return Fix(f"write {edit.content}", (edit,))


def write_out(event: Called, name: str, source: Source) -> Fix | None:
    """`(x != 0).sum()` for `torch.count_nonzero(x)` and `x.count_nonzero()`, which are given nothing else."""
    template, promise = SPELLED.get(name, ("", Applicability.SAFE))
    call = source.call_at(event)
    held = event.positional[0] if event.positional else None
    if call is None or not template or not isinstance(held, Tensor) or held.dtype == "bool":
        return None
    func, given = call.func, call.args
    of_tensor = event.name.startswith("torch.Tensor.") and isinstance(func, cst.Attribute)
    if of_tensor and isinstance(func, cst.Attribute) and not given and func.attr.value == name:
        operand = func.value
    elif source.name(func) == event.name and len(given) == 1 and not given[0].star:
        operand = given[0].value
    else:
        return None
    if template.count("{x}") > 1 and not isinstance(operand, cst.Name):
        return None
    text = source.code(operand)
    whole = template.format(x=text if is_read(operand) or operand.lpar else f"({text})")
    joins = any(sign in template for sign in (" - ", " == ", " * "))
    edit = source.replace(call, source.fitted(whole, call) if joins else whole)
    return Fix(f"write {whole}", (edit,), promise)


def draw_alike(event: Called, source: Source) -> Fix | None:
    """`torch.rand_like(torch.zeros(n))` for `torch.zeros(n).uniform_(0, 1)`, of what no name holds."""
    call = source.call_at(event)
    func = call.func if call is not None else None
    if call is None or event.name != "torch.Tensor.uniform_" or not isinstance(func, cst.Attribute):
        return None
    bounds = [literal(arg.value) for arg in call.args if not arg.star and not arg.keyword]
    if not isinstance(func.value, cst.Call) or len(bounds) < len(call.args):
        return None
    held = event.positional[0]
    fresh = isinstance(held, Tensor) and held.origin != "input"
    spelled, edits = source.reach("torch.rand_like", call)
    if (
        bounds not in ([], [0, 1])
        or not fresh
        or not spelled
        or source.evaluation.is_dropped(event)
    ):
        return None
    text = f"{spelled}({source.code(func.value)})"
    return Fix(f"write {text}", (source.replace(call, text), *edits), Applicability.UNSAFE)


def answer_flag(event: Called, source: Source) -> Fix | None:
    """`is_causal=bool(causal)`: a yes or no, where a tracer holds a tensor."""
    call = source.call_at(event)
    args = call.args if call is not None else ()
    names = {each.keyword.value: each for each in args if each.keyword is not None}
    given = names.get("is_causal")
    if given is None or not event.name.endswith("scaled_dot_product_attention"):
        return None
    edit = source.replace(given.value, f"bool({source.code(given.value)})")
    return Fix(f"write {edit.content}", (edit,))


def name_remedy(name: str, harm: dict[str, Harm]) -> str | None:
    """What to write, or how to export; None where nothing does the same."""
    if name in COMPILED:
        return "export with torch.export, or dynamo=True"
    if written := WRITTEN_OUT.get(name.rpartition(".")[2]):
        return f"write {written}" if "onnx" in harm else f"write {written}, or {DYNAMO}"
    if name in FIRST:
        return f"ask for opset_version={FIRST[name]}, or export with dynamo=True"
    if "torchscript-trace" in harm:
        return "use torch.jit.script, or export with dynamo=True"
    return None if "onnx" in harm else DYNAMO


def name_operator(called: str) -> str:
    """The name in the tables of what was called: function, method or layer."""
    if called.startswith("torch.Tensor."):
        last = called.rpartition(".")[2]
        return f"torch.{last}" if f"torch.{last}" in METHOD_NAMES else ""
    return LAYERS.get(called.removesuffix(".forward"), called)


def weigh_operator(name: str, source: Source) -> Iterator[tuple[str, dict[str, Harm]]]:
    """What is to be said of an operator, and for whom."""
    opset, short = source.profile.opset_of("onnx-legacy"), name.removeprefix("torch.")
    if name in UNTRANSLATED:
        open_sizes = name in UNFOLLOWED_OPEN and source.profile.dynamic
        alone = {"torch.export": Harm.REFUSED} if name in UNFOLLOWED or open_sizes else {}
        harm = {**NEITHER, **alone}
        yield f"{short} has no translation to ONNX", harm
    elif name in NEW:
        yield f"{short} has no translation in the new exporter", UNKNOWN_TO_NEW
    elif name in COMPILED:
        yield (
            f"{short.rpartition('.')[2]} compiles what it is given, which tracers refuse",
            COMPILED[name],
        )
    elif ".max_unpool" in name:
        yield f"{short} asks for a size that tracers make a tensor of", TRACERS
    elif name in NEVER or name.startswith("torch.fft."):
        yield f"{short} has no translation in the legacy exporter", LEGACY
    elif opset < FIRST.get(name, 0):
        yield f"{short} needs opset {FIRST[name]}, and {opset} is written", LEGACY


@rule.trace(*NAMES, *METHOD_KEYS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: an operator on constants alone may not reach the graph."""
    yield Hit(event, describe_call(event), severity=Severity.NOTE, confirms=True)


def for_complex_only(event: Called, source: Source) -> bool:
    """`torch.complex(a, b) if x.is_complex() else a`: a model seldom gets complex inputs."""
    return any(
        isinstance(outer, (ast.If, ast.IfExp)) and "is_complex(" in ast.unparse(outer.test)
        for outer in source.evaluation.list_around(event)
    )
