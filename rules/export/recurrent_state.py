"""LT120: a recurrent layer over a length that varies, or over packed sequences."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.operators.arguments import is_unnamed
from lintorch.evaluator.sizes import Dim, list_symbols
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Constant,
    Items,
    Slice,
    Tensor,
    Value,
)
from lintorch.evidence import AS_TRACED, ModelRun, OperatorCall, Outcome, Site, Trace, Trial
from lintorch.evidence.host_reads import write_shapes
from lintorch.evidence.treatment import read_first_line, report_refusal
from lintorch.facts.exporting.declared_lengths import is_declared
from lintorch.facts.exporting.scanned_layers import scan_steps
from lintorch.source import Source
from lintorch.syntax.plain_reads import is_read

rule = Rule(
    __name__,
    code="LT120",
    summary="a recurrent layer over a length that varies, or over packed sequences",
    why="""
        torch.export unrolls LSTM, GRU and RNN: the length of the example is fixed, and a length
        declared dynamic is refused. The new ONNX exporter writes LSTM and GRU as one operator,
        which is right where batch_first=True and lengths are left to Dim.AUTO. A length that is
        declared by a name, a Dim, Dim.DYNAMIC or dynamic_axes it refuses, or keeps, where another
        layer feeds it, or where it is given its first state. In the default layout the exported
        model raises at another length, and at a multiple of the example's gives an output of the
        wrong shape.
        It refuses an nn.RNN whose length varies. With proj_size no ONNX model runs.

        pack_padded_sequence is refused by torch.export and by the new ONNX exporter at every
        size: run the padded batch instead, and read the last valid step by its index. That gives
        the same numbers for a layer of one direction. The legacy exporter takes a pack where what
        the layer gives goes through pad_packed_sequence; where only the last state is used, it
        raises `vector::_M_range_check`. What it unpacks is as long as the batch there, and as the
        longest sample in eager: `total_length=x.size(1)` makes them one. An initial state made of zeros of the
        input's batch is right everywhere. Measured on torch 2.13.

        The fix builds a layer that takes the length first with batch_first=True, and turns what
        it is given and what comes out: the same bits, in training too. Where torch.export is in
        use, it builds a class that is put into the file, which runs as its base does but for
        torch.export, where the steps are a loop that it keeps (`scan`, which is new in torch and
        may change): right at every length with torch.export and the new ONNX exporter, which
        writes Scan.

        What torch.export and the new exporter refuse at once where a length is declared dynamic
        is reported only where torch.export, or an exporter other than the usual two, is named by
        the project, or the file declares dynamic sizes itself.
    """,
    bad="""
        from torch import nn
        from torch.nn.utils.rnn import pack_padded_sequence


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True)

            def forward(self, x, lengths):
                packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
                _, last = self.rnn(packed)
                return last[-1]
    """,
    good="""
        import torch
        from torch import nn


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True)

            def forward(self, x, lengths):
                steps, _ = self.rnn(x)
                return steps[torch.arange(x.size(0)), lengths - 1]
    """,
    remedy="export with dynamo=False, or pad to one length and leave it out of dynamic_shapes",
    proof="""
        import warnings

        warnings.simplefilter("ignore")  # about the weights of any recurrent layer
        x, lengths = torch.randn(2, 5, 8), torch.tensor([5, 3])
        torch.export.export(Encoder(), (x, lengths))
    """,
    example_profile=("onnx",),
)

LAYERS = {f"torch.nn.{kind}": kind for kind in ("LSTM", "GRU", "RNN")}
RUNS = ("torch.lstm", "torch.gru", "torch.rnn_tanh", "torch.rnn_relu")
PACK = ("torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence")
REPACK = "torch.nn.utils.rnn.PackedSequence"
PACKED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
NEVER_UNPACKED = {**PACKED, "onnx-legacy": Harm.REFUSED}
"""The legacy exporter takes a pack only where pad_packed_sequence ends it, whatever reads the state."""
PROJECTED = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
UNROLLED = {"torch.export": Harm.REFUSED}
UNROLLED_TOO = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
"""Of an nn.RNN, and of what another layer feeds, or that is given its first state."""
PADDED = "run the padded batch, and read each last step by its index: out[rows, lengths - 1]"
KEEPS_STEPS = frozenset(
    {
        f"torch.nn.{layer}.forward"
        for layer in ("Dropout", "Embedding", "ReLU", "Tanh", "LayerNorm", "Linear")
    }
    | {f"torch.nn.functional.{name}" for name in ("dropout", "relu", "linear", "layer_norm")}
    | {"torch.relu", "torch.tanh", "torch.Tensor.relu", "torch.Tensor.contiguous"}
)
"""What leaves the axes of steps as they are."""
TURN = "build it with batch_first=True and give the model batch-first input, or export with dynamo=False"
TIME_FIRST = {"torch.export": Harm.REFUSED, "onnx": Harm.SILENT}


@rule.event(*PACK)
def in_forward(event: Called, source: Source) -> Iterator[Hit]:
    if event.way.forward:
        said = f"{event.name.rpartition('.')[2]}: a batch packed by lengths"
        harms = PACKED if is_unpacked(event, source) else NEVER_UNPACKED
        yield Hit(event, said, harm=harms, severity=Severity.ERROR, remedy=PADDED)


def is_unpacked(event: Called, source: Source) -> bool:
    """Whether more comes of it than the last state of layers, as far as can be told."""
    ran = {f"{layer}.forward" for layer in LAYERS}
    users = source.evaluation.ways.find_users(event.result)
    return not users or any(not isinstance(u, Called) or u.name not in ran for u in users)


@rule.event(*LAYERS)
def in_layer(event: Called, source: Source) -> Iterator[Hit]:
    """Where the constructor of a model makes it."""
    if event.open or not is_in_module(event, source) or is_in_plain_class(event, source):
        return
    kind, given = LAYERS[event.name], event.arguments
    left = hands_on(event, source) and "batch_first" not in event.keyword
    projected = given.get("proj_size")
    if isinstance(projected, Constant) and isinstance(projected.value, int) and projected.value > 0:
        message = f"{kind} with proj_size={projected.value}: no ONNX model of it runs"
        remedy = "leave proj_size out, and put an nn.Linear after the layer"
        yield Hit(event, message, harm=PROJECTED, severity=Severity.ERROR, remedy=remedy)
        return
    first = UNKNOWN if left else given.get("batch_first", UNKNOWN)
    harms = harm(kind, first.value if isinstance(first, Constant) else None)
    if is_steady(event, 1 if first == TRUE else 0, source) or is_of_packed(event, source):
        return
    harms = UNROLLED_TOO if harms is UNROLLED and is_fed(event, source) else harms
    if source.profile.dynamic and (
        is_quiet(harms, source) or is_declared(source.profile, source.evaluation)
    ):
        said = f"{kind}{layout(first)}, where the length may vary"
        turns = harms is TIME_FIRST
        fix = write_fix(event, harms, source)
        cause = "length first" if turns else ""
        site = find_site(event, source)
        yield Hit(site, said, fix, harms, remedy=TURN if turns else None, cause=cause)


def write_fix(event: Called, harms: dict[str, Harm], source: Source) -> Fix | None:
    """Batch-first input where that is enough, else a layer whose steps torch.export keeps as a loop."""
    used = source.profile.exporters
    turned = put_batch_first(event, source) if harms is TIME_FIRST else None
    if turned is not None and "torch.export" not in used:
        return turned
    unrolled = "torch.export" in used or ("onnx" in used and harms is UNROLLED_TOO)
    scanned = unrolled and "torchscript-script" not in used and source.profile.torch >= (2, 7)
    return scan_steps(event, source) if scanned else turned


def find_site(event: Called, source: Source) -> Called:
    """Where exporters stumble over it: its first run in a forward of this file, or of its own, else where it is made."""
    runs = list_runs(event, source)
    here = (each for each in runs if each.way.forward and each.spot.path == source.path)
    there = (e for e in runs if e.spot.path == event.spot.path != source.path)
    return next(here, next(there, event))


def is_steady(event: Called, axis: int, source: Source) -> bool:
    """Whether it runs over a length that no size of an input has a part in, wherever it is seen to run."""
    runs = list_runs(event, source)
    if not runs and event.spot.path != source.path:
        return True  # what runs it is looked at in its own file
    if not runs and is_written_by_steps(event, axis, source):
        return True
    return bool(runs) and all(is_step(each, axis, source) for each in runs)


def is_written_by_steps(event: Called, axis: int, source: Source) -> bool:
    """`self.rnn(step.unsqueeze(0), state)` of a method that nothing calls, and no other run."""
    line = next(
        (e for e in source.evaluation.list_around(event) if isinstance(e, ast.Assign)), None
    )
    owner = next(
        (e for e in source.evaluation.list_all_around(event) if isinstance(e, ast.ClassDef)), None
    )
    if line is None or owner is None or len(line.targets) != 1:
        return False
    name = ast.unparse(line.targets[0])
    runs = [e for e in ast.walk(owner) if isinstance(e, ast.Call) and ast.unparse(e.func) == name]
    return bool(runs) and all(is_unsqueezed(each, axis) for each in runs)


def is_fed(event: Called, source: Source) -> bool:
    """Whether it is seen to run over what something else worked out, or from a state that it is given."""
    return any(
        run.arguments.get("hx", NONE) != NONE
        or (isinstance(given := run.arguments.get("input"), Tensor) and given.origin != "input")
        for run in list_runs(event, source)
        if run.way.forward
    )


def is_step(run: Called, axis: int, source: Source) -> bool:
    """Whether the length is of settings alone, or that of one step: `self.rnn(x.unsqueeze(0))`."""
    given = run.arguments.get("input")
    if axis == 0 and is_stretched_to_state(run):
        return True
    return is_one_step(given, axis, source) or is_short(run, given, axis)


def is_stretched_to_state(run: Called) -> bool:
    """`self.gru(x.expand_as(hidden), hidden)`, where hidden has an item for each layer."""
    match run.node:
        case ast.Call(args=[ast.Call(func=ast.Attribute(attr="expand_as"), args=[like]), state]):
            return ast.dump(like) == ast.dump(state)
    return False


def is_one_step(given: Value | None, axis: int, source: Source) -> bool:
    """`x.unsqueeze(0)`, `x[i : i + 1]`, and one of these beside others: `torch.cat([step, context], 2)`.

    So is a list that is stacked: how many it holds is of settings, or another rule tells of the loop that filled it.
    """
    made = source.evaluation.ways.find_maker(given)
    if isinstance(made, Indexed) and is_one_at(made.index, axis):
        return True
    if isinstance(made, Called) and made.name in ("torch.cat", "torch.concat"):
        parts, along = made.arguments.get("tensors"), made.arguments.get("dim", Constant(0))
        items = (parts.items or ()) if isinstance(parts, Items) else ()
        return along != Constant(axis) and any(is_one_step(e, axis, source) for e in items)
    if isinstance(made, Called) and made.name == "torch.stack":
        return made.arguments.get("dim", Constant(0)) == Constant(axis)
    if isinstance(made, Called) and made.name in KEEPS_STEPS:
        taken = made.arguments.get("input", made.arguments.get("self"))
        return is_one_step(taken, axis, source)
    called = made if isinstance(made, Called) and made.name.endswith(".unsqueeze") else None
    return called is not None and called.arguments.get("dim") == Constant(axis)


def is_short(run: Called, given: Value | None, axis: int) -> bool:
    """Whether the length is known to be of settings alone."""
    shape = given.shape if isinstance(given, Tensor) else None
    if shape is None:
        return is_written_as_step(run, axis)
    return len(shape) == 3 and is_given(shape[axis])


def is_one_at(index: Value, axis: int) -> bool:
    """`steps[i : i + 1]`, `x[:, i : i + 1]`, and `step[None]`."""
    parts = index.items or () if isinstance(index, Items) else (index,)
    at = parts[axis] if axis < len(parts) else None
    return at == NONE or (isinstance(at, Slice) and at.of_one)


def is_written_as_step(run: Called, axis: int) -> bool:
    """The same, of what nothing is known."""
    return is_unsqueezed(run.node, axis)


def is_unsqueezed(run: ast.AST, axis: int) -> bool:
    """`self.rnn(x.unsqueeze(0), state)`."""
    match run:
        case ast.Call(
            args=[
                ast.Call(func=ast.Attribute(attr="unsqueeze"), args=[ast.Constant(value=at)]),
                *_,
            ]
        ):
            return bool(at == axis)
    return False


def is_of_packed(event: Called, source: Source) -> bool:
    """Whether forward runs it over packed sequences alone, which are refused where they are packed."""
    ways, runs = source.evaluation.ways, list_runs(event, source)
    runs = [run for run in runs if run.way.forward] or runs
    made = [ways.find_maker(run.arguments.get("input")) for run in runs]
    return bool(made) and all(isinstance(m, Called) and m.name in (*PACK, REPACK) for m in made)


def is_given(size: Dim) -> bool:
    """Whether settings alone make it; those of which nothing is known have symbols of their own."""
    own = (each for each in list_symbols(size) if not is_unnamed(each))
    return not any(each.varies is not False for each in own)


def put_batch_first(event: Called, source: Source) -> Fix | None:
    """The layer with batch_first=True, and its input and output turned where it runs.

    Only where it runs at one place, over what surely has three axes, as `out, state = self.rnn(x)`.
    """
    call, runs = source.call_at(event), list_runs(event, source)
    at = {each.spot for each in runs}
    if (
        call is None
        or "batch_first" in event.keyword
        or len(at) != 1
        or not all(map(has_steps, runs))
    ):
        return None
    run = source.call_at(runs[0])
    line = source.enclosing(run, cst.SimpleStatementLine) if run is not None else None
    if run is None or line is None or not run.args or run.args[0].star or run.args[0].keyword:
        return None
    out, behind = read_output(line, run), find_next(line, source)
    if not out or behind is None:
        return None
    given = run.args[0].value
    text = source.code(given) if is_read(given) else f"({source.code(given)})"
    edits = (
        source.insert_argument(call, "batch_first=True"),
        source.replace(given, f"{text}.transpose(0, 1)"),
        source.above(behind, f"{out} = {out}.transpose(0, 1)"),
    )
    return Fix("run it over batch-first input", edits, Applicability.UNSAFE)


def list_runs(event: Called, source: Source) -> list[Called]:
    """Where a layer that is made there runs."""
    return [
        run
        for _, run in source.evaluation.list_events((f"{event.name}.forward",))
        if isinstance(run, Called) and run.built == event.spot
    ]


def has_steps(run: Called) -> bool:
    """Whether it is given a tensor of length, batch and features."""
    given = run.arguments.get("input")
    return isinstance(given, Tensor) and given.shape is not None and len(given.shape) == 3


def read_output(line: cst.SimpleStatementLine, run: cst.Call) -> str:
    """`out` of `out, state = self.rnn(x)`."""
    match line.body:
        case [
            cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple(elements=[first, _]))], value=value
            )
        ]:
            name = first.value
            return name.value if value is run and isinstance(name, cst.Name) else ""
    return ""


def find_next(line: cst.SimpleStatementLine, source: Source) -> cst.CSTNode | None:
    """The statement behind one in its block."""
    block = source.parent(line)
    lines = list(block.body) if isinstance(block, cst.IndentedBlock) else []
    place = next((n for n, each in enumerate(lines) if each is line), len(lines))
    return next(iter(lines[place + 1 :]), None)


@rule.trace("torch._pack_padded_sequence")
def in_packing(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    message = f"packs a batch of {write_shapes(event.inputs[:1])} by lengths"
    ended = any(each.name == "torch._pad_packed_sequence" for each in trace.list_calls())
    harms = PACKED if ended else NEVER_UNPACKED
    yield Hit(event.site, message, harm=harms, severity=Severity.ERROR, remedy=PADDED)


@rule.trace(*RUNS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    """Of a padded batch; what the source left to the exporters' own words, a run leaves too."""
    if event.layer_class not in LAYERS or event.built is None or len(event.inputs[0]) != 3:
        return
    others = trace.find_again(event)
    first = is_batch_first(event)
    every = {AS_TRACED: event, **others}
    length = {at: count_steps(e) for at, e in every.items()}
    for at, steps in length.items():
        if steps != length[AS_TRACED]:
            harms = harm(LAYERS[event.layer_class], first)
            said = f"ran {length[AS_TRACED]} steps, and {steps} when {at} changes"
            for site in (event.site, event.built):
                yield Hit(site, said, harm=harms, confirms=True)
            return
    calls = {count_calls(event, run) for run in (*trace.runs, *trace.taken)}
    if trace.never_changes(event, count_steps) and len(calls) == 1:
        for site in (event.site, event.built):
            yield Refuted(site, f"ran {length[AS_TRACED]} steps at every size tried")


