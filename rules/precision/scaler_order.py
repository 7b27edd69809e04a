"""LT302: scale, backward, unscale_, step and update of a GradScaler in an order that fails."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.values import NONE, Constant, External, Held, Items, Spot
from lintorch.source import (
    EVERYTHING,
    STEPS,
    Act,
    Action,
    Passage,
    Role,
    Source,
    Subject,
    Training,
    TrainingRegion,
)

rule = Rule(
    __name__,
    code="LT302",
    summary="the calls of a GradScaler come in a wrong order",
    why="""
        A step in mixed precision is: scale(loss).backward(), unscale_ where gradients are to be
        looked at, step(optimizer), update(). Some wrong orders raise: unscale_ twice or after
        step, step twice, update without a step. The dear ones are silent. optimizer.step()
        instead of scaler.step(optimizer) applies gradients that are 65536 times too large, or,
        after unscale_, no longer skips steps with inf. update() before step(), or between the
        steps of two optimizers, divides by another scale than the one the gradients carry. A loss
        that is not scaled beside one that is counts 1/65536. float16 autocast without any scaler
        loses small gradients: 1e-9 became 0. Measured on torch 2.13.

        With `enabled=False`, or where CUDA is missing, every order passes, and the mistake comes
        to light on another machine; so it is reported all the same. Loops of frameworks that
        scale by themselves are not looked at, nor are gradients unscaled by hand.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu")
            for batch, target in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = (model(batch) - target).square().mean()
                scaler.scale(loss).backward()
                optimizer.step()
                scaler.update()
    """,
    good="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu")
            for batch, target in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = (model(batch) - target).square().mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
    """,
    remedy="call scaler.scale(loss).backward(), scaler.step(optimizer) and scaler.update(), in this order",
    proof="""
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        train(model, [(torch.ones(1, 2), torch.ones(1, 1))], optimizer)
        assert model.weight.abs().max() < 10
    """,
)

_CLOSURE = "torch.optim.LBFGS"
_OF_SCALERS = (Act.SCALE, Act.SCALER_STEP, Act.UNSCALE, Act.UPDATE)
_WRITTEN = {Act.SCALE: "scale", Act.UPDATE: "update"}
"""What is written counts, too: not all code is followed to its end."""
Fault = tuple[Action, str]


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told: set[Spot] = set()
    scaling = any(each.act in _OF_SCALERS for each in training.actions)
    for region in training.regions:
        found = _faults(region, training, source) if scaling else _without_scaler(region)
        for action, message in found:
            if action.at.spot not in told:
                told.add(action.at.spot)
                yield Hit(action.at, message)


def _without_scaler(region: TrainingRegion) -> Iterator[Fault]:
    """Of a file that knows no scaler: a loss from float16 autocast that runs backward and steps."""
    for passage in region.passages:
        acts = [each.act for each in passage.actions]
        if Act.PASSED in acts or Act.STEP not in acts or acts.count(Act.BACKWARD) != 1:
            continue
        for action in passage.actions[: acts.index(Act.BACKWARD)]:
            if action.act is Act.ENTER and _is_float16(action):
                yield action, "trains in float16 without a GradScaler: small gradients become 0"


def _is_float16(entered: Action) -> bool:
    """`autocast("cuda", dtype=torch.float16)`, or the autocast of CUDA, whose default it is."""
    made = entered.made
    if made is None or made.arguments.get("enabled") != Constant(True):
        return False
    dtype = made.arguments.get("dtype")
    if isinstance(dtype, External):
        return dtype.path in ("torch.float16", "torch.half")
    if made.name == "torch.cuda.amp.autocast":
        return "dtype" not in made.keyword and len(made.positional) < 2
    return dtype == NONE and made.arguments.get("device_type") == Constant("cuda")


def _faults(region: TrainingRegion, training: Training, source: Source) -> Iterator[Fault]:
    if not region.has(*_OF_SCALERS):
        return
    for action in region.actions:
        yield from _alone(action, region, training, source)
    by_hand = any(each.act in (Act.READ_SCALE, Act.GIVEN) for each in training.actions)
    for passage in region.passages:
        past = [] if by_hand else list(_passage_faults(passage))
        yield from past or _in_order(passage.actions)
        repeats = region.is_loop and not region.holds_loop and not _is_over_items(region, source)
        for later in region.passages if repeats else ():
            if not past and passage.precedes(later) and passage.actions and later.actions:
                yield from _across(passage, later, region)


def _alone(
    action: Action, region: TrainingRegion, training: Training, source: Source
) -> Iterator[Fault]:
    """What can be told of a call by itself."""
    if action.act is Act.SCALE:
        call = source.call_at(action.at)
        if call is not None and isinstance(source.parent(call), cst.Expr):
            yield action, "the scaled loss is thrown away: scale() changes nothing in place"
    if action.act is not Act.SCALER_STEP or action.by is None:
        return
    if "closure" in action.keywords:
        yield action, "step() is given a closure: an enabled GradScaler raises RuntimeError"
    elif isinstance(action.value, Held) and action.value.of == External(_CLOSURE):
        yield action, "LBFGS needs a closure: an enabled GradScaler raises RuntimeError"
    elif not _does(Act.SCALE, action.by, training, source) and _is_unscaled(region):
        yield action, f"no loss went through {action.by}.scale(): step() raises AssertionError"
    elif not _does(Act.UPDATE, action.by, training, source) and _repeats(region):
        yield action, f"{action.by}.update() is missing: the next step() raises RuntimeError"


