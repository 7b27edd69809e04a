"""Optimizers that are given weights that the same function has frozen, all of them, before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.source import Source

_FREEZES = re.compile(r"\w+\.(requires_grad\s*=\s*False|requires_grad_\(False\))")
_WAKES = re.compile(
    r"requires_grad\s*=(?!\s*False)|requires_grad_\((?!False)|requires_grad\W+True|unfreeze"
)


@dataclass(frozen=True)
class Frozen:
    """A model all of whose weights are frozen, by the code that names it, and where."""

    model: str
    where: cst.CSTNode


@dataclass(frozen=True)
class FrozenOptimizer:
    """An optimizer of frozen weights alone, the weights as they are written, and what froze them."""

    made: cst.Call
    weights: str
    frozen: Frozen


def list_frozen_optimizers(source: Source) -> Iterator[FrozenOptimizer]:
    """Of one function at a time, from its first statement to its last."""
    for made in source.nodes(cst.Call):
        if not source.name(made.func).startswith("torch.optim.") or not made.args:
            continue
        given = re.fullmatch(r"([\w.]+)\.parameters\(\)", source.code(made.args[0].value))
        function = source.enclosing(made, cst.FunctionDef)
        if given is None or (function is not None and _WAKES.search(source.code(function))):
            continue
        for frozen in _list_frozen(function, source):
            whole = given[1] == frozen.model or given[1].startswith(f"{frozen.model}.")
            if whole and source.precedes(frozen.where, made):
                if not _is_changed(frozen, made, source):
                    yield FrozenOptimizer(made, given[0], frozen)
                break


def _list_frozen(function: cst.FunctionDef | None, source: Source) -> Iterator[Frozen]:
    """`for p in model.parameters(): p.requires_grad = False`, `model.requires_grad_(False)`."""
    for loop in source.nodes(cst.For):
        given = re.fullmatch(r"([\w.]+)\.parameters\(\)", source.code(loop.iter))
        body = source.code(loop.body).strip()
        if given and _FREEZES.fullmatch(body) and _is_plain(loop, function, source):
            yield Frozen(given[1], loop)
    for call in source.nodes(cst.Call):
        given = re.fullmatch(r"([\w.]+)\.requires_grad_\(False\)", source.code(call))
        if given and _is_plain(call, function, source):
            yield Frozen(given[1], call)


def _is_plain(node: cst.CSTNode, function: cst.FunctionDef | None, source: Source) -> bool:
    """Whether it stands in the body of the function itself, behind no condition."""
    kinds = (cst.FunctionDef, cst.ClassDef, cst.If, cst.For, cst.While, cst.Try, cst.Lambda)
    return source.enclosing(node, *kinds) is function


def _is_changed(frozen: Frozen, made: cst.Call, source: Source) -> bool:
    """Whether the model, or a part of it, is another one since."""
    start = re.compile(rf"{re.escape(frozen.model)}(\.[\w.]+|\[.*\])?")
    for target in source.nodes(cst.AssignTarget):
        after = source.precedes(frozen.where, target) and source.precedes(target, made)
        if after and start.fullmatch(source.code(target.target)):
            return True
    return any(
        source.precedes(frozen.where, call)
        and source.precedes(call, made)
        and re.match(
            rf"(setattr\(|{re.escape(frozen.model)}\.(add_module|append|\w*head))",
            source.code(call),
        )
        for call in source.nodes(cst.Call)
    )
