"""What each opcode of a pickle does to the values in hand, with descriptions in the place of objects."""

from __future__ import annotations

from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Callable
from typing import Any

from lintorch.checkpoint.rebuild_tensor import (
    TABLES,
    describe_call,
    describe_legacy,
    make_table,
)
from lintorch.checkpoint.values import Global, Items, Made, Table, Tensor, Value
from lintorch.checkpoint.weights_only import WeightsOnly


class PickleState:
    """The stack, its marks and the memo of one pickle."""

    def __init__(
        self,
        find_persistent: Callable[[Value], Value],
        open_inner: Callable[[bytes], Value],
        weights_only: WeightsOnly,
    ) -> None:
        self.find_persistent, self.open_inner = find_persistent, open_inner
        self.weights_only = weights_only
        self.stack: list[Value] = []
        self.marked: list[list[Value]] = []
        self.memo: dict[int, Value] = {}
        self._places: dict[int, int] = {}

    def remember(self, place: int) -> None:
        """Keep the topmost value. Raises IndexError."""
        self.memo[place] = self.stack[-1]
        self._places[id(self.stack[-1])] = place

    def exchange_last(self, new: Value) -> None:
        """Put a value in the place of the topmost, also where that is remembered."""
        old, self.stack[-1] = self.stack[-1], new
        place = self._places.get(id(old), -1)
        if self.memo.get(place) is old:
            self.memo[place] = new

    def push(self, value: Value) -> None:
        """Put a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Value:
        """The topmost value. Raises IndexError."""
        return self.stack.pop()

    def pop_mark(self) -> list[Value]:
        """What stands above the last mark. Raises IndexError."""
        items = self.stack
        self.stack = self.marked.pop()
        return items


Step = Callable[[PickleState, Any], None]
STEPS: dict[str, Step] = {}
"""By the opcode's name in pickletools."""


def _step(*names: str) -> Callable[[Step], Step]:
    def add(step: Step) -> Step:
        STEPS.update(dict.fromkeys(names, step))
        return step

    return add


_INNER = "torch.storage._load_from_bytes"
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_PLAIN = """
    INT BININT BININT1 BININT2 LONG LONG1 LONG4 STRING BINSTRING SHORT_BINSTRING BINBYTES
    SHORT_BINBYTES BINBYTES8 BYTEARRAY8 UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8 FLOAT
    BINFLOAT
"""
for _name, _constant in _CONSTANTS.items():
    STEPS[_name] = lambda state, _, value=_constant: state.push(value)  # type: ignore[misc]
for _name in _PLAIN.split():
    STEPS[_name] = PickleState.push
for _name in ("PROTO", "FRAME"):
    STEPS[_name] = lambda state, _: None


STEPS["EMPTY_LIST"] = lambda state, _: state.push(Items())
STEPS["EMPTY_SET"] = lambda state, _: state.push(Items("set"))
STEPS["EMPTY_DICT"] = lambda state, _: state.push(Table())


@_step("MARK")
def _mark(state: PickleState, _: Any) -> None:
    state.marked.append(state.stack)
    state.stack = []


@_step("POP")
def _pop(state: PickleState, _: Any) -> None:
    if state.stack:
        state.pop()
    else:
        state.pop_mark()


@_step("POP_MARK")
def _pop_mark(state: PickleState, _: Any) -> None:
    state.pop_mark()


@_step("DUP")
def _repeat(state: PickleState, _: Any) -> None:
    state.push(state.stack[-1])


