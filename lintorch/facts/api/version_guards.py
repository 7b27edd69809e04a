"""Code that asks which release of a library is installed before it uses a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.facts.classes.classes import HasClasses
from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.tree import ends_in_jump, names_in

_ASKS = re.compile(
    r"hasattr|getattr|version|sys\.modules|greater|at_?least|(^|_)[gl][te]_?\d|torch_?\d|pt_?\d|legacy|compat|"
    r"is_new|is_old|new_api|old_api|signature|argspec|co_varnames|__kwdefaults__|is_torch_|supports?_|has_native|(?-i:\bHAS_)",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"__version__|version_info|torch_version|\bversion\.parse|\bVersion\(|metadata\.version"
    r"|hasattr\(\s*(torch|nn|optim)\b|is_torch_|at_?least|__kwdefaults__|\bsignature\(|argspec|co_varnames"
)
"""What sets a name that tells the release."""
_FOLLOWED = 2
"""Names are followed from one to what it was given so many times."""
_TRIED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "NameError"}
)


def is_name_guarded(expression: cst.CSTNode, source: HasClasses) -> bool:
    """Whether a name is used, or imported, only where its release has it.

    True also where several imports could have bound the name.
    """
    head = expression
    while isinstance(head, cst.Attribute):
        head = head.value
    bound = source.names.bound(head) if isinstance(head, cst.Name) else []
    imports = {binding.dotted for binding in bound if binding.kind == "import"}
    return (
        len(imports) > 1
        or is_version_guarded(expression, source)
        or any(
            is_version_guarded(binding.node, source)
            for binding in bound
            if binding.kind == "import"
        )
    )


def is_version_guarded(node: cst.CSTNode, source: HasClasses) -> bool:
    """Whether a test of the release, or a handler of missing names, stands around a node."""
    inner = node
    for outer in source.file.ancestors(node):
        if isinstance(outer, (cst.If, cst.IfExp, cst.While)):
            if inner is not outer.test and tests_version(outer.test, source):
                return True
        elif isinstance(outer, cst.BooleanOperation):
            if inner is outer.right and tests_version(outer.left, source):
                return True
        elif isinstance(outer, cst.Match):
            if inner is not outer.subject and tests_version(outer.subject, source):
                return True
        elif isinstance(outer, (cst.Try, cst.TryStar)):
            if any(_catches(handler) for handler in outer.handlers):
                return True
        elif isinstance(outer, (cst.IndentedBlock, cst.Module)) and (
            _left_before(outer, inner, source) or _asked_next(outer, inner, source)
        ):
            return True
        inner = outer
    return False


def tests_version(test: cst.CSTNode, source: HasClasses) -> bool:
    """Whether a test is one of the release: by its words, or by what its names were given."""
    return bool(_ASKS.search(source.file.code(test))) or _tells_release(test, source, _FOLLOWED)


def _tells_release(value: cst.CSTNode, source: HasClasses, depth: int) -> bool:
    """Whether a value, or what its names were given, is made of a release."""
    if _RELEASE.search(source.file.code(value)):
        return True
    return depth > 0 and any(
        _tells_release(given, source, depth - 1)
        for name in names_in(value)
        for given in _given(name, source)
    )


def _given(name: cst.Name, source: HasClasses) -> Iterator[cst.CSTNode]:
    """What a name, or the `x` of `self.x`, was set to; the body of a function."""
    owner = source.file.parent(name)
    if isinstance(owner, cst.Attribute) and owner.attr is name:
        yield from source.classes.assigned(owner)
        return
    for binding in source.names.bound(name):
        if binding.kind == "function" and isinstance(binding.node, cst.FunctionDef):
            yield binding.node.body
        elif binding.kind in ("assign", "other"):
            around = source.file.enclosing(binding.node, cst.Assign)
            yield around.value if around is not None else binding.node


def _left_before(
    block: cst.IndentedBlock | cst.Module, child: cst.CSTNode, source: HasClasses
) -> bool:
    """Whether an earlier statement of the block asks, and leaves where the answer is yes."""
    for statement in block.body:
        if statement is child:
            return False
        if isinstance(statement, cst.If):
            if ends_in_jump(statement.body) and tests_version(statement.test, source):
                return True
        elif isinstance(statement, cst.SimpleStatementLine):
            for line in statement.body:
                if isinstance(line, cst.Assert) and tests_version(line.test, source):
                    return True
    return False


def _asked_next(
    block: cst.IndentedBlock | cst.Module, child: cst.CSTNode, source: HasClasses
) -> bool:
    """Whether the statement sets a name, and the next one asks before it sets it anew."""
    below = list(block.body)
    after = below[below.index(child) + 1 :] if child in below else []  # type: ignore[arg-type]
    sets = isinstance(child, cst.SimpleStatementLine) and isinstance(child.body[0], cst.Assign)
    test = after[0].test if after and isinstance(after[0], cst.If) else None
    return sets and test is not None and tests_version(test, source)


def _catches(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    caught = handler.type
    each = [e.value for e in caught.elements] if isinstance(caught, cst.Tuple) else [caught]
    return any(dotted_text(kind) in _TRIED for kind in each)
