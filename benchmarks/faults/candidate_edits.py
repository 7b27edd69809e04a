"""One-line edits that may break the shapes of a model: other numbers where layers, views and heads are written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_CONV = re.compile(r"(^|\.)(Conv|ConvTranspose)[123]d$")
_POOL = re.compile(r"(^|\.)(Max|Avg)Pool[123]d$|_pool[123]d$")
_NORM = re.compile(r"(^|\.)(BatchNorm[123]d|InstanceNorm[123]d|LayerNorm)$")
_LINEAR = re.compile(r"(^|\.)Linear$")
_VIEWS = ("view", "reshape", "expand", "chunk", "split", "unflatten", "rearrange", "repeat")
_POSITIONS = {
    "conv": ("channel", "channel", "kernel", "stride", "padding"),
    "pool": ("kernel", "stride", "padding"),
    "norm": ("channel",),
    "linear": ("in_features", "channel"),
}
"""What the positional arguments of layers are."""
_KEYWORDS = {
    "in_channels": "channel",
    "out_channels": "channel",
    "num_features": "channel",
    "in_features": "in_features",
    "out_features": "channel",
    "kernel_size": "kernel",
    "stride": "stride",
    "padding": "padding",
    "num_heads": "heads",
    "heads": "heads",
}
_LONGEST = 40
"""Characters of an expression that is changed as a whole."""


@dataclass(frozen=True)
class CandidateEdit:
    """Characters `start` to `end` of a row (from 1) are to become `content`."""

    kind: str
    row: int
    start: int
    end: int
    old: str
    content: str

    def apply(self, text: str) -> str:
        """The text with that row changed."""
        rows = text.split("\n")
        line = rows[self.row - 1]
        rows[self.row - 1] = line[: self.start] + self.content + line[self.end :]
        return "\n".join(rows)


def list_candidates(text: str, own_classes: frozenset[str]) -> list[CandidateEdit]:
    """All edits of a file, from its first row on; those of calls of the project's own classes too."""
    rows = text.split("\n")
    found: list[CandidateEdit] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            for kind, argument in _list_arguments(node, own_classes):
                found += _change_argument(kind, argument, rows)
    return sorted(found, key=lambda each: (each.row, each.start, each.content))


def list_classes(text: str) -> frozenset[str]:
    """The names of the classes that a file defines."""
    return frozenset(
        node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)
    )


def _list_arguments(call: ast.Call, own_classes: frozenset[str]) -> Iterator[tuple[str, ast.expr]]:
    name = ast.unparse(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else ""
    last = getattr(call.func, "attr", name)
    family = _find_family(name)
    if family:
        yield from zip(_POSITIONS[family], call.args, strict=False)
    elif last in _VIEWS:
        yield from (("view", each) for each in call.args)
    elif name in own_classes:
        yield from (("channel", each) for each in call.args if isinstance(each, ast.Constant))
    for keyword in call.keywords:
        if keyword.arg in _KEYWORDS and (family or name in own_classes):
            yield _KEYWORDS[keyword.arg], keyword.value
        elif last == "rearrange" and keyword.arg:
            yield "view", keyword.value


def _find_family(name: str) -> str:
    families = {"conv": _CONV, "pool": _POOL, "norm": _NORM, "linear": _LINEAR}
    return next((each for each, pattern in families.items() if pattern.search(name)), "")


def _change_argument(kind: str, node: ast.expr, rows: list[str]) -> Iterator[CandidateEdit]:
    """An argument that stands on one row of ASCII: `ast` counts bytes."""
    row = rows[node.lineno - 1]
    if node.lineno != node.end_lineno or not row.isascii():
        return
    old = row[node.col_offset : node.end_col_offset]
    if "head" in old:
        kind = "heads"
    for content in _write_others(kind, node, old):
        yield CandidateEdit(
            kind, node.lineno, node.col_offset, node.end_col_offset or 0, old, content
        )


def _write_others(kind: str, node: ast.expr, old: str) -> list[str]:
    if isinstance(node, ast.Constant):
        return _list_other_numbers(kind, node.value) if type(node.value) is int else []
    named = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    if named or (isinstance(node, ast.BinOp) and len(old) <= _LONGEST):
        written = old if named else f"({old})"
        return [f"{written} * 2", f"{written} + 1"] if kind not in ("stride", "padding") else []
    return []


def _list_other_numbers(kind: str, number: int) -> list[str]:
    if kind == "stride":
        return ["1" if number == 2 else "2"]
    if kind in ("kernel", "padding"):
        return [str(number + 2), str(number + 1)]
    if number < 1:
        return []
    others = {number * 2, number + 1, max(1, number // 2)} - {number}
    return [str(each) for each in sorted(others)]
