"""What names stand for: locals, closures, the top of the file, built-ins; and imports."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator
from contextlib import contextmanager

from lintorch.evaluator.budget import SpentError
from lintorch.evaluator.code_files import CodeFile, narrow_statement
from lintorch.evaluator.machine import Activation, LeftError, Machine, evaluates, executes
from lintorch.evaluator.marks import NOWHERE, NameBound
from lintorch.evaluator.signatures.find_signatures import is_known
from lintorch.evaluator.values import (
    UNKNOWN,
    Class,
    Constant,
    External,
    Frame,
    Function,
    ModuleValue,
    Value,
)

_BUILTINS = frozenset(dir(builtins))
_LASTING = (Class, Constant, External, Function, ModuleValue)


@evaluates(ast.Name)
def read_name(machine: Machine, node: ast.Name) -> Value:
    """The value of a name where it stands."""
    here, state, name = machine.here, machine.state, node.id
    frame: Frame | None = here.frame
    while frame is not None:
        cell = state.cells.get(frame.address) or state.ground.get(frame.address)
        if cell is not None and name in cell[1]:
            return cell[1][name]  # type: ignore[no-any-return]
        frame = frame.outer
    return read_global(machine, here.file, name)


def read_global(machine: Machine, file: CodeFile, name: str) -> Value:
    """What a name means at the top of a file: its statements that bind it are carried out for it."""
    frame = frame_of(machine, file)
    top = machine.top
    held = machine.state.read(frame.address).get(name) or top.kept.get((file, name))
    if held is None:
        held = top.ground.read(frame.address).get(name)
    if held is not None:
        return held
    if name in file.bindings and (file, name) not in top.pending:
        value = _bind_global(machine, file, name)
    else:
        value = _read_star(machine, file, name)
    if isinstance(value, _LASTING):
        top.kept[file, name] = value
    return value


def frame_of(machine: Machine, file: CodeFile) -> Frame:
    """The names of a file itself."""
    frame = machine.top.files.get(file)
    if frame is None:
        frame = machine.top.files[file] = Frame(next(machine.addresses), None, file)
    return frame


def _bind_global(machine: Machine, file: CodeFile, name: str) -> Value:
    frame, top = frame_of(machine, file), machine.top
    top.pending.add((file, name))
    machine.enter(Activation(frame, f"<{file.name}>", file))
    kept_events = len(machine.events)
    try:
        with standing_on_ground(machine), _sparing_root(machine):
            machine.execute([narrow_statement(each, name) for each in file.bindings[name][:64]])
    except LeftError:
        pass
    except SpentError:
        top.ground.write(frame.address).pop(name, None)
        raise
    finally:
        machine.leave()
        top.pending.discard((file, name))
        machine.take_back(kept_events)
    held = machine.state.read(frame.address).get(name)
    if held is None:
        held = top.ground.read(frame.address).get(name, UNKNOWN)
    return held  # type: ignore[no-any-return]


@contextmanager
def _sparing_root(machine: Machine) -> Iterator[None]:
    """What all roots of a file have in common is not taken off the steps of the first that asks for it."""
    top, begun, most = machine.top, machine.steps, machine.most_steps
    if len(top.pending) > 1:
        yield
        return
    left = machine.budget.top_steps - top.steps
    machine.most_steps = most + left
    try:
        yield
    finally:
        spent = min(machine.steps - begun, left)
        top.steps += spent
        machine.steps -= spent
        machine.most_steps = most


@contextmanager
def standing_on_ground(machine: Machine) -> Iterator[None]:
    """What runs meanwhile is seen by every path: files are read before any root runs."""
    ground = machine.top.ground
    if machine.state.ground is not ground.cells:  # it is read for another name of a file already
        yield
        return
    before, machine.state = machine.state, ground
    try:
        yield
    finally:
        if machine.state is not ground:
            ground.cells.update(machine.state.cells)
        machine.state = before


def _read_star(machine: Machine, file: CodeFile, name: str) -> Value:
    key = file, f"* {name}"
    if not file.star_imports or key in machine.top.pending:  # files that import each other whole
        return _builtin(name)
    machine.top.pending.add(key)
    try:
        return _look_in_stars(machine, file, name)
    finally:
        machine.top.pending.discard(key)


def _look_in_stars(machine: Machine, file: CodeFile, name: str) -> Value:
    for statement in file.star_imports:
        dotted = absolute_name(file, statement)
        other = machine.library.find(dotted, file)
        if other is None:
            if dotted.startswith("torch") and _is_of_torch(f"{dotted}.{name}"):
                return External(machine.library.canonical(f"{dotted}.{name}"))
        elif other is not file and other.may_offer(name):
            machine.spend(machine.budget.star_steps)
            value = read_global(machine, other, name)
            if value not in (UNKNOWN, _builtin(name)):
                return value
    return _builtin(name)


def _builtin(name: str) -> Value:
    return External(name) if name in _BUILTINS else UNKNOWN


_TYPES = frozenset(
    f"torch.{name}"
    for name in (
        "float16", "half", "bfloat16", "float32", "float", "float64", "double", "int8", "uint8",
        "int16", "short", "int32", "int", "int64", "long", "bool", "complex64", "complex128",
    )
)  # fmt: skip


def _is_of_torch(name: str) -> bool:
    return name in _TYPES or is_known(name)


def absolute_name(file: CodeFile, statement: ast.ImportFrom) -> str:
    """The dotted name of the module that `from ..x import y` reads."""
    module = statement.module or ""
    if not statement.level:
        return module
    parts = file.package.split(".") if file.package else []
    parts = parts[: len(parts) - statement.level + 1] if statement.level > 1 else parts
    return ".".join((*parts, module)) if module else ".".join(parts)


def find_module(machine: Machine, file: CodeFile, dotted: str) -> Value:
    """A module by its dotted name: a file, or a foreign name."""
    found = machine.library.find(dotted, file) if dotted else None
    return External(dotted) if found is None else ModuleValue(found)


def read_member(machine: Machine, file: CodeFile, dotted: str, name: str) -> Value:
    """`name` as `from dotted import name` gives it."""
    library = machine.library
    module = library.find(dotted, file) if dotted else None
    inside = f"{dotted}.{name}"
    if module is None or module is file:
        inner = library.find(inside, file)
        unread = name_foreign(library.canonical(inside) if dotted else name)
        return unread if inner is None else ModuleValue(inner)
    bound = name in module.bindings
    inner = None if bound else library.find(inside, file)
    if bound or (module.star_imports and (inner is None or _is_hidden(machine, module, name))):
        value = read_global(machine, module, name)
        if value != UNKNOWN:
            return value
    inner = library.find(inside, file)
    return UNKNOWN if inner is None else ModuleValue(inner)


def name_foreign(dotted: str) -> Value:
    """What is known of a name of another package."""
    number = _NUMBERS.get(dotted)
    return External(dotted) if number is None else Constant(number)


_NUMBERS = {
    f"{module}.{name}": getattr(math, name) for module in ("math", "numpy") for name in ("pi", "e")
} | {"math.tau": math.tau, "torch.pi": math.pi}


def _is_hidden(machine: Machine, package: CodeFile, name: str) -> bool:
    """Whether a file of a package is hidden by what another, or it itself, binds: `from .resnet import *`."""
    found = (machine.library.find(absolute_name(package, e), package) for e in package.star_imports)
    return any(each is not None and name in each.text and name in each.bindings for each in found)


@executes(ast.Import)
def run_import(machine: Machine, node: ast.Import) -> None:
    """`import a.b as c`, `import a.b`."""
    names = machine.state.write(machine.here.frame.address)
    for alias in node.names:
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        names[alias.asname or dotted] = find_module(machine, machine.here.file, dotted)


def _list_pending(machine: Machine, file: CodeFile) -> set[str]:
    """The names that a file is read for, where its top is carried out for them."""
    if not machine.here.name.startswith("<") or machine.here.node is not None:
        return set()
    return {name for each, name in machine.top.pending if each is file}


@executes(ast.ImportFrom)
def run_import_from(machine: Machine, node: ast.ImportFrom) -> None:
    """`from a import b as c`."""
    file = machine.here.file
    dotted = absolute_name(file, node)
    wanted = _list_pending(machine, file)
    for alias in node.names:
        if alias.name != "*" and (not wanted or (alias.asname or alias.name) in wanted):
            value = read_member(machine, file, dotted, alias.name)
            machine.state.write(machine.here.frame.address)[alias.asname or alias.name] = value


def bind_name(machine: Machine, name: str, value: Value) -> None:
    """Give a name a value where it is assigned."""
    frame = machine.here.frame
    if name in frame.declared:
        outer = frame.outer
        while outer is not None and outer.outer is not None:
            if name in machine.state.read(outer.address):
                break
            outer = outer.outer
        frame = outer or frame_of(machine, machine.here.file)
    machine.state.write(frame.address)[name] = value
    machine.mark(NameBound, NOWHERE, (frame.address, name), value)
