"""LT155: a layer put under the name of a method: `self.parameters = nn.ParameterList(…)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_METHODS
from lintorch.evaluator.events import AttributeSet
from lintorch.evaluator.objects import has_open_base, is_module_class, list_ancestors
from lintorch.evaluator.values import NONE, Class, Constant, Held
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source
from lintorch.syntax.python_ast import list_nodes

rule = Rule(
    __name__,
    code="LT155",
    summary="a layer hidden by a method of its name, or a method by an attribute",
    why="""
        `self.parameters = nn.ParameterList(…)` replaces nothing: nn.Module keeps layers in a table
        of its own, where Python looks last, after the methods of the class. So `self.parameters`
        stays the method, the layer can only be reached through `named_children`, and a forward that
        means the layer calls the method. Eager says nothing until then. torch.export and
        torch.jit.script read every layer by its name, and so does torch.jit.trace for names of
        nn.Module: they refuse the model, "Expected Module but got method". The new ONNX exporter
        takes it, when torch.export refuses, by tracing Python's bytecode.

        `self.modules = []` of what is no layer does replace the method, and whoever calls it
        raises, "'list' object is not callable": the legacy exporter calls `modules`, `children`,
        `train` and `state_dict`, torch.export and the new ONNX exporter `parameters` and `buffers`,
        all of them `named_modules`. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Basis(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))
                self.parameters = nn.ParameterList([self.weight])

            def forward(self, x):
                return x * self.weight
    """,
    good="""
        import torch
        from torch import nn


        class Basis(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))
                self.weights = nn.ParameterList([self.weight])

            def forward(self, x):
                return x * self.weight
    """,
    remedy="give it another name",
    proof="""
        torch.export.export(Basis(), (torch.ones(2, 4),))
    """,
    severity=Severity.ERROR,
)

_TAKEN = re.compile(r"submodule `([\w.]+)`: <bound method|Expected Module but got <class 'method'>")
"""What torch.export, and what torch.jit, say of such a layer."""
_READ_BY_NAME = {"torch.export": Harm.REFUSED, "torchscript-script": Harm.REFUSED}
_TRACED = {**_READ_BY_NAME, "torchscript-trace": Harm.REFUSED}


_REFUSED = Harm.REFUSED
_LEGACY = {"onnx-legacy": _REFUSED}
_EXPORT = {"torch.export": _REFUSED, "onnx": _REFUSED}
_CALLED = {
    **dict.fromkeys(("modules", "children", "train", "state_dict"), _LEGACY),
    **dict.fromkeys(("parameters", "named_parameters", "buffers", "named_buffers"), _EXPORT),
    "named_modules": {**_LEGACY, **_EXPORT},
    "named_children": {**_LEGACY, **_EXPORT, "torchscript-trace": _REFUSED},
}
"""Methods of nn.Module that exporters call: measured with an attribute of each name."""


@rule.event(AttributeSet)
def in_replaced(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.modules = []`."""
    harm = _CALLED.get(event.attribute, {})
    kept = getattr(event.value, "kind", "") in ("list", "dict", "set", "tuple")
    plain = kept or (isinstance(event.value, Constant) and event.value != NONE)
    if not harm or not plain or not _is_layer(event.held) or not isinstance(event.held, Held):
        return
    own = _list_own(event.held)
    if any(event.attribute in _list_methods(each) or _sets_attributes(each) for each in own):
        return
    said = f"it replaces the method {event.attribute} of nn.Module, which is called to export it"
    yield Hit(event, said, harm=harm)


@rule.event(AttributeSet)
def in_source(event: AttributeSet, source: Source) -> Iterator[Hit]:
    held, name = event.held, event.attribute
    if not _is_layer(held) or not _is_layer(event.value) or not isinstance(held, Held):
        return
    own = _list_own(held)
    owner = next((each for each in own if name in _list_methods(each)), None)
    if owner is None and name not in MODULE_METHODS:
        return
    if any(map(_sets_attributes, own)) or has_open_base(held.of):
        return
    if any(name in _list_deleted(each.node) for each in own):  # the method is meant
        return
    if owner is not None:
        said = f"the class has a method {name}: this layer is not what self.{name} gives"
        yield Hit(event, said, harm=_READ_BY_NAME)
    else:
        said = f"nn.Module has {name}: this layer is not what self.{name} gives"
        yield Hit(event, said, harm=_TRACED)


def _list_own(held: Held) -> list[Class]:
    """The classes of the project that an object is of."""
    return [each for each in list_ancestors(held.of) if isinstance(each, Class)]


def _is_layer(value: object) -> bool:
    return isinstance(value, Held) and is_module_class(value.of)


def _list_deleted(kind: ast.ClassDef) -> Iterator[str]:
    """`logit` of `delattr(self, "logit")` and `del self.logit`."""
    for each in list_nodes(kind):
        match each:
            case ast.Call(ast.Name("delattr"), [ast.Name("self"), ast.Constant(str(name))]):
                yield name
            case ast.Attribute(ast.Name("self"), name, ast.Del()):
                yield name


def _list_methods(kind: Class) -> list[str]:
    """Plain methods: a property may well give what is kept under its name."""
    return [
        each.name
        for each in kind.node.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and not each.decorator_list
    ]


def _sets_attributes(kind: Class) -> bool:
    """Whether a class says itself what an attribute is."""
    names = {"__getattribute__", "__setattr__", "__slots__"}
    return bool(names & {*_list_methods(kind)})


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    told = _TAKEN.search(outcome.message)
    for layer in trial.trace.record.layers if told else ():
        name = layer.path.rpartition(".")[2]
        meant = layer.path == told[1] if told and told[1] else name in MODULE_METHODS
        if meant and layer.built is not None:
            yield report_refusal(layer.built, outcome, f"self.{name} is a method, and no layer")