@_step("TUPLE")
def _make_tuple(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    state.push(tuple(items))


@_step("LIST")
def _make_list(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    state.push(Items("list", items))


@_step("FROZENSET")
def _make_set(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    state.push(Items("frozenset", items))


@_step("DICT")
def _make_dict(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    state.push(Table("dict", _pair(items)))


def _wrap_last(count: int) -> Step:
    def wrap(state: PickleState, _: Any) -> None:
        if len(state.stack) < count:
            raise IndexError("too few values")
        state.stack[-count:] = [tuple(state.stack[-count:])]

    return wrap


for _count in (1, 2, 3):
    STEPS[f"TUPLE{_count}"] = _wrap_last(_count)


@_step("PUT", "BINPUT", "LONG_BINPUT")
def _remember(state: PickleState, place: int) -> None:
    state.remember(place)


@_step("MEMOIZE")
def _remember_next(state: PickleState, _: Any) -> None:
    state.remember(len(state.memo))


@_step("GET", "BINGET", "LONG_BINGET")
def _recall(state: PickleState, place: int) -> None:
    if place not in state.memo:
        raise ValueError("nothing is remembered there")
    state.push(state.memo[place])


@_step("GLOBAL")
def _name_global(state: PickleState, argument: str) -> None:
    module, _, name = argument.partition(" ")
    _push_global(state, module, name)


@_step("STACK_GLOBAL")
def _name_stacked(state: PickleState, _: Any) -> None:
    name, module = state.pop(), state.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise TypeError("no names")
    _push_global(state, module, name)


def _push_global(state: PickleState, module: str, name: str) -> None:
    """As Python 3 calls what Python 2 wrote."""
    if (module, name) in NAME_MAPPING:
        module, name = NAME_MAPPING[(module, name)]
    elif module in IMPORT_MAPPING:
        module = IMPORT_MAPPING[module]
    found = Global(module, name)
    state.weights_only.see_global(found)
    state.push(found)


@_step("EXT1", "EXT2", "EXT4")
def _name_registered(state: PickleState, code: int) -> None:
    _push_global(state, "copyreg", f"extension {code}")


@_step("PERSID")
def _find_named(state: PickleState, name: str) -> None:
    state.push(state.find_persistent(name))


@_step("BINPERSID")
def _find_persistent(state: PickleState, _: Any) -> None:
    state.push(state.find_persistent(state.pop()))


@_step("APPEND")
def _append(state: PickleState, _: Any) -> None:
    item = state.pop()
    _add_items(state, [item])


@_step("APPENDS", "ADDITEMS")
def _append_all(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    _add_items(state, items)


def _add_items(state: PickleState, items: list[Value]) -> None:
    target = state.stack[-1]
    if not isinstance(target, (Items, Made)):
        raise TypeError("no list")
    target.items += items
    state.weights_only.see_append(target)


@_step("SETITEM")
def _set_item(state: PickleState, _: Any) -> None:
    value, key = state.pop(), state.pop()
    _add_pairs(state, [key, value])


@_step("SETITEMS")
def _set_items(state: PickleState, _: Any) -> None:
    items = state.pop_mark()
    _add_pairs(state, items)


def _add_pairs(state: PickleState, items: list[Value]) -> None:
    target = state.stack[-1]
    if not isinstance(target, (Table, Made)):
        raise TypeError("no dict")
    target.pairs += _pair(items)
    state.weights_only.see_setting(target)


def _pair(items: list[Value]) -> list[tuple[Value, Value]]:
    if len(items) % 2:
        raise ValueError("a key without a value")
    return list(zip(items[::2], items[1::2], strict=True))


@_step("REDUCE")
def _call(state: PickleState, _: Any) -> None:
    arguments, function = state.pop(), state.pop()
    _push_made(state, function, arguments)


@_step("NEWOBJ")
def _make_new(state: PickleState, _: Any) -> None:
    arguments, kind = state.pop(), state.pop()
    _push_made(state, kind, arguments)


@_step("NEWOBJ_EX")
def _make_with_names(state: PickleState, _: Any) -> None:
    names, arguments, kind = state.pop(), state.pop(), state.pop()
    state.push(Made(kind, (arguments, names)))


@_step("OBJ")
def _make_marked(state: PickleState, _: Any) -> None:
    kind, *arguments = state.pop_mark() or [None]
    state.push(Made(kind, tuple(arguments)))


@_step("INST")
def _make_named(state: PickleState, argument: str) -> None:
    module, _, name = argument.partition(" ")
    arguments = state.pop_mark()
    _push_global(state, module, name)
    state.push(Made(state.pop(), tuple(arguments)))


def _push_made(state: PickleState, function: Value, arguments: Value) -> None:
    made = Made(function, arguments)
    state.weights_only.see_call(made)
    if made.path in TABLES:
        state.push(make_table(made.path, arguments))
        return
    if made.path == _INNER and isinstance(arguments, tuple) and isinstance(arguments[0], bytes):
        state.push(state.open_inner(arguments[0]) or made)
        return
    state.push(describe_call(made.path, arguments) or made)


@_step("BUILD")
def _set_state(state: PickleState, _: Any) -> None:
    given, target = state.pop(), state.stack[-1]
    state.weights_only.see_state(target, given)
    if isinstance(target, Made):
        target.state = given
        if (tensor := describe_legacy(target.path, given)) is not None:
            state.exchange_last(tensor)
    elif isinstance(target, Table):
        target.state = given
    elif not isinstance(target, Tensor):
        raise TypeError("no object")
