"""The names that a text uses."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field

_LONGEST = 200
"""Characters from which a string is prose or data: no annotation is as long, and to parse it takes time."""


@dataclass(frozen=True)
class Used:
    """Names and dotted chains that a text uses; `further` are those bound or told in strings."""

    names: frozenset[str]
    chains: frozenset[str]
    further: frozenset[str] = field(default=frozenset())

    def mentions(self, name: str) -> bool:
        """Whether a name occurs at all, also where it is bound."""
        return name in self.names or name in self.further

    def reaches(self, dotted: str) -> bool:
        """Whether a dotted name, or something below it, is used."""
        return any(f"{chain}.".startswith(f"{dotted}.") for chain in self.chains)


def collect_used(tree: ast.AST) -> Used:
    """What a parsed text uses."""
    nodes = list(ast.walk(tree))
    inner = [n for node in nodes if (told := _code_in(node)) for n in ast.walk(told)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    further = {n.id for n in (*nodes, *inner) if isinstance(n, ast.Name)}
    chains = {chain for n in (*nodes, *inner) if (chain := _dotted_chain(n))}
    return Used(frozenset(names), frozenset(chains), frozenset(further))


def _code_in(node: ast.AST) -> ast.AST | None:
    """What a string says where it reads as an expression: an annotation, a name in `__all__`."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return None
    return parse_quietly(node.value.strip()) if len(node.value) < _LONGEST else None


def parse_quietly(text: str) -> ast.Module | None:
    """The tree of a text; None where it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _dotted_chain(node: ast.AST) -> str:
    """`torch.nn.functional` of that attribute; "" of what is no chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
