"""Classes and objects: definitions, inheritance, construction, and calls of objects."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache

from lintorch.evaluator.alike_layers import Making, name_making
from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.carried_layers import list_reachable
from lintorch.evaluator.compare_layers import LAYER
from lintorch.evaluator.events import ClosedCalled, ModelCalled, Wrapped
from lintorch.evaluator.exported_forward import name_exported
from lintorch.evaluator.exporters import EVERYONE
from lintorch.evaluator.forward_hooks import run_hooks
from lintorch.evaluator.framework_modules import FRAMEWORKS
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.layers import call_layer, is_layer_class, keep_arguments
from lintorch.evaluator.machine import Activation, LeftError, Machine, calls
from lintorch.evaluator.repeated_calls import Kept
from lintorch.evaluator.replay_calls import Replay
from lintorch.evaluator.torch_calls import tell_call
from lintorch.evaluator.unknown_objects import ModelOutput
from lintorch.evaluator.values import (
    UNKNOWN,
    Bound,
    Class,
    External,
    Frame,
    Function,
    Given,
    Held,
    Unknown,
    Value,
)
from lintorch.evaluator.zoo_models import is_zoo_class
from lintorch.syntax.python_ast import takes_named

MODULE = "torch.nn.Module"
FUNCTION = "torch.autograd.Function"
OWN_GRADIENT = ".apply of a Function"
"""Ends the name by which `apply` of a function with a gradient of its own is bound, behind the class'."""
SCRIPT_MODULE = "torch.jit.ScriptModule"
_KINDS = {
    "staticmethod": "static",
    "classmethod": "class",
    "property": "property",
    "functools.cached_property": "property",
}


def make_class(machine: Machine, node: ast.ClassDef) -> Class:
    """The class of a definition: its body is carried out, its methods know it."""
    here = machine.here
    bases = tuple(
        machine.evaluate(base) for base in node.bases if not isinstance(base, ast.Starred)
    )
    made = Class(node, here.file, bases, next(machine.addresses))
    attributes = machine.class_attributes[made.address] = {}
    outer = here.frame if here.frame.outer is not None or here.node is not None else None
    frame = Frame(next(machine.addresses), outer, here.file)
    inner = Activation(frame, node.name, here.file, None, None, made)
    machine.enter(inner)
    try:
        machine.execute(node.body)
    except LeftError:
        pass
    finally:
        machine.leave()
    for name, value in machine.state.read(frame.address).items():
        attributes[name] = _as_method(value, made)
    for decorator in node.decorator_list:
        machine.evaluate(decorator)
    return made


def _as_method(value: Value, owner: Class) -> Value:
    if isinstance(value, Bound) and isinstance(value.function, External):
        kind = _KINDS.get(value.function.path)
        inner = value.positional[0] if value.positional else UNKNOWN
        if kind and isinstance(inner, Function):
            return replace(inner, kind=kind, owner=owner, setter=_find_setter(value, owner))
    if isinstance(value, Function) and value.owner is None:
        return replace(value, owner=owner)
    return value


def _find_setter(made: Bound, owner: Class) -> Function | None:
    """The second function of `property(read, write)`."""
    setter = made.positional[1] if len(made.positional) > 1 else None
    return replace(setter, owner=owner) if isinstance(setter, Function) else None


def list_ancestors(kind: Value | None) -> tuple[Class | External, ...]:
    """A class and those it derives from, in the order in which attributes are looked for."""
    if isinstance(kind, Class):
        return kind.ancestors
    return (kind,) if isinstance(kind, External) else ()


def derives_from(kind: Value | None, path: str) -> bool:
    """Whether a class derives from a foreign one."""
    return any(isinstance(each, External) and each.path == path for each in list_ancestors(kind))


def is_module_class(kind: Value | None) -> bool:
    """Whether a class surely is an nn.Module."""
    if type(kind) is Class:
        return _is_made_module(kind)
    return type(kind) is External and _names_module(kind.path)


@keep_beside
def _is_made_module(kind: Class) -> bool:
    return any(type(each) is External and _names_module(each.path) for each in kind.ancestors)


@lru_cache(4096)
def _names_module(path: str) -> bool:
    known = path in (MODULE, SCRIPT_MODULE) or path in FRAMEWORKS or path.startswith(_SHARDED)
    return known or is_layer_class(path) or is_zoo_class(path)


_SHARDED = "torch.distributed.fsdp.FullyShardedDataParallel"


def has_open_base(kind: Value | None) -> bool:
    """Whether a class has a base of which nothing is known."""
    return isinstance(kind, Class) and any(
        isinstance(base, Unknown) or has_open_base(base) for base in kind.bases
    )


