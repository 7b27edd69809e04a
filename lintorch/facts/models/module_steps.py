"""The operations of a model in the order in which they run, each with the modules that it runs in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lintorch.evaluator.events import Called, Entered, Occurrence
from lintorch.evaluator.values import Class, Constant, External, Held, Spot, Value
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
    row: int = 0
    """Where the statement begins that it stands in."""
    attribute: str = ""
    """The name by which a layer is called: `conv` of `self.conv(x)`."""
    sizes: tuple[int, int] | None = None
    """Of a convolution or linear layer, the first two sizes of its weight, the smaller first."""


@dataclass(frozen=True)
class FollowedModel:
    """One model of a file: its modules by path, and its steps."""

    name: str
    parts: Mapping[str, Held]
    steps: tuple[ModuleStep, ...]
    spent: bool = False

    @property
    def used(self) -> frozenset[int]:
        """The addresses of the modules that something runs in."""
        return frozenset(address for step in self.steps for address in step.modules)

    @property
    def sizes(self) -> Mapping[int, tuple[int, int]]:
        """By address of a layer, the sizes of its weight, where they are known."""
        return {step.modules[-1]: step.sizes for step in self.steps if step.sizes}

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


def list_steps(
    events: Iterable[Occurrence], exporter: str, opset: int, begin: Callable[[Spot], int]
) -> Iterator[ModuleStep]:
    """All that may be written, in order; `begin` says in which row the statement at a place begins."""
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
        yield _make_step(event, run, writes, begin(event.spot))


def _make_step(event: Occurrence, run: _Run, writes: frozenset[str] | None, row: int) -> ModuleStep:
    modules, name, attribute, sizes = run.modules, type(event).__name__, "", None
    if isinstance(event, Called):
        name = event.name
        layer = event.positional[0] if event.positional else None
        if name.endswith(".forward") and isinstance(layer, Held):
            modules, sizes = (*modules, layer.address), _read_sizes(event.settings)
            callee = event.node.func if isinstance(event.node, ast.Call) else None
            attribute = callee.attr if isinstance(callee, ast.Attribute) else ""
    spots = (*event.way.spots, event.spot)
    functions = event.way.names[-len(spots) :]
    return ModuleStep(name, spots, functions, modules, run.number, writes, row, attribute, sizes)


def _read_sizes(settings: Mapping[str, Value]) -> tuple[int, int] | None:
    """What the constructor of a layer says of its weight, where it says it in numbers."""
    known = {
        k: v.value for k, v in settings.items() if isinstance(v, Constant) and type(v.value) is int
    }
    if "in_features" in known and "out_features" in known:
        given = known["in_features"], known["out_features"]
    elif "in_channels" in known and "out_channels" in known and known.get("groups", 0) > 0:
        given = known["in_channels"], known["out_channels"]
        outer = "output_padding" in settings
        given = (
            (given[0], given[1] // known["groups"])
            if outer
            else (given[0] // known["groups"], given[1])
        )
    else:
        return None
    return min(given), max(given)


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
