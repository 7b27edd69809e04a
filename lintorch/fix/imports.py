"""Imports that a fix needs, and imports that fixes leave idle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile

from lintorch.finding import Edit
from lintorch.fix.lines import Lines
from lintorch.fix.used import parse, used

_NOQA = re.compile(r"#\s*noqa|#.*\bF401\b", re.IGNORECASE)
_Import = ast.Import | ast.ImportFrom


def add_import(text: str, statement: str) -> Edit:
    """Put an import, such as `import torch`, behind the file's first block of imports.

    Without imports it goes behind the docstring and `__future__`. Fixes that add the same
    import share one edit. Raises SyntaxError where the text does not parse.
    """
    lines = Lines(text)
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
    trees = [parse(text) for text in (before, after)]
    if trees[0] is None or trees[1] is None:
        return ()
    once, now = used(trees[0]), used(trees[1])
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

    lines = Lines(after)
    return tuple(
        edit
        for statement in trees[1].body
        if isinstance(statement, _Import) and getattr(statement, "module", "") != "__future__"
        for edit in _removed(statement, {a for a in statement.names if idle(a)}, lines)
    )


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _removed(statement: _Import, idle: Iterable[ast.alias], lines: Lines) -> Iterator[Edit]:
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
