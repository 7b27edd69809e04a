"""The value of every expression of one function, worked out in order of execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from lintorch.facts.classes.classes import Classes, is_self
from lintorch.facts.dataflow import call_values
from lintorch.facts.dataflow.axis_layouts import image_axes, is_attention_name, is_side
from lintorch.facts.dataflow.values import (
    FLOAT,
    INTEGER,
    OTHER,
    TENSOR,
    UNKNOWN_VALUE,
    WEIGHT,
    Kind,
    Value,
    join,
    named,
    size,
    usual,
    varying,
)
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.literals import UNKNOWN, arguments, literal
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import offspring, parameters

_SAME_MEMORY = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
_TENSOR_FACTS = frozenset(
    {"device", "dtype", "ndim", "requires_grad", "is_cuda", "layout", "names", "is_sparse"}
)
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.Buffer")


class Expressions:
    """Evaluates expressions in an environment of names (`x`) and attributes (`self.x`)."""

    def __init__(
        self,
        file: ParsedFile,
        names: Lookup,
        classes: Classes,
        in_region: bool,
        returned: Callable[[cst.FunctionDef], Value],
    ) -> None:
        self.names: dict[str, Value] = {}
        self.known: dict[cst.CSTNode, Value] = {}
        self._lookup = names
        self._classes = classes
        self._in_region = in_region
        self._returned = returned
        self._image = file.mentions(("2d", "3d", "spatial_dims"))

    def value(self, node: cst.CSTNode) -> Value:
        """The value now; remembered for the rules, joined where a loop comes by twice."""
        read = _READERS.get(type(node))
        found = read(self, node) if read else self.parts(node)
        self.known[node] = join(self.known[node], found) if node in self.known else found
        return found

    def bind(self, target: cst.CSTNode, value: Value) -> None:
        """Give a name, an attribute or the parts of a tuple a value."""
        if isinstance(target, (cst.Tuple, cst.List)):
            self._unpack(target, value)
        elif isinstance(target, cst.Name):
            self.names[target.value] = named(value, target.value)
        elif isinstance(target, cst.Attribute) and is_self(target.value):
            self.names[dotted_text(target)] = named(value, target.attr.value)
        elif isinstance(target, cst.StarredElement):
            self.bind(target.value, UNKNOWN_VALUE)
        else:
            self.parts(target)

    def element(self, value: Value) -> Value:
        """One item of an iterable."""
        if value.is_tensor or value.kind is Kind.TENSORS:
            return Value(Kind.TENSOR, roots=value.roots, sure=value.sure)
        if value.kind is Kind.SHAPE:
            varies = False if value.fixed else True if value.first in (0, 2, -2) else None
            return replace(size(None, varies), given=value.given)
        return UNKNOWN_VALUE

    def _unpack(self, target: cst.Tuple | cst.List, value: Value) -> None:
        elements = target.elements
        starred = [i for i, e in enumerate(elements) if isinstance(e, cst.StarredElement)]
        names = [dotted_text(e.value).rpartition(".")[2] for e in elements]
        known = value.items if not starred and len(value.items) == len(elements) else ()
        for index, element in enumerate(elements):
            if known:
                part = known[index]
            elif value.kind is not Kind.SHAPE or index in starred:
                part = self.element(value)
            elif not starred:
                part = self._unpacked(value, index, names)
            elif value.first == 0 and len(starred) == 1:
                part = self._axis(value, index if index < starred[0] else index - len(elements))
            else:
                part = self.element(value)
            self.bind(element if index in starred else element.value, part)

    def _unpacked(self, shape: Value, index: int, names: list[str]) -> Value:
        """One of all the sizes of a shape that goes by these names."""
        rank, sides = len(names), image_axes(names)
        read = self._axis(shape, index)
        if shape.fixed or (shape.first == -2 and rank == 2) or shape.first is None:
            return read if shape.fixed or shape.first is None else varying(read, True)
        if index in sides:
            return varying(read, True)
        if shape.first != 0 or index == 0:
            return read
        if sides:
            return varying(read, rank == 5 and index == 2)
        if rank >= 3 and is_side(names[index]):
            return varying(read, False)
        if index == rank - 1:
            return varying(read, None, axis=-1)
        return varying(read, None, axis=-3) if rank >= 4 else read

    def _axis(self, shape: Value, index: int) -> Value:
        """The size at a place in a shape."""
        axis = None if shape.first is None else shape.first + index
        if shape.fixed:
            return size(None, False)
        dynamic = usual(axis, self._image)
        if shape.heads and axis in (1, 3):
            axis, dynamic = axis - 4, None
        return replace(size(axis, dynamic), detached=shape.detached, given=shape.given)

    # one method per class of expression

    def parts(self, node: cst.CSTNode) -> Value:
        for child in offspring(node):
            if isinstance(child, cst.BaseExpression):
                self.value(child)
            elif not isinstance(child, (cst.BaseSuite, cst.BaseStatement)):
                self.parts(child)
        return UNKNOWN_VALUE

    def _name(self, node: cst.Name) -> Value:
        return self.names.get(node.value, UNKNOWN_VALUE)

    def _number(self, node: cst.CSTNode) -> Value:
        return FLOAT if isinstance(node, cst.Float) else INTEGER

    def _attribute(self, node: cst.Attribute) -> Value:
        if is_self(node.value):
            return self._own(node)
        receiver, attr = self.value(node.value), node.attr.value
        if receiver.is_tensor:
            if attr == "shape":
                return self._shape(receiver, node.value)
            if attr in _SAME_MEMORY:
                return replace(receiver, detached=attr == "data" or receiver.detached)
            return OTHER if attr in _TENSOR_FACTS else UNKNOWN_VALUE
        if receiver.kind is Kind.MODULE and attr in ("weight", "bias"):
            return WEIGHT
        return UNKNOWN_VALUE

    def _shape(self, tensor: Value, node: cst.BaseExpression) -> Value:
        """The Size of a tensor that goes by a name."""
        return replace(call_values.shape_of(tensor), heads=is_attention_name(dotted_text(node)))

    def _own(self, node: cst.Attribute) -> Value:
        held = self.names.get(dotted_text(node))
        if held is not None:
            return held
        built = self._classes.built(node)
        names = [self._lookup.name(call.func) for call in built]
        if names and all(name in _PARAMETERS for name in names):
            return WEIGHT
        return (
            Value(Kind.MODULE)
            if names and all(n.startswith("torch.nn.") for n in names)
            else UNKNOWN_VALUE
        )

    def _call(self, node: cst.Call) -> Value:
        args = [self.value(arg.value) for arg in node.args]
        function = self._classes.function(node.func)
        if function is not None and (own := self._own_result(node, function)) is not None:
            return own
        name = self._lookup.name(node.func)
        if name and not (isinstance(node.func, cst.Name) and node.func.value in self.names):
            return call_values.function(name, args, self._in_region)
        if isinstance(node.func, cst.Attribute) and not is_self(node.func.value):
            receiver = self.value(node.func.value)
            if receiver.is_tensor:
                axis = literal(node.args[0].value) if node.args else None
                axis = axis if isinstance(axis, int) else None
                if node.func.attr.value == "size":
                    shape = self._shape(receiver, node.func.value)
                    first = shape.first if axis is not None else None
                    return self._axis(replace(shape, first=first), axis or 0) if args else shape
                return call_values.method(receiver, node.func.attr.value, args)
        elif not isinstance(node.func, (cst.Name, cst.Attribute)):
            self.value(node.func)
        return call_values.presumed(args) if self._in_region else UNKNOWN_VALUE

    def _own_result(self, call: cst.Call, function: cst.FunctionDef) -> Value | None:
        """What a function of the file returns; its parameters' memory is that of the arguments."""
        found = self._returned(function)
        if found.kind is Kind.UNKNOWN or found.items or not _is_plain(function):
            return None
        names = [p.name.value for p in parameters(function)]
        if names[:1] == ["self"] and isinstance(call.func, cst.Attribute):
            names = names[1:]
        bound = arguments(call, *names)
        shared = [bound.get(root) for root in found.roots]
        roots = [self.known.get(a, UNKNOWN_VALUE).roots for a in shared if a is not None]
        return replace(found, roots=frozenset().union(*roots))

    def _subscript(self, node: cst.Subscript) -> Value:
        value = self.value(node.value)
        for part in node.slice:
            self.parts(part)
        if value.kind is Kind.SHAPE:
            return self._of_shape(value, node)
        if value.is_tensor:
            return Value(
                Kind.TENSOR,
                roots=value.roots if self._is_basic(node) else frozenset(),
                fixed=value.fixed and _is_literal(node),
                copied=value.copied,
                moved=True,
                sure=value.sure,
            )
        if value.kind is Kind.TENSORS:
            cut = len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice)
            return replace(value, items=()) if cut else self.element(value)
        return UNKNOWN_VALUE

    def _of_shape(self, shape: Value, node: cst.Subscript) -> Value:
        index = node.slice[0].slice if len(node.slice) == 1 else None
        if isinstance(index, cst.Slice):
            low = 0 if index.lower is None else literal(index.lower)
            known = isinstance(low, int) and shape.first is not None
            return replace(
                shape, first=shape.first + low if known and shape.first is not None else None
            )
        number = literal(index.value) if isinstance(index, cst.Index) else UNKNOWN
        if not isinstance(number, int):
            return self._axis(replace(shape, first=None), 0)
        return self._axis(shape, number)

    def _is_basic(self, node: cst.Subscript) -> bool:
        """Whether indexing gives a view: slices, integers, None and Ellipsis do."""
        for part in node.slice:
            index = part.slice
            if isinstance(index, cst.Index):
                value = self.known.get(index.value, UNKNOWN_VALUE)
                if value.is_tensor or isinstance(index.value, (cst.List, cst.Comparison)):
                    return False
        return True

    def _binary(self, node: cst.BinaryOperation) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if left.is_tensor or right.is_tensor:
            return Value(Kind.TENSOR, sure=left.sure and right.sure)
        if Kind.NDARRAY in (left.kind, right.kind):
            return Value(Kind.NDARRAY, reads=left.reads | right.reads)
        if left.kind is Kind.SHAPE and isinstance(node.operator, cst.Add):
            return left
        if isinstance(node.operator, cst.Divide) and _counts(node.left) and _counts(node.right):
            return UNKNOWN_VALUE  # how often one fits the other seldom varies
        worked = call_values.number((left, right))
        if isinstance(node.operator, (cst.Divide, cst.Power)):
            worked = replace(worked, whole=_whole(node))
        if Kind.SIZE not in (left.kind, right.kind):
            return worked
        return replace(worked, kind=Kind.SIZE, negative=_sign(node.operator, left, right))

    def _unary(self, node: cst.UnaryOperation) -> Value:
        value = self.value(node.expression)
        if isinstance(node.operator, cst.Not):
            return OTHER
        if value.kind is Kind.SIZE and isinstance(node.operator, cst.Minus):
            return replace(value, negative={False: True, True: False, None: None}[value.negative])
        return Value(Kind.TENSOR, sure=value.sure) if value.is_tensor else value

    def _compare(self, node: cst.Comparison) -> Value:
        sides = [self.value(node.left), *(self.value(c.comparator) for c in node.comparisons)]
        plain = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
        if any(
            isinstance(c.operator, plain) or _is_no_number(c.comparator) for c in node.comparisons
        ):
            return OTHER
        for kind in (Kind.TENSOR, Kind.HOST):
            if data := [side for side in sides if side.kind is kind and not side.reads]:
                return Value(kind, sure=any(side.sure for side in data))
        return TENSOR if any(side.is_tensor for side in sides) else OTHER

    def _boolean(self, node: cst.BooleanOperation) -> Value:
        """`known and x.any()` is decided by data as well."""
        sides = (self.value(node.left), self.value(node.right))
        kinds = {side.kind for side in sides}
        data = [side for side in sides if side.kind is not Kind.OTHER]
        if Kind.OTHER in kinds and kinds & {Kind.TENSOR, Kind.HOST} and not data[0].reads:
            return Value(Kind.HOST, sure=data[0].sure)
        return join(*sides)

    def _either(self, node: cst.IfExp) -> Value:
        self.value(node.test)
        return join(self.value(node.body), self.value(node.orelse))

    def _sequence(self, node: cst.Tuple | cst.List) -> Value:
        items = tuple(self.value(element.value) for element in node.elements)
        if any(isinstance(e, cst.StarredElement) for e in node.elements):
            shaped = [i for i in items if i.kind in (Kind.SHAPE, Kind.SIZE)]
            return Value(Kind.SHAPE, first=None) if shaped else UNKNOWN_VALUE
        reads = frozenset(read for item in items for read in item.reads)
        if items and all(item.is_tensor for item in items):
            roots = frozenset(root for item in items for root in item.roots)
            return Value(Kind.TENSORS, roots=roots, items=items)
        return Value(Kind.OTHER, reads=reads, items=items)

    def _comprehension(self, node: Any) -> Value:
        saved = dict(self.names)
        loop = node.for_in
        while loop is not None:
            self.bind(loop.target, self.element(self.value(loop.iter)))
            for condition in loop.ifs:
                self.value(condition.test)
            loop = loop.inner_for_in
        element = self.value(node.elt)
        self.names = saved
        if element.kind is Kind.SIZE:
            return Value(Kind.OTHER, reads=element.reads)
        return Value(Kind.TENSORS, sure=False) if element.is_tensor else UNKNOWN_VALUE

    def _walrus(self, node: cst.NamedExpr) -> Value:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _lambda(self, node: cst.Lambda) -> Value:
        return OTHER


