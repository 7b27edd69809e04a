"""Where the evaluation of a file begins: its script, the functions that build its models, its classes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from lintorch.core.code_tree import is_guide
from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_nodes

_MOST_FACTORIES = 4
"""Functions of one file that are called for the models they build."""
_MOST_BUILDERS = 3
"""Functions that are followed to see how one class is built."""


def list_classes(file: CodeFile) -> list[str]:
    """Classes that have bases, the last first: what contains others mostly comes after them."""
    found = [each.name for each in file.tree.body if isinstance(each, ast.ClassDef) and each.bases]
    return found[::-1]


def list_factories(file: CodeFile) -> list[str]:
    """Functions that can be called without arguments, call a class of the file and give something back."""
    classes = set(list_classes(file))
    found = [
        name
        for name, node in list_functions(file)
        if classes
        and needs_nothing(node.args)
        and classes & _called_names(node).keys()
        and any(isinstance(each, ast.Return) and each.value for each in list_nodes(node))
    ]
    return found[-_MOST_FACTORIES:][::-1]


def find_said_factory(file: CodeFile) -> list[str]:
    """The last function that says to give a model of the file, `def small(**settings) -> Net`, and has a helper
    build it; there may be a hundred that differ in their sizes alone."""
    classes = set(list_classes(file))
    found = [
        name
        for name, node in list_functions(file)
        if needs_nothing(node.args)
        and _read_class(node) in classes
        and not classes & _called_names(node).keys()
    ]
    return found[-1:]


def _read_class(node: ast.FunctionDef) -> str:
    said = node.returns
    return str(said.value) if isinstance(said, ast.Constant) else getattr(said, "id", "")


def list_builders(file: CodeFile, name: str) -> list[str]:
    """Functions of a file that call a class; "" is the script itself."""
    found = [function for function, node in list_functions(file) if name in _called_names(node)]
    script = any(name in _called_names(each) for each in list_script(file))
    return ([""] if script else []) + found[:_MOST_BUILDERS]


def needs_arguments(file: CodeFile, name: str) -> bool:
    """Whether a class of the file says itself that its constructor needs arguments."""
    for each in file.tree.body:
        if isinstance(each, ast.ClassDef) and each.name == name:
            for inner in each.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
                    spec = inner.args
                    own = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults)
                    return own > 1 or None in spec.kw_defaults
    return False


def list_functions(file: CodeFile) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions at the top of a file, by name."""
    for each in file.tree.body:
        if isinstance(each, ast.FunctionDef):
            yield each.name, each


def needs_nothing(given: ast.arguments) -> bool:
    """Whether a function can be called without arguments."""
    positional = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return positional == 0 and None not in given.kw_defaults


def list_script(file: CodeFile) -> list[ast.stmt]:
    """The statements that a file runs as a script, without imports and definitions; none if it is a module."""
    body = list_body(file)
    return body if is_guide(file.path) or any(map(_does_something, body)) else []


def list_body(file: CodeFile) -> list[ast.stmt]:
    """The statements of a file without imports and definitions, but for those of a name that is defined again."""
    again = list_redefined(file)
    return [e for e in file.tree.body if not isinstance(e, _DEFINITIONS) or e in again]


def list_redefined(file: CodeFile) -> list[ast.stmt]:
    """Classes and functions of a name of which a file has several: which one is meant hangs on the order."""
    defined = [each for each in file.tree.body if isinstance(each, _NAMED)]
    named = Counter(each.name for each in defined)
    return [each for each in defined if named[each.name] > 1]


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DEFINITIONS = (ast.Import, ast.ImportFrom, *_NAMED)


def _does_something(statement: ast.stmt) -> bool:
    """`if __name__ == "__main__": …`, loops, and calls of a file's own functions."""
    if isinstance(statement, ast.If):
        return "__name__" in ast.unparse(statement.test)
    if isinstance(statement, (ast.For, ast.While, ast.With)):
        return True
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name)


@keep_beside
def _called_names(node: ast.AST) -> dict[str, None]:
    calls = (each for each in list_nodes(node) if isinstance(each, ast.Call))
    names = (getattr(each.func, "id", getattr(each.func, "attr", "")) for each in calls)
    return dict.fromkeys(names)
