"""The operations of a model in the order in which they run, each with the modules that it runs in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lintorch.evaluator.events import Called, Entered, Occurrence
from lintorch.evaluator.values import Class, External, Held, Spot
from lintorch.facts.models.onnx_writes import list_writes


@dataclass(frozen=True)
class ModuleStep:
    """What may become nodes of an export.

    `spots` are the calls that led there, outermost first, the place itself last; `functions` the function
    that each of them stands in. `modules` are the addresses of the modules that it runs in, outermost
    first, a layer of torch included; `run` counts the passes through the innermost that is a file's own.
    `writes` is None where it may be written as anything.
    """

    name: str
    spots: tuple[Spot, ...]
    functions: tuple[str, ...]
    modules: tuple[int, ...]
    run: int
    writes: frozenset[str] | None
    attribute: str = ""
    """The name by which a layer is called: `conv` of `self.conv(x)`."""


@dataclass(frozen=True)
class FollowedModel:
    """One model of a file: its modules by path, and its steps."""

    name: str
    parts: Mapping[str, Held]
    steps: tuple[ModuleStep, ...]
    spent: bool = False

    def name_class(self, path: str) -> str:
        """The class of the module at a path, "" where there is none."""
        held = self.parts.get(path)
        if held is None:
            return ""
        if isinstance(held.of, Class):
            return held.of.name
        return held.of.path if isinstance(held.of, External) else ""


@dataclass
class _Run:
    number: int
    modules: tuple[int, ...]


def find_root(events: Iterable[Occurrence]) -> Held | None:
    """The object whose forward is entered first."""
    entered = (each for each in events if isinstance(each, Entered) and each.way.forward)
    return next((held for each in entered if (held := _find_module(each))), None)


def list_steps(events: Iterable[Occurrence], exporter: str, opset: int) -> Iterator[ModuleStep]:
    """All that may be written, in order."""
    runs: dict[tuple[object, ...], _Run] = {}
    count = 0
    for event in events:
        way = event.way
        if not way.forward:
            continue
        if isinstance(event, Entered):
            held = _find_module(event)
            if held is not None and way.names[-1].endswith(".forward"):
                around = _find_run(runs, event, len(way.names) - 1)
                count += 1
                before = around.modules if around else ()
                runs[way.names, way.spots] = _Run(count, (*before, held.address))
            continue
        writes = list_writes(event, exporter, opset)
        run = _find_run(runs, event, len(way.names))
        if run is None or (writes is not None and not writes):
            continue
        yield _make_step(event, run, writes)


def _make_step(event: Occurrence, run: _Run, writes: frozenset[str] | None) -> ModuleStep:
    modules, name, attribute = run.modules, type(event).__name__, ""
    if isinstance(event, Called):
        name = event.name
        layer = event.positional[0] if event.positional else None
        if name.endswith(".forward") and isinstance(layer, Held):
            modules = (*modules, layer.address)
            callee = event.node.func if isinstance(event.node, ast.Call) else None
            attribute = callee.attr if isinstance(callee, ast.Attribute) else ""
    spots = (*event.way.spots, event.spot)
    return ModuleStep(
        name, spots, event.way.names[-len(spots) :], modules, run.number, writes, attribute
    )


def _find_run(runs: Mapping[tuple[object, ...], _Run], event: Occurrence, most: int) -> _Run | None:
    """The innermost pass through a module that an event belongs to."""
    names, spots = event.way.names, event.way.spots
    outer = len(names) - len(spots)
    for length in range(most, outer, -1):
        run = runs.get((names[:length], spots[: length - outer]))
        if run is not None:
            return run
    return None


def _find_module(event: Entered) -> Held | None:
    """What `self` is in a method."""
    if not isinstance(event.node, ast.FunctionDef):
        return None
    spec = event.node.args
    first = next(iter((*spec.posonlyargs, *spec.args)), None)
    held = event.given.get(first.arg) if first else None
    return held if isinstance(held, Held) and held.kind == "object" else None
