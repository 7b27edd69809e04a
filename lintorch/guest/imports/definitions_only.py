"""What of a file's text defines things: imports, constants, classes, functions; what only does things is left out."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType

_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.If, ast.Try, ast.With)
_WITHOUT_CALLS = 3
_reduced: dict[str, int] = {}
"""The files of which only the definitions are run: 1, all of them; 2, those that do not raise; 3, without calls."""


_strict: set[str] = set()
"""Those of them whose definitions must not raise: the file whose models are sought."""


def run_definitions_only(filename: str, *, slow: bool, strict: bool) -> bool:
    """Have only the definitions of a file run from now on, then less of them; whether there is less to run.

    `slow`: it took too long, and did not raise. `strict`: its definitions must not raise.
    """
    if strict:
        _strict.add(filename)
    before = _reduced.get(filename, 0)
    if before == _WITHOUT_CALLS:
        return False
    _reduced[filename] = _WITHOUT_CALLS if (slow or strict) and before else before + 1
    SourceFileLoader.get_code = _get_code  # type: ignore[method-assign,assignment]
    return True


def is_reduced(filename: str) -> bool:
    """Whether only the definitions of a file are run: what its other statements make is not there."""
    return filename in _reduced


def compile_definitions(text: bytes, filename: str, step: int) -> CodeType:
    """The code of a file's definitions, the less of it the higher the step. Raises SyntaxError."""
    tree = ast.parse(text, filename)
    used = _find_used_names(tree)
    tree.body = list(_keep_definitions(tree.body, used, calls=step < _WITHOUT_CALLS))
    if step > 1 and filename not in _strict:
        tree.body = list(map(_let_definition_fail, tree.body))
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


_get_whole_code = SourceFileLoader.get_code


def _get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
    filename = self.get_filename(fullname)
    if filename not in _reduced:
        return _get_whole_code(self, fullname)
    return compile_definitions(self.get_data(filename), filename, _reduced[filename])


def _keep_definitions(
    body: Iterable[ast.stmt], used: frozenset[str], calls: bool
) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, _DEFINING) or _is_future(statement):
            yield statement
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            wanted = calls and _is_wanted(statement, used) and not _awaits(statement)
            if wanted or _is_plain(statement):
                yield _let_fail(statement)
        elif isinstance(statement, _BLOCKS) and not _asks_for_main(statement):
            yield _reduce_block(statement, used, calls)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _reduce_block(block: ast.stmt, used: frozenset[str], calls: bool) -> ast.stmt:
    """The same block with less in it; one that would run something to be entered loses that."""
    if isinstance(block, ast.With):
        body = list(_keep_definitions(block.body, used, calls))
        return ast.copy_location(ast.If(ast.Constant(True), body or [ast.Pass()], []), block)
    for name in ("body", "orelse", "finalbody"):
        if kept := getattr(block, name, []):
            reduced = list(_keep_definitions(kept, used, calls))
            setattr(block, name, reduced or [ast.copy_location(ast.Pass(), block)])
    for handler in getattr(block, "handlers", ()):
        handler.body = [
            *_keep_definitions(handler.body, used, calls),
            ast.copy_location(ast.Pass(), handler),
        ]
    return block if isinstance(block, ast.Try) else _let_fail(block)


def _asks_for_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in {
        node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)
    }


def _is_plain(statement: ast.stmt) -> bool:
    """Whether an assignment works without a call."""
    if isinstance(statement, ast.Expr):
        return _changes_path(statement)
    return not any(isinstance(node, (ast.Call, ast.Await)) for node in ast.walk(statement))


def _awaits(statement: ast.stmt) -> bool:
    """Whether it waits, which the top level of a notebook may do and a module may not."""
    return any(isinstance(node, ast.Await) for node in ast.walk(statement))


def _changes_path(statement: ast.Expr) -> bool:
    """Whether it is `sys.path.append(…)` or the like."""
    function = getattr(statement.value, "func", None)
    owner = getattr(function, "value", None)
    return isinstance(owner, ast.Attribute) and owner.attr == "path"


def _is_wanted(statement: ast.stmt, used: frozenset[str]) -> bool:
    """Whether a statement makes, or adds to, something that a class or its helpers ask for."""
    if isinstance(statement, ast.Expr):
        function = getattr(statement.value, "func", None)
        return isinstance(function, ast.Attribute) and not used.isdisjoint(_list_names(function))
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", statement)]
    return any(not used.isdisjoint(_list_names(target)) for target in targets)


def _let_definition_fail(statement: ast.stmt) -> ast.stmt:
    """The same, where a class or function whose decorator raises has none of those, and else is None."""
    if not isinstance(statement, _NAMED):
        return statement
    absent = ast.Assign([ast.Name(statement.name, ast.Store())], ast.Constant(None))
    bare = copy.deepcopy(statement)
    for part in ast.walk(bare):
        if isinstance(part, _NAMED):
            kept = [each for each in part.decorator_list if not isinstance(each, ast.Call)]
            part.decorator_list = kept
    return _let_fail(statement, _let_fail(bare, absent))


def _let_fail(statement: ast.stmt, instead: ast.stmt | None = None) -> ast.stmt:
    """The statement, passed over where it raises, or something else `instead` of it."""
    caught = ast.Tuple(
        [ast.Name("Exception", ast.Load()), ast.Name("SystemExit", ast.Load())], ast.Load()
    )
    handler = ast.ExceptHandler(caught, None, [instead or ast.Pass()])
    tried = ast.Try([statement], [handler], [], [])
    return ast.fix_missing_locations(ast.copy_location(tried, statement))


def _find_used_names(tree: ast.Module) -> frozenset[str]:
    """Names that classes mention, and what makes or is asked for by those, however far; also objects of settings."""
    mentioned: dict[str, set[str]] = {}
    for statement in _walk_statements(tree.body):
        for name in _list_bound(statement):
            mentioned.setdefault(name, set()).update(_list_names(statement))
    classes = [n for n in _walk_statements(tree.body) if isinstance(n, ast.ClassDef)]
    waiting = [n.name for n in classes] + _list_objects(tree, classes)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += mentioned.get(name, ())
    return frozenset(found)


def _list_objects(tree: ast.Module, classes: Iterable[ast.ClassDef]) -> list[str]:
    """The names of objects of classes without a base, which other files import: `cfg = Config()`."""
    plain = {n.name for n in classes if {getattr(base, "id", "") for base in n.bases} <= {"object"}}
    made = (n for n in _walk_statements(tree.body) if isinstance(n, ast.Assign))
    objects = (n for n in made if getattr(getattr(n.value, "func", None), "id", "") in plain)
    return [name for statement in objects for name in _list_bound(statement)]


def _walk_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, _BLOCKS):
            yield from _walk_statements(statement.body)


def _list_bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return {statement.name}
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return {name for target in targets if target is not None for name in _list_names(target)}


def _list_names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
