"""LT122: a batch size written out in forward, or a reshape that lets samples run into each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Refuted
from lintorch.core.rule import Rule
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
    proof="""
        model = Tagger()
        model(torch.randn(32, 3, 8))
        model(torch.randn(7, 3, 8))
    """,
)

MADE = frozenset(f"torch.{name}" for name in ("zeros", "ones", "randn", "rand", "empty"))
BATCH_OF_STATE = {
    **dict.fromkeys(("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN"), 1),
    **dict.fromkeys(("torch.nn.LSTMCell", "torch.nn.GRUCell", "torch.nn.RNNCell"), 0),
}
"""The axis of the initial state that the batch stands on."""
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


@rule.source(cst.Call, needs=("LSTM", "GRU", "RNN", "view(-1,", "reshape(-1,"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.in_traced_forward(call):
        return
    kinds = {BATCH_OF_STATE.get(source.name(b.func)) for b in source.built(call.func)}
    if len(kinds) == 1 and (axis := kinds.pop()) is not None and len(call.args) > 1:
        yield from states(call.args[1].value, axis, source)
    elif isinstance(call.func, cst.Attribute) and call.func.attr.value in ("view", "reshape"):
        yield from swallows(call, call.func.value, source)


def states(given: cst.BaseExpression, axis: int, source: Source) -> Iterator[Hit]:
    """An initial state, or the pair of them that an LSTM has."""
    if isinstance(given, cst.Name):
        values = source.classes.assigned(given)
        given = values[0] if len(values) == 1 else given
    if isinstance(given, cst.Tuple):
        for element in given.elements:
            yield from states(element.value, axis, source)
    elif isinstance(given, cst.Call) and source.in_traced_forward(given):
        size = made_with(given, source)
        batch = size[axis] if len(size) > axis else None
        if isinstance(batch, int) and batch > 1:
            yield Hit(given, f"a state for a batch of {batch}: any other batch raises")


def made_with(call: cst.Call, source: Source) -> list[object]:
    """The sizes that `torch.zeros(1, 32, 16).to(device)` is made with."""
    while isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.Call):
        call = call.func.value
    if source.name(call.func) not in MADE or any(arg.star for arg in call.args):
        return []
    given = [arg.value for arg in call.args if arg.keyword is None]
    if len(given) == 1 and isinstance(given[0], (cst.Tuple, cst.List)):
        given = [element.value for element in given[0].elements]
    return [literal(size) for size in given]


def swallows(call: cst.Call, maps: cst.BaseExpression, source: Source) -> Iterator[Hit]:
    """`x.view(-1, 400)` of feature maps."""
    if len(call.args) != 2 or any(arg.star or arg.keyword for arg in call.args):
        return
    rows, features = (arg.value for arg in call.args)
    if literal(rows) == -1 and is_number(features) and is_maps(maps, call, source, 8):
        message = "-1 stands for the batch: maps of another size give more rows than samples"
        yield Hit(call, message)


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


def is_number(node: cst.BaseExpression) -> bool:
    """`400`, `16 * 5 * 5`."""
    if isinstance(node, cst.BinaryOperation):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, cst.Integer)


def is_maps(node: cst.BaseExpression, before: cst.CSTNode, source: Source, steps: int) -> bool:
    """Whether a value came out of a convolution or pool, through what keeps its shape."""
    if steps == 0:
        return False
    if isinstance(node, cst.Name):
        assign = last_assignment(node.value, before, source)
        return assign is not None and is_maps(assign.value, assign, source, steps - 1)
    if not isinstance(node, cst.Call):
        return False
    names = {source.name(node.func)} - {""} or {
        source.name(b.func) for b in source.built(node.func)
    }
    if names and names <= MAPS:
        return True
    if not node.args or node.args[0].star:
        return False
    return bool(names) and names <= PASS_ON and is_maps(node.args[0].value, before, source, steps)


def last_assignment(name: str, node: cst.CSTNode, source: Source) -> cst.Assign | None:
    """The assignment to a name next above a node in the block the node stands in."""
    line: cst.CSTNode | None = node
    while line is not None and not isinstance(line, cst.SimpleStatementLine):
        line = source.parent(line)
    block = source.parent(line) if line is not None else None
    if not isinstance(block, cst.IndentedBlock):
        return None
    found = None
    for statement in block.body:
        if statement is line:
            return found
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.Assign) and any(
                    isinstance(t.target, cst.Name) and t.target.value == name for t in small.targets
                ):
                    found = small
        else:
            found = None
    return None
