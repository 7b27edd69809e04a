"""Whether conditions hold, and what comparisons give."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lintorch.evaluator.exporter_questions import ask_size_class
from lintorch.evaluator.exporters import EVERYONE, is_there
from lintorch.evaluator.far_sizes import never_meet
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.signatures.find_signatures import is_known
from lintorch.evaluator.sizes import Dim, compare, is_counted, join_varying
from lintorch.evaluator.values import (
    DATA_BOOL,
    FALSE,
    OPEN_BOOL,
    SLICED,
    TRUE,
    UNKNOWN,
    Array,
    Bound,
    ByExporter,
    Choice,
    Class,
    ClassOfNumber,
    Constant,
    External,
    Function,
    Held,
    Items,
    ModuleValue,
    Number,
    Question,
    Tensor,
    Unknown,
    Value,
    is_own,
    size_in,
)

OPERATORS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_DEFINITE = (Tensor, Array, Held, Function, Class, Items, ModuleValue, Bound, Number)


def decide(machine: Machine, value: Value) -> bool | None:
    """Whether a value counts as true; None where that is not known."""
    if isinstance(value, Constant):
        return bool(value.value)
    if isinstance(value, Number):
        return None if value.size is None else compare(value.size, "!=", 0)
    if isinstance(value, Items):
        if value.items is not None:
            return bool(value.items)
        return None
    if isinstance(value, Held):
        return _decide_held(machine, value)
    if isinstance(value, Choice):
        answers = {decide(machine, each) for each in value.alternatives}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(value, Tensor):
        machine.presumed = machine.presumed or value.data is None
        return None
    if isinstance(value, Bound) and _may_be_missing(value):
        return None
    if isinstance(value, External) and is_there(value.path):
        return True
    return True if isinstance(value, (Function, Class, ModuleValue, Bound)) else None


def _may_be_missing(value: Bound) -> bool:
    """Whether it is no method that modules have, but an attribute that nobody sets where this is followed."""
    function = value.function
    return isinstance(function, External) and (
        function.path.startswith("torch.nn.Module.") and not is_known(function.path)
    )


def _decide_held(machine: Machine, value: Held) -> bool | None:
    if value.kind == "object":
        return True
    held = machine.state.read(value.address)
    if value.kind == "list":
        items = held.get(ITEMS)
        return None if items is None else bool(items)
    return None if held.get("open") else len(held) > 0


def truth_value(answer: bool | None, *asked: Value) -> Value:
    """The value of a condition that was asked of values."""
    if answer is not None:
        return TRUE if answer else FALSE
    numbers = [number for each in asked for number in _numbers_in(each)]
    if any(each.data or (each.size is not None and is_counted(each.size)) for each in numbers):
        read = frozenset(via for each in numbers for via in each.via if via.data)
        return replace(DATA_BOOL, via=read) if read else DATA_BOOL
    if any(isinstance(each, Tensor) and each.data for each in asked):
        return DATA_BOOL
    arrays = [each for each in asked if isinstance(each, Array) and each.traced]
    if arrays:
        return replace(DATA_BOOL, via=frozenset(via for each in arrays for via in each.via))
    own = any(map(is_own, (*numbers, *asked)))
    if not numbers:
        return Number(None, True, truth=True, own=True) if own else OPEN_BOOL
    via = frozenset(via for each in numbers for via in each.via)
    questions = tuple(dict.fromkeys(question for number in numbers for question in number.asked))
    varying = join_varying(each.varies for each in numbers)
    return Number(None, True, varying, False, True, via, questions[:8], own)


def _numbers_in(value: Value) -> list[Number]:
    """A number, or those that a tuple holds."""
    given = value.items or (value.each,) if isinstance(value, Items) else (value,)
    return [each for each in given if isinstance(each, Number)]


def compare_values(machine: Machine, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
    """The value of `left OPERATOR right`, for one operator."""
    if isinstance(left, ClassOfNumber):
        return _compare_class(machine, kind, left.number, right)
    if kind in (ast.Is, ast.IsNot):
        if isinstance(left, ByExporter) and is_none(right):
            return ByExporter(EVERYONE - left.told) if kind is ast.Is else left
        return _negate_if(kind is ast.IsNot, is_same(left, right))
    if kind in (ast.In, ast.NotIn):
        asked = (left, right) if isinstance(right, Tensor) else (left,)
        decide(machine, right)
        return _negate_if(kind is ast.NotIn, is_member(machine, left, right), *asked)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _compare_tensor(kind, left, right)
    sign, function = OPERATORS[kind]
    if isinstance(left, Constant) and isinstance(right, Constant):
        with suppress(Exception):
            return Constant(bool(function(left.value, right.value)))
        return OPEN_BOOL
    sizes = size_in(left), size_in(right)
    if sizes[0] is not None and sizes[1] is not None:
        answer = _compare_sizes(sign, sizes[0], sizes[1])
        return ask_question(truth_value(answer, left, right), sign, left, right)
    if kind in (ast.Eq, ast.NotEq):
        sides = [_as_tuple(machine, left), _as_tuple(machine, right)]
        both = sides if all(_is_list(each) for each in (left, right)) else [left, right]
        found = _negate_if(kind is ast.NotEq, _is_equal(*both), *_list_open(*sides))
        return ask_question(found, sign, left, right)
    lists = [_list_plain(_as_tuple(machine, each)) for each in (left, right)]
    if None not in lists:
        with suppress(Exception):
            return Constant(bool(function(*lists)))
    return ask_question(truth_value(None, left, right), sign, left, right)


def _compare_class(machine: Machine, kind: type[ast.cmpop], number: Number, right: Value) -> Value:
    """`type(size) is int`, `type(size) in (int, float)`."""
    member = kind in (ast.In, ast.NotIn)
    kinds = known_items(machine, right) if member else (right,)
    paths = [each.path for each in kinds or () if isinstance(each, External)]
    found = ask_size_class(machine, number, paths) if kinds and len(paths) == len(kinds) else None
    if found is None:
        return OPEN_BOOL
    if kind not in (ast.IsNot, ast.NotEq, ast.NotIn):
        return found
    return ByExporter(EVERYONE - found.told) if isinstance(found, ByExporter) else _negate(found)


def _negate(answer: Value) -> Value:
    return Constant(not answer.value) if isinstance(answer, Constant) else OPEN_BOOL


def _list_plain(value: Value) -> list[Any] | None:
    """What a tuple holds, where all of it is known."""
    items = value.items if isinstance(value, Items) else None
    if items is None or not all(isinstance(each, Constant) for each in items):
        return None
    return [each.value for each in items if isinstance(each, Constant)]


def _compare_sizes(sign: str, left: Dim, right: Dim) -> bool | None:
    """The same of sizes; those that differ wherever an image is one never meet."""
    answer = compare(left, sign, right)
    if answer is None and sign in ("==", "!=") and never_meet(left, right):
        return sign == "!="
    return answer


def _compare_tensor(kind: type[ast.cmpop], left: Value, right: Value) -> Value:
    """No tensor is equal to None or a text; with anything else it gives a tensor."""
    tensor = left if isinstance(left, Tensor) else right
    other = right if tensor is left else left
    plain = is_none(other) or is_text(other)
    if kind in (ast.Eq, ast.NotEq) and plain and getattr(tensor, "sure", False):
        return Constant(kind is ast.NotEq)
    return UNKNOWN


def is_text(value: Value) -> bool:
    """Whether it is a string."""
    return isinstance(value, Constant) and isinstance(value.value, str)


def _is_list(value: Value) -> bool:
    return isinstance(value, Held) and value.kind == "list"


def _as_tuple(machine: Machine, value: Value) -> Value:
    """A list as the tuple of what is in it now."""
    if not _is_list(value) or not isinstance(value, Held):
        return value
    content = machine.state.read(value.address)
    return Items("tuple", content.get(ITEMS), content.get("each", UNKNOWN))


def ask_question(answer: Value, sign: str, left: Value, right: Value) -> Value:
    """An answer that remembers what was asked."""
    if isinstance(answer, Number) and not answer.data:
        return replace(answer, asked=(Question(sign, left, right),))
    return answer


def _is_equal(left: Value, right: Value) -> bool | None:
    if isinstance(left, Items) and isinstance(right, Items) and _are_alike(left, right):
        if left.items is None or right.items is None:
            return None
        if len(left.items) != len(right.items):
            return False
        pairs = [_is_equal_item(a, b) for a, b in zip(left.items, right.items, strict=True)]
        return False if False in pairs else None if None in pairs else True
    if isinstance(left, Choice) or isinstance(right, Choice):
        return is_same(left, right)
    if isinstance(left, Items) and isinstance(right, Held):
        return None if right.kind == "object" else False  # a tuple is no list
    if isinstance(left, Held) and isinstance(right, Items):
        return None if left.kind == "object" else False
    if isinstance(left, Held) and isinstance(right, Held):
        return None
    if is_none(left) is not is_none(right) and _are_definite(left, right):
        return False
    if isinstance(left, Constant) or isinstance(right, Constant):
        constant, other = (left, right) if isinstance(left, Constant) else (right, left)
        textual = isinstance(constant, Constant) and isinstance(constant.value, str)
        return False if textual and isinstance(other, _DEFINITE) else None
    if left == right and isinstance(left, (Class, External, Function)):
        return True
    return False if _are_other_classes(left, right) else None


def _are_alike(left: Items, right: Items) -> bool:
    """Whether they can be equal: a torch.Size is a tuple."""
    return left.kind == right.kind or {left.kind, right.kind} == {"tuple", "Size"}


def _list_open(left: Value, right: Value) -> tuple[Value, ...]:
    """The operands on which it depends whether two are equal: of tuples, the items that may differ.

    Of how many axes nothing is known, it is not known either whether one of those that vary decides.
    """
    if not isinstance(left, Items) or not isinstance(right, Items) or not _are_alike(left, right):
        return left, right
    if left.items is None or right.items is None:
        counted = not any(each.data for each in (*_numbers_in(left), *_numbers_in(right)))
        return () if counted else (left, right)
    pairs = zip(left.items, right.items, strict=False)
    return tuple(each for pair in pairs if _is_equal_item(*pair) is None for each in pair)


def _is_equal_item(left: Value, right: Value) -> bool | None:
    sizes = size_in(left), size_in(right)
    if sizes[0] is not None and sizes[1] is not None:
        return _compare_sizes("==", sizes[0], sizes[1])
    if isinstance(left, Constant) and isinstance(right, Constant):
        return bool(left.value == right.value)
    return _is_equal(left, right)


def is_none(value: Value) -> bool:
    """Whether it is None."""
    return isinstance(value, Constant) and value.value is None


def _are_definite(*values: Value) -> bool:
    return all(isinstance(each, (Constant, *_DEFINITE)) for each in values)


_PLAIN_CLASSES = frozenset(
    {"list", "tuple", "dict", "str", "int", "float", "bool", "set", "numpy.ndarray"}
)


def _are_other_classes(left: Value, right: Value) -> bool:
    """`type(x) is list` of a tensor, `type(self.conv) == nn.Conv3d` of a Conv2d."""
    paths = {each.path for each in (left, right) if isinstance(each, External)}
    plain = len(paths & _PLAIN_CLASSES) == 1 and "torch.Tensor" in paths
    return plain or len({*map(_name_layer, (left, right))} - {""}) == 2


def _name_layer(value: Value) -> str:
    """The name of a class of torch.nn; "" of anything else."""
    path = value.path if isinstance(value, External) else ""
    name = path.rpartition(".")[2]
    return name if path.startswith("torch.nn.") and name[:1].isupper() else ""


def is_same(left: Value, right: Value) -> bool | None:
    """`left is right`, where that is known."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Choice):
            answers = {is_same(each, other) for each in one.alternatives}
            return answers.pop() if len(answers) == 1 else None
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left == right
    if isinstance(left, (Unknown, External)) or isinstance(right, (Unknown, External)):
        if any(isinstance(each, Unknown) and each.path.endswith(SLICED) for each in (left, right)):
            return False if is_none(left) or is_none(right) else None
        if is_none(right) and isinstance(left, External) and is_there(left.path):
            return False
        same = isinstance(left, External) and left == right
        return True if same else False if _are_other_classes(left, right) else None
    if isinstance(left, Constant) or isinstance(right, Constant):
        constant = left if isinstance(left, Constant) else right
        number = isinstance(constant, Constant) and isinstance(constant.value, (int, float))
        other = right if constant is left else left
        return None if number and isinstance(other, Number) else False
    if isinstance(left, Tensor):
        return True if left is right else None  # handed on, as in `attend(x, x, x)`
    return True if left == right and not isinstance(left, Number) else None


