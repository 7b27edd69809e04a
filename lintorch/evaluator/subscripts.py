"""What `held[index]` gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.events import Indexed
from lintorch.evaluator.find_baked import is_sequence
from lintorch.evaluator.items import is_listed_data
from lintorch.evaluator.join import ITEMS, make_choice
from lintorch.evaluator.layers import LISTS
from lintorch.evaluator.learn import (
    is_input,
    name_axes,
    name_axis,
    name_film,
    name_sides,
    settle_cut,
    settle_steps,
    teach_width,
)
from lintorch.evaluator.machine import Machine, evaluates
from lintorch.evaluator.make_arguments import make_entry
from lintorch.evaluator.objects import find_class_attribute, list_ancestors
from lintorch.evaluator.operators.arguments import make_counted
from lintorch.evaluator.output_objects import is_output, read_field
from lintorch.evaluator.sizes import (
    Dim,
    compare,
    is_counted,
    largest,
    make_operation,
    make_symbol,
    smallest,
)
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.unknown_objects import take_item
from lintorch.evaluator.values import (
    NONE,
    SLICED,
    UNKNOWN,
    Array,
    Choice,
    Class,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
    Via,
    is_own,
    make_number,
    name_setting,
    size_in,
)


@evaluates(ast.Subscript)
def evaluate_subscript(machine: Machine, node: ast.Subscript) -> Value:
    """`held[index]`."""
    held, index = machine.evaluate(node.value), machine.evaluate(node.slice)
    if isinstance(held, Tensor) and held.shape is None and _goes_along_time(node.slice):
        machine.timed.add(held.ranked_as)
    index = _read_place(machine, node.slice, held, index)
    result = read_item(machine, node, held, index)
    machine.tell(Indexed, node, held, index, result)
    return result


def _read_place(machine: Machine, node: ast.AST, held: Value, index: Value) -> Value:
    """`parts[i]` of a list of Python, where `i` is a tensor: its number is read."""
    if not isinstance(index, Tensor) or not is_sequence(held):
        return index
    data, own = index.data is True, is_own(index)
    via = {Via("int", machine.spot(node), data=True)} if data or own else set()
    return Number(None, True, None, data=data, via=frozenset(via), own=own)


def read_item(machine: Machine, node: ast.AST, held: Value, index: Value) -> Value:
    """One item, or several of a slice."""
    if isinstance(held, Choice):
        found = [read_item(machine, node, each, index) for each in held.alternatives]
        return make_choice(tuple(found))
    if isinstance(held, Tensor):
        if is_input(held) and isinstance(index, Constant) and isinstance(index.value, str):
            return make_entry(machine, held, index.value)
        return index_tensor(machine, held, index)
    if isinstance(held, Array):
        return Array(None, traced=held.traced, via=held.via, dtype=held.dtype)
    if isinstance(held, Held) and held.kind == "dict":
        return _read_key(machine, held, index)
    if isinstance(held, Held) and held.kind == "object":
        return _read_by_method(machine, node, held, index)
    if isinstance(held, (Items, Held, Constant)):
        return _read_sequence(machine, held, index)
    if isinstance(held, Number) and is_listed_data(held):
        return held
    at = size_in(index)
    if isinstance(at, int) and (item := take_item(held, at)) is not None:
        return item
    if isinstance(held, External) and held.path in _GRIDS:
        return machine.call(node, held, Given(tuple(_list_bounds(index))))
    setting = name_setting(held)
    if setting and isinstance(index, Constant):
        return make_asked(machine, f"{setting}[{index.value}]")
    if isinstance(index, Slice):
        return Unknown(machine.unknown_from(held, SLICED).path or f"?{SLICED}")
    return machine.unknown_from(held, "[]")


_GRIDS = ("numpy.mgrid", "numpy.ogrid")
"""Functions of NumPy that are written as an index."""


def _list_bounds(index: Value) -> Iterator[Value]:
    """The numbers in `np.mgrid[:h, :w]`."""
    parts = index.items or () if isinstance(index, Items) else (index,)
    for each in parts:
        if isinstance(each, Slice):
            yield from (e for e in (each.start, each.stop) if e != NONE)


def _read_key(machine: Machine, held: Held, index: Value) -> Value:
    content = machine.state.read(held.address)
    if isinstance(index, Constant) and index.value != "open":
        try:
            return content.get(index.value, UNKNOWN)  # type: ignore[no-any-return]
        except TypeError:
            return UNKNOWN
    if "open" in content or not content or isinstance(index, Constant):
        return UNKNOWN
    return make_choice(tuple(content.values()))


def _read_by_method(machine: Machine, node: ast.AST, held: Held, index: Value) -> Value:
    method = find_class_attribute(machine, held.of, "__getitem__")
    if isinstance(method, Function):
        return machine.call(node, method, Given((held, index)))
    if is_output(held.of):
        return read_field(machine, held, index)
    items = machine.state.read(held.address).get(ITEMS)
    if items is not None:
        picked = _pick(machine, items, index, "object")
        if isinstance(picked, Items) and isinstance(index, Slice):
            return machine.hold("object", {ITEMS: picked.items}, _container_of(held))
        return picked
    named = machine.state.read(held.address).get("entries")
    return _read_key(machine, named, index) if isinstance(named, Held) else UNKNOWN


def _container_of(held: Held) -> External | Class | None:
    """What a slice of a container of layers is."""
    for each in list_ancestors(held.of):
        if isinstance(each, External) and each.path in LISTS:
            return each
    return held.of


def _read_sequence(machine: Machine, held: Value, index: Value) -> Value:
    items = known_items(machine, held)
    machine.asked.absent = machine.asked.absent or held == NONE
    if items is None:
        each = held.each if isinstance(held, Items) else None
        if isinstance(held, Held):
            each = machine.state.read(held.address).get("each")
        if isinstance(held, Items) and held.spread and index == Constant(0) and held.spread[0]:
            return held.spread[0][0]
        if isinstance(held, Items) and held.like_input and index == Constant(1):
            machine.counted.add(held.like_input)
        if isinstance(held, Items) and held.of_input:
            guess_rank(machine, held.of_input, index)
            if index == Constant(0):
                return _read_like(each, make_number(make_symbol("B")))
            if isinstance(index, Constant) and type(index.value) is int and index.value > 0:
                return _read_like(each, make_number(name_axis(machine, held.of_input, index.value)))
        if isinstance(index, Slice):
            if isinstance(held, Items):
                return Items(held.kind, None, held.each)
            return held if isinstance(held, Held) else UNKNOWN
        return each if isinstance(each, Value) else UNKNOWN
    kind = held.kind if isinstance(held, (Items, Held)) else "str"
    if kind == "Size" and isinstance(index, Constant) and isinstance(index.value, int):
        machine.misfit = machine.misfit or not -len(items) <= index.value < len(items)
    return _pick(machine, items, index, kind)


def _read_like(each: Value | None, size: Value) -> Value:
    """A size of `x.data.shape` remembers the `.data`."""
    if isinstance(each, Number) and isinstance(size, Number):
        return replace(size, via=size.via | each.via)
    return size


def guess_rank(machine: Machine, name: str, index: Value) -> None:
    """An input of which the third or fourth size is asked is an image, unless something says otherwise."""
    first = index.start if isinstance(index, Slice) else index
    wanted = (2, -2) if isinstance(index, Slice) else (2, 3)
    if isinstance(first, Constant) and first.value in wanted:
        timed = name in machine.timed and first.value in (2, 3)
        shape = name_sides(name, first.value + 1, (), (1,)) if timed else name_axes(name, 4)
        teach_width(machine, name, shape)


def _guess_indexed(machine: Machine, held: Tensor, parts: tuple[Value, ...]) -> None:
    """An input has the axes that it is indexed on, where these are three or more."""
    name = held.ranked_as
    counted = sum(_axes_taken(part) for part in parts if not isinstance(part, Tensor))
    if counted == len(parts) and counted in (3, 4):
        teach_width(machine, name, name_axes(name, counted))
    elif counted == len(parts) == 5:
        teach_width(machine, name, name_film(name) if _is_moving(parts[1]) else name_axes(name, 5))
    elif counted == len(parts) == 2 and parts[0] == WHOLE and _is_moving(parts[1]):
        machine.stepped.add(name)
        worked_out = held.origin != "input"  # nobody takes the columns of that apart
        if isinstance(parts[1], Slice) and (worked_out or NONE in (parts[1].start, parts[1].stop)):
            machine.shifted.add(name)
        batch, time, features = name_axes(name, 3)
        timed = name in machine.timed
        teach_width(machine, name, (batch, make_symbol(f"{name}.1") if timed else time, features))


def _goes_along_time(index: ast.expr) -> bool:
    """`x[:, t]`, `x[:, step]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else []
    named = len(parts) == 2 and isinstance(parts[1], ast.Name) and parts[1].id
    return bool(named and _STEPS.fullmatch(named))


_STEPS = re.compile(r"t|tt|ti|(time|step|frame)_?(i|idx|index|step)?|t_(i|idx|step)")


WHOLE = Slice(NONE, NONE, NONE)
"""`:`, all of an axis."""


def _is_moving(part: Value) -> bool:
    """`x[:, t]`, `x[:, t : t + n]` of a t that goes along an axis."""
    if isinstance(part, Slice):
        return any(map(_is_moving, (part.start, part.stop)))
    return isinstance(part, Number) and not part.truth


def _pick(machine: Machine, items: tuple[Value, ...], index: Value, kind: str) -> Value:
    if isinstance(index, Constant) and isinstance(index.value, int):
        return items[index.value] if -len(items) <= index.value < len(items) else UNKNOWN
    if isinstance(index, Slice):
        bounds = [_plain(each) for each in (index.start, index.stop, index.step)]
        if any(each is Ellipsis for each in bounds):
            return Items(kind, None) if kind != "list" else machine.hold_list(None)
        chosen = items[slice(*bounds)]
        if kind == "str":
            return Constant(
                "".join(str(each.value) for each in chosen if isinstance(each, Constant))
            )
        return machine.hold_list(chosen) if kind == "list" else Items(kind, chosen)
    return make_choice(items) if items and len(items) <= 8 else UNKNOWN


def _plain(value: Value) -> Any:
    """A bound of a slice; Ellipsis where it is not known."""
    return value.value if isinstance(value, Constant) else Ellipsis


def split_index(index: Value) -> tuple[Value, ...] | None:
    """What stands between the commas of `x[a, b]`; None of a tuple of which no more is known."""
    return index.items if isinstance(index, Items) and index.kind == "tuple" else (index,)


def index_tensor(machine: Machine, held: Tensor, index: Value) -> Value:
    """A part of a tensor, as PyTorch indexes."""
    parts = split_index(index)
    view = parts is not None and all(_is_basic(each) for each in parts)
    memory = held.memory if view else frozenset()
    shape = None
    if held.data is False and parts is not None:
        for each in parts:
            settle_cut(machine, each.stop if isinstance(each, Slice) else UNKNOWN)
    if held.shape is not None and parts is not None:
        parts = tuple(_list_as_tensor(machine, each) for each in parts)
        settle_steps(machine, held.shape, parts)
        shape = _share_count(machine, index_shape(held.shape, parts), held.shape, parts)
        many = sum(map(_axes_taken, parts)) > len(held.shape)
        machine.misfit = machine.misfit or (held.guessed and many)
    elif parts is not None and held.shape is None and held.ranked_as:
        _guess_indexed(machine, held, parts)
    ranked = shape is None and parts is not None and all(isinstance(p, Slice) for p in parts)
    return Tensor(
        shape,
        held.dtype,
        memory=memory,
        sure=held.sure,
        guessed=held.guessed,
        ranked_as=held.ranked_as if ranked else "",
        grown_from=_find_grown(held, parts or ()) if shape is None else "",
        rows=_find_rows(machine, held, parts) if shape is None and parts else None,
        data=_reads_data(held, index),
    )


def _find_rows(machine: Machine, held: Tensor, parts: Sequence[Value]) -> Dim | None:
    """How many rows data choose: by a mask, by places that were looked for, or before."""
    first = parts[0]
    if _is_mask(first):
        return _count_picked(machine, first, make_counted())
    if isinstance(first, Tensor) and first.shape is not None and len(first.shape) == 1:
        return first.shape[0] if is_counted(first.shape[0]) else None
    return held.rows if first == WHOLE and NONE not in parts else None


def _find_grown(held: Tensor, parts: Sequence[Value]) -> str:
    """The input of unknown shape behind whose batch `x[:, None]` puts an axis."""
    whole = all(each == WHOLE or each == Constant(...) for each in parts[2:])
    grown = len(parts) > 1 and parts[0] == WHOLE and parts[1] == NONE and whole
    return held.ranked_as or held.turned_from if grown else ""


def _share_count(
    machine: Machine,
    shape: tuple[Dim, ...] | None,
    before: tuple[Dim, ...],
    parts: Sequence[Value],
) -> tuple[Dim, ...] | None:
    """A shape with the count that its mask has picked before: of all tensors one mask picks as many rows."""
    masks = [each for each in parts if _is_mask(each)]
    counts = [each for each in shape or () if is_counted(each) and each not in before]
    if len(masks) != 1 or len(counts) != 1 or shape is None:
        return shape
    count = _count_picked(machine, masks[0], counts[0])
    return tuple(count if each == counts[0] else each for each in shape)


def _count_picked(machine: Machine, mask: Value, count: Dim) -> Dim:
    """How many rows a mask picks: what was found when it picked first, else the given count."""
    return machine.picked.setdefault(id(mask), (mask, count))[1]


def _is_mask(part: Value) -> TypeGuard[Tensor]:
    """Whether a tensor picks places; one of bytes does so too."""
    return isinstance(part, Tensor) and part.dtype in ("bool", "uint8")


def _reads_data(held: Tensor, index: Value) -> bool | None:
    """The same for a part; what is indexed on several axes is a tensor, and no list."""
    if isinstance(index, Tensor) and index.data and held.data is False:
        return True
    several = isinstance(index, Items) and index.kind == "tuple"
    return True if several and held.data is None else held.data


def _list_as_tensor(machine: Machine, part: Value) -> Value:
    """`[0, 2]` indexes as a tensor of these does."""
    items = known_items(machine, part) if isinstance(part, (Held, Items)) else None
    if not items or not all(map(_is_index, items)):
        return part
    return Tensor((len(items),), "int64")


def _is_basic(part: Value) -> bool:
    return isinstance(part, (Slice, Number)) or (
        isinstance(part, Constant) and not isinstance(part.value, bool)
    )


def index_shape(shape: tuple[Dim, ...], parts: tuple[Value, ...]) -> tuple[Dim, ...] | None:
    """The shape of a part; None where an index is not understood."""
    taken = sum(_axes_taken(part) for part in parts)
    found: list[Dim] = []
    axis, advanced = 0, None
    for part in parts:
        if isinstance(part, Constant) and part.value is Ellipsis:
            skipped = len(shape) - taken
            found.extend(shape[axis : axis + skipped])
            axis += max(skipped, 0)
        elif isinstance(part, Constant) and part.value is None:
            found.append(1)
        elif axis >= len(shape):
            return None
        elif isinstance(part, Slice):
            found.append(_slice_size(shape[axis], part))
            axis += 1
        elif _is_index(part):
            axis += 1
        elif isinstance(part, Tensor) and part.shape is not None and advanced is None:
            advanced = part
            if _is_mask(part):
                found.append(make_operation("data", *part.shape))
                axis += len(part.shape)
            else:
                found.extend(part.shape)
                axis += 1
        else:
            return None
    return (*found, *shape[axis:])


def _axes_taken(part: Value) -> int:
    if isinstance(part, Constant) and (part.value is None or part.value is Ellipsis):
        return 0
    if _is_mask(part) and part.shape is not None:
        return len(part.shape)
    return 1


def _is_index(part: Value) -> bool:
    if isinstance(part, Constant):
        return isinstance(part.value, int) and not isinstance(part.value, bool)
    return isinstance(part, Number) and not part.truth  # `probs > 0.5` may be a mask


def _slice_size(size: Dim, part: Slice) -> Dim:
    if part.of_one and not isinstance(part.start, Constant):
        return 1
    step = size_in(part.step) if part.step != Constant(None) else 1
    start = _bound_of(part.start, size, 0)
    stop = _bound_of(part.stop, size, size)
    if step is None or start is None or stop is None or step == 0:
        return make_operation("slice", size)
    if isinstance(step, int) and step < 0:
        return size if part.start == part.stop == Constant(None) else make_operation("slice", size)
    width = largest(stop - start, 0)
    return (width + step - 1) // step


def _bound_of(value: Value, size: Dim, default: Dim) -> Dim | None:
    if value == Constant(None):
        return default
    bound = size_in(value)
    if bound is None:
        return None
    if compare(bound, "<", 0):
        return largest(size + bound, 0)
    return smallest(bound, size) if compare(bound, ">=", 0) else None
