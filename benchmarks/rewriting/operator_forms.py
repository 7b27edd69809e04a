"""Operators as functions, as methods of tensors, and as modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst
import libcst.matchers as m

from rewriting.argument_forms import clear_commas
from rewriting.names import list_imports, resolve
from rewriting.operator_names import BOTH, GATHERED, INPUTS, MODULES, OF_FUNCTIONAL, UNBOUND
from rewriting.program import Program
from rewriting.statements import insert_below_imports, parse_statements

_FUNCTIONAL = "torch.nn.functional"


def use_functions(program: Program) -> Program:
    """`torch.softmax(x, 1)` for `x.softmax(1)`."""

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        if name or not isinstance(call.func, cst.Attribute) or _is_own(call.func):
            return None
        method = call.func.attr.value
        if method in BOTH | GATHERED.keys() - {"view", "expand"}:
            return _call(f"torch.{method}", cst.Arg(call.func.value), *_gather(call, method))
        return None

    return _rewrite(program, rewrite, "import torch")


def use_unbound_methods(program: Program) -> Program:
    """`torch.Tensor.view(x, 2, -1)` for `x.view(2, -1)`."""

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        if name or not isinstance(call.func, cst.Attribute) or _is_own(call.func):
            return None
        if call.func.attr.value not in UNBOUND:
            return None
        given = cst.Arg(call.func.value)
        return _call(f"torch.Tensor.{call.func.attr.value}", given, *call.args)

    return _rewrite(program, rewrite, "import torch")


def use_methods(program: Program) -> Program:
    """`x.softmax(1)` for `torch.softmax(x, 1)` and `F.softmax(x, 1)`."""

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        parent, _, last = name.rpartition(".")
        known = parent == "torch" and last in BOTH | GATHERED.keys()
        if not (known or (parent == _FUNCTIONAL and last in OF_FUNCTIONAL)) or not call.args:
            return None
        first, *rest = call.args
        return cst.Call(cst.Attribute(_enclose(first.value), cst.Name(last)), clear_commas(rest))

    return _rewrite(program, rewrite)


def use_other_namespace(program: Program) -> Program:
    """`F.softmax` for `torch.softmax`, and the other way round."""

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        parent, _, last = name.rpartition(".")
        if last in OF_FUNCTIONAL and parent in ("torch", _FUNCTIONAL):
            other = "torch.nn.functional" if parent == "torch" else "torch"
            return _call(f"{other}.{last}", *call.args)
        return None

    return _rewrite(program, rewrite, "import torch.nn.functional")


def use_modules(program: Program) -> Program:
    """`nn.Softmax(dim=1)(x)` for `F.softmax(x, dim=1)`."""

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        parent, _, last = name.rpartition(".")
        layer = MODULES.get(last, "")
        if parent not in ("torch", _FUNCTIONAL) or not layer:
            return None
        count = INPUTS.get(layer, 1)
        given, settings = call.args[:count], call.args[count:]
        return cst.Call(_call(f"torch.nn.{layer}", *settings), clear_commas(given))

    return _rewrite(program, rewrite, "import torch.nn")


def use_functional(program: Program) -> Program:
    """`F.adaptive_avg_pool2d(x, 7)` for a layer without weights that `__init__` makes."""
    imports = list_imports(program.module)
    finder = _LayerFinder(imports)
    program.module.visit(finder)
    names = {layer: function for function, layer in MODULES.items()}

    def rewrite(call: cst.Call, name: str) -> cst.Call | None:
        func = call.func
        if not isinstance(func, cst.Attribute) or not m.matches(func.value, m.Name("self")):
            return None
        made = finder.made.get(func.attr.value)
        layer = resolve(made.func, imports).rpartition(".")[2] if made is not None else ""
        if made is None or layer not in names:
            return None
        return _call(f"{_FUNCTIONAL}.{names[layer]}", *call.args, *made.args)

    return _rewrite(program, rewrite, "import torch.nn.functional")


def _rewrite(
    program: Program, rewrite: Callable[[cst.Call, str], cst.Call | None], line: str = ""
) -> Program:
    module = program.module
    changed = module.visit(_CallExchanger(rewrite, list_imports(module)))
    if changed.code == program.text:
        return program
    return program.change_to(insert_below_imports(changed, parse_statements(f"{line}\n")))


class _CallExchanger(cst.CSTTransformer):
    def __init__(
        self, rewrite: Callable[[cst.Call, str], cst.Call | None], imports: Mapping[str, str]
    ) -> None:
        self._rewrite = rewrite
        self._imports = imports

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if any(arg.star for arg in original_node.args):
            return updated_node
        name = resolve(original_node.func, self._imports)
        return self._rewrite(updated_node, name) or updated_node


class _LayerFinder(cst.CSTVisitor):
    """By attribute: the call that makes what `self.attribute` is."""

    def __init__(self, imports: Mapping[str, str]) -> None:
        self._imports = imports
        self.made: dict[str, cst.Call] = {}

    def visit_Assign(self, node: cst.Assign) -> None:
        target = node.targets[0].target
        if not isinstance(node.value, cst.Call) or not isinstance(target, cst.Attribute):
            return
        layer = resolve(node.value.func, self._imports).startswith("torch.nn.")
        if layer and m.matches(target.value, m.Name("self")):
            self.made[target.attr.value] = node.value


def _call(name: str, *args: cst.Arg) -> cst.Call:
    return cst.Call(cst.parse_expression(name), clear_commas(args))


def _is_own(func: cst.Attribute) -> bool:
    """Whether `self.norm` is called, which is a layer and no operator."""
    return m.matches(func.value, m.Name("self"))


def _gather(call: cst.Call, method: str) -> list[cst.Arg]:
    """The sizes of `x.permute(0, 2, 1)` as one tuple."""
    placed = [arg for arg in call.args if arg.keyword is None]
    if method not in GATHERED or len(placed) < 2:
        return list(call.args)
    return [cst.Arg(cst.Tuple([cst.Element(arg.value) for arg in placed]))]


def _enclose(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
