"""LT419: a write to one place of an expanded tensor, which changes all that share its memory."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed, ItemSet, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Items, Slice, Tensor, Value
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.tensor_writes import find_changed, list_views, name_changed
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT419",
    summary="a write to an expanded tensor",
    why="""
        `expand`, `expand_as` and `broadcast_to` give each number many places without copying it.
        A write to one of them silently changes them all: `table[0, 0] = 1` sets the whole row.
        Methods such as `add_` raise instead. Measured on torch 2.13.

        `.clone()` after expand gives each place memory of its own; so does `repeat`.
    """,
    bad="""
        import torch


        def rows(first):
            table = first.expand(3, 4)
            table[0, 0] = 1
            return table
    """,
    good="""
        import torch


        def rows(first):
            table = first.expand(3, 4).clone()
            table[0, 0] = 1
            return table
    """,
    proof="""
        assert rows(torch.zeros(3, 1)).sum() == 1
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
    formerly=("LT402", "inplace-on-saved"),
)

EXPANDING = ("expand", "expand_as", "broadcast_to")


@rule.event(Called, UnknownCalled, ItemSet, Combined)
def in_writes(event: Occurrence, source: Source) -> Iterator[Hit]:
    written = find_changed(event)
    made = find_expanding(written, source) if written is not None else None
    if made is None or (isinstance(event, ItemSet) and not is_one_place(event.index, made)):
        return
    if is_filled_whole(event, written, made, source):
        return
    message = f"writes to {name_changed(event)}, whose expanded places share their memory"
    yield Hit(event, f"{message}: clone() it first", copy_first(made, source))


def find_expanding(written: Value, source: Source) -> Called | UnknownCalled | None:
    """The call that expanded what is written to."""
    for made in list_views(written, source.evaluation.ways) or ():
        if not isinstance(made, (Called, UnknownCalled)):
            continue
        if name_operation(made) in EXPANDING:
            asked = isinstance(made, Called) or bool(made.given.positional)
            return made if asked else None
        if isinstance(made, Called) and made.name.rpartition(".")[2].endswith("_"):
            return None
    return None


def is_filled_whole(
    event: Occurrence, written: Value | None, made: Called | UnknownCalled, source: Source
) -> bool:
    """`table[:, 0].fill_(0)`: one number in all places of an expanded axis, whatever shares what."""
    if not isinstance(event, (Called, UnknownCalled)):
        return False
    if name_operation(event) not in ("fill_", "zero_"):
        return False
    views = list_views(written, source.evaluation.ways) if written is not None else None
    indexed = [each for each in views or () if isinstance(each, Indexed)]
    return not any(is_one_place(each.index, made) for each in indexed)


def is_one_place(index: Value, made: Called | UnknownCalled) -> bool:
    """`table[0, 0]`: a write to it is not one to the whole of an expanded axis."""
    several = isinstance(index, Items) and index.kind == "tuple"
    parts = index.items or () if several and isinstance(index, Items) else (index,)
    whole = (Constant(None), Constant(Ellipsis))
    if any(isinstance(part, Slice) or part in whole for part in parts):
        return False
    first = made.positional[0] if isinstance(made, Called) and made.positional else None
    before = first.shape if isinstance(first, Tensor) else None
    after = made.result.shape if isinstance(made.result, Tensor) else None
    if before is None or after is None or len(before) > len(after):
        return True
    added = len(after) - len(before)
    pairs = zip(before, after[added:], strict=True)
    grown = [*range(added), *(added + n for n, (old, new) in enumerate(pairs) if old != new)]
    return any(axis < len(parts) for axis in grown)


def copy_first(made: Called | UnknownCalled, source: Source) -> Fix | None:
    call = source.node_at(made, cst.Call)
    if call is None:
        return None
    edit = source.replace(call, f"{source.code(call)}.clone()")
    return Fix("expand into memory of its own", (edit,), Applicability.UNSAFE)