def _does(act: Act, scaler: Subject, training: Training, source: Source) -> bool:
    """Whether a scaler, or one of the same name in another function, does something anywhere."""
    return f"{scaler.name}.{_WRITTEN[act]}(" in source.text or any(
        each.act is act
        and each.by is not None
        and (each.by == scaler or each.by.name == scaler.name)
        for each in training.actions
    )


def _is_unscaled(region: TrainingRegion) -> bool:
    """Whether losses run backward here, all of them plain, and nothing is done out of sight."""
    backward = region.list_acts(Act.BACKWARD)
    return bool(backward) and not any(each.by for each in backward) and not _is_passed(region)


def _repeats(region: TrainingRegion) -> bool:
    return region.is_loop and not _is_passed(region)


def _is_passed(region: TrainingRegion) -> bool:
    """Whether code that is not seen may use the scaler."""
    return any(_hands_on(each) for each in region.list_acts(Act.PASSED))


def _hands_on(action: Action) -> bool:
    return action.on is None or action.on == EVERYTHING or action.role is Role.SCALER


def _across(passage: Passage, later: Passage, region: TrainingRegion) -> Iterator[Fault]:
    """Faults that only the next iteration shows."""
    alone = (*_in_order(passage.actions), *_in_order(later.actions))
    known = {action.at.spot for action, _ in alone}
    for action, message in _in_order((*passage.actions, *later.actions)):
        if action.at.spot not in known and not region.rebinds(action.on):
            yield action, f"{message}, in the next iteration"


def _is_over_items(region: TrainingRegion, source: Source) -> bool:
    """Whether a loop goes over items that are known, one after the other: another one at each turn."""
    return any(
        isinstance(each.over, Items) and each.over.items is not None and each.over.kind != "range"
        for each in source.evaluation.list_repeated(region.began.way.root)
        if each.loop is region.node
    )


class _Order:
    """What one scaler has done, and to which optimizers, since its last update."""

    def __init__(self) -> None:
        self.unscaled: set[Subject | None] = set()
        self.stepped: set[Subject | None] = set()
        self.begun = False
        self.pending: Action | None = None
        """The update that came between a backward and the steps that are still to follow."""
        self.done: set[Subject | None] = set()
        """The optimizers that stepped before it: what they step by next is of a later backward."""
        self.backward = False

    def follow(self, action: Action) -> Iterator[Fault]:
        if action.act is Act.BACKWARD:
            self.begun = self.backward = True
            self.pending = None
        elif action.act is Act.UNSCALE:
            yield from self._unscale(action)
        elif action.act is Act.SCALER_STEP:
            yield from self._step(action)
        elif action.act is Act.UPDATE:
            yield from self._update(action)

    def _unscale(self, action: Action) -> Iterator[Fault]:
        call = f"unscale_({action.on})"
        if action.on in self.stepped:
            yield action, f"{call} after step() and before update() raises RuntimeError"
        elif action.on in self.unscaled:
            yield action, f"{call} a second time before update() raises RuntimeError"
        self.unscaled.add(action.on)

    def _step(self, action: Action) -> Iterator[Fault]:
        call = f"step({action.on})"
        if action.on in self.stepped:
            yield action, f"{call} a second time before update() raises RuntimeError"
        elif self.pending is not None and action.on not in self.done:
            message = f"update() before {call}: its gradients carry the scale from before"
            yield self.pending, message
        self.stepped.add(action.on)

    def _update(self, action: Action) -> Iterator[Fault]:
        if self.begun and not self.stepped and not self.unscaled:
            yield action, "update() with no step() since the last one raises AssertionError"
        self.pending = action if self.backward else None
        self.begun, self.backward, self.done = True, False, self.stepped
        self.unscaled, self.stepped = set(), set()


def _in_order(actions: tuple[Action, ...]) -> Iterator[Fault]:
    """The state machine of each scaler, run over a passage."""
    orders: dict[Subject, _Order] = {}
    for action in actions:
        if action.act is Act.PASSED and _hands_on(action):
            orders.clear()
        elif action.act is Act.PASSED:
            for order in orders.values():
                order.unscaled.discard(action.on)
                order.stepped.discard(action.on)
        elif action.by is not None:
            yield from orders.setdefault(action.by, _Order()).follow(action)


def _passage_faults(passage: Passage) -> Iterator[Fault]:
    """Steps past the scaler, and losses past it."""
    if any(each.act is Act.PASSED for each in passage.actions):
        return
    for action in passage.actions:
        backward = [each for each in passage.before(action) if each.act is Act.BACKWARD]
        scaled = [each for each in backward if each.by is not None]
        if action.act is Act.STEP and backward and len(scaled) == len(backward):
            yield from _plain_step(action, passage)
        if action.act is Act.SCALER_STEP and 0 < len(scaled) < len(backward):
            yield from _plain_loss(backward, passage)


def _plain_step(action: Action, passage: Passage) -> Iterator[Fault]:
    if any(e.act is Act.SCALER_STEP and e.on == action.on for e in passage.actions):
        return
    if any(e.act is Act.UNSCALE and e.on == action.on for e in passage.before(action)):
        yield action, f"{action.on}.step() does not skip gradients with inf, as scaler.step() would"
    else:
        message = f"{action.on}.step() applies gradients that are still scaled"
        yield action, message


def _plain_loss(backward: list[Action], passage: Passage) -> Iterator[Fault]:
    """One loss scaled and another not, where one optimizer takes both."""
    steps = {e.on for e in passage.actions if e.act in STEPS}
    if len(steps) > 1 or any(not each.is_sure for each in backward):
        return
    message = "this loss is not scaled, another of the same step is: it counts for nothing"
    for action in backward:
        if action.by is None:
            yield action, message
