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
from lintorch.record.events import OutsideLayers
from lintorch.record.sites import Site

_DEPTH = 3


@dataclass(frozen=True)
class KeptAttribute:
    """A line that gave a module a plain tensor, or a list, tuple or dict."""

    owner: ReferenceType[nn.Module]
    name: str
    site: Site
    tensor: ReferenceType[torch.Tensor] | None = None


@dataclass(frozen=True)
class OutsideParts:
    """Modules that no other holds as its own, with the lines that made them; and attributes."""

    modules: Sequence[tuple[ReferenceType[nn.Module], Site]] = ()
    attributes: Sequence[KeptAttribute] = ()


def find_outside_layers(
    root: nn.Module, outside: OutsideParts, called: Collection[int]
) -> Iterator[OutsideLayers]:
    """One event per line that keeps layers in a plain container, or makes stray ones."""
    paths = {id(module): path for path, module in root.named_modules()}
    lines: dict[Site, list[OutsideLayers | None]] = defaultdict(list)
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
            lines[site].append(_lost(site, module, 1))
    yield from (event for events in lines.values() if (event := _worst(events)))


def _container(
    attribute: KeptAttribute,
    owner: nn.Module,
    held: list[nn.Module],
    paths: dict[int, str],
    called: Collection[int],
) -> OutsideLayers | None:
    """What is so of one list, tuple or dict; None where the run does not tell."""
    site, kind = attribute.site, type(owner.__dict__.get(attribute.name)).__name__
    lost = [m for m in held if id(m) not in paths and _has_state(m)]
    if not lost:
        reason = "has weights or a mode" if any(id(m) not in paths for m in held) else ""
        return OutsideLayers(site, lost=0, reason=reason)
    ran = [m for m in lost if _ran(m, called)]
    if not ran or not any(map(_matters, ran)):
        return None
    return _lost(site, ran[0], len(ran), kind, attribute.name)


def _lost(
    site: Site, first: nn.Module, count: int, container: str = "", attribute: str = ""
) -> OutsideLayers:
    """That so many layers are lost, the `first` of them in words."""
    return OutsideLayers(
        site,
        lost=count,
        container=container,
        attribute=attribute,
        first_class=class_name(first).rpartition(".")[2],
        parameters=sum(weight.numel() for weight in first.parameters()),
    )


def _strays(
    outside: OutsideParts, paths: dict[int, str], called: Collection[int]
) -> dict[int, tuple[nn.Module, Site]]:
    """Unregistered layers that ran and would be missed, without those that others of them hold."""
    alive = [(m, site) for made, site in outside.modules if (m := made()) is not None]
    inner = {id(part) for m, _ in alive for part in nn.Module.modules(m) if part is not m}
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
    return any(module in owner.__dict__.values() for owner in nn.Module.modules(root))


def _has_state(module: nn.Module) -> bool:
    kept = any(True for _ in module.parameters()) or any(True for _ in module.buffers())
    return kept or any(map(depends_on_mode, nn.Module.modules(module)))


def _matters(module: nn.Module) -> bool:
    """Whether a layer has a mode or something to train: a frozen one may well be hidden on purpose."""
    weights = list(module.parameters())
    return any(w.requires_grad for w in weights) if weights else _has_state(module)


def _ran(module: nn.Module, called: Collection[int]) -> bool:
    return any(id(part) in called for part in nn.Module.modules(module))


def _worst(events: list[OutsideLayers | None]) -> OutsideLayers | None:
    """What is to say of a line: that layers are lost, else that none is wherever it ran."""
    lost = [event for event in events if event and event.lost]
    if lost:
        return replace(lost[0], lost=sum(event.lost for event in lost))
    return events[0] if all(events) else None
