"""Axes of one that `forward` takes away: `label.squeeze(1)` is of a label with one row, and does nothing to others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.guest.process.deadline import clock


def put_squeezed_ones(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with an axis of one wherever `forward` takes one away, and its run, where the model runs so."""
    squeezed = dict(_list_squeezed(module))
    for number, given in enumerate(guess.inputs):
        axis = squeezed.get(given.name, 0)
        held = given.at or given.longest != ""
        if held or not 0 < axis <= len(given.shape) or 1 in given.shape[axis : axis + 1]:
            continue
        shape = (*given.shape[:axis], 1, *given.shape[axis:])
        other = guess.with_input(number, replace(given, shape=shape))
        seconds = max(1.0, deadline - clock())
        run = weigh_at(module, other.list_arguments(), other.sizes, seconds)
        if run is not None:
            guess, weight = other, run
    return guess, weight


def _list_squeezed(module: nn.Module) -> Iterator[tuple[str, int]]:
    """Parameters that are squeezed as they are given, each with the axis that is named."""
    tree = parse_source_of(module.forward)
    kept = {getattr(node, "id", "") for node in ast.walk(tree) if _is_stored(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                ast.Attribute(ast.Name(name), "squeeze"), [ast.Constant(int(axis))], []
            ) | ast.Call(
                ast.Attribute(ast.Name("torch"), "squeeze"),
                [ast.Name(name), ast.Constant(int(axis))],
                [],
            ) if name not in kept:
                yield name, axis


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
