"""The sizes that an export call declares, beside the inputs that they are meant for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.signatures.find_signatures import ParameterKind, find_signatures
from lintorch.evaluator.values import Class, Constant, External, Held, Items, Tensor, Value


@dataclass(frozen=True)
class ForwardNames:
    """The parameters of a forward that take one input each; `rest`: the name of `*inputs`, "" without."""

    single: tuple[str, ...]
    rest: str = ""
    takes_more: bool = False
    """Whether it takes `**others`."""


@dataclass(frozen=True)
class DeclaredInput:
    """One input, by the name that it has in `dynamic_shapes`, and what is declared of it."""

    name: str
    place: int
    """Among all inputs, from 0."""
    value: Value
    sizes: Value


def list_declared(event: Called) -> Iterator[DeclaredInput]:
    """The inputs and what is declared of each, as far as they go together."""
    given = name_given(event)
    inputs, sizes = list_inputs(given), given.get("dynamic_shapes")
    if inputs is None or not isinstance(sizes, Items) or sizes.items is None:
        return
    if sizes.kind != "dict":
        for place, ((name, value), declared) in enumerate(zip(inputs, sizes.items, strict=False)):
            yield DeclaredInput(name, place, value, declared)
        return
    forward = find_forward(given.get("mod", given.get("model")))
    names = name_inputs(inputs, forward) if forward is not None else None
    for key, declared in list_pairs(sizes):
        if names is not None and key in names:
            place = names.index(key)
            yield DeclaredInput(str(key), place, inputs[place][1], declared)


def list_inputs(given: Mapping[str, Value]) -> list[tuple[str, Value]] | None:
    """The inputs of a call, those of `kwargs` with their names; None where they are not all known."""
    args, named = given.get("args"), given.get("kwargs")
    found: list[tuple[str, Value]]
    if isinstance(args, Items) and args.items is not None and args.kind == "tuple":
        found = [("", each) for each in args.items]
    elif isinstance(args, Tensor):
        found = [("", args)]
    else:
        return None
    if named is None or named == Constant(None):
        return found
    if not isinstance(named, Items) or named.kind != "dict" or named.items is None:
        return None
    return found + [(str(key), value) for key, value in list_pairs(named)]


def list_pairs(mapping: Items) -> Iterator[tuple[object, Value]]:
    """Keys and values of a dictionary; keys that are not written down are None."""
    for pair in mapping.items or ():
        if isinstance(pair, Items) and pair.items is not None and len(pair.items) == 2:
            key, value = pair.items
            yield (key.value if isinstance(key, Constant) else None), value


def name_inputs(inputs: list[tuple[str, Value]], forward: ForwardNames) -> list[str] | None:
    """The parameter that each input goes to; None where one goes to several, or to none."""
    places = iter(forward.single)
    names = [name or next(places, "") for name, _ in inputs]
    return names if all(each in forward.single for each in names) else None


def find_forward(model: Value | None) -> ForwardNames | None:
    """The parameters of a model's forward, by its class; None where they are not known."""
    written = find_written_forward(model)
    if written is not None:
        return _read_parameters(written.args)
    made = model.of if isinstance(model, Held) and model.kind == "object" else None
    if not isinstance(made, External):
        return None
    found = find_signatures(f"{made.path}.forward")
    single = found[0].parameters if len(found) == 1 else ()
    plain = single and all(each.kind is ParameterKind.EITHER for each in single)
    return ForwardNames(tuple(each.name for each in single)) if plain else None


def find_written_forward(model: Value | None) -> ast.FunctionDef | None:
    """The forward of a class of the project, or of the first of its bases that has one; None if it is decorated."""
    if not isinstance(model, Held) or model.kind != "object":
        return None
    for kind in list_ancestors(model.of):
        if not isinstance(kind, Class):
            return None
        for each in kind.node.body:
            if isinstance(each, ast.FunctionDef) and each.name == "forward":
                return None if each.decorator_list else each
    return None


def _read_parameters(written: ast.arguments) -> ForwardNames:
    single = [*written.posonlyargs, *written.args][1:] + written.kwonlyargs
    rest = written.vararg.arg if written.vararg else ""
    return ForwardNames(tuple(each.arg for each in single), rest, written.kwarg is not None)