def find_class_attribute(
    machine: Machine, kind: Value | None, name: str, after: Class | None = None
) -> Value | None:
    """An attribute of a class or of those it derives from; after one of them, as `super()` looks."""
    waiting = after is not None
    for each in list_ancestors(kind):
        if waiting:
            waiting = each is not after
        elif isinstance(each, Class):
            found = machine.class_attributes[each.address].get(name)
            if found is not None:
                return found
    return None


_ENUMS = ("enum.Enum", "enum.IntEnum", "enum.StrEnum")


@keep_beside
def _is_enum(kind: Class) -> bool:
    return any(derives_from(kind, each) for each in _ENUMS)


@calls(Class)
def construct_object(machine: Machine, node: ast.AST, kind: Class, given: Given) -> Value:
    """A new object of a class of a file, its `__init__` run."""
    if _is_enum(kind):  # its members are known by their values
        return given.pick(0, "value") or UNKNOWN
    machine.made.add(kind)
    layer = is_module_class(kind)
    if layer and machine.shallow:
        return machine.hold("object", {}, kind)
    shared = layer and (machine.here.forward or _is_in_module(machine))
    init = find_class_attribute(machine, kind, "__init__")
    making = name_making(kind, init, given, machine.state) if layer else None
    if shared and making is not None:
        like = _find_made(machine, making)
        if like is not None:
            return like
    asked = machine.alike.asked
    made = machine.hold("object", {LAYER: True} if layer else {}, kind)
    misfed = isinstance(init, Function) and not takes_named(init.node.args, given.keyword)
    if isinstance(init, Function):
        machine.call(node, init, given.behind(made))
    elif is_data_class(kind):
        fill_fields(machine, made, kind, given)
        finish = find_class_attribute(machine, kind, "__post_init__")
        if isinstance(finish, Function):
            more = len(finish.node.args.args) > 1  # fields of type InitVar
            machine.call(node, finish, Given((made,), open=more))
    else:
        for each in list_ancestors(kind):
            if isinstance(each, External):
                keep_arguments(machine, made, each.path, given)
                break
    if machine.witness is not None and not misfed:
        sure = machine.is_certain and not machine.is_unsure
        machine.witness.note_built(kind, made, given, machine.state, sure)
    if making is not None:
        machine.alike.keep_made(making, made, machine.state, asked)
    return made


@calls(Held)
def call_object(machine: Machine, node: ast.AST, callee: Held, given: Given) -> Value:
    """What a call of an object gives: of a module its forward's, and what its hooks make of it."""
    result = _call_object(machine, node, callee, given)
    if callee.address in machine.hooked:
        return run_hooks(machine, node, callee, given, result)
    return result


def _call_object(machine: Machine, node: ast.AST, callee: Held, given: Given) -> Value:
    kind = callee.of
    if callee.kind != "object":
        return UNKNOWN
    machine.run.add(callee.address)
    if isinstance(kind, External):
        return call_layer(machine, node, callee, kind.path, given)
    if is_module_class(kind) and not (machine.here.forward or _is_in_module(machine)):
        machine.tell(ModelCalled, node, callee)
    if machine.shallow and is_module_class(kind):
        closed = ModelOutput("", callee)
        machine.tell(ClosedCalled, node, callee, closed)
        return closed
    lacks = find_class_attribute(machine, kind, "__call__") is None
    name = "forward" if is_module_class(kind) or lacks else "__call__"
    own = machine.state.read(callee.address).get(name)
    if isinstance(own, Value):
        return machine.call(node, own, given)
    method = _find_exported(machine, kind) if name == "forward" else None
    method = method or find_class_attribute(machine, kind, name)
    if lacks and External(FUNCTION) in list_ancestors(kind):
        tell_call(machine, node, f"{FUNCTION}.__call__", given, kind or UNKNOWN)
        return UNKNOWN  # it raises: what its forward does nobody sees, its class is told
    if isinstance(method, Function):
        if machine.witness is not None and isinstance(kind, Class):
            inside = machine.here.forward or _is_in_module(machine)
            machine.witness.note_called(kind, given, inside)
        tell_wrapped(machine, method)
        return _call_method(machine, node, callee, method, given)
    for each in list_ancestors(kind):
        if isinstance(each, External) and each.path != MODULE and each.path not in FRAMEWORKS:
            return call_layer(machine, node, callee, each.path, given)
    for value in given.values:
        machine.spoil(value)
    return UNKNOWN


def find_forward(machine: Machine, model: Held) -> Function | None:
    """What a call of a module runs: `self.forward = self.forward_once`, else the method of its class."""
    own = machine.state.read(model.address).get("forward")
    chosen = own.function if isinstance(own, Bound) and own.positional == (model,) else None
    found = chosen or _find_exported(machine, model.of)
    found = found or find_class_attribute(machine, model.of, "forward")
    return found if isinstance(found, Function) else None


