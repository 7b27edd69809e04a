"""Optional inputs without which a model raises: `forward(self, input_ids=None, pixel_values=None)`.

if pixel_values is None and image_embeds is None:
    raise ValueError("give pixel_values or image_embeds")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from lintorch.evaluator.events import Decided, Occurrence
from lintorch.evaluator.make_arguments import is_none, may_be_tensor, pair_defaults

_NEAR = 12
"""Events between the question and the error that it leads to: those of the error's text."""


def find_wanted(node: ast.AST, events: Sequence[Occurrence], given: set[str]) -> str:
    """The input to give beside the others, by what was asked before the forward raised; "" if none.

    Parts call it otherwise: what is `input_ids` to a decoder may be `decoder_input_ids` to the model.
    """
    optional = [each for each in _list_optional(node) if each not in given]
    for name in _list_missed(_list_chain(events)) if optional else ():
        for each in optional:
            if each == name or each.endswith(f"_{name}"):
                return each
    return ""


def _list_chain(events: Sequence[Occurrence]) -> list[Decided]:
    """The question that was asked last, behind those whose `elif` it is."""
    chain: list[Decided] = []
    for number, event in enumerate(reversed(events)):
        if number > _NEAR + len(chain):
            break
        if isinstance(event, Decided) and isinstance(event.branch, ast.If):
            if chain and event.branch.orelse != [chain[0].branch]:
                break
            chain.insert(0, event)
    return chain


def _list_optional(node: ast.AST) -> Iterator[str]:
    """Parameters that are None unless they are given, and may be tensors."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    for each, default in pair_defaults(node.args):
        note = each.annotation
        if is_none(default) and note is not None and may_be_tensor(note):
            yield each.arg


def _list_missed(chain: Sequence[Decided]) -> Iterator[str]:
    """Names that are None on the side of a branch that raises, in the order in which they were asked for."""
    last = chain[-1] if chain else None
    if last is None or last.answer is None or not isinstance(last.branch, ast.If):
        return
    side = last.branch.body if last.answer else last.branch.orelse
    if not any(isinstance(each, ast.Raise) for each in side):
        return
    for event in chain:
        for each in ast.walk(event.node):
            if isinstance(each, ast.Compare) and _asks_for_none(each, last.answer):
                yield each.left.id if isinstance(each.left, ast.Name) else ""


def _asks_for_none(test: ast.Compare, answer: bool) -> bool:
    """`x is None` of what raises where that holds, `x is not None` of what raises where it does not."""
    operator, other = test.ops[0], test.comparators[0]
    return is_none(other) and isinstance(operator, ast.Is if answer else ast.IsNot)
