"""Which statements a value depends on: those that set or change the names in it, from the last to the first."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_LEFT_ALONE = frozenset(
    (
        *("load_state_dict", "eval", "train", "cuda", "to", "cpu", "half", "float", "double"),
        *("apply", "requires_grad_", "zero_grad", "backward", "step", "save", "fit"),
        *("parameters", "share_memory", "print", "info", "write", "close"),
    )
)
"""Methods that say nothing of the value that they are called on."""
_OF_SETTINGS = re.compile(
    r"\w*(cfg|conf|config|args|opts?|options|parser|hparams|params|flags|settings|group)\w*", re.I
)
_MODULES = frozenset(
    (
        *("os", "torch", "np", "numpy", "cv2", "random", "logging", "warnings", "shutil", "sys"),
        *("time", "math", "json", "plt", "subprocess", "logger", "nn", "F"),
    )
)
"""Names whose functions change nothing that is kept in them."""
_FOR_IMPORTS = frozenset(("sys.path.insert", "sys.path.append", "sys.path.extend", "os.environ"))
"""What statements begin with that imports depend on."""


@lru_cache(maxsize=50_000)
def list_loads(node: ast.AST) -> frozenset[str]:
    """The names that a piece of code reads; `self.x` for attributes of self."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "self":
            found.add(f"self.{part.attr}")
        elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "eval":
            found.update(_list_spelled(part))
    return frozenset(found)


def _list_spelled(call: ast.Call) -> Iterator[str]:
    """The names in what is spelled out to be evaluated: `eval("genotypes.%s" % args.arch)`."""
    for part in ast.walk(call):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from re.findall(r"(?<![\w.%{])[A-Za-z_]\w*", part.value)


@lru_cache(maxsize=50_000)
def list_stores(node: ast.AST) -> frozenset[str]:
    """The names that a piece of code sets, without those inside of functions and classes in it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return frozenset((node.name,))
    found = set()
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if getattr(part.value, "id", "") == "self":
                found.add(f"self.{part.attr}")
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
    return frozenset(found)


def slice_statements(
    body: Iterable[ast.stmt], needed: set[str], before: int | None = None
) -> list[ast.stmt]:
    """The statements that the `needed` names depend on, in order; names that they need are added.

    With a row, those `before` it; of blocks only what is needed.
    """
    chosen: list[ast.stmt] = []
    for node in reversed(list(body)):
        if before is not None and node.lineno >= before:
            continue
        kept = _keep_needed(node, needed, before)
        if kept is not None:
            chosen.append(kept)
    return chosen[::-1]


def _keep_needed(node: ast.stmt, needed: set[str], before: int | None) -> ast.stmt | None:
    """A statement, or as much of it as is needed."""
    if isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
        return _prune_block(node, needed, before)
    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
        return node
    if _spell_subject(node) in _FOR_IMPORTS:
        needed |= list_loads(node)
        return node
    if (stores := list_stores(node)) & needed or _changes_needed(node, needed):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.ImportFrom, ast.Import)):
            needed -= stores  # what they were before does not matter
        needed |= list_loads(node)
        return node
    return None


def _prune_block(node: ast.stmt, needed: set[str], before: int | None) -> ast.stmt | None:
    pruned = copy.copy(node)
    some = False
    at_end = set(needed)
    for name in ("finalbody", "orelse", "body"):
        if hasattr(node, name):
            inside = set(at_end)
            kept = slice_statements(getattr(node, name), inside, before)
            if isinstance(node, ast.For) and kept:  # what the first round needs of the last
                inside |= at_end
                kept = slice_statements(getattr(node, name), inside, before)
            needed |= inside
            some = some or bool(kept)
            setattr(pruned, name, kept)
    if isinstance(node, ast.Try) and some:
        handlers = [copy.copy(handler) for handler in node.handlers]
        for handler in handlers:
            handler.body = slice_statements(handler.body, needed) or [
                ast.copy_location(ast.Pass(), node)
            ]
        pruned.handlers = handlers  # type: ignore[attr-defined]
    heads = [getattr(node, name, None) for name in ("test", "iter")]
    heads += list(getattr(node, "items", ()))
    targets = set().union(
        *(list_stores(part) for part in (*heads, getattr(node, "target", None)) if part)
    )
    if not some and not targets & needed:
        return None
    for part in heads:
        if part is not None:
            needed |= list_loads(part)
    pruned.body = pruned.body or [ast.copy_location(ast.Pass(), node)]  # type: ignore[attr-defined]
    return pruned


def _changes_needed(node: ast.stmt, needed: set[str]) -> bool:
    """Whether a statement changes what one of these names stands for."""
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(_find_root(target) in needed for target in targets)
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = node.value
    if (getattr(call.func, "id", "") or getattr(call.func, "attr", "")) in _LEFT_ALONE:
        return False
    if isinstance(call.func, ast.Attribute):
        root = _find_root(call.func)
        if root in needed - _MODULES:
            return True
    given = {_find_root(part) for part in call.args if isinstance(part, (ast.Name, ast.Attribute))}
    return any(_OF_SETTINGS.fullmatch(name) for name in given & needed)


def _spell_subject(node: ast.stmt) -> str:
    """`sys.path.append` of `sys.path.append(x)`, `os.environ` of `os.environ["A"] = "1"`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return spell_dotted(node.value.func)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return spell_dotted(node.targets[0].value)
    return ""


def spell_dotted(node: ast.AST) -> str:
    """`a.b.c` as it is written; "" for what is no dotted name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(names))) if isinstance(node, ast.Name) else ""


def _find_root(node: ast.expr) -> str:
    """`a` of `a.b[0].c`; `self.a` of `self.a.b`."""
    below = ""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        below = node.attr if isinstance(node, ast.Attribute) else below
        node = node.func if isinstance(node, ast.Call) else node.value
    name = getattr(node, "id", "")
    return f"self.{below}" if name == "self" and below else name
