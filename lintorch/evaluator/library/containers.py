"""Lists, dictionaries, tuples, ranges, and what goes over them."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from lintorch.evaluator.events import Repeated
from lintorch.evaluator.items import KEY, ask_keys, drop_repeats, item_of, items_of, tell_ordered
from lintorch.evaluator.join import ITEMS, make_choice
from lintorch.evaluator.learn import is_open
from lintorch.evaluator.library.table import LIBRARY, Handler, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import join_varying, make_symbol
from lintorch.evaluator.subscripts import read_item
from lintorch.evaluator.truth import decide, known_items
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Constant,
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

_MOST = 512


@does("slice")
def make_slice(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`slice(stop)`, `slice(start, stop, step)`."""
    ends = given.positional if len(given.positional) > 1 else (NONE, *given.positional)
    start, stop, step = (*ends, NONE, NONE, NONE)[:3]
    return UNKNOWN if given.open else Slice(start, stop, step)


@does("range")
def make_range(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`range(a, b, c)`."""
    machine.asked.note(machine.asked.counts, given.positional)
    if given.positional and all(
        isinstance(each, Constant) and isinstance(each.value, int) for each in given.positional
    ):
        with suppress(Exception):
            numbers = range(
                *(each.value for each in given.positional if isinstance(each, Constant))
            )
            if len(numbers) <= _MOST:
                return Items("range", tuple(map(Constant, numbers)))
    numbers_given = [each for each in given.positional if isinstance(each, Number)]
    stop = given.positional[min(1, len(given.positional) - 1)] if given.positional else UNKNOWN
    via = frozenset(
        (
            *(via for each in numbers_given for via in each.via),
            *_read_ends(machine, node, given.positional),
        )
    )
    varying = join_varying(each.varies for each in numbers_given) if numbers_given else None
    data = any(each.data for each in given.positional if isinstance(each, (Number, Tensor)))
    size = size_in(stop) if len(given.positional) == 1 else None
    ends = [size_in(each) for each in (stop, *_list_downwards(given.positional))]
    machine.ranged |= {str(each) for each in ends if is_open(each)}
    own = any(each.own for each in numbers_given)
    length = Number(size, True, varying, data, False, via, own=own)
    return Items("range", None, Number(None, True, False), length)


def _list_downwards(ends: Sequence[Value]) -> Iterator[Value]:
    """Of `range(n - 1, -1, -1)`, the `n`."""
    first = size_in(ends[0]) if len(ends) == 3 and ends[2] == Constant(-1) else None
    if first is not None:
        yield make_number(first + 1)


def _read_ends(machine: Machine, node: ast.AST, ends: Iterable[Value]) -> Iterator[Via]:
    """Where data became numbers: at the range itself where tensors are given to it."""
    for each in ends:
        if isinstance(each, Array):
            yield from each.via
        elif isinstance(each, Tensor) and each.sure and each.data and each.size_of is None:
            yield Via("range", machine.spot(node), data=True)


def _gather(kind: str) -> Handler:
    def gather(machine: Machine, node: ast.AST, given: Given) -> Value:
        if not given.positional:
            return machine.hold_list(()) if kind == "list" else Items(kind, ())
        value = given.positional[0]
        items = items_of(machine, value)
        if items is None and isinstance(value, Items) and value.kind == "range":
            machine.tell(Repeated, node, value)
        if items is None and isinstance(value, Items) and kind != "list":
            return Items(kind, None, value.each, value.length, value.of_input)
        each = item_of(machine, value)
        if "set" in kind and items is not None:
            items = drop_repeats(items)
        return machine.hold_list(items, each) if kind == "list" else Items(kind, items, each)

    return gather


for _kind in ("list", "tuple", "set", "frozenset"):
    LIBRARY[_kind] = _gather(_kind)
LIBRARY["torch.Size"] = _gather("Size")
LIBRARY["iter"] = _gather("generator")


@does("torch.broadcast_shapes")
def broadcast_sizes(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.broadcast_shapes(x.shape, y.shape)`: sizes, of which no more is known."""
    return Items("Size", None, Number(None, True))


@does("filter")
def filter_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`filter(function, items)`: known where each answer is."""
    function, value = given.pick(0) or UNKNOWN, given.pick(1) or UNKNOWN
    items = items_of(machine, value)
    if items is None:
        return Items("generator", None, item_of(machine, value))
    asked = [
        each if function == NONE else machine.call(node, function, Given((each,))) for each in items
    ]
    answers = [decide(machine, each) for each in asked]
    if None in answers:
        return Items("generator", None, make_choice(items))
    kept = (each for each, answer in zip(items, answers, strict=True) if answer)
    return Items("generator", tuple(kept))


@does("sorted")
def sort_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`sorted(items)`: in the order they come where it cannot be told."""
    items = items_of(machine, given.pick(0) or UNKNOWN)
    compared = ask_keys(machine, node, given.keyword.get("key"), items or ())
    if len(compared) > 1:
        tell_ordered(machine, node, "sorted", compared, chooses=True)
    turned = given.keyword.get("reverse", FALSE)
    if items is not None and "key" not in given.keyword and turned in (TRUE, FALSE):
        with suppress(Exception):
            known = [each.value for each in items if isinstance(each, Constant)]
            plain = sorted(known, reverse=turned == TRUE)
            if len(plain) == len(items):
                return machine.hold_list(tuple(map(Constant, plain)))
    if items is None:
        return machine.hold_list(None, item_of(machine, given.pick(0) or UNKNOWN))
    return machine.hold_list((make_choice(items),) * len(items) if items else ())


@does("reversed")
def reverse_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`reversed(items)`."""
    value = given.pick(0) or UNKNOWN
    items = items_of(machine, value)
    backwards = None if items is None else items[::-1]
    return Items("generator", backwards, item_of(machine, value), _length_of(value))


@does("enumerate")
def number_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`enumerate(items, start)`."""
    value = given.pick(0) or UNKNOWN
    items, first = items_of(machine, value), given.pick(1, "start")
    start = first.value if isinstance(first, Constant) and isinstance(first.value, int) else 0
    pairs = None
    if items is not None:
        pairs = tuple(Items("tuple", (Constant(start + i), each)) for i, each in enumerate(items))
    each = Items("tuple", (Number(None, True, False), item_of(machine, value)))
    return Items("generator", pairs, each, _length_of(value))


def _length_of(value: Value) -> Number | None:
    if isinstance(value, Items):
        return value.length
    if isinstance(value, Tensor) and value.shape:
        size = value.shape[0]
        return None if isinstance(size, int) else Number(size, True, size.varies)
    if isinstance(value, Tensor) and value.ranked_as and value.data and value.sure:
        return Number(make_symbol("B"), True, True)
    return None


def _is_kept_list(value: Value) -> bool:
    """Whether settings have made it, it is what an attribute of an object holds, or a list of which no more is known."""
    if isinstance(value, Held) and value.kind == "list":
        return True
    kept = isinstance(value, Unknown) and value.path.startswith("self.")
    return kept or bool(name_setting(value))


@does("zip")
def zip_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`zip(a, b)`."""
    if given.open:
        return Items("generator", None, Items("tuple", None))
    lists = [items_of(machine, each) for each in given.positional]
    known = [each for each in lists if each is not None]
    each = Items("tuple", tuple(item_of(machine, value) for value in given.positional))
    if not known:
        every = [_length_of(value) for value in given.positional]
        rounds = [found for found in every if found]
        bounded = any(map(_is_kept_list, given.positional))  # the shorter one counts
        varying = [found for found in rounds if found.varies and not bounded]
        rounds = [] if bounded else rounds
        return Items("generator", None, each, next(iter((*varying, *rounds)), None))
    length = min(map(len, known))
    full = [
        items[:length] if items is not None else (item_of(machine, value),) * length
        for items, value in zip(lists, given.positional, strict=True)
    ]
    rows = tuple(Items("tuple", tuple(row)) for row in zip(*full, strict=True))
    return Items("generator", rows, each)


@does("itertools.repeat")
def repeat_value(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`repeat(x, 2)`, as `tuple(repeat(size, 2))` makes a pair of one number."""
    value, times = given.pick(0, "object") or UNKNOWN, given.pick(1, "times")
    items = None
    if isinstance(times, Constant) and isinstance(times.value, int) and times.value <= _MOST:
        items = (value,) * max(0, times.value)
    return Items("generator", items, value, times if isinstance(times, Number) else None)


@does("itertools.chain")
def chain_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`chain(first, second)`."""
    lists = [None] if given.open else [items_of(machine, each) for each in given.positional]
    known = [each for each in lists if each is not None]
    if len(known) == len(lists):
        return Items("generator", tuple(itertools.chain(*known)))
    return Items("generator", None)


@does("itertools.product")
def pair_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`product(a, b)`: as many pairs as there are items of one for each of the other."""
    lists = [items_of(machine, each) for each in given.positional]
    each = Items("tuple", tuple(item_of(machine, value) for value in given.positional))
    if given.open or given.keyword or not lists:
        return Items("generator", None, Items("tuple", None))
    known = [items for items in lists if items is not None]
    if len(known) == len(lists) and math.prod(map(len, known)) <= machine.budget.items:
        rows = tuple(Items("tuple", row) for row in itertools.product(*known))
        return Items("generator", rows, each)
    rounds = [found for value in given.positional if (found := _length_of(value))]
    varying = [found for found in rounds if found.varies]
    return Items("generator", None, each, next(iter((*varying, *rounds)), None))


@does("map")
def map_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`map(function, items)`."""
    if len(given.positional) != 2:
        return UNKNOWN
    function, value = given.positional
    items = items_of(machine, value)
    if items is None:
        return Items(
            "generator", None, machine.call(node, function, Given((item_of(machine, value),)))
        )
    return Items("generator", tuple(machine.call(node, function, Given((each,))) for each in items))


@does("next")
def take_next(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`next(items)`."""
    return item_of(machine, given.pick(0) or UNKNOWN) if given.positional else UNKNOWN


@does("any", "all")
def ask_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`any(items)`: decided where all items are, or one that is enough."""
    value = given.pick(0) or UNKNOWN
    items = known_items(machine, value)
    enough = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "any"
    answers = {None if items is None else decide(machine, each) for each in items or (value,)}
    if items is not None and (enough in answers or None not in answers or not items):
        return Constant(enough if items and enough in answers else not enough)
    asked = items if items is not None else (item_of(machine, value),)
    data = any(each.data for each in asked if isinstance(each, (Number, Tensor)))
    numbers = [each for each in asked if isinstance(each, Number)]
    varying = join_varying(each.varies for each in numbers) if numbers else None
    return Number(None, True, varying, data, True, own=any(map(is_own, asked)))


@does("dict", "collections.OrderedDict", "collections.defaultdict")
def make_dict(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`dict(pairs, a=b)`."""
    content: dict[object, Value] = {}
    for value in given.positional:
        if isinstance(value, Held) and value.kind == "dict":
            content.update(machine.state.read(value.address))
            continue
        pairs = known_items(machine, value)
        for pair in pairs or ():
            entry = known_items(machine, pair)
            if entry and len(entry) == 2 and isinstance(entry[0], Constant):
                content[entry[0].value] = entry[1]
            else:
                content["open"] = UNKNOWN
        if pairs is None and not _is_callable(value):
            content["open"] = UNKNOWN
    content.update(given.keyword)
    if given.open:
        content["open"] = UNKNOWN
    return machine.hold("dict", content)


def _is_callable(value: Value) -> bool:
    return type(value).__name__ in ("External", "Class", "Function")


def _receive(machine: Machine, given: Given) -> tuple[Held | None, tuple[Value, ...] | None]:
    held = given.pick(0)
    if not isinstance(held, Held):
        return None, None
    items = machine.state.read(held.address).get(ITEMS)
    return held, items


@does("list.append", "torch.nn.ModuleList.append", "torch.nn.Sequential.append")
def append_item(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.append(x)`."""
    held, items = _receive(machine, given)
    value = given.pick(1) or UNKNOWN
    if held is not None:
        _store(machine, held, None if items is None else (*items, value), value)
    return NONE if held is None or held.kind == "list" else held


@does("list.extend", "torch.nn.ModuleList.extend")
def extend_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.extend(others)`."""
    held, items = _receive(machine, given)
    more = items_of(machine, given.pick(1) or UNKNOWN)
    if held is not None:
        both = None if items is None or more is None else (*items, *more)
        _store(machine, held, both, item_of(machine, given.pick(1) or UNKNOWN))
    return NONE


@does("list.insert", "torch.nn.ModuleList.insert")
def insert_item(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.insert(index, x)`."""
    held, items = _receive(machine, given)
    index, value = given.pick(1), given.pick(2) or UNKNOWN
    if held is not None:
        known = items is not None and isinstance(index, Constant) and isinstance(index.value, int)
        changed = list(items or ())
        if known and isinstance(index, Constant):
            changed.insert(index.value, value)
        _store(machine, held, tuple(changed) if known else None, value)
    return NONE


@does("list.pop")
def pop_item(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.pop(index)`."""
    held, items = _receive(machine, given)
    index = given.pick(1)
    at = index.value if isinstance(index, Constant) and isinstance(index.value, int) else -1
    if held is None or not items or (given.pick(1) is not None and not isinstance(index, Constant)):
        if held is not None:
            machine.spoil(held)
        return UNKNOWN
    if not -len(items) <= at < len(items):
        return UNKNOWN
    left = [*items]
    value = left.pop(at)
    _store(machine, held, tuple(left), UNKNOWN)
    return value


def _store(machine: Machine, held: Held, items: tuple[Value, ...] | None, each: Value) -> None:
    content = machine.state.write(held.address)
    before = content.get(ITEMS)
    known = items is not None and len(items) <= machine.budget.items
    content[ITEMS] = items if known else None
    if not known and held.kind == "list":
        older = before or (content.get("each", each),)
        content["each"] = make_choice((*older[:4], each))


@does("list.sort")
def sort_in_place(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.sort()`."""
    held = given.pick(0)
    if isinstance(held, Held):
        found = sort_items(machine, node, given)
        items = machine.state.read(found.address).get(ITEMS) if isinstance(found, Held) else None
        _store(machine, held, items, item_of(machine, found))
    return NONE


@does("list.reverse", "list.clear")
def reverse_in_place(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.reverse()`, `items.clear()`."""
    held, items = _receive(machine, given)
    clears = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "clear"
    if held is not None:
        _store(machine, held, () if clears else None if items is None else items[::-1], UNKNOWN)
    return NONE


@does("list.remove", "set.add", "set.update", "set.remove")
def change_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """What changes a list in a way that is not followed."""
    if isinstance(held := given.pick(0), Held):
        machine.spoil(held)
    return NONE


@does("list.index", "list.count", "tuple.index", "tuple.count", "Size.numel")
def find_index(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`items.index(x)`; of a Size the product of its sizes."""
    value = given.pick(0)
    if isinstance(value, Items) and value.kind == "Size" and value.items is not None:
        from lintorch.evaluator.arithmetic import combine_each

        total: Value = Constant(1)
        for item in value.items:
            total = combine_each(machine, node, "Mult", total, item)
        return total
    compared = (*(known_items(machine, value or UNKNOWN) or ()), given.pick(1) or UNKNOWN)
    tell_ordered(machine, node, "index", compared, chooses=True)
    return _find_constant(machine, node, given) or Number(None, True)


def _find_constant(machine: Machine, node: ast.AST, given: Given) -> Value | None:
    """The first place of a written value among written ones."""
    items, sought = known_items(machine, given.pick(0) or UNKNOWN), given.pick(1)
    asks = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "index"
    if not asks or items is None or not isinstance(sought, Constant) or given.pick(2):
        return None
    known = all(isinstance(each, Constant) for each in items) and sought in items
    return Constant(list(items).index(sought)) if known else None


@does("list.copy", "dict.copy", "copy.copy")
def copy_value(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A copy: of a list or dictionary a new one, of an object too."""
    value = given.pick(0) or UNKNOWN
    if isinstance(value, Held):
        return machine.hold(value.kind, machine.state.read(value.address), value.of)
    return value


@does("copy.deepcopy")
def copy_deeply(machine: Machine, node: ast.AST, given: Given) -> Value:
    """The same; of a tensor one with memory of its own."""
    value = copy_value(machine, node, given)
    if isinstance(value, Tensor):
        return replace(value, memory=frozenset())
    return Unknown(value.path) if type(value) is Unknown else value


@does("dict.get", "dict.pop", "dict.setdefault")
def get_entry(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`entries.get(key, default)`."""
    held, key = given.pick(0), given.pick(1)
    default = given.pick(2, "default") or NONE
    if not isinstance(held, Held) or not isinstance(key, Constant):
        return UNKNOWN
    name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
    content = machine.state.read(held.address)
    with suppress(TypeError):
        if key.value in content and key.value != "open":
            value: Value = content[key.value]
            if name == "pop":
                del machine.state.write(held.address)[key.value]
            return value
        if name == "setdefault" and "open" not in content:
            machine.state.write(held.address)[key.value] = default
    return UNKNOWN if "open" in content else default


@does("dict.__getitem__")
def get_item(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`super().__getitem__(key)` of a class that derives from a dictionary."""
    return read_item(machine, node, given.pick(0) or UNKNOWN, given.pick(1) or UNKNOWN)


@does("dict.keys", "dict.values", "dict.items")
def list_entries(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`entries.items()`, keys and values apart are of methods of their own."""
    held = given.pick(0)
    content = machine.state.read(held.address) if isinstance(held, Held) else {"open": UNKNOWN}
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else "items"
    )
    if "open" in content:
        each = {"items": Items("tuple", (KEY, UNKNOWN)), "keys": KEY}.get(name, UNKNOWN)
        return Items(name, None, each)
    if name == "keys":
        return Items(name, tuple(Constant(key) for key in content))
    if name == "values":
        return Items(name, tuple(content.values()))
    return Items(name, tuple(Items("tuple", (Constant(k), v)) for k, v in content.items()))


@does("torch.Tensor.keys")
def list_input_keys(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`batch.keys()` of an input, which is a mapping then."""
    return Items("keys", None, KEY)


@does("dict.update")
def update_entries(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`entries.update(others, a=b)`."""
    held, other = given.pick(0), given.pick(1)
    if isinstance(held, Held):
        content = machine.state.write(held.address)
        if isinstance(other, Held) and other.kind == "dict":
            content.update(machine.state.read(other.address))
        elif other is not None or given.open:
            content["open"] = UNKNOWN
        content.update(given.keyword)
    return NONE


@does("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "rich.progress.track")
def show_progress(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`tqdm(items)`: goes over the same."""
    return given.pick(0, "iterable") or UNKNOWN