def is_batch_first(event: OperatorCall) -> object:
    """The flag; torch.lstm has no name for it."""
    return event.args.get("batch_first", event.args.get("bidirectional"))


def count_steps(event: OperatorCall) -> int:
    """How long the sequence was."""
    return event.inputs[0][1 if is_batch_first(event) else 0]


def count_calls(event: OperatorCall, run: ModelRun) -> int:
    """How often the layers that a line made ran: a loop may take their steps one by one."""
    return sum(other.built == event.built and other.key in RUNS for other in run.events)


def is_quiet(harms: dict[str, Harm], source: Source) -> bool:
    """Whether no exporter in use says by itself that a length cannot vary."""
    return Harm.SILENT in source.profile.concerns(harms).values()


def is_in_module(event: Called, source: Source) -> bool:
    """Whether it is made in the constructor of a class, or where that leads."""
    built = any(name.endswith(".__init__") for name in event.way.names)
    return built or any(isinstance(e, ast.ClassDef) for e in source.evaluation.list_around(event))


def is_in_plain_class(event: Called, source: Source) -> bool:
    """Whether an object without a forward makes it: who trains, or acts, holds layers that nobody exports."""
    call = source.call_at(event)
    info = source.classes.around(call) if call is not None else None
    return (
        info is not None and not info.is_module and source.classes.method(info, "forward") is None
    )


