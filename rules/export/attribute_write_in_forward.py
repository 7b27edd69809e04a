"""LT110: a module that remembers: what one forward writes to `self` the next one computes with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Fix, Harm, Hit, Refuted, Severity
from lintorch.core.profile import WRITES_ONNX
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, GivenBack, ItemSet, Occurrence
from lintorch.evaluator.values import NONE, Constant, Held, Items, Number, Slice, Tensor, Value
from lintorch.evidence import KeptWrite, ModuleWrite, Outcome, ResetWrite, Trace, Trial
from lintorch.evidence.host_reads import is_whole_run
from lintorch.evidence.reached_lines import is_always_reached, is_read_above
from lintorch.evidence.size_changes import describe_outcome
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.exporting.cache_edits import fill_each_time
from lintorch.facts.models.attribute_history import Rewrite
from lintorch.facts.models.carried_values import reads_of_call_before
from lintorch.facts.models.kept_caches import find_cache, keeps_entry
from lintorch.facts.models.value_ways import is_one, list_operands
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT110",
    summary="a value kept on self from one forward to the next",
    why="""
        A graph has no attributes. A counter that forward raises and computes with stays at the
        example's value under every exporter that traces, and nothing says so. A tensor kept in a
        plain attribute does too; torch.export and the new ONNX exporter at least warn that it
        was assigned. A buffer that forward changes is carried by torch.export, but starts afresh
        at each call of an ONNX model, without a word; the legacy exporter and jit.trace are wrong
        too. jit.script keeps all of them. Attributes that are written anew in each forward, or
        that nothing computes with, are not meant. Measured on torch 2.13.

        A cache (`if self.grid is None: self.grid = ...`) takes its own branch out of what is
        exported after a run: the graph holds the grid of that run's sizes, under every exporter
        but jit.script. Source tells of tensors that are made for the sizes of one call: of those
        that are never made anew, which at other sizes are wrong in the model itself too, and of
        those that are made anew where a size differs, which an export after a run holds as they
        were. A trial of a model that keeps what a later run reads exports it once more after a run.

        Take the state as an input and give the new one back as an output. Where a run or a trial
        shows that a cache is kept, the fix fills it at each call: then no size of an earlier call
        is left in it, and exports follow.
    """,
    bad="""
        import torch
        from torch import nn


        class Sum(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def forward(self, x):
                self.calls += 1
                return x * self.calls
    """,
    good="""
        import torch
        from torch import nn


        class Sum(nn.Module):
            def forward(self, x, calls=torch.tensor(0)):
                calls = calls + 1
                return x * calls, calls
    """,
    remedy="take it as an argument of forward and return the new value",
    proof="""
        x = torch.ones(2)
        calls = (torch.tensor(1),) if Sum.forward.__defaults__ else ()
        program = torch.export.export(Sum(), (x, *calls)).module()
        program(x, *calls)
        again = program(x, *(c + 1 for c in calls))
        assert torch.equal(again[0] if calls else again, 3 * x if calls else 2 * x)
    """,
)

_TRACERS = ("onnx-legacy", "torchscript-trace")
NUMBER = dict.fromkeys(("torch.export", "onnx", *_TRACERS), Harm.SILENT)
TENSOR = {**NUMBER, "torch.export": Harm.WARNED, "onnx": Harm.WARNED}
BUFFER = dict.fromkeys(("onnx", *_TRACERS), Harm.SILENT)
OF_TEXT = dict.fromkeys(_TRACERS, Harm.SILENT)
ENTRY = dict.fromkeys(_TRACERS, Harm.FAILS)
"""What is as large as the sizes of the example does not fit others."""
PART = dict.fromkeys(WRITES_ONNX, Harm.SILENT)
"""A part of a buffer: jit.trace carries it."""
AT_EACH_CALL = "make it at each call, or in __init__ for the largest size"
INPLACE = ("add_", "sub_", "mul_", "div_", "lerp_")
RESETS = (".zero_", ".fill_", ".copy_")


@rule.event(AttributeSet)
def in_filled(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`if self.grid is None: self.grid = ...` of a grid for the sizes of the first call."""
    if isinstance(event.held, Held) and event.held.address in source.evaluation.passing:
        return
    kept = source.evaluation.rewrites.get(id(event)) or find_buffer(event, source)
    parts = source.evaluation.ways.list_sources(event.value)
    if kept is None or not any(is_one(each, kept.before) for each in parts):
        yield from tell_filled(event, event.attribute, event.value, source)


@rule.event("torch.nn.Module.register_buffer")
def in_registered(event: Called, source: Source) -> Iterator[Hit]:
    """The same as a buffer: `self.register_buffer("mask", mask)` in forward."""
    given = [*event.positional[1:], *event.keyword.values()]
    names = [each.value for each in given if isinstance(each, Constant)]
    tensors = [each for each in given if isinstance(each, Tensor)]
    if names and isinstance(names[0], str) and len(tensors) == 1:
        yield from tell_filled(event, names[0], tensors[0], source)


@rule.event(ItemSet)
def in_entry(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`self.grids[i] = make_grid(h, w)`, `self.masks[key] = mask`."""
    name = name_own(event.node)
    if not name or not isinstance(event.held, Held) or has_size(event.index):
        return
    of_text = is_text(event, source)
    if source.profile.concerns(OF_TEXT) or not of_text:
        fix = fill_entry(event, source) if of_text else None
        yield from tell_filled(event, name, event.value, source, fix)


@rule.event(ItemSet)
def in_table(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`GRIDS[str(flow.shape)] = grid`, in a dict of the module."""
    held = event.node.value if isinstance(event.node, ast.Subscript) else None
    if not isinstance(held, ast.Name) or has_size(event.index) or not is_text(event, source):
        return
    followed = source.profile.dynamic and source.profile.concerns(ENTRY)
    if followed and keeps_entry(event, held.id, event.value, source.evaluation):
        message = (
            f"an export of a model that has run keeps the entry of {held.id} for that run's sizes"
        )
        fix = fill_entry(event, source)
        yield Hit(event, message, fix, ENTRY, remedy="make it at each call", cause="renewed")


def fill_entry(event: ItemSet, source: Source) -> Fix | None:
    """The lines under `if key not in GRIDS:`, without the test."""
    entry = source.node_at(event, cst.Subscript)
    around = source.ancestors(entry) if entry is not None else ()
    test = next((each for each in around if isinstance(each, cst.If)), None)
    return fill_each_time(test, source) if test is not None else None


def is_text(event: ItemSet, source: Source) -> bool:
    """`self.grids[f"{h}x{w}"]`, where sizes are symbols, whose text is that of no earlier run."""
    written = event.node.slice if isinstance(event.node, ast.Subscript) else None
    if isinstance(written, ast.Name):
        function = source.evaluation.find_function(event)
        lines = (e for e in ast.walk(function) if isinstance(e, ast.Assign)) if function else ()
        named = (e.value for e in lines if written.id in {getattr(t, "id", "") for t in e.targets})
        return any(map(is_made_text, named))
    return written is not None and is_made_text(written)


def is_made_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Call(func=ast.Name(id="str" | "repr")):
            return True
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
        case ast.Tuple(elts=parts):
            return any(map(is_made_text, parts))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
            return True
    return False


def has_size(index: Value) -> bool:
    """Whether a key holds a size: another rule tells of these."""
    if isinstance(index, Items):
        return any(map(has_size, index.items or ()))
    return isinstance(index, Number) and index.size is not None


def name_own(node: ast.AST) -> str:
    """`grids` of `self.grids[i]`."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name
    return ""


def tell_filled(
    event: Occurrence, name: str, value: Value, source: Source, fix: Fix | None = None
) -> Iterator[Hit]:
    """What a forward makes for the sizes of one call and reads in others."""
    cache = find_cache(event, name, value, source.evaluation) if source.profile.dynamic else None
    if cache is None or (isinstance(value, Tensor) and value.origin == "parameter"):
        return  # weights that the first call makes are not to be made anew
    if cache.renewed:
        until = "too small for larger sizes" if cache.enough else "right at its sizes alone"
        message = (
            f"an export of a model that has run keeps self.{name} as that run left it: {until}"
        )
        yield Hit(event, message, fix, remedy=AT_EACH_CALL, cause="renewed")
    else:
        message = f"self.{name} is made for the sizes of the first call, and kept at all others"
        yield Hit(event, message, fix, remedy=AT_EACH_CALL)


@rule.event(AttributeSet)
def in_model(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.calls += 1`, `self.state = self.state + x`, wherever that is written."""
    kept = source.evaluation.rewrites.get(id(event)) or find_buffer(event, source)
    if kept is None or not event.way.forward or not is_worked_out(event, kept, source):
        return
    harm = weigh_kept(kept)
    if harm and is_computed_with(event, kept, source):
        written = source.evaluation.text(event.spot)
        name = written if written.endswith(f".{event.attribute}") else f"self.{event.attribute}"
        yield Hit(event, f"{name} is kept from one forward to the next", harm=harm, cause="kept")


@rule.event(AttributeSet)
def in_carried(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.last = y`, after `if self.last is not None: y = y + self.last`."""
    kept = source.evaluation.rewrites.get(id(event))
    function = source.evaluation.find_function(event)
    if kept is None or kept.before != NONE or not event.way.forward or function is None:
        return
    parts = source.evaluation.ways.list_sources(event.value)
    if not any(isinstance(each, Tensor) and each.origin == "input" for each in parts):
        return
    if reads_of_call_before(function, event.attribute, event.spot.row):
        message = f"self.{event.attribute} is kept from one forward to the next"
        yield Hit(event, message, harm=TENSOR, cause="kept")


def find_buffer(event: AttributeSet, source: Source) -> Rewrite | None:
    """The buffer of that name, which registering it has made an attribute."""
    for each in source.evaluation.ways.list_sources(event.value):
        if isinstance(each, Tensor) and (each.origin, each.name) == ("buffer", event.attribute):
            return Rewrite((each,), each)
    return None


def is_worked_out(event: AttributeSet, kept: Rewrite, source: Source) -> bool:
    """Whether an operation made the new value of the old; `self.x.to(y.device)` changes nothing."""
    ways = source.evaluation.ways
    made = ways.find_maker(event.value)
    if isinstance(kept.before, (Constant, Number)) and not is_read(event, source):
        return False  # another attribute is the same number
    if isinstance(made, Called) and made.name.startswith("torch.Tensor."):
        return False
    if is_set_before(event, source) or is_begun_anew(kept, source):
        return False
    if made is not None and any(is_one(each, kept.before) for each in list_operands(made)):
        return True
    parts = list(ways.list_sources(event.value)) if made is not None else []
    fed = any(isinstance(each, Tensor) and each.origin == "input" for each in parts)
    if not any(each is kept.before for each in kept.initial):
        return False  # what this forward wrote itself may have gone another way
    if isinstance(kept.before, Constant):
        return is_plain_number(kept.before.value) and any(each is kept.before for each in parts)
    return fed and any(is_one(each, kept.before) for each in parts)


def is_set_before(event: AttributeSet, source: Source) -> bool:
    """Whether a statement of the same block, or of one around it, has given the attribute anew."""
    function = source.evaluation.find_function(event)
    written = ast.unparse(event.node)
    for block in list_blocks(function) if function is not None else ():
        at = next((n for n, each in enumerate(block) if event.node in ast.walk(each)), 0)
        for each in block[:at]:
            if not isinstance(each, ast.Assign):
                continue
            target = each.targets[0]
            same = isinstance(target, ast.Attribute) and ast.unparse(target) == written
            if same and written not in map(ast.unparse, ast.walk(each.value)):
                return True
    return False


def is_begun_anew(kept: Rewrite, source: Source) -> bool:
    """Whether each forward has given the attribute a value that none of an earlier one is in: `self.init_hidden(n)`."""
    if kept.given is None or not kept.given.way.certain or NONE in kept.initial:
        return False  # `if self.state is None` is true of the forward that is followed, and of no other
    made = (
        v for part in list_parts(kept.before) for v in source.evaluation.ways.list_sources(part)
    )
    old = [part for each in kept.initial for part in list_parts(each)]
    return not any(is_one(value, each) for value in made for each in old)


def list_parts(value: Value) -> Iterator[Value]:
    """A value, and what it holds: both states of an LSTM."""
    yield value
    for each in (value.items or ()) if isinstance(value, Items) else ():
        yield from list_parts(each)


def list_blocks(function: ast.AST) -> Iterator[list[ast.stmt]]:
    for each in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(each, name, None)
            if isinstance(block, list):
                yield block


def is_read(event: AttributeSet, source: Source) -> bool:
    """Whether its function reads the attribute that it writes there."""
    function, written = source.evaluation.find_function(event), event.node
    if function is None or not isinstance(written, ast.Attribute):
        return True
    text = ast.unparse(written)
    return any(
        (isinstance(each, ast.AugAssign) and each.target is written)
        or (isinstance(each, ast.Attribute) and is_load(each) and ast.unparse(each) == text)
        for each in ast.walk(function)
    )


def is_load(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def weigh_kept(kept: Rewrite) -> dict[str, Harm]:
    """What exporters make of it, by what the attribute was before."""
    if all(isinstance(each, Items) and is_state(each) for each in kept.initial):
        return TENSOR
    if all(isinstance(each, Tensor) and each.origin == "buffer" for each in kept.initial):
        return BUFFER
    if all(isinstance(each, Constant) and is_plain_number(each.value) for each in kept.initial):
        return NUMBER
    tensors = all(isinstance(each, Tensor) or each == NONE for each in kept.initial)
    return TENSOR if tensors else {}


def is_state(value: Items) -> bool:
    """`(h, c)` of an LSTM."""
    return bool(value.items) and all(isinstance(each, Tensor) for each in value.items or ())


def is_plain_number(value: object) -> bool:
    return isinstance(value, (int, float))


def is_computed_with(event: AttributeSet, kept: Rewrite, source: Source) -> bool:
    """Whether a tensor is worked out of the old value or the new one, other than the new one itself."""
    ways = source.evaluation.ways
    made = ways.find_maker(event.value)
    users = [*ways.find_users(event.value), *ways.find_users(kept.before)]
    others = [
        each
        for each in users
        if each is not made and each.way.forward and isinstance(each.result, Tensor)
    ]  # what the constructor did is no part of forward
    if any(not serves(each.result, event.value, source) for each in others):
        return True
    beside = made.result.items or () if made and isinstance(made.result, Items) else ()
    more = (each for each in beside if each is not event.value)
    return any(isinstance(each, Tensor) for each in more) or is_place(kept.before, source)


def serves(value: Value, new: Value, source: Source) -> bool:
    """Whether a value comes to nothing but the new one, as the product in `self.mean = 0.9 * self.mean + part` does."""
    waiting, seen = [value], {id(new)}
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        given = [user.result for user in source.evaluation.ways.find_users(each)]
        plain = all(isinstance(one, Tensor) for one in given)
        if not given or not plain or is_given_back(each, source):
            return False
        seen.add(id(each))
        waiting += given
    return True


def is_given_back(value: Value, source: Source) -> bool:
    """Whether a function returns it, alone or among others."""
    given = (each for _, each in source.evaluation.list_events({GivenBack}))
    return any(
        part is value
        for each in given
        if isinstance(each, GivenBack)
        for part in list_parts(each.value)
    )


def is_place(value: Value, source: Source) -> bool:
    """`self.bank[self.next] = x`: a number that says where a tensor is written."""
    writes = (each for _, each in source.evaluation.list_events({ItemSet}))
    return any(
        isinstance(each, ItemSet)
        and isinstance(each.held, Tensor)
        and any(part is value for part in list_bounds(each.index))
        for each in writes
    )


def list_bounds(index: Value) -> Iterator[Value]:
    """The numbers that an index is made of."""
    if isinstance(index, Items):
        for each in index.items or ():
            yield from list_bounds(each)
    elif isinstance(index, Slice):
        yield from (index.start, index.stop)
    else:
        yield index


@rule.source(cst.If, needs=("is None", "!="))
def in_cache(node: cst.If, source: Source) -> Iterator[Hit]:
    """`if self.grid is None: self.grid = ...`, which a run or a trial may show to be kept."""
    fix = fill_each_time(node, source) if source.in_traced_forward(node) else None
    for line in node.body.body if fix is not None else ():
        yield Hit(line, "kept from one forward to the next", fix, confirms=True)


@rule.event(ItemSet)
def in_part(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`self.keys[:, i] = k` of a buffer."""
    held = event.held
    if not is_buffer(held) or not is_sure(event):
        return
    if not is_elsewhere(event.index) and not is_moved(event.index, source):
        return
    if is_read_on(held, None, source):
        yield Hit(event, describe_kept(held), harm=PART)


@rule.event(*(f"torch.Tensor.{name}" for name in INPLACE))
def in_method(event: Called, source: Source) -> Iterator[Hit]:
    """`self.total.add_(x)` of a buffer."""
    held = event.positional[0] if event.positional else None
    if is_buffer(held) and is_sure(event) and is_read_on(held, event, source):
        yield Hit(event, describe_kept(held), harm=BUFFER)


def describe_kept(held: Tensor) -> str:
    return f"self.{held.name} is kept from one forward to the next"


def is_sure(event: Occurrence) -> bool:
    """Whether each forward does so: no branch that only training takes lies before it."""
    return event.way.forward and event.way.certain


def is_buffer(value: Value | None) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.origin == "buffer"


def is_read_on(held: Tensor, write: Called | None, source: Source) -> bool:
    """Whether a tensor is worked out of a buffer that nothing sets anew."""
    users = [each for each in source.evaluation.ways.find_users(held) if each is not write]
    named = [each.name for each in users if isinstance(each, Called)]
    reset = any(name.endswith(RESETS) for name in named)
    changing = tuple(f".{name}" for name in INPLACE)
    reads = (
        each
        for each in users
        if isinstance(each.result, Tensor)
        and not (isinstance(each, Called) and each.name.endswith(changing))
    )
    return not reset and any(each.way.forward for each in reads)


def is_moved(index: Value, source: Source) -> bool:
    """`self.bank[self.next] = x` where forward moves `self.next`."""
    kept = {id(each.before) for each in source.evaluation.rewrites.values()}
    return any(id(each) in kept for each in list_bounds(index) if each != NONE)


def is_elsewhere(index: Value) -> bool:
    """`x[:, i]`, `x[start:end]`: other places at other calls; not `x[:]`, `x[0]`."""
    if isinstance(index, Items):
        return any(map(is_elsewhere, index.items or ()))
    if isinstance(index, Slice):
        return any(map(is_elsewhere, (index.start, index.stop, index.step)))
    return isinstance(index, (Number, Tensor))


@rule.trace(KeptWrite)
def in_trace(event: KeptWrite, trace: Trace) -> Iterator[Hit]:
    name, then, now = event.attribute, event.then, event.now
    finds = f"another self.{name}" if then == now else f"self.{name} as {now}, not {then}"
    message = f"the next call with the same input finds {finds}: {event.change}"
    kinds = {"number": NUMBER, "tensor": TENSOR, "buffer": BUFFER}
    harm = PART if event.operator == "__setitem__" else kinds[event.kind]
    yield Hit(event, message, harm=harm)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Where what a run leaves, a cache say, takes a branch out of what is exported after it."""
    for write in trial.trace.find_events(ModuleWrite) if outcome.kept else ():
        if (
            not write.same
            and ".".join(filter(None, (write.layer, write.attribute))) in outcome.kept
        ):
            if outcome.status == "failed":
                yield report_refusal(write, outcome, outcome.message)
            else:
                message = describe_outcome(outcome, silently=True)
                yield Hit(write, message, severity=Severity.ERROR)


@rule.trace(ResetWrite)
def in_run(event: ResetWrite, trace: Trace) -> Iterator[Refuted]:
    """Where it is so of all that the line writes, in whichever module."""
    if not all(map(is_whole_run, trace.runs)) or not written(trace, event) <= reset(trace, event):
        return
    if is_begun_by_all(trace, event):
        yield Refuted(event, f"each call writes self.{event.attribute} anew before it reads it")


def is_begun_by_all(trace: Trace, event: ResetWrite) -> bool:
    """Whether calls with other flags write the attribute anew too: `if reset: self.last = zeros` is of one."""
    firsts: dict[str, ModuleWrite] = {}
    for write in trace.find_events(ModuleWrite):
        if write.attribute == event.attribute:
            firsts.setdefault(write.layer, write)
    return all(
        is_always_reached(each.site) and not is_read_above(each.site, each.attribute)
        for each in firsts.values()
    )


def written(trace: Trace, event: ResetWrite) -> set[tuple[str, str]]:
    """Modules and attributes that the line of an event writes."""
    writes = (e for run in trace.runs for e in run.events if isinstance(e, ModuleWrite))
    return {(e.layer, e.attribute) for e in writes if e.site == event.site}


def reset(trace: Trace, event: ResetWrite) -> set[tuple[str, str]]:
    """Those of them that each call writes before it reads them."""
    found = (e for e in trace.find_events(ResetWrite) if e.site == event.site)
    return {(e.layer, e.attribute) for e in found}
