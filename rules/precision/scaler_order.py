"""LT302: scale, backward, unscale_, step and update of a GradScaler in an order that fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Act, Event, Path, Region, Source

rule = Rule(
    __name__,
    code="LT302",
    summary="the calls of a GradScaler come in a wrong order",
    why="""
        A step in mixed precision is: scale(loss).backward(), unscale_ where gradients are to be
        looked at, step(optimizer), update(). Some wrong orders raise: unscale_ twice or after
        step, step twice, update without a step. The dear ones are silent. optimizer.step()
        instead of scaler.step(optimizer) applies gradients that are 65536 times too large, or,
        after unscale_, no longer skips steps with inf. update() ahead of step(), or between the
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
    proof="""
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        train(model, [(torch.ones(1, 2), torch.ones(1, 1))], optimizer)
        assert model.weight.abs().max() < 10
    """,
)

_BY_TYPE = ("device_type", "dtype", "enabled")
_OF_CUDA = ("enabled", "dtype")
_AUTOCASTS = {
    "torch.autocast": _BY_TYPE,
    "torch.amp.autocast": _BY_TYPE,
    "torch.cuda.amp.autocast": _OF_CUDA,
}
_CLOSURE = "torch.optim.LBFGS"
_BY_HAND = ("get_scale", "inv_scale")
"""Words of files that may unscale gradients themselves."""


@rule.source(cst.Module, needs=("caler.step", "caler.scale", "caler.unscale_", "autocast"))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    told: set[cst.CSTNode] = set()
    look = _faults if source.mentions(("caler",)) else _without_scaler
    for region in source.paths.regions:
        for event, message in look(region, source):
            if event.node not in told:
                told.add(event.node)
                yield Hit(event.node, message)


def _without_scaler(region: Region, source: Source) -> Iterator[tuple[Event, str]]:
    """Of a file that knows no scaler: a loss from float16 autocast that runs backward and steps."""
    for path in region.paths:
        acts = [e.act for e in path.events]
        if Act.PASSED in acts or Act.STEP not in acts or acts.count(Act.BACKWARD) != 1:
            continue
        for event in path.events[: acts.index(Act.BACKWARD)]:
            if event.act is Act.ENTER and _is_float16(event.node, source):
                yield event, "trains in float16 without a GradScaler: small gradients become 0"


def _is_float16(node: cst.CSTNode, source: Source) -> bool:
    """`autocast("cuda", dtype=torch.float16)`, or the autocast of CUDA, whose default it is."""
    if not isinstance(node, cst.Call):
        return False
    name = source.name(node.func)
    names = _AUTOCASTS.get(name)
    given = source.arguments(node, *names) if names else None
    if given is None or not given.complete or "enabled" in given.by_name:
        return False
    dtype = given.get("dtype")
    if dtype is not None:
        return source.name(dtype) in ("torch.float16", "torch.half")
    return names is _OF_CUDA or given.value("device_type") == "cuda"


def _faults(region: Region, source: Source) -> Iterator[tuple[Event, str]]:
    if not region.has(Act.SCALE, Act.SCALER_STEP, Act.UNSCALE, Act.UPDATE):
        return
    for event in region.events:
        yield from _alone(event, region, source)
    for path in region.paths:
        past = list(_path_faults(path, source))
        yield from past or _in_order(path.events)
        for later in region.paths if region.is_loop and not region.holds_loop else ():
            if not past and path.precedes(later) and path.events and later.events:
                yield from _across(path, later, region)


def _alone(event: Event, region: Region, source: Source) -> Iterator[tuple[Event, str]]:
    """What can be told of a call by itself."""
    if event.act is Act.SCALE and isinstance(source.parent(event.node), cst.Expr):
        yield event, "the scaled loss is thrown away: scale() changes nothing in place"
    if event.act is not Act.SCALER_STEP or not isinstance(event.node, cst.Call):
        return
    call, scaler = event.node, event.by.rpartition(".")[2]
    given = call.args[0].value if call.args else None
    if any(a.keyword is not None and a.keyword.value == "closure" for a in call.args):
        yield event, "step() is given a closure: an enabled GradScaler raises RuntimeError"
    elif given is not None and _CLOSURE in {source.name(c.func) for c in source.built(given)}:
        yield event, "LBFGS needs a closure: an enabled GradScaler raises RuntimeError"
    elif not re.search(rf"\b{re.escape(scaler)}\.scale\(", source.text) and _unscaled(region):
        yield event, f"no loss went through {event.by}.scale(): step() raises AssertionError"
    elif not re.search(rf"\b{re.escape(scaler)}\.update\(", source.text) and _repeats(region):
        message = f"{event.by}.update() is missing: the next step() raises RuntimeError"
        yield event, message


def _unscaled(region: Region) -> bool:
    """Whether losses run backward here, all of them plain, and nothing is done out of sight."""
    backward = [e for e in region.events if e.act is Act.BACKWARD]
    return bool(backward) and not any(e.by for e in backward) and not _passed(region, "")


