"""What einops makes of a tensor: `rearrange(x, "b (h p) w c -> b h (w c) p", p=2)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from lintorch.evaluator.events import Refused
from lintorch.evaluator.layers import FOREIGN_LAYERS
from lintorch.evaluator.learn import is_input, name_axes, teach_shape
from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.arguments import differ_surely, multiply_sizes
from lintorch.evaluator.sizes import Dim, compare, make_operation, take_remainder
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    UNKNOWN,
    Constant,
    Given,
    Held,
    Items,
    Tensor,
    Value,
    make_number,
    size_in,
)

_TOKEN = re.compile(r"\(|\)|\.\.\.|\w+")
Group = tuple[str, ...]


def split_pattern(side: str) -> list[Group]:
    """The axes of one side of a pattern, each a group of names."""
    groups: list[Group] = []
    open_group: list[str] | None = None
    for token in _TOKEN.findall(side):
        if token == "(":
            open_group = []
        elif token == ")":
            alone = open_group == ["..."]
            groups.append(("...", "1") if alone else tuple(open_group or ()))
            open_group = None
        elif open_group is not None:
            open_group.append(token)
        else:
            groups.append((token,))
    return groups


@does("einops.rearrange", "einops.reduce", "einops.repeat", "einops.einops.rearrange")
def rearrange_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`einops.rearrange(x, pattern, **sizes)`."""
    held, pattern = given.pick(0), given.pick(1, "pattern")
    if isinstance(held, Held) and held.kind == "list":
        held = _stack_list(machine, held)
    if not isinstance(held, Tensor) or not isinstance(pattern, Constant):
        return Tensor() if isinstance(held, Tensor) else UNKNOWN
    left, _, right = str(pattern.value).partition("->")
    groups = split_pattern(left)
    held = _learn_axes(machine, held, groups)
    sizes = {
        name: size for name, each in given.keyword.items() if (size := size_in(each)) is not None
    }
    wrong = _find_mismatch(held, groups, sizes)
    if wrong:
        machine.misfit = machine.misfit or not is_sound(held)
        machine.tell(Refused, node, "einops.rearrange", wrong, (held,), is_sound(held))
    shape = _read_shape(held, groups, sizes)
    if shape is None or wrong:
        return Tensor(None, held.dtype, data=held.data)
    return Tensor(
        _write_shape(split_pattern(right), shape), held.dtype, guessed=held.guessed, data=held.data
    )


def _stack_list(machine: Machine, held: Held) -> Value:
    items = known_items(machine, held)
    first = items[0] if items else None
    if not isinstance(first, Tensor) or items is None or first.shape is None:
        return Tensor()
    return Tensor((len(items), *first.shape), first.dtype, guessed=first.guessed)


def _learn_axes(machine: Machine, held: Tensor, groups: list[Group]) -> Tensor:
    if not is_input(held) or ("...",) in groups:
        return held
    shape = name_axes(held.name, len(groups))
    teach_shape(machine, held.name, shape)
    return Tensor(shape, held.dtype, held.origin, held.name, held.memory)


def is_sound(held: Tensor) -> bool:
    """Whether neither that it is a tensor nor its shape is only presumed."""
    return held.sure and not held.guessed


def _find_mismatch(held: Tensor, groups: list[Group], given: Mapping[str, Dim]) -> str:
    """Why a tensor does not fit the left side; "" where it does or may."""
    if held.shape is None or any("..." in group for group in groups):
        return ""
    if len(held.shape) != len(groups):
        return f"Wrong shape: expected {len(groups)} dims. Received {len(held.shape)}-dim tensor."
    for group, size in zip(groups, held.shape, strict=True):
        known = multiply_sizes(
            int(name) if name.isdigit() else given[name]
            for name in group
            if name.isdigit() or name in given
        )
        whole = all(name.isdigit() or name in given for name in group)
        if whole and group and differ_surely(size, known):
            return f"Shape mismatch, {size} != {known}"
        if not whole and compare(take_remainder(size, known), "==", 0) is False:
            return f"Shape mismatch, can't divide axis of length {size} in chunks of {known}"
    return ""


def _read_shape(
    held: Tensor, groups: list[Group], given: Mapping[str, Dim]
) -> dict[str, Dim | tuple[Dim, ...]] | None:
    """The size of each name on the left."""
    if held.shape is None or any("..." in group and len(group) > 1 for group in groups):
        return None
    found: dict[str, Dim | tuple[Dim, ...]] = dict(given)
    spread = len(held.shape) - (len(groups) - 1) if ("...",) in groups else 0
    axis = 0
    for group in groups:
        if group == ("...",):
            found["..."] = held.shape[axis : axis + spread]
            axis += spread
            continue
        if axis >= len(held.shape):
            return None
        _solve_group(group, held.shape[axis], found)
        axis += 1
    return found if axis == len(held.shape) else None


def _solve_group(group: Group, size: Dim, found: dict[str, Dim | tuple[Dim, ...]]) -> None:
    rest, open_names = size, []
    for name in group:
        known = int(name) if name.isdigit() else found.get(name)
        if known is None or isinstance(known, tuple):
            open_names.append(name)
        elif known != 1 and known != 0:
            rest = rest // known
    if len(open_names) == 1:
        found[open_names[0]] = rest
    for name in open_names if len(open_names) > 1 else ():
        found[name] = make_operation(f"axis {name}", size)


def _write_shape(
    groups: list[Group], found: Mapping[str, Dim | tuple[Dim, ...]]
) -> tuple[Dim, ...] | None:
    shape: list[Dim] = []
    for group in groups:
        spread = found.get("...") if group == ("...",) else None
        if isinstance(spread, tuple):
            shape.extend(spread)
            continue
        product: Dim = 1
        for name in group:
            size = int(name) if name.isdigit() else found.get(name)
            if size is None:
                return None
            product = product * (multiply_sizes(size) if isinstance(size, tuple) else size)
        shape.append(product)
    return tuple(shape)


def _call_einops_layer(machine: Machine, node: ast.AST, made: Given, given: Given) -> Value:
    return rearrange_tensor(
        machine, node, Given((*given.positional, *made.positional), made.keyword)
    )


for _name in ("Rearrange", "Reduce"):
    FOREIGN_LAYERS[f"einops.layers.torch.{_name}"] = _call_einops_layer


@does("einops.pack", "einops.unpack")
def pack_tensors(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`einops.pack([a, b], "b * d")`: a tensor and the packed shapes."""
    return Items("tuple", (Tensor(), UNKNOWN))


@does("einops.parse_shape")
def parse_shape(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`einops.parse_shape(x, "b c h w")`."""
    held, pattern = given.pick(0), given.pick(1, "pattern")
    if not isinstance(held, Tensor) or held.shape is None or not isinstance(pattern, Constant):
        return UNKNOWN
    names = str(pattern.value).split()
    entries = {n: make_number(s) for n, s in zip(names, held.shape, strict=False) if n != "_"}
    return machine.hold("dict", entries)
