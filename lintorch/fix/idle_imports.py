"""Imports that a fix needs, and imports that fixes leave idle."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache
from itertools import groupby, takewhile

from lintorch.core.finding import Edit
from lintorch.fix.apply_edits import apply_edits
from lintorch.fix.ast_offsets import Lines
from lintorch.fix.used_names import collect_used, parse_quietly

Taken = Callable[[frozenset[str]], Container[str]]
"""Tells which of some names other files take from the file."""
_Import = ast.Import | ast.ImportFrom


def taken_by_nobody(names: frozenset[str]) -> Container[str]:
    """Of a text that stands alone, no other file takes anything."""
    return ()


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
        start = min(map(lines.first_line_of, tree.body), default=len(text))
        return Edit(start, start, f"{statement}\n")
    end = lines.line_below(head[-1] if head else tree.body[0])
    apart = not head or text[end - 1] not in "\r\n"
    return Edit(end, end, f"\n{statement}\n" if apart else f"{statement}\n")


def drop_idle_imports(
    before: str, after: str, path: str = "", taken: Taken = taken_by_nobody
) -> tuple[Edit, ...]:
    """Edits of `after` that remove the top-level imports which only `before` used.

    Kept are imports of an `__init__.py`, of names in `__all__` or in strings that read as code,
    of names that other files take from this one, `import x as x`, and those below a comment, or
    with one for a tool. Another comment stays where the import was. Nothing is removed where
    either does not parse.
    """
    if re.search(r"(^|[/\\])__init__\.pyi?$", path):
        return ()
    trees = [parse_quietly(text) for text in (before, after)]
    if trees[0] is None or trees[1] is None:
        return ()
    once, now = collect_used(trees[0]), collect_used(trees[1])
    bound = [
        name for s in trees[1].body if isinstance(s, _Import) for name in map(_bound_name, s.names)
    ]

    def idle(alias: ast.alias) -> bool:
        if alias.asname == alias.name or alias.name == "*":
            return False
        name = _bound_name(alias)
        if "." in alias.name and not alias.asname:
            return once.reaches(alias.name) and not (
                now.reaches(alias.name) or (now.mentions(name) and bound.count(name) < 2)
            )
        return name in once.names and not now.mentions(name)

    statements = [s for s in trees[1].body if isinstance(s, _Import)]
    gone = {
        statement: {alias for alias in statement.names if idle(alias)}
        for statement in statements
        if getattr(statement, "module", "") != "__future__"
    }
    kept = taken(frozenset(_bound_name(alias) for names in gone.values() for alias in names))
    lines = Lines(after)
    return tuple(
        edit
        for statement, names in gone.items()
        for edit in _remove_names(
            statement, {a for a in names if _bound_name(a) not in kept}, lines
        )
    )


def find_rebound(text: str, edits: Iterable[Edit]) -> frozenset[str]:
    """Names imported at the top of a text that edits take away, or give another meaning.

    Another meaning has a name that comes from another module then, where its uses are edited
    with it; an import that is edited alone brings the same thing from where it is now.
    """
    edits = tuple(edits)
    tree, spans = _parse_top(text)
    inside = [e for e in edits if any(a <= e.start < e.end <= b for a, b in spans)]
    after = parse_quietly(apply_edits(text, edits)) if inside else None
    if tree is None or after is None:
        return frozenset()
    was, now = _list_imported(tree), _list_imported(after)
    alone = len(inside) == len(edits)
    lost = {name for name in was if name not in now and not _is_bound(name, after)}
    return frozenset(lost if alone else {name for name in was if was[name] != now.get(name)})


@lru_cache(maxsize=2)
def _parse_top(text: str) -> tuple[ast.Module | None, tuple[tuple[int, int], ...]]:
    """The tree of a text, asked for once per fix, and where the imports at its top stand."""
    tree, lines = parse_quietly(text), Lines(text)
    imports = [s for s in tree.body if isinstance(s, _Import)] if tree is not None else []
    return tree, tuple((lines.start_of(s), lines.end_of(s)) for s in imports)


def _list_imported(tree: ast.Module) -> dict[str, str]:
    return {
        _bound_name(alias): f"{getattr(statement, 'module', '')}:{alias.name}"
        for statement in tree.body
        if isinstance(statement, _Import)
        for alias in statement.names
    }


def _is_bound(name: str, tree: ast.Module) -> bool:
    """Whether the top of a text assigns a name."""
    nodes = (node for statement in tree.body for node in ast.walk(statement))
    return any(isinstance(n, ast.Name) and n.id == name for n in nodes)


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _remove_names(statement: _Import, idle: Iterable[ast.alias], lines: Lines) -> Iterator[Edit]:
    """Edits that take these names, or the whole statement, out; none beside a comment for a tool."""
    idle, names = set(idle), statement.names
    if not idle or (len(idle) < len(names) and "#" in lines.text_of(statement)):
        return
    if len(idle) == len(names):
        yield from () if lines.is_headed(statement) else _remove_whole(statement, lines)
        return
    for gone, group in groupby(range(len(names)), key=lambda i: names[i] in idle):
        run = list(group)
        if not gone:
            continue
        if run[-1] + 1 < len(names):
            yield Edit(lines.start_of(names[run[0]]), lines.start_of(names[run[-1] + 1]), "")
        else:
            yield Edit(lines.end_of(names[run[0] - 1]), lines.end_of(names[run[-1]]), "")


_FOR_TOOLS = re.compile(
    r"#\s*(noqa|type:|isort|pylint|pyright|ruff|mypy|flake8|fmt|yapf|lintorch)", re.I
)
_COMMENT = re.compile(r"[ \t]*#")
_BEFORE_NEXT = re.compile(r"[ \t]*;[ \t]*(?=[^\s#;])")


def _remove_whole(statement: _Import, lines: Lines) -> Iterator[Edit]:
    """Take an import out: with its line, from before the next statement, or from beside a comment."""
    start, end = lines.start_of(statement), lines.end_of(statement)
    inside = lines.text[start:end]
    beside = lines.text[end : lines.line_below(statement)]
    alone = not lines.text_of(statement)[: -len(inside + beside)].strip()
    if "#" not in inside + beside and ";" not in beside:
        yield from lines.remove_statement(statement)
    elif "#" not in inside and alone and (following := _BEFORE_NEXT.match(beside)):
        yield Edit(start, end + following.end(), "")
    elif "#" not in inside and alone and _COMMENT.match(beside) and not _FOR_TOOLS.search(beside):
        yield Edit(start, end + len(beside) - len(beside.lstrip()), "")