def _repeats(region: Region) -> bool:
    return region.is_loop and not _passed(region, "")


def _passed(region: Region, scaler: str) -> bool:
    """Whether code that is not seen may use the scaler."""
    return any(
        e.act is Act.PASSED and (e.on in ("self", scaler) or "caler" in e.on) for e in region.events
    )


def _across(path: Path, later: Path, region: Region) -> Iterator[tuple[Event, str]]:
    """Faults that only the next iteration shows."""
    known = {event.node for event, _ in (*_in_order(path.events), *_in_order(later.events))}
    for event, message in _in_order((*path.events, *later.events)):
        if event.node not in known and not region.rebinds(event.on):
            yield event, f"{message}, in the next iteration"


class _Order:
    """What one scaler has done, and to which optimizers, since its last update."""

    def __init__(self) -> None:
        self.unscaled: set[str] = set()
        self.stepped: set[str] = set()
        self.begun = False
        self.pending: Event | None = None
        """The update that came between a backward and the steps that are still to follow."""
        self.done: set[str] = set()
        """The optimizers that stepped before it: what they step by next is of a later backward."""
        self.backward = False

    def follow(self, event: Event) -> Iterator[tuple[Event, str]]:
        if event.act is Act.BACKWARD:
            self.begun = self.backward = True
            self.pending = None
        elif event.act is Act.UNSCALE:
            yield from self._unscale(event)
        elif event.act is Act.SCALER_STEP:
            yield from self._step(event)
        elif event.act is Act.UPDATE:
            yield from self._update(event)

    def _unscale(self, event: Event) -> Iterator[tuple[Event, str]]:
        if event.on in self.stepped:
            yield (
                event,
                f"unscale_({event.on}) after step() and before update() raises RuntimeError",
            )
        elif event.on in self.unscaled:
            yield event, f"unscale_({event.on}) a second time before update() raises RuntimeError"
        self.unscaled.add(event.on)

    def _step(self, event: Event) -> Iterator[tuple[Event, str]]:
        if event.on in self.stepped:
            yield event, f"step({event.on}) a second time before update() raises RuntimeError"
        elif self.pending is not None and event.on not in self.done:
            yield (
                self.pending,
                f"update() ahead of step({event.on}): its gradients carry the scale from before",
            )
        self.stepped.add(event.on)

    def _update(self, event: Event) -> Iterator[tuple[Event, str]]:
        if self.begun and not self.stepped and not self.unscaled:
            yield event, "update() with no step() since the last one raises AssertionError"
        self.pending = event if self.backward else None
        self.begun, self.backward, self.done = True, False, self.stepped
        self.unscaled, self.stepped = set(), set()


def _in_order(events: tuple[Event, ...]) -> Iterator[tuple[Event, str]]:
    """The state machine of each scaler, run over a path."""
    orders: dict[str, _Order] = {}
    for event in events:
        if event.act is Act.PASSED and (event.on == "self" or "caler" in event.on):
            orders.clear()
        elif event.act is Act.PASSED:
            for order in orders.values():
                order.unscaled.discard(event.on)
                order.stepped.discard(event.on)
        elif event.by and event.by != "?":
            yield from orders.setdefault(event.by, _Order()).follow(event)


def _path_faults(path: Path, source: Source) -> Iterator[tuple[Event, str]]:
    """Steps past the scaler, and losses past it."""
    if any(e.act is Act.PASSED for e in path.events) or source.mentions(_BY_HAND):
        return
    for event in path.events:
        before = path.before(event)
        backward = [e for e in before if e.act is Act.BACKWARD]
        scaled = [e for e in backward if e.by not in ("", "?")]
        if event.act is Act.STEP and backward and len(scaled) == len(backward):
            yield from _plain_step(event, path)
        if event.act is Act.SCALER_STEP and 0 < len(scaled) < len(backward):
            yield from _plain_loss(backward, path)


def _plain_step(event: Event, path: Path) -> Iterator[tuple[Event, str]]:
    if any(e.act is Act.SCALER_STEP and e.on == event.on for e in path.events):
        return
    if any(e.act is Act.UNSCALE and e.on == event.on for e in path.before(event)):
        yield event, f"{event.on}.step() does not skip gradients with inf, as scaler.step() would"
    else:
        message = f"{event.on}.step() applies gradients that are still scaled: use scaler.step()"
        yield event, message


def _plain_loss(backward: list[Event], path: Path) -> Iterator[tuple[Event, str]]:
    """One loss scaled and another not, where one optimizer takes both."""
    steps = {e.on for e in path.events if e.act in (Act.STEP, Act.SCALER_STEP)}
    if len(steps) > 1 or any(e.by == "?" for e in backward):
        return
    for event in backward:
        if not event.by:
            yield (
                event,
                "this loss is not scaled, another of the same step is: it counts for nothing",
            )
