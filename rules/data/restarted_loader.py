"""LT522: a loader that is begun anew at each step of training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Unknown, Value
from lintorch.facts.training.loaders import is_loader
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT522",
    summary="a loader that is begun anew at each step",
    why="""
        `next(iter(loader))` begins a new epoch and takes its first batch. At each step of training that
        is the same batch again and again where the loader does not shuffle; where it does, some samples
        are drawn often and others never, and workers are started for each step. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def train(model, optimizer, loader, steps):
            for _ in range(steps):
                x, y = next(iter(loader))
                optimizer.zero_grad()
                (model(x) - y).square().mean().backward()
                optimizer.step()
    """,
    good="""
        import torch


        def train(model, optimizer, loader, steps):
            for _, (x, y) in zip(range(steps), loader):
                optimizer.zero_grad()
                (model(x) - y).square().mean().backward()
                optimizer.step()
    """,
    remedy="go over the loader itself, or keep one iterator: batches = iter(loader) before the loop",
    proof="""
        from torch.utils.data import DataLoader

        seen = []
        model = torch.nn.Linear(1, 1)
        model.register_forward_pre_hook(lambda module, given: seen.append(given[0].item()))
        data = [(torch.tensor([1.0 * n]), torch.tensor([0.0])) for n in range(3)]
        train(model, torch.optim.SGD(model.parameters(), 0.01), DataLoader(data), 3)
        assert seen == [0, 1, 2]
    """,
)


@rule.event("next", "generator.__next__")
def in_training(event: Called, source: Source) -> Iterator[Hit]:
    if event.spot.path != source.path or not _is_begun_there(event.node):
        return
    begun = source.evaluation.ways.find_maker(event.positional[0]) if event.positional else None
    if not isinstance(begun, Called) or begun.name != "iter" or len(begun.positional) != 1:
        return
    given = begun.positional[0]
    if not is_loader(given) and not (_is_plain(given) and _is_taken_apart(event, source)):
        return  # the first weight of a model, the first key of a batch
    if _is_made_there(given, event, source):
        return
    if _is_now_and_then(event, source) or _is_ending(event, source):
        return
    graph = source.evaluation.graphs.get(event.way.root)
    if graph is not None and graph.is_quiet(event):
        return  # a look at other data
    if next(source.evaluation.list_loops(event), None) in source.evaluation.step_loops:
        yield Hit(event, f"{_write(event.node)} begins the loader anew at each step of training")


def _is_begun_there(node: ast.AST) -> bool:
    """`next(iter(loader))`, `iter(loader).__next__()`."""
    match node:
        case ast.Call(func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"))]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="iter")))):
            return True
    return False


def _is_plain(value: Value) -> bool:
    """Whether it is an argument or attribute of which no more is known."""
    return isinstance(value, Unknown) and "(" not in value.path and "[" not in value.path


def _is_taken_apart(event: Called, source: Source) -> bool:
    """`x, y = next(iter(labelled))`: as a batch is."""
    outer = next(source.evaluation.list_around(event), None)
    return isinstance(outer, ast.Assign) and isinstance(outer.targets[0], (ast.Tuple, ast.List))


def _is_made_there(loader: Value, event: Called, source: Source) -> bool:
    """Whether each turn makes a loader of its own, as for a task of several."""
    made = source.evaluation.ways.find_maker(loader)
    loop = next(source.evaluation.list_loops(event), None)
    return made is not None and any(each is loop for each in source.evaluation.list_loops(made))


def _write(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) < 40 else "next(iter(…))"


def _is_now_and_then(event: Called, source: Source) -> bool:
    """Whether a condition, or what is caught, stands between it and the loop."""
    for outer in source.evaluation.list_all_around(event):
        if isinstance(outer, (ast.For, ast.While)):
            return False
        if isinstance(outer, (ast.If, ast.IfExp, ast.ExceptHandler, ast.Try)):
            return True
    return False


def _is_ending(event: Called, source: Source) -> bool:
    """Whether the loop around ends with this turn: one batch is tried."""
    loop = source.evaluation.find_loop(event)
    last = loop.body[-1] if loop is not None else None
    return isinstance(last, (ast.Break, ast.Return))
