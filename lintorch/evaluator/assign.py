"""Assignment: names, attributes, items, and unpacking."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.events import AttributeSet, ItemSet
from lintorch.evaluator.items import item_of, names_items
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.learn import learn_rank, settle_named
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.names import bind_name
from lintorch.evaluator.objects import derives_from, find_class_attribute
from lintorch.evaluator.proven_tensors import prove_bound
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.unknown_objects import ModelOutput, take_item
from lintorch.evaluator.values import (
    UNKNOWN,
    Choice,
    Class,
    Constant,
    Function,
    Given,
    Held,
    Items,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
    name_setting,
    size_in,
)


def assign_target(machine: Machine, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    if machine.watch is not None and isinstance(target, (ast.Name, ast.Attribute)):
        machine.watch.note_value(machine, target, value)
    if isinstance(target, ast.Name):
        settle_named(machine, target.id, value)
        bind_name(machine, target.id, prove_bound(machine, target.id, value))
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(machine, target, value)
    elif isinstance(target, ast.Starred):
        assign_target(machine, target.value, value)
    elif isinstance(target, ast.Attribute):
        held = machine.evaluate(target.value)
        machine.tell(AttributeSet, target, held, target.attr, value)
        set_attribute(machine, held, target.attr, value)
        if isinstance(held, Tensor) and target.attr == "data":
            _give_data(machine, target.value, held, value)
    elif isinstance(target, ast.Subscript):
        held, index = machine.evaluate(target.value), machine.evaluate(target.slice)
        machine.tell(ItemSet, target, held, index, value)
        set_item(machine, held, index, value)


def _give_data(machine: Machine, place: ast.expr, held: Tensor, value: Value) -> None:
    """`self.weight.data = self.weight.data.t()`: the same tensor, of another shape."""
    if not isinstance(value, Tensor) or value.shape is None or value.shape == held.shape:
        return
    shaped = replace(held, shape=value.shape)
    if isinstance(place, ast.Name):
        bind_name(machine, place.id, shaped)
    elif isinstance(place, ast.Attribute):
        set_attribute(machine, machine.evaluate(place.value), place.attr, shaped)


def _unpack(machine: Machine, target: ast.Tuple | ast.List, value: Value) -> None:
    if (
        isinstance(value, Items)
        and value.spread
        and len(target.elts) > len(value.spread[0] + value.spread[2])
    ):
        _unpack_spread(machine, target.elts, *value.spread)
    else:
        _unpack_all(machine, target.elts, value)


def _unpack_spread(
    machine: Machine,
    targets: list[ast.expr],
    ahead: tuple[Value, ...],
    middle: Value,
    behind: tuple[Value, ...],
) -> None:
    """`b, n, _, device = *x.shape, x.device`: what is left of the names between those that are sure is for the shape."""
    end = len(targets) - len(behind)
    inner = targets[len(ahead) : end]
    sure = [*targets[: len(ahead)], *targets[end:]]
    if any(isinstance(each, ast.Starred) for each in sure):
        _unpack_all(machine, targets, Items("tuple", None))
        return
    for each, item in zip(sure, (*ahead, *behind), strict=True):
        assign_target(machine, each, item)
    _unpack_all(machine, inner, middle)


def _unpack_all(machine: Machine, targets: list[ast.expr], value: Value) -> None:
    if isinstance(value, Choice):
        sized = [known_items(machine, each) for each in value.alternatives]
        fitting = [
            v
            for v, s in zip(value.alternatives, sized, strict=True)
            if s and len(s) == len(targets)
        ]
        value = fitting[0] if len(fitting) == 1 else UNKNOWN
    value = learn_rank(machine, value, [_name_of(each) for each in targets])
    items = _items_to_unpack(machine, value, len(targets))
    stars = [i for i, each in enumerate(targets) if isinstance(each, ast.Starred)]
    told = machine.marks or machine.tells_unknown
    named = isinstance(value, Unknown) and value.path and (told or names_items(machine, value))
    if (setting := name_setting(value)) and not stars:
        items = tuple(make_asked(machine, f"{setting}[{i}]") for i in range(len(targets)))
    elif named and not stars:
        items = tuple(machine.unknown_from(value, f"[{i}]") for i in range(len(targets)))
    if isinstance(value, ModelOutput) and not stars:
        items = tuple(take_item(value, i) or UNKNOWN for i in range(len(targets)))
    if items is None or (not stars and len(items) != len(targets)):
        machine.misfit = machine.misfit or items is not None
        each = _forget_rows(item_of(machine, value), value)
        for number, inner in enumerate(targets):
            if number and isinstance(value, Tensor):  # none of its items is another
                each = _forget_rows(item_of(machine, value), value)
            starred = isinstance(inner, ast.Starred)
            rest = _find_rest(value, stars, len(targets)) or each
            item = machine.hold_list(None, rest) if starred else each
            assign_target(machine, inner, item)
    elif not stars:
        for inner, item in zip(targets, items, strict=True):
            assign_target(machine, inner, item)
    else:
        _unpack_starred(machine, targets, stars[0], items)


def _forget_rows(each: Value, value: Value) -> Value:
    """An item of what is taken apart, of unknown axes where that goes along an axis that varies: it is something else then."""
    rows = value.shape[0] if isinstance(value, Tensor) and value.shape else None
    if rows is None or isinstance(rows, int) or not isinstance(each, Tensor):
        return each
    return replace(each, shape=None, sure=False)


def _find_rest(value: Value, stars: list[int], count: int) -> Value | None:
    """A size of `b, *axes, c = x.shape` or `b, c, *axes`, and of `*rows, c`: of neither, or not alone, of channels."""
    asked = isinstance(value, Items) and value.kind == "Size" and value.of_input
    between = bool(stars) and (stars[0] == 0 or count > 2)
    return Number(None, whole=True, varies=True) if asked and between else None


def _name_of(target: ast.expr) -> str:
    if isinstance(target, ast.Starred):
        return "*"
    return target.id if isinstance(target, ast.Name) else "_"


def _unpack_starred(
    machine: Machine, targets: list[ast.expr], star: int, items: tuple[Value, ...]
) -> None:
    after = len(targets) - star - 1
    middle = items[star : len(items) - after]
    ends = (*items[:star], machine.hold_list(middle), *items[len(items) - after :])
    for inner, item in zip(targets, ends, strict=False):
        assign_target(machine, inner, item)


def _items_to_unpack(machine: Machine, value: Value, wanted: int) -> tuple[Value, ...] | None:
    if isinstance(value, Tensor):
        count = value.shape[0] if value.shape else None
        known = isinstance(count, int)
        return tuple(item_of(machine, value) for _ in range(count)) if known else None  # type: ignore[arg-type]
    return known_items(machine, value)


def _find_setter(machine: Machine, held: Value, name: str) -> Function | None:
    """What a property has called where it is given a value."""
    if not isinstance(held, Held) or held.kind != "object":
        return None
    found = find_class_attribute(machine, held.of, name)
    return found.setter if isinstance(found, Function) else None


def set_attribute(machine: Machine, held: Value, name: str, value: Value) -> None:
    """`held.name = value`."""
    setter = _find_setter(machine, held, name)
    if setter is not None:
        machine.call(setter.node, setter, Given((held, value)))
    elif isinstance(held, Held) and held.kind == "object":
        several = held.address in machine.repeated.shared
        content = machine.state.write(held.address)
        if content.get(ITEMS) is not None and isinstance(value, Held):
            _contain_layer(held, content, name, value)
        content[name] = UNKNOWN if several else value
    elif isinstance(held, Class):
        machine.class_attributes[held.address][name] = value
    elif isinstance(held, Choice):
        for each in held.alternatives:
            if isinstance(each, Held) and each.kind == "object":
                machine.state.write(each.address)[name] = UNKNOWN


def _contain_layer(held: Held, content: dict[Any, Any], name: str, value: Held) -> None:
    """A layer that an nn.Sequential is given under a name is run as its last, or in the place of another."""
    if value.kind != "object" or not derives_from(held.of, "torch.nn.Sequential"):
        return
    items, older = content[ITEMS], content.get(name)
    replaced = any(each is older for each in items)
    content[ITEMS] = (
        tuple(value if each is older else each for each in items) if replaced else (*items, value)
    )


def set_item(machine: Machine, held: Value, index: Value, value: Value) -> None:
    """`held[index] = value`; of one of several it is not known which has changed."""
    if isinstance(held, Choice):
        for each in held.alternatives:
            machine.spoil(each)
    if not isinstance(held, Held):
        return
    content = machine.state.write(held.address)
    if held.kind == "object" and isinstance(entries := content.get("entries"), Held):
        set_item(machine, entries, index, value)
    elif held.kind == "dict":
        if isinstance(index, Constant):
            content[index.value] = value
        else:
            content["open"] = UNKNOWN
    elif held.kind == "list" or ITEMS in content:
        items = content.get(ITEMS)
        at = size_in(index)
        if items is not None and isinstance(at, int) and -len(items) <= at < len(items):
            at %= len(items)
            content[ITEMS] = (*items[:at], value, *items[at + 1 :])
        elif items is not None and isinstance(index, Slice):
            content[ITEMS] = _replace_slice(items, index, known_items(machine, value))
        else:
            content[ITEMS], content["each"] = None, UNKNOWN


def _replace_slice(
    items: tuple[Value, ...], index: Slice, given: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    """`items[a:b] = given`; None where not all is known."""
    ends = (index.start, index.stop, index.step)
    if given is None or not all(isinstance(each, Constant) for each in ends):
        return None
    changed = list(items)
    try:
        changed[slice(*(each.value for each in ends if isinstance(each, Constant)))] = given
    except (TypeError, ValueError):
        return None
    return tuple(changed)
