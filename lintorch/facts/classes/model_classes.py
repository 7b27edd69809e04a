"""Which classes are models: nn.Module by name, through the project's own files, or of a known framework."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lintorch.evaluator.framework_modules import FRAMEWORKS
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.project.module_homes import Project, module_home
from lintorch.facts.project.outlines import outline_file

_NOT_LAYERS = ("torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.parallel")


def is_module_class(dotted: str, project: Project) -> bool:
    """Whether a dotted name is a subclass of nn.Module, as far as the project's files tell."""
    return any(name in FRAMEWORKS or _is_torch_layer(name) for name in ancestry(dotted, project))


def is_subclass(dotted: str, bases: Collection[str], project: Project) -> bool:
    """Whether a dotted name is one of these classes or derived from one in the project's files."""
    return any(name in bases for name in ancestry(dotted, project))


def ancestry(dotted: str, project: Project) -> Iterator[str]:
    """A class, its bases, and so on, each once, by full name, as far as the project's files tell."""
    waiting, met = [dotted], {dotted}
    while waiting:
        each = waiting.pop()
        yield each
        above = [name for name in _bases(each, project) if name not in met]
        met.update(above)
        waiting += reversed(above)


def _bases(dotted: str, project: Project) -> Iterator[str]:
    """The bases of a class, or what a name that is none is imported from."""
    module, _, name = dotted.rpartition(".")
    path = project.find_module(module) if module else None
    if path is None:
        return
    found = outline_file(path)
    if name in found.classes:
        for base in found.classes[name].bases:
            yield _absolute(base, path)
    elif name in found.names:
        yield documented_name(found.names[name])


def _is_torch_layer(dotted: str) -> bool:
    last = dotted.rpartition(".")[2]
    inside = dotted.startswith("torch.nn.") and not dotted.startswith(_NOT_LAYERS)
    return inside and last.lstrip("_")[:1].isupper() and last not in ("Parameter", "Buffer")


def _absolute(base: str, path: str) -> str:
    """The full dotted name of a base as it is written in the file at `path`."""
    head, _, rest = base.partition(".")
    names = outline_file(path).names
    if head in names:
        return documented_name(f"{names[head]}.{rest}" if rest else names[head])
    return f"{module_home(path).module}.{base}"
