"""Where files sit in their project, and which file a dotted module name leads to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from lintorch.core.import_roots import list_import_roots, list_module_places
from lintorch.core.kept_answers import keep_for_run


@dataclass(frozen=True)
class ModuleHome:
    """Where a file sits in its project: its dotted module name, its package and import roots."""

    module: str
    package: str
    roots: tuple[str, ...]


class Project:
    """The project around one file.

    Every place that is looked at is added to `consulted`: a file that turns up there, or changes,
    changes the answer.
    """

    def __init__(self, path: str, consulted: set[str]) -> None:
        self._path = path
        self._consulted = consulted

    @cached_property
    def home(self) -> ModuleHome:
        """Where the file itself sits."""
        return module_home(self._path)

    def find_module(self, dotted: str) -> str | None:
        """The file of a dotted module; None where the project has none."""
        looked = _looked(dotted, self.home.roots)
        self._consulted.update(looked)
        return looked[-1] if looked and os.path.isfile(looked[-1]) else None

    def list_beside(self) -> tuple[str, ...]:
        """The other Python files of the same folder; one that comes or goes changes the answer."""
        folder, own = os.path.split(os.path.abspath(self._path))
        try:
            names = sorted(each for each in os.listdir(folder) if each.endswith(".py"))
        except OSError:
            return ()
        found = tuple(os.path.join(folder, each) for each in names if each != own)
        self._consulted.update((folder, *found))
        return found


@keep_for_run
def module_home(path: str) -> ModuleHome:
    """Work out a file's dotted name from the `__init__.py` files above it."""
    folder, stem = os.path.split(os.path.abspath(path))
    parts = [] if stem == "__init__.py" else [stem.removesuffix(".py")]
    own = folder
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    module = ".".join(parts)
    package = module if stem == "__init__.py" else module.rpartition(".")[0]
    return ModuleHome(module, package, list_import_roots(folder, own))


def _looked(module: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    """The places where a module may be, in order, up to the one where it is."""
    tried: list[str] = []
    for path in list_module_places(module, roots):
        tried.append(path)
        if os.path.isfile(path):
            break
    return tuple(tried)
