"""The statements that build a model as people write them: imports of its project, then a call."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lintorch.guest.construct.recipe import (
    Recipe,
    find_import_folders,
    locate_definition,
    write_value,
)
from lintorch.guest.imports.notebook_modules import is_held
from lintorch.record.user_files import package_root

_MOST_COLUMNS = 88
_RELATIVE = re.compile(r"^from \.", re.MULTILINE)
_LOADING = """\
spec = importlib.util.spec_from_file_location({module!r}, {path!r})
sys.modules[{module!r}] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)"""


@dataclass
class _Imports:
    """The names that the call needs, by module."""

    named: dict[str, dict[str, None]] = field(default_factory=dict)

    def spell(self, module: str, name: str) -> str:
        """The name as it stands after `from module import …`; builtins as they are."""
        if module != "builtins":
            self.named.setdefault(module, {})[name.partition(".")[0]] = None
        return name


def write_building(
    recipe: Recipe, project: str, records: Iterable[str] = ()
) -> tuple[list[str], list[str], dict[str, str]]:
    """The imports, the statement that sets `model`, and how `records`, `module:Class`, are called.

    They run in the project's folder. Raises ValueError where something cannot be written as text.
    """
    module, path = locate_definition(recipe.call)
    if is_held(path):
        raise ValueError(f"{path.name} is a notebook, which a program cannot import")
    imports = _Imports()
    given = [
        *(write_value(each, imports.spell) for each in recipe.args),
        *(
            f"{name}={write_value(value, imports.spell)}"
            for name, value in recipe.kwargs.items()
            if name.isidentifier()
        ),
    ]
    called = recipe.call.__qualname__
    root = package_root(path)
    folders = [
        os.path.relpath(each, project)
        for each in find_import_folders(path, project)
        if os.path.isdir(each) and not os.path.exists(os.path.join(each, "__init__.py"))
    ]  # a package is found from the folder around it
    stem = path.stem
    if root == path.parent and _asks_for_neighbours(path, project):
        stem = f"{path.parent.name}.{path.stem}"
        folders.append(os.path.relpath(path.parent.parent, project))
    lines = _write_paths([each for each in dict.fromkeys(folders) if each != os.curdir])
    if root == path.parent and not _is_importable(module, path):
        loading = _LOADING.format(module=module, path=os.path.relpath(path, project))
        lines = ["import importlib.util", "import sys", *lines[1:], "", *loading.splitlines()]
        called, own = f"module.{called}", "module."
        imports.named.pop(module, None)
    else:
        own = ""
        imports.spell(module if root != path.parent else stem, called)
    spelled = {}
    for record in records:
        home, _, name = record.partition(":")
        is_own = home == module
        spelled[record] = f"{own}{name}" if is_own else imports.spell(home, name)
        if is_own and not own:
            imports.spell(module if root != path.parent else stem, name)
    for name, wanted in imports.named.items():
        lines.append(f"from {name} import {', '.join(wanted)}")
    return lines, _write_call(f"model = {called}", given), spelled


def _write_call(begin: str, given: list[str]) -> list[str]:
    """A call in one line, or with a line for each argument where that is long."""
    line = f"{begin}({', '.join(given)})"
    if len(line) <= _MOST_COLUMNS:
        return [line]
    return [f"{begin}(", *(f"    {each}," for each in given), ")"]


def _write_paths(folders: list[str]) -> list[str]:
    """What lets the project's own imports be found."""
    return ["import sys", f"sys.path[:0] = {json.dumps(folders)}"] if folders else []


def _asks_for_neighbours(path: Path, project: str) -> bool:
    """Whether a file in a folder without __init__.py imports from that folder as if it were a package."""
    inside = path.parent.name.isidentifier() and path.parent != Path(os.path.realpath(project))
    return inside and bool(_RELATIVE.search(path.read_text("utf-8", "replace")))


def _is_importable(module: str, path: Path) -> bool:
    """Whether a file outside of packages can be imported by its name."""
    return path.stem.isidentifier() and path.suffix == ".py" and "." not in module
