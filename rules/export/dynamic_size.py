"""LT101: a size read from a tensor that becomes a Python constant in the exported model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Baked, Called, Combined
from lintorch.evaluator.sizes import Dim, Size, is_counted, is_ratio, is_symbol, list_symbols
from lintorch.evaluator.values import UNKNOWN, Constant, Items, Number, Tensor, Value
from lintorch.evidence import (
    EventKey,
    OperatorCall,
    Outcome,
    SizeChosen,
    SizeRead,
    SizeUse,
    TensorUse,
    Trace,
    Trial,
)
from lintorch.evidence.size_changes import (
    blame_event,
    clear_fixed_line,
    clear_lines,
    find_changes,
    is_function_of,
    only_looks,
)
from lintorch.evidence.treatment import name_sizes, report_limits
from lintorch.facts.exporting.layer_rewrites import grow_transposed
from lintorch.facts.exporting.mend_axes import write_repeats
from lintorch.facts.exporting.row_convolutions import convolve_rows
from lintorch.facts.exporting.sized_kinds import (
    KINDS,
    NEW,
    NO_COUNT,
    harm_of_sizes,
    read_sizes,
    say_instead,
)
from lintorch.facts.models.given_sizes import holds_open_size, list_numbers
from lintorch.facts.models.pool_windows import (
    WINDOWS,
    is_whole_window,
    pool_all,
    pool_to_one,
)
from lintorch.facts.models.size_edits import (
    as_float,
    as_given,
    as_size,
    count_up,
    without_data,
    without_int,
)
from lintorch.facts.models.size_rewrites import (
    empty_of_sizes,
    reckon_side,
    size_itself,
    stack_sizes,
    without_numpy,
)
from lintorch.facts.models.tracing_choices import is_traced
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT101",
    summary="a size read from a tensor that becomes a constant",
    why="""
        `x.size(0)`, `x.shape[2] // 2`, `tuple(x.shape)` and `math.prod(x.shape[1:])` stay
        symbolic: every exporter writes a model that is right at every size. A size that goes
        through `int()`, `float()`, `len()`, `max()`, NumPy or `torch.tensor(...)`, or is read
        from `x.data`, becomes the number it was for the example input. The legacy exporter and
        jit.trace then compute wrongly at any other size, for `x.data` without any warning;
        `torch.export` refuses, and so does the new ONNX exporter unless sizes are left to
        `Dim.AUTO`. A number that was worked out first (`int(h // 2)`) is exported by both: the
        program of `torch.export` raises at other sizes, and the ONNX file is silently wrong.
        Arrays that NumPy makes of sizes (`np.linspace(-1, 1, w)`, `np.zeros((h, w))`) are made
        for the example; `np.arange(h)` alone the new ONNX exporter takes for `torch.arange(h)`.
        The window of `avg_pool2d(x, x.shape[2:])` and the steps of `linspace(0, 1, h)` are plain
        numbers to an exporter too: pool to one cell, and divide an `arange(h)`. So are those of
        `logspace`, `hann_window(n)` and its kin, `triu_indices(n, n)` and `fft.fftfreq(n)`, and the groups
        of a convolution with one weight for each row of the batch (`groups=b`, as StyleGAN 2
        modulates): torch.export alone lets them vary, and the fix multiplies with windows instead,
        which all take. The shift of `roll` it and nobody else; a
        tuple of shifts the tracers of TorchScript let vary too.
        Measured on torch 2.13.

        Where whole numbers are compared, the fix reckons: `max(h, w)` is
        `w + (h - w) * ((2 * (h - w) + 2**30 - 1) // 2**30)`, whose quotient is 1 or 0. `abs`,
        `max` and `torch.sym_max` come short of it: `torch.export.save` refuses the first, tracers
        keep what the others give. A tensor of several sizes is stacked of one for each, and `float(h)` is
        written `h * 1.0`: all exporters keep these.

        The often-copied advice to write `torch.tensor(x.size(0)).item()` is what bakes the size;
        the plain form needs no help.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def forward(self, x):
                return x.view(int(x.size(0)), -1)
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def forward(self, x):
                return x.view(x.size(0), -1)
    """,
    remedy="keep the size as it is read: no int(), float(), len(), NumPy or .data",
    proof="""
        from torch.export import Dim, export

        export(Head(), (torch.ones(2, 3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    """,
    fix=Applicability.SAFE,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
UNSEEN = {"onnx-legacy": Harm.SILENT, "torchscript-trace": Harm.SILENT}
REFUSED = {"torch.export": Harm.REFUSED}
READ = {**REFUSED, "onnx": Harm.AUTO, **TRACED}
"""int(), float() of a size as it was read; len() of a tensor."""
WORKED_OUT = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **TRACED}
"""The same of a size that was halved or multiplied first."""
REPEATED = {**REFUSED, "onnx": Harm.AUTO, **UNSEEN}
WINDOW = {**REFUSED, "onnx": Harm.AUTO, "onnx-legacy": Harm.REFUSED}
"""A window of several sizes; jit.trace keeps these."""
WINDOW_1D = {**REFUSED, "onnx": Harm.AUTO, **UNSEEN}
"""A window of one size."""
NOISY = {"onnx-legacy": Harm.NOISY, "torchscript-trace": Harm.NOISY}
COPIED = {**REFUSED, "onnx": Harm.AUTO, **NOISY}

MAKERS: dict[str, tuple[dict[str, Harm], dict[str, Harm]]] = {
    "torch.tensor": (TRACED, {}),
    "torch.as_tensor": (READ, COPIED),
    "torch.Tensor.new_tensor": (READ, REFUSED),
    "torch.LongTensor": (REPEATED, UNSEEN),
    "torch.IntTensor": (REPEATED, NO_COUNT),
    "torch.FloatTensor": (READ, NO_COUNT),
    "torch.Tensor": ({**REFUSED, "onnx": Harm.REFUSED, **TRACED}, {}),
    NEW: ({**REFUSED, "onnx": Harm.REFUSED, **TRACED}, {}),
}
"""What becomes of several sizes, and of a single one that stays a tensor: torch.tensor keeps it."""
SHAPED = {
    "torch.FloatTensor": "write torch.empty(n)",
    "torch.LongTensor": "write torch.empty(n, dtype=torch.long)",
    "torch.IntTensor": "write torch.empty(n, dtype=torch.int)",
}
"""What to write for tensors of an old kind that are made for so many items, and hold no sizes."""
AS_TORCH = {**REFUSED, **TRACED}
"""What the new ONNX exporter takes for a function of torch."""
COUNTED = {**REFUSED, "onnx": Harm.AUTO}
PAIRS = ("triu_indices", "tril_indices")
OF_PAIRS = {**COUNTED, "onnx-legacy": Harm.REFUSED}
CHOSEN = {**REFUSED, "onnx": Harm.REFUSED}
"""Of what `unique()` and the like count."""
DYNAMO = "export with dynamo=True or torch.export, which keep both sides"
WITHOUT_NUMPY = "use // and math.prod(), or x.flatten(1), which keep sizes symbolic"
MADE_BY_TORCH = ("zeros", "ones", "full", "empty", "eye", "arange")
"""Functions of NumPy that torch has by the same name, and gives sizes that vary."""
STACK = "divide each part by its own size: torch.stack((x[..., 0] / w, x[..., 1] / h), -1)"
ONE_EACH = "make a tensor of each size: torch.stack([torch.tensor(h), torch.tensor(w)])"
BY_ARANGE = {
    "linspace": "write a + (b - a) * torch.arange(n) / (n - 1 + 1 // n)",
    "one_hot": "write index[..., None] == torch.arange(n)",
    "logspace": "write 10 ** (a + (b - a) * torch.arange(n) / (n - 1 + 1 // n))",
    "hann_window": "write 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(n) / n)",
    "hamming_window": "write 0.54 - 0.46 * torch.cos(2 * math.pi * torch.arange(n) / n)",
    "triu_indices": "choose by a mask, torch.ones(n, n).triu()",
    "tril_indices": "choose by a mask, torch.ones(n, n).tril()",
    "fftfreq": "write torch.where(i < (n + 1) // 2, i, i - n) / (n * d) of i = torch.arange(n)",
    "rfftfreq": "write torch.arange(n // 2 + 1) / (n * d)",
}
"""What to write for `linspace(a, b, n)`, `one_hot(index, n)` and others that count."""
WINDOW_BY_HAND = "work the window out from torch.arange(n)"
SCALED = "scale the input and the output of one convolution, not its weight"
"""What to write for groups that are the batch."""
GROUPED = {
    **dict.fromkeys(("onnx", "onnx-legacy"), Harm.REFUSED),
    "torchscript-trace": Harm.FAILS,
}
STEPS = {
    "torch.linspace": ("steps",), "torch.nn.functional.one_hot": ("num_classes",),
    "torch.logspace": ("steps",), "torch.triu_indices": ("row", "col"),
    "torch.tril_indices": ("row", "col"), "torch.fft.fftfreq": ("n",), "torch.fft.rfftfreq": ("n",),
    **{f"torch.{shape}_window": ("window_length",)
       for shape in ("hann", "hamming", "blackman", "bartlett", "kaiser")},
}  # fmt: skip
"""Arguments that count, which an operator takes as plain numbers."""
CONVOLUTIONS = tuple(
    f"torch.nn.functional.conv{turned}{n}d" for turned in ("", "_transpose") for n in (1, 2, 3)
)
ARGUMENTS = {
    "torch.linspace": ("steps", 2, COUNTED),
    "torch.nn.functional.one_hot": ("num_classes", 1, COUNTED),
    "torch.nn.functional.avg_pool1d": ("kernel_size", 1, WINDOW_1D),
    "torch.nn.functional.max_pool1d": ("kernel_size", 1, WINDOW_1D),
    "torch.nn.functional.avg_pool2d": ("kernel_size", 1, WINDOW),
    "torch.nn.functional.max_pool2d": ("kernel_size", 1, WINDOW),
    "torch.nn.functional.avg_pool3d": ("kernel_size", 1, WINDOW),
    "torch.nn.functional.max_pool3d": ("kernel_size", 1, WINDOW),
    "torch.nn.functional.conv2d": ("groups", 6, GROUPED),
}
"""Arguments that an operator takes as plain numbers, and where they stand, for what was run."""
FLOATING = frozenset(f"numpy.{name}" for name in ("sqrt", "log", "log2", "log10", "exp"))
"""Functions that NumPy asks of what it is given, and sizes of torch.export do not have."""
TOLD_OF = ("numpy.", "math.floor", "math.ceil", "math.trunc", "math.isqrt", "round", "divmod")
"""What says more of a number than the int() around it."""
FOLLOWING = frozenset(f"numpy.{name}" for name in ("ceil", "floor", "rint", "round"))
"""What such a number goes through next: the same hazard."""
Question = SizeRead | SizeChosen
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {
    SizeUse.INT: WORKED_OUT,
    SizeUse.FLOAT: READ,
    SizeUse.LEN: READ,
    SizeUse.TENSOR: TRACED,
    SizeUse.DATA: UNSEEN,
    SizeUse.REPEAT: REPEATED,
    SizeChosen: TRACED,
    SizeUse.NUMPY: READ,
}


@rule.event(Baked)
def in_model(event: Baked, source: Source) -> Iterator[Hit]:
    """A size that went through int(), len() or max() on its way into an operator.

    Of one that may never vary only a run can tell.
    """
    if not source.profile.dynamic or event.varies is False or is_ratio(event.via.size):
        return
    for hit in judge_baked(event, source):
        if event.varies or hit.fix is not None:
            yield hit if event.varies else replace(hit, confirms=True)


def judge_baked(event: Baked, source: Source) -> Iterator[Hit]:
    text, name = source.evaluation.text(event.spot), event.via.name
    harm = READ if tells_size(event.via.size) else WORKED_OUT
    if event.via.size is not None and is_counted(event.via.size):
        harm = {**harm, **REFUSED, "onnx": Harm.REFUSED}
    if name in ("int", "float", "operator.index") and event.via.whole:
        call = source.call_at(event)
        fix = without_int(call, source) if call and name == "int" else None
        if call and name == "float":
            fix = as_float(call, source)
        if not any(other.startswith(TOLD_OF) for other in event.also):
            said = f"`{text}` turns a size into a constant"
            yield Hit(event, said, fix=fix, harm=harm, remedy=bare_size(text, name), cause=name)
    elif name == "len" and not is_kept(event, source):
        call = source.call_at(event)
        fix = as_size(call, source) if call else None
        chosen = is_of_chosen(event, source)
        own = "batch size" if str(event.via.size) in ("B", "None") else "length"
        whose = "count of what its data chose" if chosen else own
        said = f"`{text}` is the example's {whose} for good"
        plain = text.startswith("len(") and text.endswith(")") and text.count("(") == 1
        remedy = f"write {text[4:-1]}.size(0)" if plain else "write x.size(0) for len(x)"
        counts = {**REFUSED, **TRACED} if chosen else READ
        yield Hit(event, said, fix=fix, harm=counts, remedy=remedy, cause=name)
    elif name == "torch.tensor" and "int" in event.also:
        said = f"`{text}` is made a tensor and read back: it becomes a constant"
        yield Hit(event, said, harm=TRACED, remedy="write the size itself, as x.size(0)")
    elif name in ("max", "min"):
        said, waits = f"`{text}` keeps the side that the example chose", is_bounded_by_model(text)
        fix = reckon_side(event, source)
        if not waits or fix is not None:
            yield Hit(event, said, fix=fix, harm=TRACED, remedy=DYNAMO, confirms=waits)
    elif name.startswith("numpy.") and not (
        name.startswith("numpy.random.") or (name in FOLLOWING and FLOATING & event.also)
    ):
        harm = READ if name in FLOATING else AS_TORCH if name == "numpy.arange" else harm
        said = f"`{text}` takes sizes as plain numbers"
        fix, short = without_numpy(event, name, source), name.rpartition(".")[2]
        remedy = f"write torch.{short}()" if short in MADE_BY_TORCH else WITHOUT_NUMPY
        yield Hit(event, said, fix=fix, harm=harm, remedy=remedy, cause="numpy")
    elif name == ".data":
        fix = without_data(event, source)
        message = "a size read through `.data` is the example's for good"
        yield Hit(event, message, fix=fix, harm=UNSEEN, remedy="drop .data")


def is_of_chosen(event: Baked, source: Source) -> bool:
    """Whether data decide the length that was asked for: `len(mask.nonzero())`."""
    given = find_asked(event, source)
    shape = given.shape if given is not None else None
    rows = given is not None and given.rows is not None
    return rows or (bool(shape) and is_counted((shape or (1,))[0]))


def is_kept(event: Baked, source: Source) -> bool:
    """Whether it is the length of what the model was made with: it has one, whatever data chose it."""
    given = find_asked(event, source)
    return given is not None and given.origin in ("buffer", "parameter")


def find_asked(event: Baked, source: Source) -> Tensor | None:
    """The tensor whose length is asked."""
    read = next(source.evaluation.list_calls_at(event.spot), None)
    given = read.positional[0] if read is not None and read.positional else None
    return given if isinstance(given, Tensor) else None


def bare_size(text: str, name: str) -> str:
    """`write x.size(0)` for `int(x.size(0))`."""
    whole = text.startswith(f"{name}(") and text.endswith(")") and "\n" not in text
    inner = text[len(name) + 1 : -1]
    return (
        f"write `{inner}`" if whole and inner.count("(") == inner.count(")") else f"drop {name}()"
    )


@rule.event(*(f"torch.nn.ConvTranspose{axes}d.forward" for axes in (1, 2, 3)))
def in_transposed(event: Called, source: Source) -> Iterator[Hit]:
    """`self.up(x, output_size=low.shape[2:])`: the layer works out its padding in Python."""
    asked = holds_open_size(event.arguments.get("output_size"))
    if asked and event.way.forward and source.profile.dynamic:
        message = "output_size is turned into the padding that the example needed"
        remedy = "give the layer output_padding=stride - 1 instead, and crop: y[..., :h, :w]"
        harm = {**TRACED, "onnx": Harm.REFUSED}
        yield Hit(event, message, grow_transposed(event, source), harm, remedy=remedy)


@rule.event("divmod")
def in_division(event: Called, source: Source) -> Iterator[Hit]:
    """`divmod(x.shape[1], 2)`: a size that is traced is a tensor, which divmod does not take."""
    size = event.positional[0] if event.positional else None
    if not isinstance(size, Number) or not size.whole or size.data or not event.way.forward:
        return
    if isinstance(size.size, Size):
        said = "divmod takes no size that is traced"
        yield Hit(event, said, harm=UNDIVIDED, remedy="write n // k and n % k")


UNDIVIDED = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}


@rule.source(cst.Attribute, needs=(".data.size", ".data.shape"))
def in_data(read: cst.Attribute, source: Source) -> Iterator[Hit]:
    """`x.data.size()` of an `x` of which nothing is known: a run tells."""
    inner = read.value
    held = inner.attr.value if isinstance(inner, cst.Attribute) else ""
    if read.attr.value in ("size", "shape") and held == "data" and source.profile.dynamic:
        assert isinstance(inner, cst.Attribute)
        fix = Fix("drop .data", (source.replace(inner, source.code(inner.value)),))
        yield Hit(read, "a size read through `.data`", fix, UNSEEN, confirms=True)


@rule.event("numpy.prod")
def in_product(event: Called, source: Source) -> Iterator[Hit]:
    """`np.prod(x.shape[1:])` of which it is not known whether it varies: a run tells."""
    fix = without_numpy(event, event.name, source) if event.way.forward else None
    if fix is not None and source.profile.dynamic:
        yield Hit(event, "NumPy takes sizes as plain numbers", fix=fix, confirms=True)


@rule.event(*MAKERS)
def in_maker(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.tensor(x.shape)`, `torch.as_tensor([(h // 8, w // 8)])`."""
    given = event.positional[event.name == NEW :]
    data = event.arguments.get("data", given[0] if given else None)
    numbers = list(list_numbers(data))
    if not source.profile.dynamic or not event.way.forward:
        return
    if is_open_shape(data) and (fix := stack_sizes(event, data, source)):
        yield Hit(event, "a tensor of sizes", fix, confirms=True)
    call = source.call_at(event)
    if not any(n.varies for n in numbers) or (call and is_traced(call, source) is not None):
        return
    if event.name in KINDS and harm_of_sizes(event, read_sizes(event)):
        return
    several, single = MAKERS[event.name]
    text = source.evaluation.text(event.spot)
    harm = single if isinstance(data, Number) else several
    remedy = "use the size itself" if isinstance(data, Number) else say_apart(event, source)
    if isinstance(data, Number) and event.name in SHAPED:
        message = f"`{text}` takes a traced number for what it is to hold"
        remedy = SHAPED[event.name]
        yield Hit(event, message, empty_of_sizes(event, source), harm, remedy=remedy)
        return
    single_size = isinstance(data, Number)
    fix = size_itself(event, source) if single_size else stack_sizes(event, data, source)
    yield Hit(event, f"`{text}` holds the sizes of the example", fix, harm, remedy=remedy)


def say_apart(event: Called, source: Source) -> str:
    """What to write for a tensor of several sizes: of what divides by it, and of others."""
    users = source.evaluation.ways.find_users(event.result) if event.result is not None else ()
    divides = any(isinstance(e, Combined) and e.operator == "Div" for e in users)
    return STACK if divides else ONE_EACH


@rule.event(*KINDS)
def in_kind(event: Called, source: Source) -> Iterator[Hit]:
    """`x.new(b, h)`, `torch.FloatTensor(x.size())`."""
    harm = harm_of_sizes(event, read_sizes(event))
    call = source.call_at(event)
    traced = call is not None and is_traced(call, source) is not None
    if harm is None or not source.profile.dynamic or not event.way.forward or traced:
        return
    text = source.evaluation.text(event.spot)
    said = f"`{text}` is as large as the example's sizes say"
    yield Hit(event, said, empty_of_sizes(event, source), harm, remedy=say_instead(event))


@rule.event("torch.repeat_interleave", "torch.Tensor.repeat_interleave")
def in_repeats(event: Called, source: Source) -> Iterator[Hit]:
    """`x.repeat_interleave(n, dim=0)`: the new ONNX exporter repeats nothing."""
    many = event.arguments.get("repeats")
    varies = isinstance(many, Number) and many.varies and not many.data
    if varies and source.profile.dynamic and event.way.forward:
        said = f"`{source.evaluation.text(event.spot)}` repeats by a size that varies"
        harm = {"onnx": Harm.SILENT}
        fix = write_repeats(event, source)
        yield Hit(event, said, fix, harm, remedy=EXPANDED, cause="repeated by a size")


EXPANDED = "write x.unsqueeze(d + 1).expand(-1, ..., n, ...).flatten(d, d + 1) for a dim of d"


def is_open_shape(value: Value | None) -> bool:
    """The shape of an input of which nothing is known: a run tells whether it varies."""
    return isinstance(value, Items) and value.kind == "Size" and value.items is None


@rule.event("torch.Tensor.item", "torch.Tensor.tolist")
def in_item(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.tensor(x.size(0)).item()`."""
    held = event.positional[0] if event.positional else None
    size = held.size_of if isinstance(held, Tensor) else None
    if size is None or not size.varies or not event.way.forward or not source.profile.dynamic:
        return
    text, call = source.evaluation.text(event.spot), source.call_at(event)
    fix = as_given(call, MAKERS, source) if call is not None else None
    said = f"`{text}` is made a tensor and read back: it becomes a constant"
    remedy = "write the size itself, as x.size(0)"
    yield Hit(event, said, fix=fix, harm=TRACED, remedy=remedy)


@rule.event(Combined)
def in_list(event: Combined, source: Source) -> Iterator[Hit]:
    """`[token] * x.size(0)`."""
    if event.operator != "Mult" or not event.way.forward or not source.profile.dynamic:
        return
    held, times = (event.left, event.right)
    if isinstance(held, Number):
        held, times = times, held
    if not isinstance(held, Items) or not isinstance(times, Number):
        return
    if (
        times.varies
        and not times.data
        and not times.via
        and any(map(is_computed, held.items or ()))
    ):
        text = source.evaluation.text(event.spot)
        said = f"`{text}` has as many items as the example asked for"
        yield Hit(
            event, said, harm=REPEATED, remedy="write token.expand(x.size(0), -1) of a tensor"
        )


def is_computed(value: Value) -> bool:
    """Whether a model may compute with an item of a list; nobody does with a text."""
    plain = isinstance(value, Constant) and isinstance(value.value, (int, float))
    return plain or isinstance(value, (Tensor, Number))


@rule.event(*STEPS)
def in_steps(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.linspace(0, 1, h)`."""
    given = {name: event.arguments.get(name, UNKNOWN) for name in STEPS[event.name]}
    counts = {k: v for k, v in given.items() if is_open_number(v) and not v.via}
    if not counts or not source.profile.dynamic or not event.way.forward:
        return
    name, count = max(counts.items(), key=lambda each: bool(each[1].varies))
    short = event.name.rpartition(".")[2]
    if count.varies and count.size is not None and is_counted(count.size):
        said = f"{name} of {short} is a number that data decide"
        yield Hit(
            event, said, harm=CHOSEN, remedy="give it as a number that the model is made with"
        )
        return
    said = f"{name} of {short} is the size of the example"
    call = source.call_at(event)
    fix = count_up(call, short, source) if call is not None else None
    if count.varies or fix is not None:
        waits, remedy = not count.varies, BY_ARANGE.get(short, WINDOW_BY_HAND)
        harm = OF_PAIRS if short in PAIRS else COUNTED
        yield Hit(event, said, fix, harm, confirms=waits, remedy=remedy)


@rule.event("torch.roll", "torch.Tensor.roll")
def in_roll(event: Called, source: Source) -> Iterator[Hit]:
    """`x.roll(n // 2, 1)`."""
    varying = holds_open_size(event.arguments.get("shifts"))
    if varying and event.way.forward and source.profile.dynamic:
        said = "shifts of roll are worked out from the size of the example"
        remedy = "write torch.cat((x[:, -k:], x[:, :-k]), 1) for x.roll(k, 1)"
        listed = isinstance(event.arguments.get("shifts"), Items)
        yield Hit(event, said, harm=ROLLED_LISTED if listed else ROLLED, remedy=remedy)


ROLLED = {**UNSEEN, "onnx": Harm.REFUSED}
ROLLED_LISTED = {"onnx-legacy": Harm.REFUSED, "onnx": Harm.REFUSED}


@rule.event(*CONVOLUTIONS)
def in_groups(event: Called, source: Source) -> Iterator[Hit]:
    """`F.conv2d(x.view(1, b * c, h, w), weight, groups=b)`: a weight of its own for each row of the batch."""
    count = event.arguments.get("groups")
    if not isinstance(count, Number) or not count.varies or count.data or not is_of_batch(count):
        return
    if event.way.forward and source.profile.dynamic:
        name = event.name.rpartition(".")[2]
        said = f"groups of {name} are the example's batch size"
        yield Hit(event, said, convolve_rows(event, source), GROUPED, remedy=SCALED)


def is_of_batch(count: Number) -> bool:
    """Not the channels of a clip, which may lie on any of its axes."""
    return count.size is None or any(each.name == "B" for each in list_symbols(count.size))


@rule.event(*WINDOWS)
def in_window(event: Called, source: Source) -> Iterator[Hit]:
    """`F.max_pool1d(x, x.size(2))`, `nn.AvgPool2d(x.shape[2:])(x)`."""
    size = event.arguments.get("kernel_size")
    if not source.profile.dynamic or not event.way.forward or size is None:
        return
    several = isinstance(size, Items)
    sizes = (size.items or (size.each,)) if isinstance(size, Items) else (size,)
    numbers = [each for each in sizes if is_open_number(each)]
    if any(n.varies for n in numbers) or (numbers and is_whole_window(event.node)):
        message = f"the window of {WINDOWS[event.name]} is the size of the example"
        harm, remedy = WINDOW if several else WINDOW_1D, pool_all(event.name)
        fix = pool_to_one(event, source)
        yield Hit(event, message, fix=fix, harm=harm, remedy=remedy, cause="window of the example")


def is_open_number(value: Value) -> TypeGuard[Number]:
    """Whether it is a number that is not known to be the same at every size."""
    return isinstance(value, Number) and value.varies is not False and not value.data


def is_bounded_by_model(text: str) -> bool:
    """`min(h, self.window)`: as for branches, what a model does with inputs smaller than it was made for."""
    return "self." in text


def tells_size(size: Dim | None) -> bool:
    """Whether a number says which size an input has: a multiple of it, or that and a constant."""
    if not isinstance(size, Size):
        return False
    known = [product for product, _ in size.terms if product]
    return len(known) == 1 and is_symbol(Size(((known[0], 1),)))


@rule.trace(*TRACE_HARM)
def in_trace(event: Question, trace: Trace) -> Iterator[Hit | Refuted]:
    reason = f"{WORDS[event.key]} is {shown(event.value)} at every size tried"
    yield from clear_fixed_line(event, trace, reason)
    if bakes(event, trace):
        for key, other in list(find_changes(event, trace).items())[:1]:
            was = f"was {shown(event.value)} and is {shown(other.value)} when {key} changes"
            message, whole = f"{WORDS[event.key]} {was}", is_whole_shape(event)
            harm, sizes = harm_of(event, trace), name_sizes(find_changes(event, trace))
            yield Hit(event.site, message, harm=harm, confirms=whole, sizes=sizes)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    explained = False
    for event in sorted(trial.trace.find_events(*TRACE_HARM), key=is_whole_shape):
        hit = blame_event(outcome, event, trial, harm_of(event, trial.trace))
        if hit and bakes(event, trial.trace) and not (explained and is_whole_shape(event)):
            explained = True
            yield hit
    for event in trial.trace.find_events(*ARGUMENTS):
        varied = find_changes(event, trial.trace, plain_number)
        if varied and (hit := blame_event(outcome, event, trial, ARGUMENTS[event.name][2], varied)):
            yield replace(hit, remedy=write_instead(event.name))


@rule.trial("wrong", "ok")
def in_limited_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What the export takes for given because a size was made a number or compared in max()."""
    asked = (e for e in trial.trace.find_events(*TRACE_HARM) if not is_rounded(e))
    yield from report_limits(outcome, (event.site for event in asked))


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    events = (e for e in trial.trace.find_events(*TRACE_HARM) if bakes(e, trial.trace))
    yield from clear_lines(outcome, events, trial)


def write_instead(name: str) -> str:
    """What to write for an operator that takes one of these arguments."""
    if name in WINDOWS:
        return pool_all(name)
    return BY_ARANGE.get(name.rpartition(".")[2], SCALED)


def plain_number(event: OperatorCall) -> object:
    """The argument that is a plain number to an exporter, where it was recorded by name or place."""
    name, position, _ = ARGUMENTS[event.name]
    return event.args.get(name, event.args.get(f"argument{position}"))


WORDS = {
    SizeUse.INT: "int() of a size",
    SizeUse.FLOAT: "float() of a size",
    SizeUse.LEN: "len() of a tensor",
    SizeUse.TENSOR: "a tensor made of sizes",
    SizeUse.DATA: "the size read through `.data`",
    SizeUse.REPEAT: "the length of a list",
    SizeChosen: "a comparison in max() or min()",
    SizeUse.NUMPY: "what NumPy makes of sizes",
}


def harm_of(event: Question, trace: Trace) -> dict[str, Harm]:
    """An int of a size of the input itself is refused where that of a worked-out one is not."""
    if event.key is SizeUse.INT and event.value in trace.runs[0].sizes.values():
        return READ
    if is_copied(event, trace):
        return READ if isinstance(event.value, tuple) else COPIED
    return TRACE_HARM[event.key]


def is_copied(event: Question, trace: Trace) -> bool:
    """Whether a tensor was made of sizes by `torch.as_tensor`."""
    made = event.key is SizeUse.TENSOR
    return made and any(maker.site == event.site for maker in trace.find_events("torch.as_tensor"))


def is_whole_shape(event: Question) -> bool:
    """A shape read through `.data`, of which maybe only the channels are used."""
    return event.key is SizeUse.DATA and isinstance(event.value, tuple)


def is_rounded(event: Question) -> bool:
    """Whether a float was made whole: scaled-size tells of that."""
    return isinstance(event, SizeRead) and isinstance(event.operand, float)


def bakes(event: Question, trace: Trace) -> bool:
    """Not a float that was rounded, nor one size in a tensor: that may stay a tensor."""
    if is_rounded(event) or only_looks(event) or is_function_of(event):
        return False
    if event.key is not SizeUse.TENSOR or isinstance(event.value, tuple) or is_copied(event, trace):
        return True
    reads = trace.find_events(TensorUse.ITEM, TensorUse.INT, TensorUse.LIST)
    return any(read.site == event.site for read in reads)


def shown(value: object) -> str:
    """A value as a reader writes it."""
    return str(list(value)) if isinstance(value, tuple) else str(value)
