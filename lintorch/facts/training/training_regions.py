"""The orders in which the acts of a training step can happen, one passage for each path through it.

Of each loop and function the passages are counted out: branches are taken both ways, a condition
that was asked before as it came out then, inner loops turn once, errors are not followed. A region
with more than 64 passages is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.marks import Cell
from lintorch.evaluator.values import Spot
from lintorch.facts.training.acts import Act
from lintorch.facts.training.asked_before import Answers, add_answer, foresee_answer, forget_cells
from lintorch.facts.training.joined_subjects import join_subjects
from lintorch.facts.training.part_values import Subject, receiver_of
from lintorch.facts.training.training_actions import Action
from lintorch.facts.training.way_tree import (
    Block,
    Branch,
    Item,
    Leave,
    Making,
    Rebinding,
    TreeReader,
)
from lintorch.syntax.python_ast import list_nodes

_MOST = 64
_LONGEST = 300


class TooManyPassages(Exception):
    """The region has more ways through it than are followed."""


@dataclass(frozen=True)
class Passage:
    """One way through a region. `answers`: how what was asked came out. `end`: how it leaves.

    `lasting`: those of the answers that nothing in the region changes. `scaled`: the losses that
    are scaled at the end of it, by name.
    """

    actions: tuple[Action, ...] = ()
    answers: Answers = frozenset()
    end: str = ""
    lasting: Answers = frozenset()
    scaled: tuple[tuple[str, Subject], ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether the next turn follows, where the region is a loop."""
        return self.end in ("", "continue")

    def before(self, action: Action) -> tuple[Action, ...]:
        """The acts ahead of one."""
        return self.actions[: self._find(action)]

    def ahead_of(self, spot: Spot) -> tuple[Action, ...]:
        """The acts ahead of the first call at a place."""
        at = next((i for i, each in enumerate(self.actions) if each.at.spot == spot), 0)
        return self.actions[:at]

    def after(self, action: Action) -> tuple[Action, ...]:
        """The acts behind one."""
        return self.actions[self._find(action) + 1 :]

    def _find(self, action: Action) -> int:
        return next(i for i, each in enumerate(self.actions) if each is action)

    def holds(self, action: Action) -> bool:
        """Whether a call happens on it."""
        return any(each.at.spot == action.at.spot for each in self.actions)

    def precedes(self, other: Passage) -> bool:
        """Whether another may be that of the next turn: no lasting condition came out otherwise."""
        mine = {each.key: each.holds for each in self.lasting}
        return self.goes_on and all(mine.get(e.key, e.holds) == e.holds for e in other.lasting)


@dataclass(frozen=True, eq=False)
class TrainingRegion:
    """A loop or a function in which a model is trained; `node` is all of it, `began` its begin.

    `passages` leaves out those that end in an exception. `holds_loop`: whether an inner loop, which
    was followed once, holds acts too. `rebound`: the names that are given values in it; `made`: the
    addresses of objects that are made in it.
    """

    node: ast.AST
    began: Occurrence
    passages: tuple[Passage, ...]
    is_loop: bool
    holds_loop: bool
    rebound: frozenset[Cell]
    made: frozenset[int]
    makes: frozenset[str]
    """Of which foreign classes objects are made in it."""
    repeated: frozenset[Spot]
    """Where acts stand that happen in an inner loop."""

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All acts of all passages, each once."""
        found = {id(each): each for passage in self.passages for each in passage.actions}
        return tuple(found.values())

    def has(self, *acts: Act) -> bool:
        """Whether any of these acts happens on any passage."""
        return any(each.act in acts for each in self.actions)

    def list_acts(self, *acts: Act) -> list[Action]:
        """All of these acts."""
        return [each for each in self.actions if each.act in acts]

    def rebinds(self, subject: Subject | None) -> bool:
        """Whether something is another thing at each turn."""
        if subject is None:
            return False
        if subject.key.startswith("#") and subject.key[1:].isdigit():
            return int(subject.key[1:]) in self.made
        words = set(subject.text.replace("[", ".").split("."))
        unsure = ":" in subject.key
        return unsure and any(name in words for _, name in self.rebound)

    def always(self, action: Action) -> bool:
        """Whether a call happens on every passage."""
        return all(passage.holds(action) for passage in self.passages)

    def counts(self, action: Action) -> bool:
        """Whether a call happens only where `(i + 1) % n == 0` or the like came out so."""
        return all(
            any("Mod()" in answer.key for answer in passage.answers)
            for passage in self.passages
            if passage.holds(action)
        )


_FRAMEWORKS = frozenset(
    {
        "accelerate", "lightning", "pytorch_lightning", "deepspeed", "apex", "ignite", "fairscale",
        "colossalai", "torch_xla", "horovod", "opacus", "composer", "mmcv", "mmengine", "fastai",
        "flash", "catalyst", "skorch",
    }
)  # fmt: skip
"""Frameworks that step, scale or clear on their own."""


def imports_framework(file: CodeFile) -> bool:
    """Whether a file imports one of them, anywhere in it: its text is looked at first, which is quick."""
    if not any(name in file.text for name in _FRAMEWORKS):
        return False
    for node in list_nodes(file.tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] in _FRAMEWORKS for name in names):
            return True
    return False


def list_regions(events: Sequence[Occurrence], is_cut: bool) -> Iterator[TrainingRegion]:
    """The loops and functions of one root with acts of training in them, outer ones first."""
    items = TreeReader(events).read_root()
    if events:
        whole = _make_region(Block(events[0].node, events[0], (items,), is_cut))
        if whole is not None and any(isinstance(each, Action) for each in items):
            yield whole
    yield from _list_inner(items)


@dataclass(frozen=True)
class Training:
    """All that a file does to train models."""

    regions: tuple[TrainingRegion, ...]

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All acts of all regions."""
        return tuple(each for region in self.regions for each in region.actions)


