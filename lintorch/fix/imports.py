"""Imports that a fix needs, and imports that fixes leave idle."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, takewhile

from lintorch.finding import Edit

_NEWLINE = re.compile(r"\r\n|\n|\r")
_NOQA = re.compile(r"#\s*noqa|#.*\bF401\b", re.IGNORECASE)
_Import = ast.Import | ast.ImportFrom


def add_import(text: str, statement: str) -> Edit:
    """Put an import, such as `import torch`, behind the file's first block of imports.

    Without imports it goes behind the docstring and `__future__`. Fixes that add the same
    import share one edit. Raises SyntaxError where the text does not parse.
    """
    lines = _Lines(text)
    tree = ast.parse(text)
    documented = ast.get_docstring(tree, clean=False) is not None
    head = list(takewhile(lambda s: isinstance(s, _Import), tree.body[documented:]))
    if not head and not documented:
        start = min(map(lines.row_of, tree.body), default=len(text))
        return Edit(start, start, f"{statement}\n")
    end = lines.after(head[-1] if head else tree.body[0])
    apart = not head or text[end - 1] not in "\r\n"
    return Edit(end, end, f"\n{statement}\n" if apart else f"{statement}\n")


def idle_imports(before: str, after: str, path: str = "") -> tuple[Edit, ...]:
    """Edits of `after` that remove the top-level imports which only `before` used.

    Kept are imports of an `__init__.py`, of names in `__all__` or in strings that read as code,
    `import x as x`, and lines with `# noqa`. Nothing is removed where either does not parse.
    """
    if re.search(r"(^|[/\\])__init__\.pyi?$", path):
        return ()
    trees = [_parse(text) for text in (before, after)]
    if trees[0] is None or trees[1] is None:
        return ()
    once, now = _used(trees[0]), _used(trees[1])
    bound = [name for s in trees[1].body if isinstance(s, _Import) for name in map(_binds, s.names)]

    def idle(alias: ast.alias) -> bool:
        if alias.asname == alias.name or alias.name == "*":
            return False
        name = _binds(alias)
        if "." in alias.name and not alias.asname:
            return once.reaches(alias.name) and not (
                now.reaches(alias.name) or (now.mentions(name) and bound.count(name) < 2)
            )
        return name in once.names and not now.mentions(name)

    lines = _Lines(after)
    return tuple(
        edit
        for statement in trees[1].body
        if isinstance(statement, _Import) and getattr(statement, "module", "") != "__future__"
        for edit in _removed(statement, {a for a in statement.names if idle(a)}, lines)
    )


@dataclass(frozen=True)
class _Used:
    """Names and dotted chains that a text uses; `further` are those bound or told in strings."""

    names: frozenset[str]
    chains: frozenset[str]
    further: frozenset[str] = field(default=frozenset())

    def mentions(self, name: str) -> bool:
        return name in self.names or name in self.further

    def reaches(self, dotted: str) -> bool:
        return any(f"{chain}.".startswith(f"{dotted}.") for chain in self.chains)


def _used(tree: ast.AST) -> _Used:
    nodes = list(ast.walk(tree))
    inner = [n for node in nodes if (told := _code_in(node)) for n in ast.walk(told)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    further = {n.id for n in (*nodes, *inner) if isinstance(n, ast.Name)}
    chains = {chain for n in (*nodes, *inner) if (chain := _chain(n))}
    return _Used(frozenset(names), frozenset(chains), frozenset(further))


def _code_in(node: ast.AST) -> ast.AST | None:
    """What a string says where it reads as an expression: an annotation, a name in `__all__`."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return None
    return _parse(node.value.strip()) if len(node.value) < 200 else None


def _parse(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _chain(node: ast.AST) -> str:
    """`torch.nn.functional` of that attribute; "" of what is no chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _removed(statement: _Import, idle: Iterable[ast.alias], lines: _Lines) -> Iterator[Edit]:
    """Edits that take these names, or the whole statement, out; none beside `# noqa` or `;`."""
    idle, names = set(idle), statement.names
    if not idle or _NOQA.search(lines.of(statement)):
        return
    if len(idle) == len(names):
        yield from lines.without(statement)
        return
    for gone, group in groupby(range(len(names)), key=lambda i: names[i] in idle):
        run = list(group)
        if not gone:
            continue
        if run[-1] + 1 < len(names):
            yield Edit(lines.start(names[run[0]]), lines.start(names[run[-1] + 1]), "")
        else:
            yield Edit(lines.end(names[run[0] - 1]), lines.end(names[run[-1]]), "")


class _Lines:
    """Offsets of ast nodes, whose columns count UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(m.end() for m in _NEWLINE.finditer(text)), len(text) + 1]

    def start(self, node: ast.alias | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.alias | ast.stmt) -> int:
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def after(self, node: ast.stmt) -> int:
        """The start of the line below a statement; the text's length below its last line."""
        return min(self.starts[node.end_lineno or node.lineno], len(self.text))

    def row_of(self, node: ast.stmt) -> int:
        """The start of a statement's first line, which may be a decorator's."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return self.starts[min([node.lineno, *(d.lineno for d in decorators)]) - 1]

    def of(self, node: ast.stmt) -> str:
        """The whole lines of a statement."""
        return self.text[self.starts[node.lineno - 1] : self.after(node)]

    def without(self, node: ast.stmt) -> Iterator[Edit]:
        """Takes out a statement's lines, and blank lines that would be one gap too many."""
        start, end = self.starts[node.lineno - 1], self.after(node)
        beside = self.text[start : self.start(node)] + self.text[self.end(node) : end]
        if beside.strip() and not beside.lstrip().startswith("#"):
            return
        blank_below = re.match(r"(?:[ \t]*\r?\n)+", self.text[end:])
        blank_above = re.search(r"(?<=\n)(?:[ \t]*\r?\n)+\Z", self.text[:start])
        if start == 0 and blank_below:
            end += blank_below.end()
        elif blank_below and blank_above:
            start -= len(blank_above[0])
        yield Edit(start, end, "")

    def _offset(self, row: int, column: int) -> int:
        begin = self.starts[row - 1]
        line = self.text[begin : begin + column]
        return begin + len(line.encode()[:column].decode())
