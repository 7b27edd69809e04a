"""What a piece of training code needs before it can be called."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType

from torch import nn

from lintorch.guest.imports.stand_in import StandIn
from lintorch.guest.training.make_values import Wanted, describe_wanted
from lintorch.guest.training.name_uses import collect_uses, is_name, is_own_attribute
from lintorch.guest.training.pieces import Piece

_FORMS = 3
"""Forms of batches that are tried with each goal."""
_OF_MODULES = frozenset(vars(nn.Module()))
"""What any module has."""


@dataclass(frozen=True)
class Needs:
    """What a piece needs before it can be called: its parameters, names of its module, attributes of its `self`."""

    parameters: tuple[Wanted, ...] = ()
    names: tuple[Wanted, ...] = ()
    attributes: tuple[Wanted, ...] = ()
    flags: tuple[str, ...] = ()
    """Parameters that are False by themselves."""
    settings: tuple[Wanted, ...] = ()
    """What the constructor of the model takes whose method it is."""

    @property
    def forms(self) -> int:
        """Forms of batches there are to be tried."""
        every = (*self.parameters, *self.names, *self.attributes)
        return min(_FORMS, max((len(each.forms) for each in every), default=1) or 1)


def find_needs(piece: Piece, module: ModuleType) -> Needs:
    """What a piece asks for, as the original text says it."""
    nodes = piece.reached
    known = {
        **vars(builtins),
        **{n: v for n, v in vars(module).items() if not isinstance(v, StandIn)},
    }
    free = [name for name in _list_free(piece) if name not in known]
    kind = vars(module).get(piece.owner)
    return Needs(
        tuple(describe_wanted(name, nodes, is_name(name)) for name in _list_parameters(piece)),
        tuple(
            Wanted(name, "listener", wanted.uses) if name in vars(module) else wanted
            for name in free
            for wanted in (describe_wanted(name, nodes, is_name(name)),)
        ),
        tuple(
            describe_wanted(name, nodes, is_own_attribute(name))
            for name in _list_own(piece)
            if not hasattr(kind, name) and name not in _OF_MODULES
        ),
        tuple(_list_flags(piece)),
        tuple(_list_settings(piece)),
    )  # fmt: skip


def _list_settings(piece: Piece) -> Iterator[Wanted]:
    made = piece.constructor
    if isinstance(made, ast.FunctionDef):
        begun = replace(piece, node=made, reached=(made,))
        for name in _list_parameters(begun):
            yield describe_wanted(name, begun.reached, is_name(name))


def _list_parameters(piece: Piece) -> list[str]:
    """Those that have to be given; of a loop none."""
    if not isinstance(piece.node, ast.FunctionDef):
        return []
    spec = piece.node.args
    positional = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    static = any("staticmethod" in ast.unparse(each) for each in piece.node.decorator_list)
    if piece.owner and not static:
        positional = positional[1:]
    needed = positional[: len(positional) - len(spec.defaults)]
    both = [*zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    given = zip(positional[len(needed) :], spec.defaults, strict=True)
    ends = [(each.arg, default) for each, default in both if default is not None]
    return [
        *needed,
        *(each.arg for each, default in both if default is None),
        *(
            name
            for name, default in (*given, *ends)
            if _is_none(default) and _is_reckoned(name, piece)
        ),
    ]


def _list_flags(piece: Piece) -> Iterator[str]:
    if not isinstance(piece.node, ast.FunctionDef):
        return
    spec = piece.node.args
    positional = [*spec.posonlyargs, *spec.args][-len(spec.defaults) :] if spec.defaults else []
    both = [
        *zip(positional, spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    for each, default in both:
        if isinstance(default, ast.Constant) and default.value is False:
            yield each.arg


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_reckoned(name: str, piece: Piece) -> bool:
    """Whether it is worked with as a number, and nobody asks whether it is None."""
    uses = collect_uses([piece.node], is_name(name))
    reckoned = uses.calculated or uses.divides or uses.ordered
    return reckoned and not uses.tested and None not in uses.compared


def _list_free(piece: Piece) -> list[str]:
    """Names that are read in it, and not given anything in the same function."""
    found: dict[str, None] = {}
    for node in piece.reached:
        inner = [*ast.walk(node)]
        own = {n.id for n in inner if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        own |= {each.arg for each in inner if isinstance(each, ast.arg)}
        own |= {n.name for n in inner if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        own |= {n.name for n in inner if isinstance(n, ast.ExceptHandler) and n.name}
        own |= {
            (a.asname or a.name).partition(".")[0]
            for n in inner if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names
        }  # fmt: skip
        own -= {name for n in inner if isinstance(n, ast.Global) for name in n.names}
        read = (n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        found |= dict.fromkeys(name for name in read if name not in own)
        if piece.is_loop and node is piece.node:
            found |= dict.fromkeys(_list_added(node))
    return [*found]


def _list_added(node: ast.AST) -> Iterator[str]:
    """Names of a loop that are counted up in it, and so were there before."""
    for part in ast.walk(node):
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            yield part.target.id


def _list_own(piece: Piece) -> list[str]:
    """The attributes of `self` that are read."""
    if not piece.owner:
        return []
    return [
        *dict.fromkeys(
            part.attr
            for node in piece.reached
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == "self"
        )
    ]
