"""Plain tensors that modules keep as attributes, and what the operators of a run did with them.

Tensors that follow the model to another device are those of its inputs and weights and all that is worked
out from them. A plain tensor, or one worked out from plain ones alone, stays; where both meet in
one operator, the model raises on any other device.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import torch
from torch import nn
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.running_layers import class_name
from lintorch.guest.watch.unregistered_layers import KeptAttribute, OutsideParts
from lintorch.record.events import PlainTensor
from lintorch.record.events.layer_facts import PlainTensorUse

_SHAPES = frozenset(
    ("expand_as", "view_as", "reshape_as", "broadcast_tensors", "is_same_size")
) | frozenset(f"{made}_like" for made in ("zeros", "ones", "empty", "full", "rand", "randn"))
"""Operators that only look at the shape of further tensors, or make a new one."""
_MOVES = frozenset(("to", "cuda", "cpu", "type_as", "numpy", "__array__", "item", "tolist"))
_COPIES = frozenset(("copy_", "__setitem__", "set_"))
"""Operators that may take tensors of two devices."""
_ANYWHERE = frozenset(("pack_padded_sequence", "_pack_padded_sequence"))
_OWN = ("_apply", "to", "cuda")
_ANY = frozenset(("setattr", "__dict__", "vars"))


@dataclass
class _Kept:
    """One plain tensor of one module, and what became of it so far."""

    path: str
    owner: nn.Module
    attribute: KeptAttribute
    tensor: torch.Tensor
    how: set[str] = field(default_factory=set)
    by: str = ""


class PlainTensorWatch:
    """Follows the plain tensors of a model through one run."""

    def __init__(
        self, root: nn.Module, outside: OutsideParts, inputs: Sequence[torch.Tensor]
    ) -> None:
        registered = {id(t) for t in (*root.parameters(), *root.buffers())}
        self._kept, self._lines = [], defaultdict(list)
        self._of: Any = WeakIdKeyDictionary()
        self._bound: Any = WeakIdKeyDictionary()
        for path, attribute in _attributes(root, outside):
            owner = attribute.owner()
            how, tensors = _found(owner, attribute, registered)
            self._lines[attribute.site].append(how)
            for tensor in tensors:
                kept = _Kept(path, owner, attribute, tensor)
                self._kept.append(kept)
                self._of[tensor] = (*self._of.get(tensor, ()), kept)
        if self._kept:
            for tensor in (*root.parameters(), *root.buffers(), *inputs):
                self._bound[tensor] = True

    def follow_operator(
        self, name: str, args: Sequence[Any], tensors: Sequence[torch.Tensor], out: Any
    ) -> None:
        """Take note of one operator."""
        if not self._kept or not tensors:
            return
        short, outs = name.rpartition(".")[2], list(find_tensors(out))
        bound = any(t in self._bound for t in tensors)
        plain = [t for t in tensors if t in self._of]
        if not plain:
            if bound and short != "cpu":
                self._bound.update((t, True) for t in outs)
            return
        use = _use(short, args, tensors, plain[0] is tensors[0], bound)
        kept = tuple(k for t in plain for k in self._of[t])
        if use == "computed" and not any(t.dim() for t in plain):
            use = "moved"  # what has no dimensions may meet any device
        for each in kept if use else ():
            each.how.add(use)
            each.by = each.by if each.by or use != "computed" else name
        for tensor in outs:
            if use in ("moved", "copied"):
                self._of.pop(tensor, None)  # where nothing had to be moved it is the very tensor
            if use in ("computed", "index") or (use == "moved" and bound):
                self._bound[tensor] = True
            elif not use and not (bound and tensor is not plain[0]):
                self._of[tensor] = kept

    def list_events(self) -> Iterator[PlainTensor]:
        """One event per line that set such attributes, where their use tells something."""
        for site, found in self._lines.items():
            here = [kept for kept in self._kept if kept.attribute.site == site]
            if bad := [kept for kept in here if "computed" in kept.how]:
                yield _event(bad[0], "computed")
            elif all(found) and all(kept.how for kept in here):
                how = {use for kept in here for use in kept.how} | {use for use in found if use}
                how.discard("kept")
                if how and "copied" not in how:
                    yield PlainTensor(site, use=cast(PlainTensorUse, sorted(how)[0]))


def _attributes(root: nn.Module, outside: OutsideParts) -> Iterator[tuple[str, KeptAttribute]]:
    """Attributes of the modules that the model holds and that no code of theirs moves."""
    paths = {id(module): path for path, module in root.named_modules()}
    kinds: set[Any] = {type(module) for module in nn.Module.modules(root)}
    named = {name for kind in kinds for name in _moved_by(kind)}
    for attribute in outside.attributes:
        owner = attribute.owner()
        path = None if owner is None else paths.get(id(owner))
        if path is not None and attribute.name not in named and not named & _ANY:
            yield path, attribute


@cache
def _moved_by(kind: Any) -> frozenset[str]:
    """The names that occur where a class does more than nn.Module when it is moved."""
    own = (getattr(kind, name, None) for name in _OWN)
    codes = [getattr(inspect.unwrap(f), "__code__", None) for f in own if inspect.isfunction(f)]
    torch_own = nn.Module._apply.__code__.co_filename
    return frozenset(
        name for code in codes if code and code.co_filename != torch_own for name in code.co_names
    )


def _found(
    owner: Any, attribute: KeptAttribute, registered: set[int]
) -> tuple[str, list[torch.Tensor]]:
    """How an attribute is now, and the plain tensors in it; "" where that is not known."""
    value = owner.__dict__.get(attribute.name)
    if attribute.name in owner._buffers or attribute.name in owner._parameters:
        return "registered", []
    if attribute.tensor is None:
        inside = [t for t in find_tensors(_listed(value)) if id(t) not in registered]
        return ("kept" if inside else "", inside)
    if value is None:
        return "none", []
    if value is not attribute.tensor() or id(value) in registered:
        return "", []
    return "kept", [value]


def _listed(value: Any) -> Any:
    return tuple(value.values()) if isinstance(value, dict) else value


def _use(short: str, args: Sequence[Any], tensors: Sequence[Any], first: bool, bound: bool) -> str:
    """What an operator does with a plain tensor; "" where it makes another plain one of it."""
    if short in _MOVES:
        given = any(isinstance(a, (torch.device, str, torch.Tensor)) for a in args[1:])
        return "moved" if short != "to" or given else "copied"
    if short in _COPIES:
        return "copied"
    if short in _ANYWHERE or (short == "__getitem__" and not first and bound):
        return "index"
    return "computed" if bound and short not in _SHAPES else ""


def _event(kept: _Kept, use: PlainTensorUse) -> PlainTensor:
    """Such as: `grid` of `head` (a YoloHead) met tensors of the model in `torch.Tensor.mul`."""
    tensor = kept.tensor
    return PlainTensor(
        kept.attribute.site,
        kept.path,
        class_name(kept.owner),
        use=use,
        attribute=kept.attribute.name,
        operator=kept.by,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
    )
