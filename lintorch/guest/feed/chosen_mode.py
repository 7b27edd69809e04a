"""The method that a `forward(self, *input, mode)` hands its arguments on to, as a mode says that it is told by name.

def forward(self, *input, mode):
    if mode == "predict":
        return self.calc_score(*input)      # fed as calc_score is, with mode="predict"
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of

_DEPLOYED = re.compile(r"predict|infer|test|eval|score|valid")
_TRAINED = re.compile(r"train|loss")


@dataclass(frozen=True)
class ChosenMode:
    """A method of the model, and what it is chosen by."""

    method: Callable[..., Any]
    name: str
    value: Any


def choose_mode(module: nn.Module) -> ChosenMode | None:
    """The way through `forward` that one deploys, by its mode; else its last. None where no mode chooses."""
    parameters = inspect.signature(module.forward).parameters.values()
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if not star or len(named) != 1 or any(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters):
        return None
    tree = parse_source_of(module.forward)
    tests = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    found = [
        ChosenMode(method, named[0], value)
        for test in tests
        for value, body in _split_ways(test, named[0])
        if (method := _find_method(module, body, star)) is not None
    ]
    return max(reversed(found), key=_rank_way, default=None)


def _split_ways(test: ast.If, name: str) -> Iterator[tuple[Any, list[ast.stmt]]]:
    """The values of a name that lead into the branches of a test, with these."""
    match test.test:
        case ast.Compare(ast.Name(asked), [ast.Eq()], [ast.Constant(value)]) if asked == name:
            yield value, test.body
        case ast.Name(asked) if asked == name:
            yield from ((True, test.body), (False, test.orelse))


def _find_method(module: nn.Module, body: list[ast.stmt], star: str) -> Callable[..., Any] | None:
    match body:
        case [
            ast.Return(
                ast.Call(ast.Attribute(ast.Name("self"), name), [ast.Starred(ast.Name(given))], [])
            )
        ] if given == star:
            method = getattr(module, name, None)
            return method if inspect.ismethod(method) else None
    return None


def _rank_way(way: ChosenMode) -> int:
    said = way.value if isinstance(way.value, str) else way.name
    if way.value is False:
        return 1 if _TRAINED.search(said) else -1
    return bool(_DEPLOYED.search(said)) - bool(_TRAINED.search(said))