def _is_plain(function: cst.FunctionDef) -> bool:
    """Whether a call of it runs its body and no more."""
    return all(
        isinstance(d.decorator, cst.Name) and d.decorator.value in ("staticmethod", "property")
        for d in function.decorators
    )


def _is_literal(node: cst.Subscript) -> bool:
    """Whether every bound of a subscript is written out."""
    bounds: list[cst.BaseExpression | None] = []
    for part in node.slice:
        index = part.slice
        if isinstance(index, cst.Index):
            bounds.append(index.value)
        elif isinstance(index, cst.Slice):
            bounds += [index.lower, index.upper, index.step]
    return all(b is None or literal(b) is not UNKNOWN for b in bounds)


def _is_no_number(node: cst.BaseExpression) -> bool:
    """None or a text, with which a tensor is not compared item by item."""
    value = literal(node)
    return value is None or isinstance(value, str)


def _counts(node: cst.BaseExpression) -> bool:
    """x.numel()."""
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in ("numel", "nelement")


def _whole(node: cst.BinaryOperation) -> bool | None:
    """A quotient is a float, a power an int where it is written n ** 2."""
    power = isinstance(node.operator, cst.Power)
    return None if power and isinstance(node.right, cst.Integer) else False


def _sign(operator: cst.BaseBinaryOp, left: Value, right: Value) -> bool | None:
    if isinstance(operator, cst.Modulo):
        return False
    if isinstance(operator, cst.Subtract):
        return None
    return call_values.sign((left, right))


_READERS: dict[type, Callable[[Expressions, Any], Value]] = {
    cst.Name: Expressions._name,
    cst.Integer: Expressions._number,
    cst.Float: Expressions._number,
    cst.Attribute: Expressions._attribute,
    cst.Call: Expressions._call,
    cst.Subscript: Expressions._subscript,
    cst.BinaryOperation: Expressions._binary,
    cst.UnaryOperation: Expressions._unary,
    cst.Comparison: Expressions._compare,
    cst.BooleanOperation: Expressions._boolean,
    cst.IfExp: Expressions._either,
    cst.Tuple: Expressions._sequence,
    cst.List: Expressions._sequence,
    cst.ListComp: Expressions._comprehension,
    cst.GeneratorExp: Expressions._comprehension,
    cst.SetComp: Expressions._comprehension,
    cst.NamedExpr: Expressions._walrus,
    cst.Lambda: Expressions._lambda,
}
