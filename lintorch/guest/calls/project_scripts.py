"""The scripts of a project whose values are worked out, and how each is started."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from lintorch.guest.calls.code_regions import PlacedCall, list_calls
from lintorch.guest.calls.code_text import CodeText, parse_code
from lintorch.guest.calls.list_model_calls import SoughtModel
from lintorch.guest.calls.project_texts import list_files_that_call, list_files_that_name
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.script_surroundings import enter_script

_MOST_CALLERS = 3
"""Calls in other files that are looked at for what a function is given."""
_ENDS_COMMAND = frozenset(("|", ">", ">>", "&&", "&", ";", "#", "2>&1"))


class ProjectScripts:
    """One runner for each file of a project."""

    def __init__(
        self,
        sought: SoughtModel,
        statements: StatementRunner,
        around: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._around = around
        self._sought = sought
        self._statements = statements
        self._runners: dict[Path, ScriptRunner] = {}

    @contextmanager
    def enter(self, text: CodeText) -> Iterator[ScriptRunner]:
        """The runner of a file, which runs statements as if that were started."""
        sought = self._sought
        folder = _choose_folder(text, sought.project)
        with enter_script(text.path, folder, sought.project), self._around():
            for runner in self._runners.values():
                runner.start_anew()
            yield self._get_runner(text)

    def find_callers(self, name: str, but: Path) -> Iterator[tuple[ScriptRunner, PlacedCall]]:
        """Calls of a function or class in other files, each with the runner of its file."""
        count = 0
        for path, data in list_files_that_call(self._sought.project, name):
            text = parse_code(path, data) if path != but else None
            if text is None:
                continue
            for placed in list_calls(text.tree):
                if name == (
                    getattr(placed.node.func, "id", "") or getattr(placed.node.func, "attr", "")
                ):
                    count += 1
                    yield self._get_runner(text), placed
                if count == _MOST_CALLERS:
                    return

    def _get_runner(self, text: CodeText) -> ScriptRunner:
        path = text.path
        if path not in self._runners:
            scope = _first_scope(self._sought, path)
            command = self._find_command(path)
            self._runners[path] = ScriptRunner(
                text, scope, self._statements, self.find_callers, command
            )
        return self._runners[path]

    def _find_command(self, path: Path) -> list[str]:
        """The arguments with which a text of the project starts a script; none where no text does."""
        pattern = re.compile(rf"python3?\b[^\n|;]*?[ /]{re.escape(path.name)} +(.+)")
        for found, data in list_files_that_name(self._sought.project, {path.name}):
            text = (
                data.decode("utf-8", "replace").replace("\\\n", " ")
                if found.suffix == ".md"
                else ""
            )
            match = pattern.search(text)
            if match is not None:
                return _split_command(match[1])
        return []


def _split_command(text: str) -> list[str]:
    arguments: list[str] = []
    with suppress(ValueError):  # quotes that are not closed
        for word in shlex.split(text.strip("`")):
            if word in _ENDS_COMMAND:
                break
            arguments.append(word)
    return arguments


def _first_scope(sought: SoughtModel, path: Path) -> dict[str, Any]:
    """What a script knows from the start; in the model's own file all of its names."""
    if path == sought.path:
        return dict(sought.scope)
    package = _dotted_package(path, sought.project)
    return {"__name__": "__main__", "__file__": str(path), "__package__": package}


def _dotted_package(path: Path, project: Path) -> str:
    """The package of a file, by the folders around it that are packages."""
    parts: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


@lru_cache(maxsize=128)
def _choose_folder(text: CodeText, project: Path) -> Path:
    """Where the script stands that finds its files: its own folder, or the project's."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            with suppress(OSError, ValueError):
                if len(node.value) < 200 and (text.path.parent / node.value).is_file():
                    return text.path.parent
    return project
