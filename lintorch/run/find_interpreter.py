"""Which interpreter runs models: asked for, set, active, beside the project, or lintorch's own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.host.worker_process import WorkerError
from lintorch.report.places import shown_path
from lintorch.settings import Settings

_INSIDE = ("bin/python", "Scripts/python.exe", "python.exe")
_BESIDE = (".venv", "venv")
_BASE = ("base", "root")
"""Names of conda's own environment, which is active whether anybody wants it or not."""


@dataclass(frozen=True)
class Interpreter:
    """A path as it can be started from anywhere, and a word on why it is that one."""

    path: str
    why: str


def find_interpreter(settings: Settings, project: str) -> Interpreter:
    """The interpreter for the models of a project. Raises WorkerError where the named one is none."""
    if named := settings.python:
        source = named.option or f"`python` in {shown_path(settings.file or '')}"
        return Interpreter(_locate_named(named.name, named.folder, source), f"named by {source}")
    return next(_find_unnamed(settings, project))


def find_interpreter_for(settings: Settings, exporter: str) -> Interpreter | None:
    """The interpreter that an exporter has for itself, if any. Raises WorkerError where it is none."""
    named = settings.python_for.get(exporter)
    if named is None:
        return None
    file = settings.origins.get("python_for") or settings.file or ""
    source = named.option or f"`python.{exporter}` in {shown_path(file)}"
    return Interpreter(_locate_named(named.name, named.folder, source), f"named by {source}")


def find_own_interpreter() -> Interpreter:
    """That of the active environment, else the one that runs lintorch: never one of the project's."""
    if python := _python_inside(os.environ.get("VIRTUAL_ENV", "")):
        return Interpreter(python, "of the active environment")
    return Interpreter(sys.executable, "the one that runs lintorch")


def _locate_named(name: str, folder: str, source: str) -> str:
    """That of a file, of an environment's folder, or of a name on PATH. Raises WorkerError."""
    path = os.path.join(folder, os.path.expanduser(name))
    if os.path.dirname(name) or name.startswith("~"):
        found = path if os.path.isfile(path) else _python_inside(path)
    else:
        found = _python_inside(path) or shutil.which(name) or ""
    if not found:
        raise WorkerError(f"cannot start {name} ({source}): no interpreter is at {path}")
    return os.path.abspath(found)


def _find_unnamed(settings: Settings, project: str) -> Iterator[Interpreter]:
    active, conda = os.environ.get("VIRTUAL_ENV", ""), os.environ.get("CONDA_PREFIX", "")
    is_base = os.environ.get("CONDA_DEFAULT_ENV") in _BASE
    for folder in (active, "" if is_base else conda):
        if python := _python_inside(folder):
            yield Interpreter(python, "of the active environment; --python names another")
    for folder in _project_folders(settings, project):
        for name in _BESIDE:
            if python := _python_inside(os.path.join(folder, name)):
                yield Interpreter(python, f"of the project's {name}; --python names another")
    if python := _python_inside(conda):
        yield Interpreter(python, "of conda's base environment; --python names another")
    yield Interpreter(sys.executable, "the one that runs lintorch; --python names another")


def _python_inside(folder: str) -> str:
    """The interpreter of an environment; "" where there is none."""
    paths = (os.path.join(folder, *inner.split("/")) for inner in _INSIDE) if folder else ()
    return next((os.path.abspath(path) for path in paths if os.path.isfile(path)), "")


def _project_folders(settings: Settings, project: str) -> Iterator[str]:
    """Where the settings lie, the project's folder, those around it in its repository, and here."""
    if settings.file:
        yield settings.root
    yield project
    yield from _folders_around(project)
    here = os.getcwd()
    if project.startswith(os.path.join(here, "")):
        yield here


def _folders_around(folder: str) -> list[str]:
    """The folders around one, up to its repository's; none outside a repository."""
    outer = [folder]
    while not os.path.lexists(os.path.join(outer[-1], ".git")):
        parent = os.path.dirname(outer[-1])
        if parent == outer[-1]:
            return []
        outer.append(parent)
    return outer[1:]