def _find_exported(machine: Machine, kind: Value | None) -> Value | None:
    """What an exporter meets where the class puts another method in the place of forward ahead of it."""
    name = name_exported(kind.node) if machine.here.forward and isinstance(kind, Class) else ""
    return find_class_attribute(machine, kind, name) if name else None


def tell_wrapped(machine: Machine, method: Function) -> None:
    """Record that a method of the running file is wrapped."""
    inmost = method.inmost
    if inmost is not method and inmost.file is machine.here.file:
        wrappers, each = [], method
        while each.wrapped is not None:
            wrappers.append(each.node)
            each = each.wrapped
        machine.tell(Wrapped, inmost.node, inmost.node, tuple(wrappers))


def _is_in_module(machine: Machine) -> bool:
    """Whether a method of a module is running, which calls its parts."""
    return any(each.owner is not None and is_module_class(each.owner) for each in machine.stack)


def _call_method(
    machine: Machine, node: ast.AST, callee: Held, method: Function, given: Given
) -> Value:
    """A call that was made before with the same gives the same."""
    forward, events, first = machine.here.forward, len(machine.events), next(machine.addresses)
    repeated = machine.repeated
    anew = machine.here.exporters is not EVERYONE
    known = None if anew else _find_result(machine, callee, given)
    marks = machine.marks
    ordered = marks and not is_module_class(callee.of)
    if known is not None and machine.watch is None and not ordered:
        if not machine.ordered:
            result = known.result
            if known.fresh is None or not isinstance(result, Held):
                return result
            return machine.hold(result.kind, known.fresh, result.of)
        replay = Replay(known.given, given)
        machine.events += replay.tell(machine.events, known.before, known.behind)
        return replay.renew(known.result)
    machine.marks = ordered
    try:
        result = machine.call(node, method, given.behind(callee))
    finally:
        machine.marks = marks
    if not anew:
        state, told = machine.state, machine.events
        repeated.keep_result(callee, given, forward, state, result, told, events, first)
    return result


def _find_result(machine: Machine, callee: Held, given: Given) -> Kept | None:
    """What the same call gave, or that of a layer that is like this one."""
    forward, state, repeated = machine.here.forward, machine.state, machine.repeated
    found = repeated.find_result(callee, given, forward, state)
    if found is None and machine.may_share:
        like = machine.alike.find_like(callee, state)
        found = None if like is None else repeated.find_result(like, given, forward, state)
        if found is not None:
            machine.run.update(list_reachable(callee, state))
    return found


def _find_made(machine: Machine, making: Making) -> Held | None:
    """A layer like the one that is to be made, of this root or an earlier one of the file."""
    found = machine.alike.find_made(making, machine.state, machine.addresses)
    if found is None and machine.may_share:
        found = machine.top.carried.lend(making, machine.state)
        if found is not None:
            machine.repeated.shared.add(found.address)
            machine.alike.keep_made(making, found, machine.state, machine.alike.asked)
    return found


_MAKERS = ("dataclass", "define", "frozen", "attrs")


def is_data_class(kind: Class) -> bool:
    """Whether a decorator, or typing.NamedTuple, makes its constructor."""
    return derives_from(kind, "typing.NamedTuple") or any(
        _makes_fields(decorator)
        for each in list_ancestors(kind)
        if isinstance(each, Class)
        for decorator in each.node.decorator_list
    )


def _makes_fields(decorator: ast.expr) -> bool:
    callee = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    return name in _MAKERS


def fill_fields(machine: Machine, made: Held, kind: Class, given: Given) -> None:
    """Give an object the fields that its constructor's arguments are."""
    names = list(list_fields(kind))
    named = {**dict(zip(names, given.positional, strict=False)), **given.keyword}
    for name in names:
        default = find_class_attribute(machine, kind, name)
        value = named.get(name, UNKNOWN if given.open or default is None else default)
        setting = make_asked(machine, f"{kind.name}.{name}") if value == UNKNOWN else value
        machine.state.write(made.address)[name] = setting
    if derives_from(kind, "typing.NamedTuple"):
        content = machine.state.write(made.address)
        content[ITEMS] = tuple(content[name] for name in names)


def list_fields(kind: Class) -> dict[str, ast.AnnAssign]:
    """The fields of a data class by name, in their order, those of its bases first."""
    found: dict[str, ast.AnnAssign] = {}
    for each in reversed(list(list_ancestors(kind))):
        if isinstance(each, Class):
            for statement in each.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    found[statement.target.id] = statement
    return found


def is_foreign_model(held: Held) -> bool:
    """Whether it is a module of which nobody knows the parts."""
    path = held.of.path if isinstance(held.of, External) else ""
    return path == MODULE or is_zoo_class(path)
