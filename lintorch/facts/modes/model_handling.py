"""Follows the models that one function or script handles: built, put into a mode, passed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import libcst as cst

from lintorch.core.torch_methods import MODE_SETTING, MODULE_RETURNING, PARALLEL_WRAPPERS
from lintorch.facts.classes.classes import Classes
from lintorch.facts.modes.modal_classes import Contents
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.literals import literal
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import ends_in_jump, offspring

_SAME = MODULE_RETURNING - MODE_SETTING
"""Methods of a module that return it in the mode it was in."""
_QUIET = frozenset(
    {
        "load_state_dict", "state_dict", "parameters", "named_parameters", "modules", "children",
        "named_modules", "named_children", "buffers", "named_buffers", "zero_grad", "add_module",
        "register_buffer", "register_forward_hook", "get_submodule", "forward", "compile",
        "register_parameter", "extra_repr",
    }
)  # fmt: skip
_WRAPPERS = PARALLEL_WRAPPERS | {
    *("copy.deepcopy", "copy.copy", "torch.compile"),
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
}
_QUIET_FUNCTIONS = frozenset(
    {
        "print", "len", "sum", "type", "isinstance", "id", "next", "list", "filter", "map", "str",
        "torchsummary.summary", "torchinfo.summary", "thop.profile",
        "fvcore.nn.FlopCountAnalysis",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Mode:
    """A model at one place of the program.

    `training`: None where it cannot be told. `made`: the full name of its class or factory.
    `layers`: what in it depends on the mode. `call`: the call that built it. `model`: `path:Class`
    where its class is the project's.
    """

    training: bool | None
    made: str
    layers: frozenset[str]
    call: cst.Call
    model: str = ""


Environment = dict[str, Mode]
Results = Callable[[cst.FunctionDef], "list[Mode | None]"]
"""Gives what a function of the file returns, return by return."""


class Walk:
    """Runs the statements of one scope, in order, over what names stand for."""

    def __init__(
        self,
        file: ParsedFile,
        names: Lookup,
        classes: Classes,
        contents: Contents,
        results: Results,
    ) -> None:
        self.now: Environment = {}
        self.known: dict[cst.CSTNode, Mode] = {}
        self.returned: list[Mode | None] = []
        self._file, self._names, self._classes = file, names, classes
        self._contents, self._results = contents, results

    # statements

    def block(self, block: cst.CSTNode) -> None:
        for statement in block.body:  # type: ignore[attr-defined]
            self._statement(statement)

    def _statement(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.SimpleStatementLine):
            self.block(node)
        elif isinstance(node, cst.Assign):
            self._bind([t.target for t in node.targets], self._mode(node.value))
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self._bind([node.target], self._mode(node.value))
        elif isinstance(node, cst.Return):
            self.returned.append(self._mode(node.value) if node.value else None)
        elif isinstance(node, cst.If):
            self._mode(node.test)
            self._branches([node.body, node.orelse])
        elif isinstance(node, (cst.For, cst.While)):
            self._loop(node)
        elif isinstance(node, (cst.Try, cst.TryStar)):
            self._branches([node.body, *(h.body for h in node.handlers)])
            for last in (node.orelse, node.finalbody):
                if last is not None:
                    self.block(last.body)
        elif isinstance(node, cst.With):
            for item in node.items:
                self._mode(item)
            self.block(node.body)
        elif not isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._mode(node)

    def _loop(self, node: cst.For | cst.While) -> None:
        if isinstance(node, cst.For):
            self._mode(node.iter)
            self._bind([node.target], None)
        before = dict(self.now)
        self.block(node.body)
        self.now = _joined([before, self.now])

    def _branches(self, bodies: Iterable[cst.CSTNode | None]) -> None:
        before, after = self.now, []
        for body in bodies:
            self.now = dict(before)
            if isinstance(body, cst.If):
                self._statement(body)
            elif body is not None:
                self.block(body.body if isinstance(body, cst.Else) else body)
            if body is None or isinstance(body, cst.If) or not ends_in_jump(body):
                after.append(self.now)
        self.now = _joined(after) if after else {}

    def _bind(self, targets: list[cst.BaseAssignTargetExpression], mode: Mode | None) -> None:
        for target in targets:
            if isinstance(target, (cst.Tuple, cst.List)):
                self._bind([e.value for e in target.elements], None)  # type: ignore[misc]
            elif text := dotted_text(target):
                self.now = {k: v for k, v in self.now.items() if not f"{k}.".startswith(f"{text}.")}
                if mode is not None:
                    self.now[text] = mode

    # expressions

    def _mode(self, node: cst.CSTNode) -> Mode | None:
        """The mode of an expression, after all that it calls has been done."""
        found = None
        if isinstance(node, (cst.Name, cst.Attribute)):
            found = self.now.get(dotted_text(node).removesuffix(".module"))
        elif isinstance(node, cst.Call):
            found = self._call(node)
        elif isinstance(node, cst.IfExp):
            self._mode(node.test)
            sides = (self._mode(node.body), self._mode(node.orelse))
            found = sides[0] if sides[0] == sides[1] else None
        elif not isinstance(node, cst.Lambda):
            for child in offspring(node):
                self._mode(child)
        if found is not None:
            self.known[node] = found
        return found

    def _call(self, call: cst.Call) -> Mode | None:
        given = [self._mode(arg.value) for arg in call.args]
        if isinstance(call.func, cst.Name):
            self._mode(call.func)
        name = self._names.name(call.func)
        if name in _WRAPPERS:
            return given[0] if given else None
        if name and self._is_model(name):
            return self._made(call, name)
        if isinstance(call.func, cst.Attribute) and not name:
            return self._method(call, call.func)
        function = self._function(call.func)
        if function is not None and not any(given):
            return self._result(function, call)
        if not (
            name.startswith("torch.") or name in _QUIET_FUNCTIONS or self._is_harmless(function)
        ):
            self._forget(call)
        return None

    def _method(self, call: cst.Call, func: cst.Attribute) -> Mode | None:
        receiver, method, text = self._mode(func.value), func.attr.value, dotted_text(func.value)
        if receiver is None:
            self._part(text, method)
            self._forget(call)
            return None
        if method in ("eval", "train"):
            asked = literal(call.args[0].value) if call.args else True
            training = False if method == "eval" else asked if isinstance(asked, bool) else None
            receiver = replace(receiver, training=training)
            if text in self.now:
                self.now[text] = receiver
            return receiver
        if method in _SAME:
            return receiver
        if method not in _QUIET and text in self.now:
            self.now[text] = replace(receiver, training=None)
        return None

    def _part(self, text: str, method: str) -> None:
        """`model.head.train()`: a part of a known model changes."""
        root = text.partition(".")[0]
        if method == "train" and root in self.now and root != text:
            self.now[root] = replace(self.now[root], training=None)

    def _forget(self, call: cst.Call) -> None:
        """Whoever is given a model may change its mode."""
        for arg in call.args:
            text = dotted_text(arg.value)
            if text in self.now:
                self.now[text] = replace(self.now[text], training=None)

    # what is built

    def _is_model(self, name: str) -> bool:
        own = self._classes.named(name)
        if own is not None:
            return own.is_module
        if name.startswith(("torchvision.models.", "segmentation_models_pytorch.")):
            return bool(self._contents.modal_layers(name))
        return self._classes.is_module_class(name)

    def _made(self, call: cst.Call, name: str) -> Mode:
        parts = [name, *self._mentioned(call)]
        layers = frozenset().union(*(self._contents.modal_layers(part) for part in parts))
        return Mode(True, name, layers, call, self._contents.file_of(name))

    def _mentioned(self, node: cst.CSTNode) -> Iterable[str]:
        """Full names in the arguments of a call: `nn.Sequential(nn.BatchNorm2d(3))`."""
        for child in offspring(node):
            if isinstance(child, (cst.Name, cst.Attribute)) and (name := self._names.name(child)):
                yield name
            yield from self._mentioned(child)

    def _function(self, func: cst.CSTNode) -> cst.FunctionDef | None:
        """The function of this file that a name stands for."""
        name = self._names.name(func)
        if not name:
            return None
        return next(
            (
                f
                for f in self._file.nodes(cst.FunctionDef)
                if isinstance(self._file.parent(f), cst.Module) and name == self._names.full_name(f)
            ),
            None,
        )

    def _result(self, function: cst.FunctionDef, call: cst.Call) -> Mode | None:
        returned = self._results(function)
        return returned[0] if returned and all(r == returned[0] for r in returned) else None

    def _is_harmless(self, function: cst.FunctionDef | None) -> bool:
        """Whether a function of the file sets no mode."""
        if function is None:
            return False
        written = self._file.code(function.body)
        return "eval" not in written and "train(" not in written


def _joined(sides: list[Environment]) -> Environment:
    """What holds whichever way was taken."""
    common = set(sides[0]).intersection(*sides[1:])
    return {name: _either([side[name] for side in sides]) for name in common}


def _either(modes: list[Mode]) -> Mode:
    agreed = all(mode.training is modes[0].training for mode in modes)
    return modes[0] if agreed else replace(modes[0], training=None)
