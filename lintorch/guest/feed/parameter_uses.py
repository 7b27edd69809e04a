"""How `forward` uses each of its parameters: as a tensor, or as a flag, a word, a number, a side."""

from __future__ import annotations

import ast
import enum
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.guess_lengths import is_named_as_lengths


class PlainKind(enum.Enum):
    """What a plain argument is."""

    FLAG = enum.auto()
    COUNT = enum.auto()
    NUMBER = enum.auto()
    WORD = enum.auto()
    SIDE = enum.auto()
    SIDES = enum.auto()
    NONE = enum.auto()


_DEEPEST_CALL = 3
"""Modules inside each other into which an argument is followed."""
_SHAPING_METHODS = frozenset(
    ("view", "reshape", "expand", "repeat", "unflatten", "new_zeros", "new_ones", "narrow", "topk")
)
_SHAPING_FUNCTIONS = frozenset(("zeros", "ones", "rand", "randn", "arange", "linspace", "topk"))
_COUNTING_FUNCTIONS = frozenset(("range", "xrange"))
_MADE_OF_NUMBERS = frozenset(("tensor", "as_tensor", "full", "Tensor", "FloatTensor", "LongTensor"))
_PACKING = "pack_padded_sequence"
_ON_ANYTHING = frozenset(("append", "items", "keys", "values", "get", "lower", "startswith"))
"""Methods that no tensor has."""


@dataclass(frozen=True)
class PlainParameter:
    """A parameter that takes no tensor.

    `words` are those that its text compares it with, and `side` which one it is of a size.
    """

    name: str
    kind: PlainKind
    words: tuple[str, ...] = ()
    side: str = ""


@dataclass(frozen=True)
class ParameterUses:
    """What the text of `forward` does with one parameter.

    `tensor`: what only a tensor can do; `vector`: a row per sample is spread over a map; `tested`: asked for its truth; `counted`: counted up to;
    `sized`: a size of a view; `unpacked`: the names that it is taken apart into; `passed`: what it
    is to a module that it is passed on to.
    """

    tensor: bool = False
    vector: bool = False
    tested: bool = False
    counted: bool = False
    sized: bool = False
    may_be_none: bool = False
    words: tuple[str, ...] = ()
    unpacked: tuple[str, ...] = ()
    passed: PlainParameter | None = None


FindPlain = Callable[[nn.Module, int], Mapping[str, PlainParameter]]


def read_parameter_uses(
    module: nn.Module, depth: int, find_plain: FindPlain
) -> Mapping[str, ParameterUses]:
    """The uses of each parameter; `depth` counts the modules that this one is inside of.

    `find_plain` tells what a module that a parameter is passed on to takes for plain.
    """
    tree = parse_source_of(module.forward)
    names = inspect.signature(module.forward).parameters
    reader = _UseReader(module, tree, depth, find_plain)
    return {name: reader.read_uses(name) for name in names}


