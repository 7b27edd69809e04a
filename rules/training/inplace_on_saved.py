"""LT402: a tensor changed in place that backward still needs as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    IdleRow,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.unknown_objects import UnknownCalled, UnknownMethod
from lintorch.evaluator.values import FALSE, Constant, Value
from lintorch.facts.models.backward_passes import is_backward_pass, list_given
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.one_way import may_follow
from lintorch.facts.models.saved_tensors import find_saver, name_kept
from lintorch.facts.models.tensor_writes import (
    find_base,
    find_changed,
    find_written,
    list_views,
    name_changed,
)
from lintorch.facts.models.value_ways import Operation, is_one, list_operands
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT402",
    summary="a tensor changed in place that backward needs as it was",
    why="""
        Autograd keeps tensors for backward: the output of sigmoid, tanh, softmax, exp, sqrt and
        relu (of leaky_relu and elu where they work in place), the input and target of a loss.
        Changed in place before backward, also under `torch.no_grad()`, backward raises. Measured
        on torch 2.13: a ReLU or Dropout in place after a Sigmoid or another ReLU does it.

        Out of place, or on a `.clone()`, the values stay what they were.
    """,
    bad="""
        import torch
        from torch import nn


        def make():
            return nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Dropout(0.1, inplace=True))
    """,
    good="""
        import torch
        from torch import nn


        def make():
            return nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Dropout(0.1, inplace=False))
    """,
    proof="""
        make()(torch.ones(2, 4)).sum().backward()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

WRITING = (
    "ReLU", "LeakyReLU", "ELU", "SiLU", "Hardswish", "ReLU6", "Mish", "SELU", "CELU", "Dropout",
    "Dropout2d", "Dropout3d", "AlphaDropout",
)  # fmt: skip
FUNCTIONS = (
    "relu", "leaky_relu", "elu", "silu", "hardswish", "relu6", "mish", "selu", "celu", "dropout",
    "dropout2d", "dropout3d", "alpha_dropout", "relu_", "leaky_relu_", "elu_",
)  # fmt: skip
LOSSES = ("_loss", "cross_entropy", "binary_cross_entropy_with_logits", "kl_div")
MOST_STEPS = 200

Maker = Callable[[Value | None], Operation | None]


