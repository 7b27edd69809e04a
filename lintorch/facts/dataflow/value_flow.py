"""Value kinds through the statements of a function: branches join, loops run twice."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.classes import Classes, HasClasses
from lintorch.facts.dataflow.expressions import Expressions
from lintorch.facts.dataflow.values import OTHER, TENSOR, UNKNOWN_VALUE, Kind, Value, join
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.regions.forward_region import Regions
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import ends_in_jump, offspring, parameters

_TENSOR_PARAM = re.compile(
    r"^(x\d?|xs|y\d?|inputs?|img|image|images|feats?|features|preds?|predictions?|logits|outputs?"
    r"|targets?|labels?|gts?|masks?|y_true|y_pred|query|key|value|hidden_states?)$"
)
_WEIGHT_PARAM = re.compile(
    r"^((?!att)(\w+_)?weights?|kernel|pos(ition)?\w*_?emb\w*|rel(ative)?_pos\w*)$"
)
_TENSOR_ONLY = frozenset(
    {"size", "shape", "view", "reshape", "permute", "dim", "ndim", "dtype", "device", "flatten"}
)
_NUMBER = ("int", "float", "bool", "str", "None")


class HasFlows(HasClasses, Protocol):
    """What knows a file with its classes, and what values are."""

    @property
    def flows(self) -> Flows:
        """What kind of value each expression has."""


class Flows:
    """The values in every function of a file, each function evaluated when first asked about."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes, regions: Regions) -> None:
        self._file = file
        self._names = names
        self._classes = classes
        self._regions = regions
        self._done: dict[cst.FunctionDef, dict[cst.CSTNode, Value]] = {}
        self._returns: dict[cst.FunctionDef, Value] = {}
        self._around: dict[cst.CSTNode, cst.FunctionDef | None] = {}

    def value(self, expression: cst.CSTNode) -> Value:
        """The value of an expression; unknown outside functions."""
        function = self._function(expression)
        return UNKNOWN_VALUE if function is None else self._in(function, expression)

    def _function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function around a node, which in a deep expression is a long way up."""
        path: list[cst.CSTNode] = []
        for outer in self._file.ancestors(node):
            if isinstance(outer, cst.FunctionDef) or outer in self._around:
                break
            path.append(outer)
        else:
            outer = self._file.module
        found = outer if isinstance(outer, cst.FunctionDef) else self._around.get(outer)
        self._around.update(dict.fromkeys(path, found))
        return found

    def returned(self, function: cst.FunctionDef) -> Value:
        """What a call of a function of the file gives, with roots that are its own parameters."""
        if function not in self._returns:
            self._returns[function] = UNKNOWN_VALUE  # of one that calls itself
            given = [self._in(function, value) for value in _results(function)]
            self._returns[function] = reduce(join, given) if given else UNKNOWN_VALUE
        return self._returns[function]

    def _in(self, function: cst.FunctionDef, expression: cst.CSTNode) -> Value:
        if function not in self._done:
            self._done[function] = {}
            self._done[function] = self._evaluate(function)
        return self._done[function].get(expression, UNKNOWN_VALUE)

    def _evaluate(self, function: cst.FunctionDef) -> dict[cst.CSTNode, Value]:
        in_region = function in self._regions.functions
        expressions = Expressions(self._file, self._names, self._classes, in_region, self.returned)
        info = self._classes.around(function)
        forward = bool(info and info.is_module and function.name.value.startswith("forward"))
        asked, tested = _asked(function.body)
        for param in parameters(function):
            name, value = param.name.value, _given(param, forward, self._file)
            sure = name not in tested and (value.sure or name in asked)
            expressions.names[name] = replace(value, sure=sure) if value.is_tensor else value
        _Statements(expressions).block(function.body)
        return expressions.known


def _asked(body: cst.CSTNode) -> tuple[set[str], set[str]]:
    """Names that are asked what only a tensor can answer, and names that are tested for their type."""
    asked: set[str] = set()
    tested: set[str] = set()
    waiting = [body]
    while waiting:
        node = waiting.pop()
        waiting += offspring(node)
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
            if node.attr.value in _TENSOR_ONLY:
                asked.add(node.value.value)
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            first = node.args[0].value if node.args else None
            if node.func.value == "isinstance" and isinstance(first, cst.Name):
                tested.add(first.value)
    return asked, tested


def _results(function: cst.FunctionDef) -> list[cst.CSTNode]:
    """What a plain function returns; [] of a generator, and of one that may return nothing."""
    if function.asynchronous:
        return []
    found: list[cst.CSTNode] = []
    waiting: list[cst.CSTNode] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.Yield) or (isinstance(node, cst.Return) and node.value is None):
            return []
        if isinstance(node, cst.Return) and node.value is not None:
            found.append(node.value)
        if not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            waiting += offspring(node)
    return found


def _given(param: cst.Param, forward: bool, file: ParsedFile) -> Value:
    """What a parameter is: by its annotation, its default, or as an input of a forward."""
    name = param.name.value
    tensor = Value(Kind.TENSOR, roots=frozenset({name}), fixed=bool(_WEIGHT_PARAM.match(name)))
    if param.annotation is not None:
        written = file.code(param.annotation.annotation)
        return (
            tensor
            if re.search(r"\bTensor\b", written) and "[" not in written.replace("Optional[", "")
            else _plain(written)
        )
    if name in ("self", "cls", "ctx"):
        return UNKNOWN_VALUE
    default = param.default
    missing = default is None or (isinstance(default, cst.Name) and default.value == "None")
    if missing and (_TENSOR_PARAM.match(name) or (forward and default is None)):
        return replace(tensor, sure=False)
    return UNKNOWN_VALUE


def _plain(annotation: str) -> Value:
    return OTHER if annotation in _NUMBER else UNKNOWN_VALUE


class _Statements:
    """Runs statements, in order, over an environment."""

    def __init__(self, expressions: Expressions) -> None:
        self._e = expressions

    def block(self, block: cst.CSTNode) -> None:
        for statement in block.body:  # type: ignore[attr-defined]
            self._statement(statement)

    def _statement(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.SimpleStatementLine):
            self.block(node)
        elif isinstance(node, cst.Assign):
            value = self._e.value(node.value)
            for target in node.targets:
                self._e.bind(target.target, value)
        elif isinstance(node, cst.AnnAssign):
            self._e.bind(node.target, self._e.value(node.value) if node.value else UNKNOWN_VALUE)
        elif isinstance(node, cst.AugAssign):
            self._augment(node)
        elif isinstance(node, cst.If):
            self._if(node)
        elif isinstance(node, (cst.For, cst.While)):
            self._loop(node)
        elif isinstance(node, cst.With):
            for item in node.items:
                self._e.value(item.item)
                if item.asname:
                    self._e.bind(item.asname.name, UNKNOWN_VALUE)
            self.block(node.body)
        elif isinstance(node, (cst.Try, cst.TryStar)):
            self._try(node)
        elif not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Match)):
            self._e.parts(node)

    def _augment(self, node: cst.AugAssign) -> None:
        """`x += 1` keeps the memory of a tensor and works out a new number otherwise."""
        target, value = self._e.value(node.target), self._e.value(node.value)
        if not target.is_tensor:
            both = join(target, value) if target.kind is value.kind else target
            target = TENSOR if value.is_tensor else both
        self._e.bind(node.target, target)

    def _if(self, node: cst.If) -> None:
        self._e.value(node.test)
        before = dict(self._e.names)
        self.block(node.body)
        after, self._e.names = self._e.names, before
        left = ends_in_jump(node.body)
        if isinstance(node.orelse, cst.If):
            self._if(node.orelse)
        elif node.orelse is not None:
            self.block(node.orelse.body)
        if not left:
            self._merge(after)

    def _merge(self, other: dict[str, Value]) -> None:
        mine = self._e.names
        self._e.names = {
            name: join(mine.get(name, UNKNOWN_VALUE), other.get(name, UNKNOWN_VALUE))
            for name in mine.keys() | other.keys()
        }

    def _loop(self, node: cst.For | cst.While) -> None:
        for _ in range(2):
            before = dict(self._e.names)
            if isinstance(node, cst.For):
                self._e.bind(node.target, self._e.element(self._e.value(node.iter)))
            else:
                self._e.value(node.test)
            self.block(node.body)
            self._merge(before)
        if node.orelse is not None:
            self.block(node.orelse.body)

    def _try(self, node: cst.Try | cst.TryStar) -> None:
        before = dict(self._e.names)
        self.block(node.body)
        for handler in node.handlers:
            self.block(handler.body)
        self._merge(before)
        for last in (node.orelse, node.finalbody):
            if last is not None:
                self.block(last.body)