class _UseReader:
    """Reads one `forward`."""

    def __init__(self, module: nn.Module, tree: ast.AST, depth: int, find_plain: FindPlain) -> None:
        self._module, self._depth, self._find_plain = module, depth, find_plain
        self._nodes = list(ast.walk(tree))
        self._loops = dict(find_loop_modules(self._nodes, module))
        self._inner: dict[nn.Module, set[str]] = {}

    def read_uses(self, name: str) -> ParameterUses:
        """What is done with one parameter, also by another name: `lengths` of `x, lengths = embed(text), text_len`."""
        uses = [self._read_named(each) for each in (name, *list_other_names(self._nodes, name))]
        return ParameterUses(
            tensor=any(each.tensor for each in uses),
            vector=any(each.vector for each in uses),
            tested=any(each.tested for each in uses),
            counted=any(each.counted for each in uses),
            sized=any(each.sized for each in uses),
            may_be_none=any(each.may_be_none for each in uses),
            words=tuple(dict.fromkeys(word for each in uses for word in each.words)),
            unpacked=next((each.unpacked for each in uses if each.unpacked), ()),
            passed=next((each.passed for each in uses if each.passed is not None), None),
        )

    def _read_named(self, name: str) -> ParameterUses:
        """What is done with what a name stands for."""
        passed, to_layer = (
            self._follow_calls(name) if self._depth < _DEEPEST_CALL else (None, False)
        )
        return ParameterUses(
            tensor=to_layer
            or any(_is_used_as_tensor(node, name) for node in self._nodes)
            or self._is_tensor_to_function(name),
            vector=any(_is_spread(node, name) for node in self._nodes),
            tested=any(_is_truth_asked(node, name) for node in self._nodes),
            counted=any(_is_counted(node, name) for node in self._nodes),
            sized=any(_is_size(node, name) for node in self._nodes),
            may_be_none=any(_is_compared_with_none(node, name) for node in self._nodes),
            words=tuple(dict.fromkeys(self._list_words(name))),
            unpacked=next((n for node in self._nodes if (n := _find_unpacked(node, name))), ()),
            passed=passed,
        )

    def _list_words(self, name: str) -> Iterator[str]:
        """The words that a parameter is compared with, and the keys of what the module keeps that it looks up."""
        for node in self._nodes:
            yield from _find_words(node, name)
            match node:
                case ast.Subscript(ast.Attribute(ast.Name("self"), kept), ast.Name(key)):
                    held = getattr(self._module, kept, None) if key == name else None
                    keys = held.keys() if isinstance(held, (nn.ModuleDict, dict)) else ()
                    yield from (each for each in keys if isinstance(each, str))

    def _follow_calls(self, name: str) -> tuple[PlainParameter | None, bool]:
        """What a parameter is to the modules that it is passed to, and whether it is a tensor to one of them."""
        plain: PlainParameter | None = None
        for node in self._nodes:
            called = self._find_called(node)
            keyword = find_keyword(node, name, called) if called is not None else ""
            if called is None or not keyword:
                continue
            if type(called).__module__.startswith("torch.nn"):
                return None, True
            if called not in self._inner:
                uses = read_parameter_uses(called, self._depth + 1, self._find_plain)
                self._inner[called] = {known for known, use in uses.items() if use.tensor}
            if keyword in self._inner[called]:
                return None, True
            plain = plain or self._find_plain(called, self._depth + 1).get(keyword)
        return plain, False

    def _is_tensor_to_function(self, name: str) -> bool:
        """Whether a function of the user's that it is passed to as it is does with it what only a tensor can do."""
        scope = getattr(inspect.unwrap(self._module.forward), "__globals__", {})
        for node in self._nodes:
            function = scope.get(getattr(getattr(node, "func", None), "id", ""))
            if not isinstance(node, ast.Call) or not inspect.isfunction(function):
                continue
            own = [*inspect.signature(function).parameters]
            spelled = [
                own for own, part in zip(own, node.args, strict=False) if _is_named(part, name)
            ]
            spelled += [key.arg for key in node.keywords if key.arg and _is_named(key.value, name)]
            within = [*ast.walk(parse_source_of(function))] if spelled else []
            if any(_is_used_as_tensor(part, each) for part in within for each in spelled):
                return True
        return False

    def _find_called(self, node: ast.AST) -> nn.Module | None:
        """The module that a call runs: `self.block(…)`, `block(…)` in a loop over `self.blocks`."""
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Name):
            return self._loops.get(node.func.id)
        return find_held_module(node.func, self._module)


def list_other_names(nodes: Sequence[ast.AST], name: str) -> Iterator[str]:
    """Names that are given a parameter as it is, and nothing else anywhere."""
    stored = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    for node in nodes:
        if not isinstance(node, ast.Assign) or stored[name]:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = [*zip(target.elts, value.elts, strict=False)]
        for called, given in pairs:
            if _is_named(given, name) and isinstance(called, ast.Name) and stored[called.id] == 1:
                yield called.id


def find_held_module(node: ast.AST, module: nn.Module) -> nn.Module | None:
    """The module that `self.block`, or `self.blocks[…]`, stands for."""
    if isinstance(node, ast.Subscript):
        return _take_first(find_held_module(node.value, module))
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
        found = module._modules.get(node.attr)
        return found if isinstance(found, nn.Module) else None
    return None


def _take_first(held: Any) -> nn.Module | None:
    if isinstance(held, (nn.ModuleList, nn.Sequential, nn.ModuleDict)) and len(held):
        return next(iter(held.values() if isinstance(held, nn.ModuleDict) else held), None)
    return None


def find_loop_modules(
    nodes: Iterable[ast.AST], module: nn.Module
) -> Iterator[tuple[str, nn.Module]]:
    """`block` of `for block in self.blocks`, also through `enumerate`."""
    for node in nodes:
        if not isinstance(node, (ast.For, ast.comprehension)):
            continue
        held, target = node.iter, node.target
        if isinstance(held, ast.Call) and getattr(held.func, "id", "") == "enumerate" and held.args:
            held = held.args[0]
            target = target.elts[-1] if isinstance(target, ast.Tuple) else target
        first = _take_first(find_held_module(held, module))
        if first is not None and isinstance(target, ast.Name):
            yield target.id, first


def find_called_module(
    node: ast.Call, module: nn.Module, looped: Mapping[str, nn.Module]
) -> nn.Module | None:
    """The part of a module that is called, by its own name or that of a loop over parts."""
    return looped.get(getattr(node.func, "id", "")) or find_held_module(node.func, module)