def hands_on(event: Called, source: Source) -> bool:
    """`nn.GRU(8, 8, **options)` of a function that is given `**options`, whatever they are."""
    function = source.evaluation.find_function(event)
    rest = function.args.kwarg if isinstance(function, ast.FunctionDef) else None
    given = event.node.keywords if isinstance(event.node, ast.Call) else []
    starred = (each.value for each in given if each.arg is None)
    return rest is not None and any(getattr(each, "id", "") == rest.arg for each in starred)


def harm(kind: str, first: object) -> dict[str, Harm]:
    """What befalls a layer, by whether the batch is its first axis."""
    if kind == "RNN":
        return UNROLLED_TOO
    return TIME_FIRST if first is False else UNROLLED


def layout(first: Value) -> str:
    return " with the length as first axis" if first == FALSE else ""


UNPACKED = (
    f"hand on what pad_packed_sequence gives alone, no .data and no hidden state; or {PADDED}"
)
"""The legacy exporter takes a pack only where it is unpacked, and what comes of that is used."""
PACKING = ("_pack_padded_sequence", "_pad_packed_sequence")


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """An export that ends where sequences are packed, unpacked, or run by a layer: told where they are packed."""
    lines = list(find_packed(trial))
    if outcome.stage != "stopped" and outcome.site in lines:
        why = read_first_line(outcome.message)
        instead = UNPACKED if outcome.exporter == "onnx-legacy" else PADDED
        yield replace(report_refusal(lines[0], outcome, why), remedy=instead)


def find_packed(trial: Trial) -> Iterator[Site]:
    """The lines that pack sequences, unpack them, or run a layer on them, as they ran."""
    for event in trial.trace.list_calls():
        takes_rows = event.name in RUNS and len(event.inputs[0] or ()) == 2
        if event.name.rpartition(".")[2] in PACKING or takes_rows:
            yield event.site
