"""What a model keeps where nn.Module does not register it: layers that its constructor put elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import ReferenceType

import torch
from torch import nn

from lintorch.guest.watch.running_layers import class_name, depends_on_mode
from lintorch.record.trace import Event, Site

_DEPTH = 3


@dataclass(frozen=True)
class Attribute:
    """A line that gave a module a plain tensor, or a list, tuple or dict."""

    owner: ReferenceType[nn.Module]
    name: str
    site: Site
    tensor: ReferenceType[torch.Tensor] | None = None


@dataclass(frozen=True)
class Outside:
    """Modules that no other holds as its own, with the lines that made them; and attributes."""

    modules: Sequence[tuple[ReferenceType[nn.Module], Site]] = ()
    attributes: Sequence[Attribute] = ()


def layers(root: nn.Module, outside: Outside, called: Collection[int]) -> Iterator[Event]:
    """One `layer.outside` event per line that keeps layers in a plain container, or makes stray ones."""
    paths = {id(module): path for path, module in root.named_modules()}
    lines: dict[Site, list[Event | None]] = defaultdict(list)
    strays = _strays(outside, paths, called)
    for attribute in outside.attributes:
        owner = attribute.owner()
        if attribute.tensor is not None or owner is None or id(owner) not in paths:
            continue
        held = list(_held(owner.__dict__.get(attribute.name)))
        if held or attribute.name in owner._modules:
            found = _container(attribute, owner, held, paths, called)
            lines[attribute.site].append(
                found and replace(found, layer=paths[id(owner)], layer_class=class_name(owner))
            )
            for module in held:
                strays.pop(id(module), None)
    for module, site in strays.values():
        if not _hidden(root, module):
            lines[site].append(Event("layer.outside", site, value=1, args=_told(module, "", "")))
    yield from (event for events in lines.values() if (event := _worst(events)))


def _container(
    attribute: Attribute,
    owner: nn.Module,
    held: list[nn.Module],
    paths: dict[int, str],
    called: Collection[int],
) -> Event | None:
    """What is so of one list, tuple or dict; None where the run does not tell."""
    site, kind = attribute.site, type(owner.__dict__.get(attribute.name)).__name__
    lost = [m for m in held if id(m) not in paths and _has_state(m)]
    if not lost:
        reason = "has weights or a mode" if any(id(m) not in paths for m in held) else ""
        return Event("layer.outside", site, value=0, args={"reason": reason})
    ran = [m for m in lost if _ran(m, called)]
    if not ran or not any(map(_matters, ran)):
        return None
    return Event("layer.outside", site, value=len(ran), args=_told(ran[0], attribute.name, kind))


def _told(module: nn.Module, attribute: str, kind: str) -> dict[str, Any]:
    count = sum(weight.numel() for weight in module.parameters())
    return {
        "attribute": attribute,
        "kind": kind,
        "class": class_name(module).rpartition(".")[2],
        "parameters": count,
    }


def _strays(
    outside: Outside, paths: dict[int, str], called: Collection[int]
) -> dict[int, tuple[nn.Module, Site]]:
    """Unregistered layers that ran and would be missed, without those that others of them hold."""
    alive = [(m, site) for made, site in outside.modules if (m := made()) is not None]
    inner = {id(part) for m, _ in alive for part in m.modules() if part is not m}
    return {
        id(m): (m, site)
        for m, site in alive
        if id(m) not in inner and id(m) not in paths and _ran(m, called) and _matters(m)
    }


def _held(value: Any, depth: int = _DEPTH) -> Iterator[nn.Module]:
    """The modules that lie in a plain list, tuple or dict."""
    if isinstance(value, nn.Module) and depth < _DEPTH:
        yield value
    elif isinstance(value, (list, tuple, dict)) and depth:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _held(part, depth - 1)


def _hidden(root: nn.Module, module: nn.Module) -> bool:
    """Whether a layer is an attribute that was set past nn.Module, as only those do who mean to."""
    return any(module in owner.__dict__.values() for owner in root.modules())


def _has_state(module: nn.Module) -> bool:
    kept = any(True for _ in module.parameters()) or any(True for _ in module.buffers())
    return kept or any(map(depends_on_mode, module.modules()))


def _matters(module: nn.Module) -> bool:
    """Whether a layer has a mode or something to train: a frozen one may well be hidden on purpose."""
    weights = list(module.parameters())
    return any(w.requires_grad for w in weights) if weights else _has_state(module)


def _ran(module: nn.Module, called: Collection[int]) -> bool:
    return any(id(part) in called for part in module.modules())


def _worst(events: list[Event | None]) -> Event | None:
    """What is to say of a line: that layers are lost, else that none is wherever it ran."""
    lost = [event for event in events if event and event.value]
    if lost:
        return replace(lost[0], value=sum(event.value for event in lost))
    return events[0] if all(events) else None