@rule.event(*(f"torch.nn.{name}.forward" for name in WRITING))
@rule.event(*(f"torch.nn.functional.{name}" for name in FUNCTIONS))
@rule.event("torch.relu_")
def in_layers(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.Sequential(nn.Sigmoid(), nn.Dropout(0.1, inplace=True))`."""
    yield from judge_layer(event, source.evaluation.ways.find_maker, source)


@rule.event(IdleRow)
def in_rows(row: IdleRow, source: Source) -> Iterator[Hit]:
    """The same, of a row that nothing runs."""
    made = {id(each.result): each for each in row.happened if isinstance(each, Called)}
    for event in made.values():
        yield from judge_layer(event, lambda value: made.get(id(value)), source)


def judge_layer(event: Called, find_maker: Maker, source: Source) -> Iterator[Hit]:
    written = find_written(event)
    if written is None or is_idle(event):
        return
    before = find_maker(written)
    if not isinstance(before, Called) or before is event or not (kept := name_kept(before)):
        return
    place = source.evaluation.find_making(event) or event
    name = event.name.removesuffix(".forward").rpartition(".")[2]
    message = f"{name} in place changes what backward of {kept} needs, which raises"
    yield Hit(place, message, work_out_of_place(place, source), remedy="work out of place")


def is_idle(event: Called) -> bool:
    """A dropout of nothing, or that is switched off for good."""
    node, given = event.node, event.arguments
    args = (
        (*node.args, *(each.value for each in node.keywords)) if isinstance(node, ast.Call) else ()
    )
    off = any(isinstance(each, ast.Constant) and each.value is False for each in args)
    return given.get("p") in (Constant(0), Constant(0.0)) or (
        off and given.get("training") == FALSE
    )


def work_out_of_place(place: Occurrence, source: Source) -> Fix | None:
    call = source.call_at(place)
    flag = source.arguments(call).get("inplace") if call is not None else None
    if flag is None:
        return None
    return Fix("work out of place", (source.replace(flag, "False"),), Applicability.UNSAFE)


@rule.event(Called, Combined, ItemSet)
def in_forwards(event: Called | Combined | ItemSet, source: Source) -> Iterator[Hit]:
    """`gate = torch.sigmoid(self.fc(x)); gate -= 0.5`, `out = self.conv(x); x += out`."""
    if isinstance(event, Called) and not event.name.startswith("torch.Tensor."):
        return
    written = find_written(event)
    if written is None or written.aside or not runs_in_training(event, source):
        return
    if saver := find_saver(event, source.evaluation):
        changed = name_changed(event)
        message = f"changes {changed} in place, which backward of {saver} needs as it was"
        yield Hit(event, f"{message}: it raises", remedy="work out of place", cause=changed)


def runs_in_training(event: Occurrence, source: Source) -> bool:
    """Whether a forward does it whatever its mode, and gradients are recorded."""
    names = event.way.names
    if not names or not names[-1].endswith("forward") or source.evaluation.freezes:
        return False
    asked = any(
        isinstance(each, ast.If) and "training" in ast.unparse(each.test)
        for each in source.evaluation.list_all_around(event)
    )
    return not asked and not may_be_free(event, source.evaluation)


@rule.event(Called, UnknownCalled)
def in_training(event: Called | UnknownCalled, source: Source) -> Iterator[Hit]:
    """Writes to what a loss was given, between the loss and its backward."""
    if not is_backward_pass(event):
        return
    before = source.evaluation.list_before(event)
    order = {id(each): number for number, each in enumerate(before)}
    for loss in list_losses(event, source):
        if id(loss) not in order:
            continue
        later = before[order[id(loss)] + 1 :]
        if any(is_backward_pass(each) and loss in list_losses(each, source) for each in later):
            continue
        for write in later:
            if is_needed(find_changed(write), loss, source) and is_between(
                loss, write, event, source
            ):
                called = source.evaluation.text(loss.spot).partition("(")[0]
                message = (
                    f"changes {name_changed(write)}, which backward of {called} needs as it was: "
                    "it raises"
                )
                yield Hit(write, message, remedy="change a clone()")


def is_between(loss: Called, write: Occurrence, backward: Occurrence, source: Source) -> bool:
    """Whether no branch that is taken instead lies between them."""
    evaluation = source.evaluation
    return may_follow(loss, write, evaluation) and may_follow(write, backward, evaluation)


def list_losses(backward: Occurrence, source: Source) -> list[Called]:
    """The losses of which backward runs, also summed, weighted and scaled."""
    ways, waiting, found = source.evaluation.ways, [*list_given(backward)], []
    seen: set[int] = set()
    while waiting and len(seen) < MOST_STEPS:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        made, called = ways.find_maker(value), ways.find_unknown_maker(value)
        if isinstance(made, Called) and is_loss(made):
            found.append(made)
        elif made is not None:
            waiting += list_operands(made)
        elif called is not None and called.method == "scale":
            waiting += called.given.positional
    return found


def is_loss(made: Called) -> bool:
    if made.name.startswith("torch.nn.functional."):
        return made.name.endswith(LOSSES)
    return made.name.startswith("torch.nn.") and made.name.endswith("Loss.forward")


def is_needed(written: Value | None, loss: Called, source: Source) -> bool:
    """Whether it is the input or target of a loss, or a view of that."""
    if written is None:
        return False
    layer = loss.name.endswith(".forward")
    given = (*loss.positional[layer : 2 + layer], *map(loss.keyword.get, ("input", "target")))
    views = list_views(written, source.evaluation.ways)
    if views is None or any(isinstance(v, (AttributeRead, UnknownMethod)) for v in views):
        return False
    base = find_base(written, views)
    return any(is_one(each, base) for each in given)