def find_keyword(node: ast.AST, name: str, called: nn.Module) -> str:
    """The name by which a module gets the parameter that a call passes to it."""
    return find_passed_name(node, name, called.forward)


def find_passed_name(node: ast.AST, name: str, called: Callable[..., Any]) -> str:
    """The name by which a function gets the parameter that a call passes to it."""
    if not isinstance(node, ast.Call):
        return ""
    for keyword in node.keywords:
        if getattr(keyword.value, "id", "") == name:
            return keyword.arg or ""
    for number, given in enumerate(node.args):
        if getattr(given, "id", "") == name:
            names = list(inspect.signature(called).parameters)
            return names[number] if number < len(names) else "input"
    return ""


def _is_named(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_used_as_tensor(node: ast.AST, name: str) -> bool:
    """`x.shape`, `x[:, 0]`, `torch.cat((x, y))`, `F.relu(x)`."""
    if isinstance(node, ast.Attribute) and _is_named(node.value, name):
        return node.attr not in _ON_ANYTHING and hasattr(torch.Tensor, node.attr)
    if isinstance(node, ast.Subscript) and _is_named(node.value, name):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        only = parts[0].value if isinstance(parts[0], ast.Constant) else ...
        return len(parts) > 1 or only is None or (only == 0 and is_named_as_lengths(name))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == _PACKING:
        return any(_is_named(part, name) for part in node.args[:2])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == _PACKING:
            return any(_is_named(part, name) for part in node.args[:2])
        home = getattr(node.func.value, "id", "")
        plain = _SHAPING_FUNCTIONS | _MADE_OF_NUMBERS
        if home in ("torch", "F") and node.func.attr not in plain and node.args:
            first = node.args[0]
            parts = first.elts if isinstance(first, (ast.Tuple, ast.List)) else [first]
            return any(_is_named(part, name) for part in parts)
    return False


def _is_spread(node: ast.AST, name: str) -> bool:
    """`c.view(c.size(0), c.size(1), 1, 1)`, `c[:, :, None, None]` and `c.unsqueeze(2).unsqueeze(3)`."""
    if isinstance(node, ast.Subscript) and _is_named(node.value, name):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        return [isinstance(part, ast.Slice) for part in parts] == [True, True, False, False]
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    ones = [part for part in node.args if getattr(part, "value", None) == 1]
    if node.func.attr in ("view", "reshape") and _is_named(node.func.value, name):
        return len(node.args) == 4 and len(ones) == 2 and ones == node.args[2:]
    inner = node.func.value
    twice = node.func.attr == "unsqueeze" and isinstance(inner, ast.Call)
    return twice and ast.unparse(node) in (
        f"{name}.unsqueeze(2).unsqueeze(3)",
        f"{name}.unsqueeze(-1).unsqueeze(-1)",
    )


def _is_truth_asked(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return _is_named(node.test, name)
    if isinstance(node, ast.BoolOp):
        return any(_is_named(part, name) for part in node.values)
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.Not)
        and _is_named(node.operand, name)
    )


def _is_counted(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _COUNTING_FUNCTIONS:
        return any(_is_named(part, name) for given in node.args for part in ast.walk(given))
    return False


def _is_size(node: ast.AST, name: str) -> bool:
    """An argument of `view`, `zeros` and their like, alone or in a sum."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    given: list[ast.AST] = []
    if node.func.attr in _SHAPING_METHODS or node.func.attr in _SHAPING_FUNCTIONS:
        given += node.args
    given += [key.value for key in node.keywords if key.arg == "size"]
    given += [key.value for key in node.keywords if getattr(node.func, "attr", "") == "rearrange"]
    plain = (part for part in given if not any(isinstance(p, ast.Call) for p in ast.walk(part)))
    return any(_is_named(part, name) for each in plain for part in ast.walk(each))


def _is_compared_with_none(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Compare) or not _is_named(node.left, name):
        return False
    return any(isinstance(part, ast.Constant) and part.value is None for part in node.comparators)


def _find_words(node: ast.AST, name: str) -> Iterator[str]:
    """The words that a parameter is compared with."""
    if isinstance(node, ast.Compare) and _is_named(node.left, name):
        for part in node.comparators:
            parts = part.elts if isinstance(part, (ast.Tuple, ast.List, ast.Set)) else [part]
            values = (each.value for each in parts if isinstance(each, ast.Constant))
            yield from (value for value in values if isinstance(value, str))


def _find_unpacked(node: ast.AST, name: str) -> tuple[str, ...]:
    """`h` and `w` of `h, w = size`."""
    if isinstance(node, ast.Assign) and _is_named(node.value, name):
        target = node.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            return tuple(getattr(part, "id", "") for part in target.elts)
    return ()
