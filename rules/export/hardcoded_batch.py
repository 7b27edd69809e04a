"""LT122: a batch size written out in forward, or a reshape that lets samples run into each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import NONE, TRUE, Constant, Items, Tensor, Value, size_in
from lintorch.evidence import AS_TRACED, OperatorCall, Raised, Site, Trace
from lintorch.evidence.host_reads import is_whole_run, source_line
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT122",
    summary="a batch size written out in forward",
    why="""
        A state of `torch.zeros(2, 32, 64)` fits a batch of 32: any other, such as the last one of
        an epoch or the single sample of a deployed model, raises. `view(32, -1)` of an input
        does the same, and where the numbers happen to divide it cuts the samples anew without a
        word. So does `view(-1, 400)` of feature maps: an image of another size gives more rows
        instead of an error, each a mixture of two samples. `flatten(1)` keeps the batch.
        Measured on torch 2.13, in eager mode: exporting only copies it.
    """,
    bad="""
        import torch
        from torch import nn


        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True)

            def forward(self, x):
                state = torch.zeros(1, 32, 16)
                return self.rnn(x, state)[0]
    """,
    good="""
        import torch
        from torch import nn


        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True)

            def forward(self, x):
                state = torch.zeros(1, x.size(0), 16)
                return self.rnn(x, state)[0]
    """,
    remedy="take the batch size from the input: x.size(0)",
    proof="""
        model = Tagger()
        model(torch.randn(32, 3, 8))
        model(torch.randn(7, 3, 8))
    """,
    fix=Applicability.UNSAFE,
)

MADE = frozenset(f"torch.{name}" for name in ("zeros", "ones", "randn", "rand", "empty"))
BATCH_OF_STATE = {
    **dict.fromkeys(("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN"), 1),
    **dict.fromkeys(("torch.nn.LSTMCell", "torch.nn.GRUCell", "torch.nn.RNNCell"), 0),
}
"""The axis of the initial state that the batch stands on."""
MOVES = ("to", "cuda", "cpu", "type_as", "float", "half", "double", "requires_grad_", "detach")
STEPS = 24
RESHAPES = ("torch.Tensor.view", "torch.Tensor.reshape")
RECURRENT = (
    "torch.lstm", "torch.gru", "torch.rnn_tanh", "torch.rnn_relu",
    "torch.lstm_cell", "torch.gru_cell", "torch.rnn_tanh_cell", "torch.rnn_relu_cell",
)  # fmt: skip
MAPS = frozenset(
    {
        *(f"torch.nn.{kind}{n}d" for kind in ("Conv", "MaxPool", "AvgPool", "BatchNorm") for n in (2, 3)),
        *(f"torch.nn.functional.{kind}_pool{n}d" for kind in ("max", "avg") for n in (2, 3)),
        *(f"torch.nn.functional.conv{n}d" for n in (2, 3)),
    }
)  # fmt: skip
"""What gives feature maps of a batch."""
PASS_ON = frozenset(
    {
        *(f"torch.nn.functional.{name}" for name in ("relu", "dropout", "dropout2d", "leaky_relu", "elu", "gelu", "silu")),
        "torch.relu", "torch.tanh", "torch.sigmoid",
        *(f"torch.nn.{name}" for name in ("ReLU", "Dropout", "Dropout2d", "LeakyReLU", "ELU", "GELU", "SiLU", "Tanh", "Sigmoid")),
    }
)  # fmt: skip
"""What leaves the shape of its input as it is."""


@rule.event(*(f"{layer}.forward" for layer in BATCH_OF_STATE))
def in_recurrent_layer(event: Called, source: Source) -> Iterator[Hit]:
    """An initial state, or the pair of them that an LSTM has."""
    given = event.keyword.get("hx", event.positional[2] if len(event.positional) > 2 else NONE)
    axis = BATCH_OF_STATE[event.name.removesuffix(".forward")]
    for state in (given.items or ()) if isinstance(given, Items) else (given,):
        shape = state.shape if isinstance(state, Tensor) else None
        batch = shape[axis] if shape is not None and len(shape) > axis else None
        made = find_made(state, source)
        if event.way.forward and isinstance(batch, int) and batch > 1 and made is not None:
            said = f"a state for a batch of {batch}: any other batch raises"
            fix = ask_batch(made, batch, axis, event, source)
            yield Hit(made, said, fix=fix, remedy=f"write x.size(0) for {batch}, of the input x")


def ask_batch(made: Called, batch: int, axis: int, run: Called, source: Source) -> Fix | None:
    """`torch.zeros(1, x.size(0), 16)` for `torch.zeros(1, 32, 16)`, of the input of forward that the layer gets."""
    call, layer = source.call_at(made), source.call_at(run)
    function = source.enclosing(call, cst.FunctionDef) if call is not None else None
    if call is None or layer is None or function is None or not layer.args:
        return None
    given = layer.args[0].value
    bound = source.bound(given) if isinstance(given, cst.Name) else []
    own = source.enclosing(layer, cst.FunctionDef) is function
    if not own or [each.kind for each in bound] != ["param"] or layer.args[0].star:
        return None
    sizes = [each.value for each in call.args if each.keyword is None]
    sizes = (
        [e.value for e in sizes[0].elements]
        if isinstance(sizes[0], (cst.Tuple, cst.List))
        else sizes
    )
    written = sizes[axis] if len(sizes) > axis else None
    first = run.settings.get("batch_first", TRUE) == TRUE
    if written is None or literal(written) != batch:
        return None
    text = f"{source.code(given)}.size({0 if first or not axis else 1})"
    return Fix(f"write {text}", (source.replace(written, text),), Applicability.UNSAFE)


def find_made(state: Value, source: Source) -> Called | None:
    """The call in forward that makes a state: `torch.zeros(1, 32, 16).to(device)`."""
    for _ in range(STEPS):
        made = source.evaluation.ways.find_maker(state)
        if not isinstance(made, Called):
            return None
        if made.name in MADE:
            return made if made.way.forward else None
        if made.name.rpartition(".")[2] not in MOVES:
            return None
        state = made.positional[0]
    return None


@rule.event(*RESHAPES)
def in_reshape(event: Called, source: Source) -> Iterator[Hit]:
    """`x.view(-1, 400)` of feature maps."""
    held, *sizes = event.positional
    if len(sizes) == 1 and isinstance(sizes[0], Items):
        sizes = [*(sizes[0].items or ())]
    if event.open or not event.way.forward or len(sizes) != 2:
        return
    if sizes[1] == Constant(-1) and is_batch_written(event, sizes[0]) and is_maps(held, source):
        said = f"a batch of {size_in(sizes[0])}: any other is cut anew, or raises"
        yield Hit(event, said, fix=keep_batch(event, source), remedy="write x.flatten(1)")
    if sizes[0] != Constant(-1):
        return
    if is_sized_by_settings(event, source):
        return
    if counts_features(sizes[1], held) and not asks_sizes(event.node) and is_maps(held, source):
        message = "-1 stands for the batch: maps of another size give more rows than samples"
        remedy = "write x.flatten(1), which keeps the batch"
        yield Hit(event, message, fix=keep_batch(event, source), remedy=remedy)


def is_batch_written(event: Called, size: Value) -> bool:
    """Whether a reshape is given a number for the first axis, more than one: written there, or kept as a batch."""
    node = event.node.args[0] if isinstance(event.node, ast.Call) and event.node.args else None
    number = size_in(size)
    kept = isinstance(node, ast.Attribute) and BATCH.search(node.attr) is not None
    return (kept or isinstance(node, ast.Constant)) and isinstance(number, int) and number > 1


BATCH = re.compile(r"batch|(^|_)bs(z|ize)?$", re.I)


def keep_batch(event: Called, source: Source) -> Fix | None:
    """`x.flatten(1)` for `x.view(-1, 400)`: the same where each sample has 400 features."""
    call, held = source.call_at(event), event.positional[0]
    func = call.func if call is not None else None
    if (
        call is None
        or not isinstance(func, cst.Attribute)
        or func.attr.value not in ("view", "reshape")
    ):
        return None
    shape = held.shape if isinstance(held, Tensor) else None
    if shape is not None and len(shape) < 2:
        return None
    text = f"{source.code(func.value)}.flatten(1)"
    return Fix("keep the batch", (source.replace(call, text),), Applicability.UNSAFE)


def counts_features(size: Value, held: Value) -> bool:
    """Whether a fixed number is not merely that of the channels."""
    shape = held.shape if isinstance(held, Tensor) else None
    return isinstance(size, Constant) and (shape is None or shape[1:2] != (size.value,))


def is_sized_by_settings(event: Called, source: Source) -> bool:
    """Whether the function begins with maps of a size it was made for: `x = x.view(x.size(0), self.c, self.h, self.w)`."""
    function = source.evaluation.find_function(event)
    views = (each for each in ast.walk(function) if isinstance(each, ast.Call)) if function else ()
    return any(
        isinstance(each.func, ast.Attribute)
        and each.func.attr in ("view", "reshape")
        and each.lineno < event.spot.row
        and len(each.args) == 4
        and all(ast.unparse(arg).startswith("self.") for arg in each.args[2:])
        for each in views
    )


def asks_sizes(node: ast.AST) -> bool:
    """Whether a reshape is written with sizes that it asks a tensor for."""
    given = node.args if isinstance(node, ast.Call) else ()
    parts = (part for each in given for part in ast.walk(each))
    return any(isinstance(part, ast.Call) or getattr(part, "attr", "") == "shape" for part in parts)


def is_maps(value: Value, source: Source) -> bool:
    """Whether a value came out of a convolution or pool, through what keeps its shape."""
    shape = value.shape if isinstance(value, Tensor) else None
    if shape is not None and all(isinstance(side, int) for side in shape[2:]):
        return False
    for _ in range(STEPS):
        made = source.evaluation.ways.find_maker(value)
        name = made.name.removesuffix(".forward") if isinstance(made, Called) else ""
        if name in MAPS:
            return True
        if not isinstance(made, Called) or name not in PASS_ON:
            return False
        given = made.positional[1:] if made.name.endswith(".forward") else made.positional
        value = given[0] if given else NONE
    return False


@rule.trace(Raised)
def in_failure(event: Raised, trace: Trace) -> Iterator[Hit]:
    """The model runs at one batch size and not at another."""
    if list(event.sizes) != ["batch"]:
        return
    raises = f"a batch of {event.sizes['batch']} raises"
    if state := re.search(r"Expected hidden(?:\[\d\])? size (\(.*?\)), got \[(.*?)\]", event.text):
        for site in made_of(tuple(map(int, state[2].split(","))), trace):
            yield Hit(site, f"a state of [{state[2]}] is made here", detail=raises)
    elif (cut := re.search(r"shape '\[(\d+)[,\]]", event.text)) and is_written(event, cut[1]):
        yield Hit(event.site, f"the first size is written as {cut[1]}", detail=raises)


@rule.trace(*RESHAPES)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    """Only of what the source saw: rows may well be more than samples, of a batch of tokens."""
    every = {AS_TRACED: event, **trace.find_again(event)}
    if event.args.get("shape", ())[:1] != (-1,) or len(event.inputs[0]) < 4:
        return
    for at, e in every.items():
        rows, samples = e.outputs[0][0], e.inputs[0][0]
        if rows != samples:
            when = f" when {at} changes" if at else ""
            yield Hit(event.site, f"gives {rows} rows for {samples} samples{when}", confirms=True)
            return
    several = len({map_size(e) for e in every.values()}) > 1
    larger = any("height" in at.changed for at in every)
    if not larger or len(every) != len(trace.runs) or not all(map(is_whole_run, trace.runs)):
        return
    if several or trace.never_changes(event, map_size):
        of = "maps of several sizes" if several else "maps of one size"
        yield Refuted(event.site, f"as many rows as samples, of {of}, as the image varies")


@rule.trace(*RECURRENT)
def in_recurrent(event: OperatorCall, trace: Trace) -> Iterator[Refuted]:
    """A state of as many samples as the layer gets whatever the model is fed.

    That is no state of the only batch size which the model takes.
    """
    again = any(at.changed == ("batch",) for at in trace.find_again(event))
    if not again or not all(map(is_whole_run, trace.runs)):
        return
    if trace.never_changes(event, state_shapes):
        states = {shape for shape in state_shapes(event) if shape[-2] not in trace.held_sizes}
        for made in trace.find_events(*MADE):
            if made.outputs[0] in states:
                yield Refuted(made.site, "the layer took this state at another batch size, too")


def map_size(event: OperatorCall) -> tuple[int, ...]:
    """Height and width of what is reshaped."""
    return event.inputs[0][2:]


def state_shapes(event: OperatorCall) -> tuple[tuple[int, ...], ...]:
    """Of the states that a recurrent layer is given."""
    return tuple(shape for shape in event.inputs[1:3] if len(shape) > 1)


def made_of(shape: tuple[int, ...], trace: Trace) -> set[Site]:
    """The lines of a run that made tensors of this shape; those that write the batch, or the only one."""
    made = [e for e in trace.find_events(*MADE) if e.outputs == (shape,)]
    sites = {event.site for event in made if event.layer_class not in BATCH_OF_STATE}
    written = {site for site in sites if re.search(rf"\b{shape[-2]}\b", source_line(site))}
    return written or (sites if len(sites) == 1 else set())


def is_written(event: Raised, number: str) -> bool:
    """Whether the line gives this number as the first size of a view; 2 may halve a batch of pairs."""
    text = source_line(event.site)
    return int(number) > 2 and bool(re.search(rf"\.(view|reshape)\(\s*[(\[]?{number}\b", text))