def is_member(machine: Machine, value: Value, container: Value) -> bool | None:
    """`value in container`."""
    if isinstance(container, Constant) and isinstance(value, Constant):
        with suppress(Exception):
            return value.value in container.value
        return None
    if isinstance(container, Held) and container.kind == "dict":
        held = machine.state.read(container.address)
        if isinstance(value, Constant):
            with suppress(TypeError):
                if value.value in held:
                    return True
        return None if held.get("open") or not isinstance(value, Constant) else False
    items = known_items(machine, container)
    if items is None:
        return None
    answers = [_is_equal_item(value, each) for each in items]
    return True if True in answers else None if None in answers else False


def known_items(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items of a list, tuple, container of layers or dictionary (its keys); None where they are not all known."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Held):
        held = machine.state.read(value.address)
        if value.kind == "list" or ITEMS in held:
            return held.get(ITEMS)
        if isinstance(entries := held.get("entries"), Held) and value.kind == "object":
            return known_items(machine, entries)
        if value.kind == "dict" and not held.get("open"):
            return tuple(Constant(key) for key in held)
    if isinstance(value, Constant) and isinstance(value.value, str) and len(value.value) < 64:
        return tuple(Constant(each) for each in value.value)
    return None


def _negate_if(negated: bool, answer: bool | None, *asked: Value) -> Value:
    return truth_value(answer if answer is None or not negated else not answer, *asked)
