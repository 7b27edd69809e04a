"""Writing a call anew from a template that says where its arguments go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.syntax.literals import literal
from lintorch.syntax.parsed_file import HasFile

Given = Mapping[str, "cst.BaseExpression | Sequence[cst.Arg]"]
"""Expressions by parameter; under `*` all arguments of a call in their order."""
Rewrite = Mapping[str, object]
"""`text`, as `<torch.outer>({a}, {b})`; `given`: literals it stands for; `numbers`: which must be."""
_SLOT = re.compile(r"<([\w.]+)>|\{(\w+|\*)\}")
_CLOSES = (",", ")", "]", "")
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float)


class _Spells(HasFile, Protocol):
    """What knows a file, and how it can write a name that it may not import yet."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def rewrite_call(
    whole: cst.CSTNode, given: Given, rewrites: Sequence[Rewrite], source: _Spells
) -> tuple[Edit, ...]:
    """Edits that put the first rewrite that fits in the place of `whole`; () where none does.

    A rewrite fits where the arguments given are just those it speaks of. A call with a comment
    inside is left alone.
    """
    if "#" in source.file.code(whole):
        return ()
    for rewrite in rewrites:
        if _fits(rewrite, given) and (edits := _filled(str(rewrite["text"]), whole, given, source)):
            return edits
    return ()


def _fits(rewrite: Rewrite, given: Given) -> bool:
    fixed: Mapping[str, object] = rewrite.get("given", {})  # type: ignore[assignment]
    numbers: Sequence[str] = rewrite.get("numbers", ())  # type: ignore[assignment]
    slots = {slot for _, slot in _SLOT.findall(str(rewrite["text"])) if slot}
    return (
        slots | fixed.keys() == given.keys()
        and all(_value(given[name]) is wanted for name, wanted in fixed.items())
        and all(isinstance(_value(given[name]), (int, float)) for name in numbers)
    )


def _value(node: cst.BaseExpression | Sequence[cst.Arg]) -> object:
    return literal(node) if isinstance(node, cst.CSTNode) else None


def _filled(text: str, whole: cst.CSTNode, given: Given, source: _Spells) -> tuple[Edit, ...]:
    imports: list[Edit] = []
    unnamed: list[str] = []

    def fill(match: re.Match[str]) -> str:
        if match[1]:
            spelled, added = source.reach(match[1], whole)
            imports.extend(added)
            if not spelled:
                unnamed.append(match[1])
            return spelled
        return _embedded(given[match[2]], text[match.end() : match.end() + 1], source)

    filled = _SLOT.sub(fill, text)
    return () if unnamed else (source.file.replace(whole, filled), *imports)


def _embedded(
    value: cst.BaseExpression | Sequence[cst.Arg], following: str, source: _Spells
) -> str:
    """An argument's own text, in brackets where more than a bracket or comma follows."""
    if not isinstance(value, cst.CSTNode):
        return ", ".join(f"{arg.star}{source.file.code(arg.value)}" for arg in value)
    written = source.file.code(value)
    bare = isinstance(value, _ATOMS) or following in _CLOSES
    return written if bare else f"({written})"
