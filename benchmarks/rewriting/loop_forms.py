"""Loops in other words: `enumerate`, a progress bar, `zip`, `while` with an iterator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.program import Program
from rewriting.statements import insert_below_imports, list_body, parse_statements

_TQDM = "def tqdm(items, **settings):\n    yield from items\n"
_PROGRESS = "def show_progress(items):\n    for item in items:\n        yield item\n"


def use_enumerate(program: Program) -> Program:
    """`for number, x in enumerate(batches)`, in comprehensions too."""
    number = program.find_free_name("number")
    return _rewrite_heads(program, f"{number}, ", "enumerate(ITEMS)")


def use_zip(program: Program) -> Program:
    """`for number, x in zip(itertools.count(), batches)`."""
    number = program.find_free_name("number")
    lines = ["import itertools"]
    return _rewrite_heads(program, f"{number}, ", "zip(itertools.count(), ITEMS)", lines)


def use_tqdm(program: Program) -> Program:
    """`for x in tqdm(batches)`; what is imported shows nothing."""
    lines = ["from tqdm import tqdm"]
    made = _rewrite_heads(program, "", "tqdm(ITEMS)", lines)
    return made if made is program else made.change_to(made.module, {"tqdm": _TQDM})


def use_wrapper(program: Program) -> Program:
    """`for x in show_progress(batches)`, a generator of the file."""
    return _rewrite_heads(program, "", "show_progress(ITEMS)", [_PROGRESS])


def use_iterator(program: Program) -> Program:
    """`while True: try: x = next(iterator) except StopIteration: break`."""
    return program.change_to(program.module.visit(_ToWhile(program)))


def _rewrite_heads(program: Program, ahead: str, items: str, above: Sequence[str] = ()) -> Program:
    changed = program.module.visit(_HeadRewriter(ahead, items))
    if changed.code == program.text:
        return program
    added = parse_statements("".join(f"{each}\n" for each in above))
    return program.change_to(insert_below_imports(changed, added))


class _HeadRewriter(cst.CSTTransformer):
    """Rewrites what loops take from where."""

    def __init__(self, ahead: str, items: str) -> None:
        self._ahead = ahead
        self._items = items

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        return updated_node.with_changes(**self._make_head(updated_node))

    def leave_CompFor(self, original_node: cst.CompFor, updated_node: cst.CompFor) -> cst.CompFor:
        return updated_node.with_changes(**self._make_head(updated_node))

    def _make_head(self, node: cst.For | cst.CompFor) -> dict[str, Any]:
        items = cst.parse_expression(self._items).visit(_Filler(node.iter))
        if not self._ahead:
            return {"iter": items}
        target = node.target
        if isinstance(target, cst.Tuple):
            target = target.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        first = cst.Element(cst.Name(self._ahead.rstrip(", ")))
        pair = cst.Tuple([first, cst.Element(target)], lpar=[], rpar=[])
        return {"target": pair, "iter": items}


class _Filler(cst.CSTTransformer):
    def __init__(self, items: cst.BaseExpression) -> None:
        self._items = items

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._items if original_node.value == "ITEMS" else updated_node


class _ToWhile(cst.CSTTransformer):
    def __init__(self, program: Program) -> None:
        self._program = program
        self._number = 0

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> Any:
        if updated_node.orelse is not None or m.findall(original_node.body, m.Yield()):
            return updated_node
        self._number += 1
        name = self._program.find_free_name(f"iterator_{self._number}")
        text = (
            f"{name} = iter(ITEMS)\nwhile True:\n    try:\n        TARGET = next({name})\n"
            "    except StopIteration:\n        break\n"
        )
        first, loop = parse_statements(text)
        taking = loop.body.body[0]
        assigned = taking.body.body[0].body[0]
        target = cst.AssignTarget(updated_node.target)
        taking = taking.with_deep_changes(assigned, targets=[target])
        body = loop.body.with_changes(body=[taking, *list_body(updated_node)])
        first = first.visit(_Filler(updated_node.iter))
        return cst.FlattenSentinel([first, loop.with_changes(body=body)])
