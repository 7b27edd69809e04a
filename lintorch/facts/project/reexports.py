"""Names that come from other files of the project, or by a star import, followed to where they were made."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable

from lintorch.facts.project.module_homes import Project, module_home
from lintorch.facts.project.outlines import Outline, outline_file

_ELSEWHERE = frozenset({*sys.stdlib_module_names, *dir(builtins)}) | {
    "torch", "torchvision", "torchaudio", "numpy", "scipy", "cv2", "PIL", "onnx", "onnxruntime",
    "einops", "transformers", "tqdm", "yaml", "matplotlib", "pandas", "sklearn", "pytest",
}  # fmt: skip
"""Packages that a project does not hold itself."""
_FOR_MODULES = ("torch.nn", "torch.nn.functional", "torch.optim", "torch")
"""Where a name is, that one of several star imports of torch brought: classes in the first."""
_HIDDEN = frozenset({"abs", "all", "any", "max", "min", "pow", "range", "round", "sum", "float"})
"""Built-in names that a star import of torch hides."""
_DEEPEST = 8


def follow_reexports(dotted: str, project: Project, depth: int = 0) -> str:
    """What a name imported from a file of the project stands for there: `torch.nn` of `common.nn`.

    A class or function keeps the name of the module that defines it.
    """
    top, _, rest = dotted.partition(".")
    own = dotted.startswith(f"{project.home.module}.")
    if not rest or own or top in _ELSEWHERE or depth > _DEEPEST:
        return dotted
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = project.find_module(".".join(parts[:length]))
        if path is not None:
            found = _brought_name(parts[length], outline_file(path), project, depth)
            if not found or found == dotted or module_home(path).module == project.home.module:
                return dotted
            return follow_reexports(".".join([found, *parts[length + 1 :]]), project, depth + 1)
    return dotted


def _brought_name(name: str, module: Outline, project: Project, depth: int) -> str:
    """What a name of a module stands for, also where it comes by `from .base import *` there."""
    found = defined_name(name, module)
    if found or name.startswith("_") or depth > _DEEPEST:
        return found
    asked = f"{module_home(module.path).module}.{name}"  # which files of a package import from it
    for star in module.stars:
        elsewhere = star.partition(".")[0] in _ELSEWHERE
        path = None if elsewhere else project.find_module(star)
        if path is not None and path != module.path:
            found = _brought_name(name, outline_file(path), project, depth + _DEEPEST // 4)
            if found not in ("", asked):
                return found
    return ""


def defined_name(name: str, module: Outline) -> str:
    """The dotted name that a name at the top of a module stands for; "" where it has none.

    It has none either where names stand for each other: `unicode = str`, else `str = unicode`.
    """
    met: set[str] = set()
    behind = ""
    while name not in met:
        met.add(name)
        if name in module.classes or name in module.functions:
            return f"{module_home(module.path).module}.{name}{behind}"
        given = module.names.get(name, "")
        head, dot, rest = given.partition(".")
        if head == name or head not in module.names or name not in module.aliases:
            return given and given + behind
        name, behind = head, dot + rest + behind
    return ""


def follow_star(name: str, modules: Iterable[str], project: Project) -> str:
    """What a name stands for that only a star import can have brought; "" where several could."""
    outside: list[str] = []
    for module in modules:
        top = module.partition(".")[0]
        path = None if top in _ELSEWHERE else project.find_module(module)
        if path is None:
            outside.append(module)
        elif found := defined_name(name, outline_file(path)):
            return follow_reexports(found, project)
    if len(outside) == 1 and outside[0] != "torch.nn.modules":
        return f"{outside[0]}.{name}"
    if outside and set(outside) <= set(_FOR_MODULES):
        layers = [m for m in outside if m in ("torch.nn", "torch.optim")]
        fitting = layers if name[:1].isupper() else [m for m in outside if m not in layers]
        return f"{fitting[0]}.{name}" if len(fitting) == 1 else ""
    return ""


def is_hidden(name: str, modules: Iterable[str]) -> bool:
    """Whether a star import gives a built-in name another meaning."""
    return name in _HIDDEN and any(m in ("torch", "numpy") for m in modules)
