"""The channels of every tensor of a method, worked out statement by statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.classes import is_self
from lintorch.facts.dataflow.value_flow import Flows, HasFlows
from lintorch.facts.dataflow.values import Kind
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.nets.layers import HasLayers, Layers
from lintorch.facts.nets.signals import (
    NOTHING,
    Clash,
    Signal,
    count_cells,
    flatten_channels,
    pass_layer,
)
from lintorch.syntax.literals import UNKNOWN, arguments, literal
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import offspring

_KEEP = frozenset(
    {
        "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "sigmoid",
        "logsigmoid", "tanh", "hardtanh", "hardswish", "hardsigmoid", "softplus", "dropout",
        "dropout2d", "alpha_dropout", "softmax", "log_softmax", "relu_", "sigmoid_", "tanh_",
        "clone", "contiguous", "detach", "clamp", "float", "half", "double", "exp", "abs", "sqrt",
    }
)  # fmt: skip
"""Functions and methods that leave every size as it is."""
_SUMS = (
    cst.Add, cst.Subtract, cst.Multiply, cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign,
)  # fmt: skip
_POOLS = ("max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool")


class _Channels(HasLayers, HasFlows, Protocol):
    """What knows the layers of a file, and what kinds of value go through them."""


class SignalFlow:
    """Runs one method of a module and collects the clashes of its layers."""

    def __init__(self, file: ParsedFile, names: Lookup, layers: Layers, flows: Flows) -> None:
        self._file, self._lookup, self._layers, self._flows = file, names, layers, flows
        self._names: dict[str, Signal] = {}
        self.clashes: list[Clash] = []

    def block(self, block: cst.CSTNode) -> bool:
        """Run statements in order; whether the last of them is reached."""
        return all(self._statement(statement) for statement in block.body)  # type: ignore[attr-defined]

    def _statement(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.SimpleStatementLine):
            return self.block(node)
        if isinstance(node, (cst.Return, cst.Raise, cst.Break, cst.Continue)):
            self._parts(node)
            return False
        if isinstance(node, cst.Assign):
            signal = self.signal(node.value)
            for target in node.targets:
                self._bind(target.target, signal)
        elif isinstance(node, cst.AugAssign):
            summed = self._sum(node, node.target, node.value)
            self._bind(node.target, summed if isinstance(node.operator, _SUMS) else NOTHING)
        elif isinstance(node, cst.If):
            return self._if(node)
        elif isinstance(node, cst.With):
            for item in node.items:
                self._forget(item)
            return self.block(node.body)
        elif isinstance(node, (cst.BaseCompoundStatement, cst.AnnAssign, cst.Del)):
            self._apart(node)
        else:
            self._parts(node)
        return True

    def _if(self, node: cst.If) -> bool:
        self.signal(node.test)
        before = dict(self._names)
        ends = self.block(node.body)
        after, self._names = self._names, before
        if isinstance(node.orelse, cst.If):
            other = self._if(node.orelse)
        else:
            other = self.block(node.orelse.body) if node.orelse else True
        if ends and other:
            self._names = {
                name: signal for name, signal in self._names.items() if after.get(name) == signal
            }
        elif ends:
            self._names = after
        return ends or other

    def _apart(self, node: cst.CSTNode) -> None:
        """What may run again, not at all or in part: nothing is known of the names it binds."""
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._names.pop(node.name.value, None)
            return
        self._forget(node)
        for child in offspring(node):
            if isinstance(child, cst.BaseSuite):
                self.block(child)
            elif not isinstance(child, cst.BaseExpression):
                self._apart(child)
            self._forget(node)

    def _forget(self, node: cst.CSTNode) -> None:
        """Drop every name that is mentioned where it might be bound."""
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            waiting += offspring(inner)
            if isinstance(inner, cst.Name):
                self._names.pop(inner.value, None)

    def _bind(self, target: cst.CSTNode, signal: Signal) -> None:
        if isinstance(target, cst.Name):
            self._names[target.value] = signal
        elif isinstance(target, (cst.Tuple, cst.List)):
            self._forget(target)

    def _parts(self, node: cst.CSTNode) -> Signal:
        for child in offspring(node):
            if isinstance(child, cst.BaseExpression):
                self.signal(child)
            elif not isinstance(child, (cst.BaseStatement, cst.BaseSuite, cst.CompFor)):
                self._parts(child)
        return NOTHING

    def signal(self, node: cst.CSTNode) -> Signal:
        """What is known of an expression's channels."""
        if isinstance(node, cst.Name):
            return self._names.get(node.value, NOTHING)
        if isinstance(node, cst.Call):
            return self._call(node)
        if isinstance(node, cst.BinaryOperation):
            if isinstance(node.operator, _SUMS):
                return self._sum(node, node.left, node.right)
            return self._parts(node)
        if isinstance(node, cst.IfExp):
            self.signal(node.test)
            left, right = self.signal(node.body), self.signal(node.orelse)
            return left if left == right else NOTHING
        if isinstance(node, cst.NamedExpr):
            signal = self.signal(node.value)
            self._bind(node.target, signal)
            return signal
        if isinstance(node, (cst.Lambda, cst.BaseComp)):
            return NOTHING
        return self._parts(node)

    def _sum(self, node: cst.CSTNode, one: cst.CSTNode, other: cst.CSTNode) -> Signal:
        left, right = self.signal(one), self.signal(other)
        if NOTHING in (left, right):
            known, unknown = (right, one) if left == NOTHING else (left, other)
            plain = literal(unknown) is not UNKNOWN
            if known.place == "flat" and not plain:
                known = replace(known, place="last")
            return known if plain or (known.width > 1 and not known.multiple) else NOTHING
        comparable = left.place == right.place and left.rank == right.rank
        exact = not left.multiple and not right.multiple
        if not comparable or not exact:
            return NOTHING
        if left.width != right.width and 1 not in (left.width, right.width):
            sizes = f"{left.width} ({left.by}) and {right.width} ({right.by})"
            what = "channels" if left.place == "channels" else "features"
            self.clashes.append(Clash(node, None, f"tensors of {sizes} {what} cannot meet here"))
            return NOTHING
        return left if left.width > 1 else right

    def _call(self, node: cst.Call) -> Signal:
        func = node.func
        given = [self.signal(arg.value) for arg in node.args]
        name = self._lookup.name(func)
        first = given[0] if given else NOTHING
        if isinstance(func, cst.Attribute) and is_self(func.value):
            return (
                self._layer(func, first)
                if len(node.args) == 1 and not node.args[0].star
                else NOTHING
            )
        if name.startswith("torch."):
            return self._function(node, name.rpartition(".")[2], first, 1)
        if isinstance(func, cst.Attribute):
            return self._function(node, func.attr.value, self.signal(func.value), 0)
        self._parts(func)
        return NOTHING

    def _layer(self, func: cst.Attribute, signal: Signal) -> Signal:
        for layer in self._layers.row(func):
            passed = signal
            signal, wrong = pass_layer(layer, passed)
            if wrong:
                self.clashes.append(Clash(layer.call, passed.giver, wrong))
        return signal

    def _function(self, node: cst.Call, short: str, signal: Signal, skip: int) -> Signal:
        """A function (its tensor first) or a method (its tensor before it) of this short name."""
        rest = node.args[skip:]
        if any(arg.star for arg in node.args):
            return NOTHING
        if short == "cat" and skip:
            return self._joined(node)
        if short in ("view", "reshape"):
            return self._viewed(node, [arg.value for arg in rest], signal)
        if short == "flatten":
            start = arguments(node, *(("input", "start_dim") if skip else ("start_dim",)))
            ends = len(rest) == 1 and start.value("start_dim") == 1
            return flatten_channels(signal) if ends else NOTHING
        if short.startswith(_POOLS) and signal.place == "channels" and "indices" not in short:
            same = short[-2:-1] == str(signal.rank)
            size = literal(rest[0].value) if short.startswith("adaptive") and rest else None
            return count_cells(signal, size) if same and not _asks_indices(node) else NOTHING
        if short == "interpolate" and skip:
            return replace(signal, side=None, cells=None)
        return signal if short in _KEEP else NOTHING

    def _viewed(self, node: cst.Call, sizes: list[cst.BaseExpression], signal: Signal) -> Signal:
        """`x.view(x.size(0), -1)` flattens, `x.view(-1, 320)` gives 320 features."""
        if len(sizes) != 2:
            return NOTHING
        numbers = [self._layers.number(size) for size in sizes]
        if numbers[0] == -1 and type(numbers[1]) is int and numbers[1] > 1:
            return Signal("flat", numbers[1], giver=node, by=self._file.code(node.func)[-40:])
        value = self._flows.value(sizes[0])
        batch = value.kind is Kind.SIZE and {read.axis for read in value.reads} == {0}
        return flatten_channels(signal) if numbers[1] == -1 and batch else NOTHING

    def _joined(self, node: cst.Call) -> Signal:
        given = arguments(node, "tensors", "dim")
        tensors = given.get("tensors")
        if not isinstance(tensors, (cst.List, cst.Tuple)) or given.value("dim", 0) != 1:
            return NOTHING
        if any(isinstance(e, cst.StarredElement) for e in tensors.elements):
            return NOTHING
        signals = [self.signal(e.value) for e in tensors.elements]
        alike = {(s.place, s.rank) for s in signals}
        if len(alike) != 1 or not signals[0].place or any(s.multiple for s in signals):
            return NOTHING
        if signals[0].place == "last":
            return NOTHING
        first = replace(signals[0], side=None, cells=None, giver=node, by="cat")
        return replace(first, width=sum(s.width for s in signals))


def _asks_indices(node: cst.Call) -> bool:
    return any(
        arg.keyword is not None and arg.keyword.value == "return_indices" for arg in node.args
    )


def clashes_in_method(function: cst.FunctionDef, source: _Channels) -> Iterator[Clash]:
    """What cannot meet in a method of a module, from its first statement on."""
    run = SignalFlow(source.file, source.names, source.layers, source.flows)
    run.block(function.body)
    yield from run.clashes
