"""Names of a function that surely stand for tensors, by what the function itself does with them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.core.torch_methods import is_tensor_call, takes_target
from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.names import read_global
from lintorch.evaluator.other_kinds import ASKING, is_foreign, is_of_other_kind, list_own_methods
from lintorch.evaluator.signatures.find_signatures import find_signatures, is_known
from lintorch.evaluator.values import External, Function, Tensor, Unknown, Value
from lintorch.syntax.python_ast import list_parts

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_ARRAYS = frozenset(
    {"numpy", "np", "jnp", "jax", "tf", "cp", "cv2", "xp", "pd", "torchvision", "TF"}
)
_PYTHON_WRITTEN = "torch.nn.functional."
"""Functions whose types are not told: what they take first is a tensor."""
_MOST_NODES = 4_000


@dataclass(frozen=True)
class _Given:
    """A name as the argument of a function: what is called, and the place or name of the argument."""

    name: str
    func: ast.expr
    place: int | str


@dataclass(frozen=True)
class _Uses:
    """What a function does with its names, of those that are bound once."""

    by_method: frozenset[tuple[str, str]]
    """Names, and methods that are called on them which only tensors have."""
    given: tuple[_Given, ...]


def prove_bound(machine: Machine, name: str, value: Value) -> Value:
    """What a name is given: a tensor, where no more is known of it than what is done with the name."""
    if type(value) is not Unknown or not (machine.marks or machine.tells_unknown):
        return value
    node = machine.here.node
    if not isinstance(node, Definition) or name not in _list_proven(machine, node):
        return value
    return Tensor(arms=(value,))


def prove_parameter(machine: Machine, function: Function, name: str, value: Value) -> Value:
    """The same of a parameter: an input."""
    node = function.node
    if type(value) is not Unknown or not isinstance(node, Definition):
        return value
    if is_of_other_kind(node, name):
        return value
    if name not in _list_proven(machine, node, function.file):
        return value
    return Tensor(None, None, "input", name, frozenset({f"input {name}"}), ranked_as=name)


def _list_proven(
    machine: Machine, node: Definition, file: CodeFile | None = None
) -> frozenset[str]:
    file = file or machine.here.file
    known = machine.top.proven.get((file, node))
    if known is None:
        uses = _list_uses(node)
        taken = {
            e.name for e in uses.given if _takes_tensor(_resolve(machine, file, e.func), e.place)
        }
        own = list_own_methods(file)
        called = {name for name, method in uses.by_method if method not in own}
        known = machine.top.proven[file, node] = frozenset(called | taken)
    return known


def _resolve(machine: Machine, file: CodeFile, func: ast.expr) -> str:
    """The full name of a function of torch, "" of anything else."""
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.append(func.attr)
        func = func.value
    if not isinstance(func, ast.Name) or func.id not in file.bindings:
        return ""
    base = read_global(machine, file, func.id)
    path = base.path if isinstance(base, External) else ""
    return ".".join((path, *reversed(parts))) if path.startswith("torch") else ""


def _takes_tensor(path: str, place: int | str) -> bool:
    """Whether a function takes nothing but a tensor there."""
    if path.startswith(_PYTHON_WRITTEN):
        last = path.rpartition(".")[2]
        paired = takes_target(last)
        return is_known(path) and (place in (0, "input") or (paired and place in (1, "target")))
    ways = find_signatures(path) if path.startswith("torch.") else ()
    named = (way.plan.by_name.get(_name_place(way.plan.places, place)) for way in ways)
    types = {each.type for each in named if each is not None}
    return types == {"Tensor"}


def _name_place(places: tuple[str, ...], place: int | str) -> str:
    if isinstance(place, str):
        return place
    return places[place] if place < len(places) else ""


@keep_beside
def _list_uses(node: Definition) -> _Uses:
    inner = [*_list_inner(node)]
    if len(inner) > _MOST_NODES:
        return _Uses(frozenset(), ())
    bound = Counter(_list_bound(node, inner))
    bound.subtract(dict.fromkeys(_list_asked(inner), 99))
    once = {name for name, count in bound.items() if count == 1}
    dropped = {id(each.value) for each in inner if isinstance(each, ast.Expr)}
    methods = {
        (name, method)
        for each in inner
        for name, method in _list_called(each)
        if name in once and (id(each) not in dropped or _may_be_dropped(method))
    }
    given = (each for call in inner for each in _list_given(call) if each.name in once)
    return _Uses(frozenset(methods), tuple(given))


def _list_inner(node: Definition) -> Iterator[ast.AST]:
    """What a function does itself: nothing of functions within it but their names."""
    waiting: list[ast.AST] = [*node.body]
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, (*_DEFINITIONS,)):
            waiting += list_parts(each)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _list_bound(node: Definition, inner: list[ast.AST]) -> Iterator[str]:
    """The names that it binds, as often as it does."""
    spec = node.args
    for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        yield each.arg
    for part in inner:
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            yield part.id
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            yield from (*part.names, *part.names)


def _list_asked(inner: list[ast.AST]) -> Iterator[str]:
    """Names that may stand for something else: their class is asked, or what only others have is done with them."""
    for each in inner:
        if isinstance(each, ast.Call):
            last = getattr(each.func, "id", None) or getattr(each.func, "attr", "")
            first = _name_first(each.func)
            if last in ASKING or first in _ARRAYS:
                yield from (arg.id for arg in each.args if isinstance(arg, ast.Name))
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            if is_foreign(each.attr):
                yield each.value.id
        elif (
            isinstance(each, ast.Subscript)
            and isinstance(each.value, ast.Name)
            and _is_key(each.slice)
        ):
            yield each.value.id


def _is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _name_first(func: ast.expr) -> str:
    while isinstance(func, ast.Attribute):
        func = func.value
    return func.id if isinstance(func, ast.Name) else ""


def _may_be_dropped(method: str) -> bool:
    """Whether tensors have it for what it does: one whose result is dropped may be of what changes itself."""
    return method.endswith("_") or method in ("register_hook", "retain_grad")


def _list_called(node: ast.AST) -> Iterator[tuple[str, str]]:
    """`x` and the method of `x.masked_fill(…)`; nothing of a method that others have too."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
            by_axis = any(each.arg == "dim" and _is_axis(each.value) for each in node.keywords)
            starred = any(isinstance(each, ast.Starred) for each in node.args)
            count, named = len(node.args), len(node.keywords)
            if not starred and is_tensor_call(method, count, named, by_axis):
                yield name, method


def _is_axis(written: ast.expr) -> bool:
    match written:
        case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
            return True
    return isinstance(written, ast.Tuple | ast.List) and all(map(_is_axis, written.elts))


def _list_given(node: ast.AST) -> Iterator[_Given]:
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return
    for place, each in enumerate(node.args):
        if isinstance(each, ast.Name):
            yield _Given(each.id, node.func, place)
    for keyword in node.keywords:
        if keyword.arg and isinstance(keyword.value, ast.Name):
            yield _Given(keyword.value.id, node.func, keyword.arg)
