"""LT421: a DistributedSampler that nobody tells the epoch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import TRUE, Choice, Value
from lintorch.facts.project.parts_elsewhere import is_written_in_imported
from lintorch.facts.training.loader_loops import LOADER
from lintorch.facts.training.loaders import assigned_variable
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT421",
    summary="a DistributedSampler without set_epoch",
    why="""
        A DistributedSampler orders the data by its seed and epoch number. Where nobody calls
        `set_epoch`, each epoch shows the data in the same order, and each process the same part of
        it. Measured on torch 2.13.

        Reported where a loop trains, epoch after epoch, on a loader that is given the sampler.
    """,
    bad="""
        from torch.utils.data import DataLoader, DistributedSampler


        def train(model, optimizer, data, world, rank):
            sampler = DistributedSampler(data, world, rank)
            loader = DataLoader(data, batch_size=4, sampler=sampler)
            for epoch in range(2):
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    good="""
        from torch.utils.data import DataLoader, DistributedSampler


        def train(model, optimizer, data, world, rank):
            sampler = DistributedSampler(data, world, rank)
            loader = DataLoader(data, batch_size=4, sampler=sampler)
            for epoch in range(2):
                sampler.set_epoch(epoch)
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    proof="""
        seen = []
        model = torch.nn.Linear(1, 1)
        model.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].flatten().tolist()))
        train(model, torch.optim.SGD(model.parameters()), torch.arange(8.0).view(8, 1), 2, 0)
        assert len(seen) == 2
        assert seen[0] != seen[1]
    """,
    fix=Applicability.UNSAFE,
    formerly=("LT413", "distributed-habits"),
)

SAMPLERS = (
    "torch.utils.data.DistributedSampler",
    "torch.utils.data.distributed.DistributedSampler",
)
SETS_EPOCH = ("set_epoch", "Accelerator", "abric", "ightning")
"""Words of code where the epoch is told, or a framework tells it."""
PARAMETERS = ("dataset", "num_replicas", "rank", "shuffle", "seed")


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    ways = source.evaluation.ways
    for value in list_arms(event.keyword.get("sampler")):
        made = ways.find_maker(value)
        if not isinstance(made, Called) or made.name not in SAMPLERS:
            continue
        if is_told(made, source) or is_told_elsewhere(made, source):
            continue
        for read in source.evaluation.list_reads(event):
            if not read.trains or not read.again:
                continue
            loops = [*source.evaluation.list_loops(read.event)]
            epochs = next(each for each in loops if each is not read.event.loop)
            inside = any(each is epochs for each in source.evaluation.list_loops(made))
            if inside and "seed" in made.keyword:
                continue
            fix = None if inside else tell_epoch(made, event, epochs, source)
            message = "no set_epoch: each epoch shows the data in the same order"
            yield Hit(made, message, fix, remedy="call set_epoch(epoch) before each")
            return


def list_arms(value: Value | None) -> tuple[Value | None, ...]:
    """What it may be, on each branch."""
    return value.alternatives if isinstance(value, Choice) else (value,)


def is_told_elsewhere(made: Called, source: Source) -> bool:
    """Whether another file calls set_epoch, or what is not known is given the sampler."""
    events = (event for reached in source.evaluation.reached for event in reached.events)
    called = any(
        getattr(each, "method", getattr(each, "name", "")).rpartition(".")[2] == "set_epoch"
        for each in events
        if isinstance(each, (Called, UnknownCalled))
    )
    if called or source.evaluation.ways.find_takers(made.result):
        return True
    return is_written_in_imported("set_epoch", source.path, source.consulted)


def is_told(made: Called, source: Source) -> bool:
    """Whether the order does not matter, or is seen to elsewhere."""
    given = {**dict(zip(PARAMETERS, made.positional, strict=False)), **made.keyword}
    words = source.evaluation.words
    told = any(name in word for word in words for name in SETS_EPOCH)
    return told or made.open or given.get("shuffle", TRUE) != TRUE


def insert_call(sampler: cst.Call, loader: cst.Call, epochs: cst.For, source: Source) -> Fix | None:
    """`sampler.set_epoch(epoch)` first in the loop, where both names surely stand for these."""
    inline = isinstance(source.parent(sampler), cst.Arg)
    held = assigned_variable(loader if inline else sampler, source)
    if held is None or not isinstance(epochs, cst.For) or not is_in_reach(held, epochs, source):
        return None
    number = epochs.target.value if isinstance(epochs.target, cst.Name) else "_"
    counted = number != "_" and "range(" in source.code(epochs.iter)
    if not counted or not isinstance(epochs.body, cst.IndentedBlock):
        return None
    name = f"{source.code(held)}.sampler" if inline else source.code(held)
    added = source.above(epochs.body.body[0], f"{name}.set_epoch({number})")
    return Fix("tell the sampler the epoch", (added,), Applicability.UNSAFE)


def is_in_reach(held: cst.Name | cst.Attribute, epochs: cst.CSTNode, source: Source) -> bool:
    """Whether the loop sees a name that is assigned once, in no branch, and never to None."""
    made = source.enclosing(held, cst.FunctionDef)
    branches = (cst.If, cst.Try, cst.For, cst.While, cst.FunctionDef)
    given = source.classes.assigned(held)
    alone = len(given) == 1 and isinstance(given[0], cst.Call)
    if not alone or source.enclosing(held, *branches) is not made:
        return False
    if isinstance(held, cst.Attribute):
        return source.classes.around(held) is source.classes.around(epochs)
    return made is source.enclosing(epochs, cst.FunctionDef)


def tell_epoch(made: Called, loader: Called, epochs: ast.AST, source: Source) -> Fix | None:
    """The fix, where all of it stands in this file."""
    calls = source.call_at(made), source.call_at(loader)
    row = getattr(epochs, "lineno", 0)
    loops = [each for each in source.nodes(cst.For) if source.place(each).row == row]
    if calls[0] is None or calls[1] is None or len(loops) != 1:
        return None
    return insert_call(calls[0], calls[1], loops[0], source)
