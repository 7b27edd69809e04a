"""What in a model depends on training mode, read off its class and the classes that builds, across files."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.project.module_homes import Project, module_home
from lintorch.facts.project.outlines import Outline, outline_module
from lintorch.syntax.python_ast import parse_or_empty

ASKS = "self.training"
_LAYER = re.compile(
    r"^torch\.nn\.((Sync|Lazy)?BatchNorm\w*|(Feature)?(Alpha)?Dropout\w*|RReLU"
    r"|Transformer(Encoder|Decoder)Layer|Transformer)$"
)
_LIBRARIES = (
    (
        re.compile(
            r"^torchvision\.models\.(\w+\.)*(resn\w+|wide_\w+|densenet|mobilenet|mnasnet|shufflenet"
            r"|efficientnet|regnet|inception|googlenet|fcn|deeplab|lraspp|vgg\d+_bn)\w*$"
        ),
        "BatchNorm2d",
    ),
    (re.compile(r"^torchvision\.models\.(\w+\.)*(alexnet|vgg|squeezenet)\w*$"), "Dropout"),
    (re.compile(r"^torchvision\.models\.(\w+\.)*(convnext|swin|maxvit)\w*$"), "StochasticDepth"),
    (re.compile(r"^segmentation_models_pytorch\.(\w+\.)*[A-Z]\w+$"), "BatchNorm2d"),
)
_MOST = 300


@dataclass(frozen=True)
class _Module:
    path: str
    outline: Outline
    definitions: dict[str, ast.AST]


class Contents:
    """Looks into the classes of one file and of the project around it."""

    def __init__(self, path: str, text: str, project: Project) -> None:
        self._project = project
        self._own = _module(path, text)

    def modal_layers(self, dotted: str) -> frozenset[str]:
        """Names of the layers below a class or factory that depend on the mode, and ASKS.

        Empty too where the class chooses its mode itself.
        """
        found: set[str] = set()
        waiting, seen = [dotted], {dotted}
        while waiting and len(seen) < _MOST:
            name = waiting.pop()
            if layer := _known_layer(name):
                found.add(layer)
                continue
            for fact in self._facts(name):
                if fact.startswith("!"):
                    return frozenset()
                if fact == ASKS:
                    found.add(fact)
                elif fact not in seen:
                    seen.add(fact)
                    waiting.append(fact)
        return frozenset(found)

    def file_of(self, dotted: str) -> str:
        """`path:Class` of a class of the project, "" of another."""
        place = self._definition(dotted)
        if place is None or not isinstance(place[1], ast.ClassDef):
            return ""
        path = place[0].path
        if path != self._own.path and not os.path.isabs(self._own.path):
            path = os.path.relpath(path)
        return f"{path}:{place[1].name}"

    def _facts(self, dotted: str) -> Iterator[str]:
        place = self._definition(dotted)
        if place is not None:
            yield from _facts(place[1], place[0])

    def _definition(self, dotted: str, depth: int = 0) -> tuple[_Module, ast.AST] | None:
        origin, _, name = dotted.rpartition(".")
        module = self._module(origin)
        if module is None or depth > 8:
            return None
        if name in module.definitions:
            return module, module.definitions[name]
        if name in module.outline.names and module.outline.names[name] != dotted:
            return self._definition(module.outline.names[name], depth + 1)
        return None

    def _module(self, dotted: str) -> _Module | None:
        if dotted == self._project.home.module:
            return self._own
        path = self._project.find_module(dotted) if dotted else None
        return _read(path) if path is not None else None


@cache
def _read(path: str) -> _Module | None:
    try:
        with open(path, encoding="utf-8") as file:
            return _module(path, file.read())
    except (OSError, ValueError):
        return None


def _module(path: str, text: str) -> _Module:
    body = parse_or_empty(text).body
    kinds = (ast.ClassDef, ast.FunctionDef)
    return _Module(
        path, outline_module(body, path), {n.name: n for n in body if isinstance(n, kinds)}
    )


def _facts(node: ast.AST, module: _Module) -> Iterator[str]:
    """Dotted names that a definition mentions, ASKS, and "!" where it sets a mode itself."""
    ignored: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if _is_idle(part):
                ignored.add(id(part.func))
            text = _text(part.func)
            if text in ("self.eval", "self.train") or text.endswith(".eval"):
                yield "!"
        if isinstance(part, ast.FunctionDef) and part.name == "train" and part is not node:
            yield "!"
        if isinstance(part, (ast.Name, ast.Attribute)) and id(part) not in ignored:
            yield from _named(part, module)


def _named(part: ast.Name | ast.Attribute, module: _Module) -> Iterator[str]:
    text = _text(part)
    if text == ASKS:
        yield ASKS
        return
    head, _, rest = text.partition(".")
    if head in module.outline.names:
        origin = module.outline.names[head]
        yield documented_name(f"{origin}.{rest}" if rest else origin)
    elif head in module.definitions and not rest:
        yield f"{module_home(module.path).module}.{head}"


def _is_idle(call: ast.Call) -> bool:
    """Whether a layer never shows the mode: no share to drop, no statistics kept."""
    last = _text(call.func).rpartition(".")[2]
    shares = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "p")]
    if "Dropout" in last:
        return any(isinstance(s, ast.Constant) and s.value in (0, 0.0) for s in shares)
    return False


def _known_layer(dotted: str) -> str:
    for pattern, layer in _LIBRARIES:
        if pattern.match(dotted):
            return layer
    return dotted.rpartition(".")[2] if _LAYER.match(dotted) else ""


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := _text(node.value)):
        return f"{head}.{node.attr}"
    return ""
