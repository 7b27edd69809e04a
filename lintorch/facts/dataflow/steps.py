"""What a tensor went through: the operations an expression came out of, through layers and models of the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import libcst as cst

from lintorch.core.torch_methods import MODULE_RETURNING, PARALLEL_WRAPPERS
from lintorch.facts.classes.classes import Classes, ClassInfo, HasClasses, is_self
from lintorch.facts.dataflow.reaching import Definition, reaching_definitions
from lintorch.facts.names.lookup import Lookup
from lintorch.syntax.literals import arguments, literal
from lintorch.syntax.parsed_file import ParsedFile

_DEPTH = 12
_WRAPPERS = PARALLEL_WRAPPERS | {"torch.compile", "torch.jit.script"}
_FUNCTIONS = ("torch.nn.functional.", "torch.special.")
_LAYERS = {
    "Softmax": "softmax", "Softmax2d": "softmax", "LogSoftmax": "log_softmax",
    "Sigmoid": "sigmoid", "LogSigmoid": "logsigmoid",
}  # fmt: skip
_SPELLED = {"expit": "sigmoid"}
_ZOOS = ("torchvision.models.", "timm.create_model")
_HEADS = ("fc", "classifier", "head", "heads")
_GROWING = ("append", "add_module", "extend", "insert", "register_forward_hook")


@dataclass(frozen=True)
class Step:
    """One operation: its name as a function of torch (`softmax`, `linear`), and where it is."""

    name: str
    node: cst.CSTNode


Steps = tuple[Step, ...]


class HasProvenance(HasClasses, Protocol):
    """What knows a file with its classes, and where values come from."""

    @property
    def provenance(self) -> Provenance:
        """What tensors went through, and which calls made modules."""


class Provenance:
    """Follows tensors of one file backwards, and modules to the calls that made them."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes) -> None:
        self._file = file
        self._names = names
        self._classes = classes
        self._open: set[cst.CSTNode] = set()

    def steps(self, node: cst.CSTNode | None, depth: int = 0) -> Steps:
        """The operations a value came out of, last first, as far back as they are surely known."""
        if node is None or depth > _DEPTH or node in self._open:
            return ()
        self._open.add(node)
        try:
            return self._steps(node, depth + 1)
        finally:
            self._open.discard(node)

    def origins(self, node: cst.CSTNode, depth: int = 0) -> tuple[cst.Call, ...]:
        """The calls that made a module, wrappers and moves taken off; () where any is unknown."""
        if depth > _DEPTH:
            return ()
        if isinstance(node, cst.Call):
            return self._made(node, depth)
        if isinstance(node, cst.IfExp):
            given = [node.body, node.orelse]
        else:
            given = self._classes.assigned(node) or self._handed(node)
        text = self._file.code(node)
        values = [v for v in given if literal(v) is not None and not self._is_rewrap(v, text)]
        found = [self.origins(value, depth + 1) for value in values]
        return tuple(call for calls in found for call in calls) if all(found) else ()

    # tensors

    def _steps(self, node: cst.CSTNode, depth: int) -> Steps:
        if isinstance(node, cst.Call):
            return self._call(node, depth)
        if isinstance(node, cst.Name):
            return common_steps(
                self._given(d, depth) for d in reaching_definitions(node, self._file)
            )
        if isinstance(node, cst.Subscript):
            return self._subscript(node, depth)
        if isinstance(node, cst.Attribute):
            turned = node.attr.value in ("T", "mT", "data")
            return (Step(node.attr.value, node), *self.steps(node.value, depth)) if turned else ()
        if isinstance(node, cst.IfExp):
            return common_steps((self.steps(node.body, depth), self.steps(node.orelse, depth)))
        return self.steps(node.value, depth) if isinstance(node, cst.NamedExpr) else ()

    def _given(self, definition: Definition, depth: int) -> Steps:
        if definition.index is None or definition.value is None:
            return self.steps(definition.value, depth)
        return self._part(definition.value, definition.index, depth) or ()

    def _subscript(self, node: cst.Subscript, depth: int) -> Steps:
        index = node.slice[0].slice if len(node.slice) == 1 else None
        number = literal(index.value) if isinstance(index, cst.Index) else None
        if isinstance(number, str):
            return ()
        if isinstance(number, int):
            part = self._part(node.value, number, depth)
            if part is not None:
                return part
        behind = self.steps(node.value, depth)
        return (Step("getitem", node), *behind) if behind else ()

    def _part(self, node: cst.BaseExpression, index: int, depth: int) -> Steps | None:
        """The steps of one item of a tuple that is written out; None where it is no tuple."""
        if isinstance(node, cst.Tuple):
            return self._item(node, index, depth)
        returned = self._returned_by(node, depth)
        tuples = [value for value in returned if isinstance(value, cst.Tuple)]
        if not tuples:
            return None
        items = (self._item(value, index, depth) for value in tuples)
        return common_steps(items) if len(tuples) == len(returned) else ()

    def _item(self, node: cst.Tuple, index: int, depth: int) -> Steps:
        starred = any(isinstance(e, cst.StarredElement) for e in node.elements)
        inside = -len(node.elements) <= index < len(node.elements)
        return self.steps(node.elements[index].value, depth) if inside and not starred else ()

    def _call(self, call: cst.Call, depth: int) -> Steps:
        func, name = _without_forward(call.func), self._names.name(call.func)
        if name.startswith("torch.") and _is_function(name):
            given = arguments(call, "input").get("input")
            last = name.rpartition(".")[2]
            return (Step(_SPELLED.get(last, last), call), *self.steps(given, depth))
        if returned := self._returned_by(call, depth):
            return common_steps(self.steps(value, depth) for value in returned)
        if made := self.origins(func, depth):
            layer = common_steps(self._layer(one, depth) for one in made) or self._head(
                func, made, depth
            )
            single = all(_is_layer(self._names.name(one.func)) for one in made)
            given = call.args[0].value if call.args and not call.args[0].star else None
            return (*layer, *self.steps(given, depth)) if layer and single else layer
        if isinstance(func, cst.Attribute) and not name and not is_self(func.value):
            return (Step(func.attr.value, call), *self.steps(func.value, depth))
        return ()

    # functions and modules of the file

    def _returned_by(self, node: cst.BaseExpression, depth: int) -> list[cst.BaseExpression | None]:
        """The expressions that a call of a function, or of one model of the file, gives back."""
        if not isinstance(node, cst.Call):
            return []
        if is_self(node.func):
            info = self._classes.around(node)
            function = self._classes.method(info, "forward") if info else None
        else:
            func = _without_forward(node.func)
            function = self._classes.function(node.func) or self._forward(func, depth)
        return self._returns(function) if function is not None else []

    def _forward(self, func: cst.BaseExpression, depth: int) -> cst.FunctionDef | None:
        functions = {self._forward_of(one) for one in self.origins(func, depth + 1)}
        return functions.pop() if len(functions) == 1 else None

    def _forward_of(self, made: cst.Call) -> cst.FunctionDef | None:
        info = self._own_class(made)
        return self._classes.method(info, "forward") if info else None

    def _own_class(self, made: cst.Call) -> ClassInfo | None:
        info = self._classes.named(self._names.name(made.func))
        return info if info is not None and info.is_module else None

    def _returns(self, function: cst.FunctionDef) -> list[cst.BaseExpression | None]:
        if any(self._file.enclosing(y, cst.FunctionDef) is function for y in self._yields()):
            return []
        return [
            node.value
            for node in self._file.nodes(cst.Return)
            if self._file.enclosing(node, cst.FunctionDef, cst.Lambda) is function
        ]

    def _yields(self) -> list[cst.Yield]:
        return self._file.nodes(cst.Yield)

    def _layer(self, made: cst.Call, depth: int) -> Steps:
        """What a module made by this call does last."""
        name = self._names.name(made.func)
        if name == "torch.nn.Sequential":
            return self._sequential(made, depth)
        if self._own_class(made) is not None:
            function = self._forward_of(made)
            returned = self._returns(function) if function else []
            return common_steps(self.steps(value, depth) for value in returned)
        last = name.rpartition(".")[2]
        return (Step(_LAYERS.get(last, last.lower()), made),) if _is_layer(name) else ()

    def _head(self, func: cst.BaseExpression, made: Sequence[cst.Call], depth: int) -> Steps:
        """What the head does last that this file gave to a model of a zoo: `model.fc = ...`."""
        if not all(self._names.name(one.func).startswith(_ZOOS) for one in made):
            return ()
        places = [f"{self._file.code(func)}.{head}" for head in _HEADS]
        given = [
            assign.value
            for assign in self._file.nodes(cst.Assign)
            if any(self._file.code(t.target).strip() in places for t in assign.targets)
        ]
        origins = self.origins(given[0], depth) if len(given) == 1 else ()
        return common_steps(self._layer(one, depth + 1) for one in origins)

    def _sequential(self, made: cst.Call, depth: int) -> Steps:
        steps: Steps = ()
        for layer in reversed(self._layers(made)):
            origins = self.origins(layer, depth) if layer is not None else ()
            inner = common_steps(self._layer(one, depth + 1) for one in origins)
            steps += inner
            if not inner:
                break
        return steps

    def _layers(self, made: cst.Call) -> Sequence[cst.BaseExpression | None]:
        outer = self._file.parent(made)
        if isinstance(outer, cst.Assign) and self._grows(outer.targets[0].target):
            return [None]
        values = [None if arg.star else arg.value for arg in made.args]
        if len(values) == 1 and isinstance(values[0], cst.Call):
            return self._ordered(values[0])
        return values

    def _ordered(self, only: cst.Call) -> Sequence[cst.BaseExpression | None]:
        """The layers of `Sequential(OrderedDict([("name", layer), ...]))`."""
        if self._names.name(only.func) != "collections.OrderedDict" or not only.args:
            return [only]
        pairs = only.args[0].value
        items = [e.value for e in pairs.elements] if isinstance(pairs, cst.List) else [None]
        return [
            item.elements[1].value if isinstance(item, cst.Tuple) and len(item.elements) == 2 else None
            for item in items
        ]  # fmt: skip

    def _grows(self, target: cst.BaseExpression) -> bool:
        text = self._file.code(target)
        return any(f"{text}.{method}(" in self._file.text for method in _GROWING)

    def _made(self, call: cst.Call, depth: int) -> tuple[cst.Call, ...]:
        func = call.func
        if self._names.name(func) in _WRAPPERS and call.args and not call.args[0].star:
            return self.origins(call.args[0].value, depth + 1)
        if isinstance(func, cst.Attribute) and not self._names.name(func):
            kept = func.attr.value in MODULE_RETURNING
            return self.origins(func.value, depth + 1) if kept else ()
        function = self._classes.function(func)
        if function is not None:
            given = [self.origins(v, depth + 1) if v else () for v in self._returns(function)]
            return tuple(one for calls in given for one in calls) if all(given) else ()
        return (call,) if self._names.name(func) else ()

    def _is_rewrap(self, value: cst.BaseExpression, text: str) -> bool:
        """`model = nn.DataParallel(model)` and `model = model.to(device)`."""
        if not isinstance(value, cst.Call):
            return False
        func = value.func
        if isinstance(func, cst.Attribute) and func.attr.value in MODULE_RETURNING:
            return self._file.code(func.value) == text
        wraps = self._names.name(func) in _WRAPPERS and bool(value.args)
        return wraps and self._file.code(value.args[0].value) == text

    def _handed(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        """What the calls in this file give for a parameter; [] where one cannot be told."""
        bound = self._names.bound(node) if isinstance(node, cst.Name) else []
        param = bound[0].node if len(bound) == 1 else None
        function = self._file.enclosing(node, cst.FunctionDef)
        if not isinstance(param, cst.Param) or function is None:
            return []
        names = [p.name.value for p in function.params.params]
        given: list[cst.BaseExpression] = []
        for call in self._calls_of(function):
            value = arguments(call, *names).get(param.name.value)
            if value is None:
                return []
            given.append(value)
        return given

    def _calls_of(self, function: cst.FunctionDef) -> list[cst.Call]:
        plain = isinstance(self._file.parent(function), cst.Module)
        if not plain:
            return []
        return [c for c in self._file.nodes(cst.Call) if self._classes.function(c.func) is function]


def common_steps(paths: Iterable[Steps]) -> Steps:
    """The last steps that several ways share."""
    ways = list(paths)
    if not ways:
        return ()
    shared = 0
    while all(len(way) > shared for way in ways) and len({w[shared].name for w in ways}) == 1:
        shared += 1
    return ways[0][:shared]


def _without_forward(func: cst.BaseExpression) -> cst.BaseExpression:
    """`model` of `model.forward`."""
    named = isinstance(func, cst.Attribute) and func.attr.value == "forward"
    return func.value if named and isinstance(func, cst.Attribute) else func


def _is_layer(name: str) -> bool:
    """torch.nn.Linear, but not torch.nn.Sequential."""
    single = name.startswith("torch.nn.") and name.count(".") == 2
    return single and name[9:10].isupper() and name != "torch.nn.Sequential"


def _is_function(name: str) -> bool:
    last = name.rpartition(".")[2]
    return name.startswith(_FUNCTIONS) or (name.count(".") == 1 and last[:1].islower())
