"""How a file's own code builds and calls its models, seen while its roots run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.state import State
from lintorch.evaluator.values import (
    Class,
    Constant,
    Given,
    Held,
    Items,
    Tensor,
    Unknown,
    Value,
    name_setting,
)
from lintorch.syntax.python_ast import has_enough, takes_by_position


@dataclass(frozen=True)
class Built:
    """An object as it was built: the heap behind its constructor, and what that was given."""

    made: Held
    given: Given
    state: State
    sure: bool = True
    """Whether it surely is built so, and not on a branch that nothing decides."""

    @property
    def is_known(self) -> bool:
        """Whether all that the constructor was given is known."""
        return not self.given.open and not any(map(self._is_open, self.given.values))

    def _is_open(self, value: Value) -> bool:
        """Whether it is unknown, or an object of settings of which one is."""
        if not isinstance(value, Held) or value.kind != "object":
            return isinstance(value, Unknown)
        return any(map(name_setting, self.state.read(value.address).values()))


@dataclass
class Witness:
    """Of the classes of one file: the best that is known of their making and use."""

    file: CodeFile
    built: dict[Class, Built] = field(default_factory=dict)
    fed: dict[Class, Given] = field(default_factory=dict)
    """What a forward was given outside of other models' forwards."""
    called: set[Class] = field(default_factory=set)
    """Classes of any file whose forward was run."""
    sighted: set[Class] = field(default_factory=set)
    """Those that were given something of which it is known how its sizes vary, or no tensor."""
    used: dict[Class, Given] = field(default_factory=dict)
    """What a forward was given in a call that gave most."""

    def note_built(
        self, kind: Class, made: Held, given: Given, state: State, sure: bool = True
    ) -> None:
        """An object was made; the first of which all arguments are known counts, else the first."""
        if kind.file is not self.file:
            return
        older = self.built.get(kind)
        if older is None or not older.is_known:
            new = Built(made, given, state)
            if older is None or new.is_known:
                self.built[kind] = Built(made, given, state.fork(), sure)

    def note_called(self, kind: Class, given: Given, in_forward: bool) -> None:
        """An object was called."""
        self.called.add(kind)
        tensors = [each for each in given.values if isinstance(each, (Tensor, Items))]
        if not tensors or any(map(_is_measured, tensors)):
            self.sighted.add(kind)
        if not _takes(kind, given):
            return
        if kind.file is self.file and len(given.values) > len(self.used.get(kind, Given()).values):
            self.used[kind] = given
        if not in_forward and kind.file is self.file and any(map(_is_shaped, given.positional)):
            self.fed.setdefault(kind, given)


def _takes(kind: Class, given: Given) -> bool:
    """Whether the forward of a class has a parameter for each value by position, and is given all it needs."""
    found = [each for each in kind.node.body if getattr(each, "name", "") == "forward"]
    if not found or not isinstance(found[-1], ast.FunctionDef):
        return True
    spec, count = found[-1].args, 1 + len(given.positional)  # and itself
    return takes_by_position(spec, count) and (given.open or has_enough(spec, count, given.keyword))


def _is_shaped(value: Value) -> bool:
    if isinstance(value, Items):
        return any(map(_is_shaped, value.items or ()))
    return isinstance(value, Tensor) and value.shape is not None


def _is_measured(value: Value) -> bool:
    """Whether it is known of all axes behind the first whether they vary."""
    if isinstance(value, Items):
        return any(map(_is_measured, value.items or ()))
    shape = value.shape if isinstance(value, Tensor) else None
    return shape is not None and all(varies(each) is not None for each in shape[1:])


def is_set_otherwise(witness: Witness, name: str) -> bool:
    """Whether a class that its defaults suffice for is built here with others: a script that tries it out."""
    for kind, built in witness.built.items():
        if kind.name == name and built.is_known:
            return any(_differs(written, value) for written, value in _pair_defaults(kind, built))
    return False


def _pair_defaults(kind: Class, built: Built) -> Iterator[tuple[ast.expr, Value]]:
    """The defaults of a constructor with what was given in their place; none where some parameter has none."""
    found = [each for each in kind.node.body if getattr(each, "name", "") == "__init__"]
    init = found[0] if found else None
    if not isinstance(init, ast.FunctionDef):
        return
    spec = init.args
    named = [each.arg for each in (*spec.posonlyargs, *spec.args)][1:]
    if len(named) != len(spec.defaults) or None in spec.kw_defaults:
        return
    given = dict(zip(named, built.given.positional, strict=False)) | dict(built.given.keyword)
    names = [*named, *(each.arg for each in spec.kwonlyargs)]
    for each, written in zip(names, [*spec.defaults, *spec.kw_defaults], strict=True):
        if each in given and written is not None:
            yield written, given[each]


def _differs(written: ast.expr, value: Value) -> bool:
    if not isinstance(written, ast.Constant) or not isinstance(value, Constant):
        return False
    return bool(written.value != value.value)