def _list_inner(items: Iterable[Item]) -> Iterator[TrainingRegion]:
    for item in items:
        if isinstance(item, Branch):
            for side in item.sides:
                yield from _list_inner(side)
        elif isinstance(item, Block) and _holds_acts(item):
            region = _make_region(item)
            if region is not None:
                yield region
            for each in item.passes:
                yield from _list_inner(each)


def _make_region(block: Block) -> TrainingRegion | None:
    if block.is_cut:
        return None
    found: list[Passage] = []
    try:
        for items in block.passes:
            found += _follow(items, [Passage()])
    except TooManyPassages:
        return None
    cells = frozenset(_list_rebound(block))
    ways = join_subjects([each.actions for each in found])
    found = [replace(each, actions=way) for each, way in zip(found, ways, strict=True)]
    passages = [
        replace(each, lasting=forget_cells(each.answers, cells))
        for each in _merge(found)
        if each.end != "raise"
    ]
    if not any(each.actions for each in passages):
        return None
    passages.sort(key=lambda each: len(each.actions))
    inner = any(
        each.is_loop and _holds_acts(each) for items in block.passes for each in _list_blocks(items)
    )
    making = list(_list_made(block))
    made = frozenset(each.address for each in making)
    makes = frozenset(each.name for each in making)
    repeated = frozenset(
        action.at.spot
        for items in block.passes
        for each in _list_blocks(items)
        if each.is_loop
        for part in each.passes
        for action in _walk(part)
        if isinstance(action, Action)
    )
    return TrainingRegion(
        block.node, block.began, tuple(passages), block.is_loop, inner, cells, made, makes, repeated
    )


def _walk(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        if isinstance(item, Branch):
            for side in item.sides:
                yield from _walk(side)
        elif isinstance(item, Block):
            for each in item.passes:
                yield from _walk(each)


def _list_blocks(items: Iterable[Item]) -> Iterator[Block]:
    return (each for each in _walk(items) if isinstance(each, Block))


def _holds_acts(block: Block) -> bool:
    return any(isinstance(each, Action) for items in block.passes for each in _walk(items))


def _list_rebound(block: Block) -> Iterator[Cell]:
    for items in block.passes:
        for each in _walk(items):
            if isinstance(each, Rebinding):
                yield each.cell


def _list_made(block: Block) -> Iterator[Making]:
    for items in block.passes:
        for each in _walk(items):
            if isinstance(each, Making):
                yield each


# the passages


def _follow(items: Iterable[Item], states: list[Passage]) -> list[Passage]:
    over: list[Passage] = []
    for item in items:
        if not states:
            break
        if isinstance(item, Action):
            states = [_act(each, item) for each in states]
        elif isinstance(item, Rebinding):
            states = [_rebind(each, item) for each in states]
        elif isinstance(item, Leave):
            over += [replace(each, end=item.how) for each in states]
            states = []
        elif isinstance(item, Branch):
            states = _follow_branch(item, states)
        elif isinstance(item, Block):
            states = _follow_block(item, states)
        over += [each for each in states if each.end]
        states = [each for each in states if not each.end]
    return _merge(over + states)


def _follow_branch(branch: Branch, states: list[Passage]) -> list[Passage]:
    if not any(branch.sides):
        return states
    found: list[Passage] = []
    for index, side in enumerate(branch.sides):
        taken = states
        if branch.test is not None:
            taken = [
                replace(each, answers=add_answer(branch.test, each.answers, index == 0))
                for each in states
                if foresee_answer(branch.test, each.answers) in (None, index == 0)
            ]
        found += _follow(side, taken)
    return _merge(found)


def _follow_block(block: Block, states: list[Passage]) -> list[Passage]:
    absorbed = ("continue", "break") if block.is_loop else ("return",)
    for items in block.passes:
        states = _follow(items, [each for each in states if not each.end]) + [
            each for each in states if each.end
        ]
        states = [replace(each, end="") if each.end == "continue" else each for each in states]
    return [replace(each, end="") if each.end in absorbed else each for each in states]


def _act(state: Passage, action: Action) -> Passage:
    if action.act is Act.BACKWARD and action.by is None and state.scaled:
        action = replace(action, by=_find_scaler(action, state))
    return replace(state, actions=(*state.actions, action))


def _find_scaler(action: Action, state: Passage) -> Subject | None:
    """The scaler of the loss that a backward starts from."""
    receiver = receiver_of(action.at.node)
    if receiver is None:
        return None
    names = {each.id for each in ast.walk(receiver) if isinstance(each, ast.Name)}
    return next((scaler for name, scaler in state.scaled if name in names), None)


def _rebind(state: Passage, item: Rebinding) -> Passage:
    name = item.cell[1]
    scaled = tuple(each for each in state.scaled if each[0] != name)
    if item.scaler is not None:
        scaled += ((name, item.scaler),)
    answers = forget_cells(state.answers, (item.cell,))
    if scaled == state.scaled and answers is state.answers:
        return state
    return replace(state, scaled=scaled, answers=answers)


def _merge(states: Iterable[Passage]) -> list[Passage]:
    """Ways that did the same are one; of their answers the common ones stay."""
    same: dict[object, Passage] = {}
    for each in states:
        acts = tuple((a.at.spot, a.act, a.on, a.by) for a in each.actions)
        key = acts, each.end, each.scaled
        kept = same.get(key)
        same[key] = each if kept is None else replace(kept, answers=kept.answers & each.answers)
    if len(same) > _MOST or any(len(each.actions) > _LONGEST for each in same.values()):
        raise TooManyPassages
    return list(same.values())
