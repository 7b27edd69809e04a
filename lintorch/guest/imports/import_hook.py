"""Imports of the user's code find its project's own modules first, and stand-ins for what is not there."""

from __future__ import annotations

import builtins
import importlib.util
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from lintorch.guest.imports.definitions_only import is_reduced
from lintorch.guest.imports.moved_names import make_moved_module, provide_moved_names
from lintorch.guest.imports.project_modules import find_own_module, prefer_own_module
from lintorch.guest.imports.relative_packages import enter_package
from lintorch.guest.imports.stand_in import (
    NOT_INSTALLED,
    OF_PROJECTS,
    Missing,
    StandIn,
    while_importing,
)
from lintorch.guest.imports.starred_names import provide_starred_names
from lintorch.guest.imports.torchvision_operators import mend_torchvision
from lintorch.guest.imports.user_frames import UserCode, get_user_code
from lintorch.guest.process.assumptions import note_stand_in
from lintorch.guest.process.error_text import text_of
from lintorch.guest.watch.user_lines import walk_frames

_OF_EXTENSIONS = re.compile(r"^_|_(ext|cuda|cpp|C|gpu|backend)$")
"""Names of modules that a project compiles for itself."""
_import = builtins.__import__
_stand_ins: dict[str, StandIn] = {}
_loaded: list[Callable[[], None]] = [provide_moved_names]
"""What is done whenever the user's code has imported something."""


def call_after_imports(function: Callable[[], None]) -> None:
    """Have something done whenever the user's code has imported something."""
    if function not in _loaded:
        _loaded.append(function)


def hook_imports() -> None:
    """Answer the import statements of the user's code from now on; all others stay as they are."""
    builtins.__import__ = _import_for_user


def _import_for_user(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    code = get_user_code()
    importer = str((globals or {}).get("__file__", ""))
    if code is None or not importer or not code.is_user(importer):
        return _import_for_package(name, globals, locals, fromlist or (), level)
    wanted = [each for each in fromlist or () if each != "*"]

    def load() -> Any:
        with while_importing():
            if not level:
                prefer_own_module(code, name, wanted)
            module = _import(name, globals, locals, fromlist or (), level)
            for function in _loaded:
                function()
            return _complete_module(code, module, wanted) if fromlist else module

    try:
        return load()
    except Exception as error:  # whatever a package raises
        absolute = _find_absolute_name(name, globals or {}, level)
        if mend_torchvision(error) or (level and enter_package(error, code, globals, level)):
            return _import_for_user(name, globals, locals, fromlist, level)
        if code.is_import_guarded() or _is_own_error(error, code):
            raise
        if not level and _is_missing(error, name) and find_own_module(code, name, wanted, importer):
            return load()
        found: Any = make_moved_module(absolute) if _is_missing(error, absolute) else None
        if found is None:
            found = _stand_in(absolute, error, code)
            if "*" in (fromlist or ()):
                return provide_starred_names(found, importer, globals or {})
        elif wanted:
            found = _complete_module(code, found, wanted)
        return found if fromlist else _find_top(absolute, found, code)


def _import_for_package(name: str, *given: Any) -> Any:
    """As it is, but for torchvision: packages import it late, when they are first asked for a model."""
    try:
        return _import(name, *given)
    except Exception as error:  # whatever a package raises
        if _top(name) == "torchvision" and mend_torchvision(error):
            return _import(name, *given)
        raise


def _complete_module(code: UserCode, module: Any, wanted: Collection[str]) -> Any:
    """The module, with what stands in for names that it lacks."""
    lacking = {name for name in wanted if not _has_name(module, name)}
    if not lacking or code.is_import_guarded() or not _may_lack(code, module, lacking):
        return module
    extra = {}
    for name in lacking:
        path = f"{module.__name__}.{name}"
        why = (
            "is not here"
            if _is_own(code, module)
            else f"is not in the {_top(path)} that is installed"
        )
        extra[name] = _remember(path, Missing(path, why))
    return Overlay(module, extra)


def _may_lack(code: UserCode, module: Any, lacking: Collection[str]) -> bool:
    """Whether names can stand for what is not there: not where modules of the project import each other."""
    if not isinstance(module, ModuleType):
        return False
    if not _is_own(code, module):
        return True
    where = getattr(module, "__file__", None)
    if where and is_reduced(where):
        return True
    text = Path(where).read_text("utf-8", "replace") if where else ""
    return not any(re.search(rf"\b{re.escape(name)}\b", text) for name in lacking)


def _is_own(code: UserCode, module: Any) -> bool:
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(code.is_user(place) for place in places)


def _has_name(module: Any, name: str) -> bool:
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return f"{getattr(module, '__name__', '')}.{name}" in sys.modules  # it is being imported
    return True


class Overlay(ModuleType):
    """A module with further names, which others who import it do not see."""

    def __init__(self, module: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(getattr(module, "__name__", "module"))
        vars(self).update(_lintorch_module=module, **extra)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_lintorch_module"], name)


def _find_absolute_name(name: str, importer: Mapping[str, Any], level: int) -> str:
    if not level:
        return name
    package = importer.get("__package__") or importer.get("__name__", "").rpartition(".")[0]
    try:
        return importlib.util.resolve_name("." * level + name, package)
    except ImportError:
        return name or "it"


def _is_missing(error: Exception, name: str) -> bool:
    """Whether an import failed as the very module, or a package around it, is not there."""
    told = getattr(error, "name", None)
    return isinstance(error, ImportError) and bool(told) and f"{name}.".startswith(f"{told}.")


def _is_own_error(error: BaseException, code: UserCode) -> bool:
    """Whether it is a line of the user's that raised, or could not be read."""
    if isinstance(error, SyntaxError):
        return code.is_user(error.filename)
    return any(
        code.is_user(frame.f_code.co_filename) for frame, _ in walk_frames(error.__traceback__)
    )


def _stand_in(name: str, error: Exception, code: UserCode) -> StandIn:
    """What stands for a module that cannot be imported, or for the package that it is missing."""
    if name in _stand_ins:
        return _stand_ins[name]
    told = str(getattr(error, "name", None) or "")
    if isinstance(error, ModuleNotFoundError) and told and _top(told) != _top(name):
        return _remember(name, Missing(_top(told), NOT_INSTALLED))
    if not isinstance(error, ModuleNotFoundError):
        return _remember(name, Missing(name, f"cannot be imported here ({text_of(error, 200)})"))
    lacks_whole = told == _top(name) and told not in OF_PROJECTS
    lacks_whole = lacks_whole and not _OF_EXTENSIONS.search(told)
    return _remember(name, Missing(told or name, NOT_INSTALLED if lacks_whole else "is not here"))


def _remember(name: str, missing: Missing) -> StandIn:
    if name not in _stand_ins:
        _stand_ins[name] = StandIn(missing, name)
        note_stand_in(missing.name, missing.why)
    return _stand_ins[name]


def _find_top(name: str, found: Any, code: UserCode) -> Any:
    """What `import a.b.c` binds to `a`, where `found` is what stands for `a.b.c`."""
    parent, _, last = name.rpartition(".")
    if not parent:
        return found
    try:
        holder = _import(parent, None, None, ("*",), 0)
    except Exception:  # whatever a package raises
        top = _top(name)
        if isinstance(found, StandIn):
            return _stand_ins.setdefault(top, StandIn(vars(found)["_missing"], top))
        return found
    return _find_top(parent, Overlay(holder, {last: found}), code)


def _top(name: str) -> str:
    return name.partition(".")[0]
