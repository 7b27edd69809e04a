"""What a forward makes once and keeps on self: `if self.grid is None: self.grid = make_grid(h, w)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import Number, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation

_MODES = frozenset({"training", "is_tracing", "is_scripting", "is_exporting", "is_in_onnx_export"})
"""What is asked where an export, or training, takes another way."""
_KINDS = frozenset({"device", "dtype", "is_cuda", "requires_grad"})
_SIZES = frozenset({"shape", "size", "numel", "len"})
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True)
class KeptCache:
    """A tensor for the sizes of one call; `renewed`: it is made anew where sizes differ.

    `enough`: smaller sizes take a part of it: `if self.table.size(0) < n:`.
    """

    renewed: bool
    enough: bool = False


def find_cache(
    event: Occurrence, name: str, value: Value, evaluation: Evaluation
) -> KeptCache | None:
    """What a write to self keeps under a name for later calls, where that hangs on sizes that vary."""
    function = evaluation.find_function(event)
    made_of_data = not isinstance(value, Tensor) or value.data is not False
    if not event.way.forward or function is None or made_of_data:
        return None
    own = {name, *_list_written(function)}
    tests = [*_list_tests_around(event, evaluation), *_list_tests_of_returns(function)]
    asked = [test for test in tests if own & _list_attributes(test) and not _asks_kind(test)]
    words = {word for test in tests for word in _list_words(test)}
    if not asked or words & _MODES:
        return None
    if (
        own
        & _list_begun_anew(event, function, evaluation)
        & set().union(*map(_list_attributes, asked))
    ):
        return None
    renewed = any(map(_compares_sizes, asked))
    if not _is_for_sizes(value, renewed, evaluation):
        return None
    ops = [op for test in asked for op in _list_operators(test)]
    return KeptCache(renewed, bool(ops) and all(isinstance(op, _ORDERS) for op in ops))


def keeps_entry(event: Occurrence, name: str, value: Value, evaluation: Evaluation) -> bool:
    """Whether `GRIDS[key] = grid` under `if key not in GRIDS:` keeps what hangs on sizes that vary.

    `GRIDS` is a dict of the module: no parameter, and nothing that the function makes.
    """
    function = evaluation.find_function(event)
    of_data = not isinstance(value, Tensor) or value.data is not False
    if not event.way.forward or of_data or not isinstance(function, ast.FunctionDef):
        return False
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    own.update(
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )
    tests = list(_list_tests_around(event, evaluation))
    words = {word for test in tests for word in _list_words(test)}
    asked = tests and _asks_for_entry(tests[0], name) and not words & _MODES
    return bool(asked) and name not in own and _is_for_sizes(value, True, evaluation)


def _asks_for_entry(test: ast.expr, name: str) -> bool:
    """`key not in GRIDS`."""
    match test:
        case ast.Compare(ops=[ast.NotIn()], comparators=[ast.Name(id=held)]):
            return held == name
    return False


def _is_for_sizes(value: Value, renewed: bool, evaluation: Evaluation) -> bool:
    """Whether a tensor is as large as an input, or made of its sizes.

    Who makes it anew where a size differs says that the size may.
    """
    shape = value.shape if isinstance(value, Tensor) else None
    sizes = [varies(size) for size in shape or ()]
    if True in sizes or (renewed and None in sizes):
        return True
    sources = evaluation.ways.list_sources(value)
    return any(isinstance(v, Number) and v.varies is True and not v.data for v in sources)


def _list_tests_around(event: Occurrence, evaluation: Evaluation) -> Iterator[ast.expr]:
    for each in evaluation.list_all_around(event):
        if isinstance(each, (ast.If, ast.IfExp)):
            yield each.test


def _list_tests_of_returns(function: ast.AST) -> Iterator[ast.expr]:
    """`if self.mask is not None: return self.mask`."""
    for each in ast.walk(function):
        if isinstance(each, ast.If) and any(isinstance(n, ast.Return) for n in ast.walk(each)):
            yield each.test


def _list_written(function: ast.AST) -> Iterator[str]:
    """Attributes of self that a function sets, such as the size that a cache is for."""
    for each in ast.walk(function):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield from _name_attribute(each)


def _list_begun_anew(event: Occurrence, function: ast.AST, evaluation: Evaluation) -> set[str]:
    """Attributes that a method sets for who calls it: `def reset(self): self.begun = False`."""
    around = evaluation.list_around(event)
    home = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    methods = [each for each in home.body if isinstance(each, ast.FunctionDef)] if home else []
    making = [each for each in methods if each.name == "__init__"]
    made = {word for each in making for n in ast.walk(each) for word in _name_attribute(n)}
    others = (
        e for e in methods if e is not function and e.name not in {"__init__", "forward", *made}
    )
    return {name for each in others for name in _list_written(each)}


def _list_attributes(test: ast.expr) -> set[str]:
    """The attributes of self that a test asks; `hasattr(self, "grid")` asks one too."""
    found = {name for each in ast.walk(test) for name in _name_attribute(each)}
    for each in ast.walk(test):
        match each:
            case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str(name))]):
                found.add(name)
    return found


def _name_attribute(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield from (node.attr,) if node.value.id == "self" else ()


def _asks_kind(test: ast.expr) -> bool:
    """`self.mean.device != x.device`: where it lies and of which type it is, and no size."""
    words = set(_list_words(test))
    return not _KINDS.isdisjoint(words) and _SIZES.isdisjoint(words)


def _list_words(test: ast.expr) -> Iterator[str]:
    for each in ast.walk(test):
        if isinstance(each, (ast.Name, ast.Attribute)):
            yield each.id if isinstance(each, ast.Name) else each.attr


def _compares_sizes(test: ast.expr) -> bool:
    """Whether it asks more than whether there is something: `self.grid.shape != x.shape`."""
    return bool(_list_operators(test)) or not _SIZES.isdisjoint(_list_words(test))


def _list_operators(test: ast.expr) -> list[ast.cmpop]:
    compared = [n for n in ast.walk(test) if isinstance(n, ast.Compare)]
    return [op for n in compared for op in n.ops if not isinstance(op, (ast.Is, ast.IsNot))]
