"""The scripts of a project whose values are worked out, and how each is started."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from lintorch.guest.calls.code_regions import PlacedCall, list_calls
from lintorch.guest.calls.code_text import CodeText, parse_code
from lintorch.guest.calls.list_model_calls import SoughtModel, list_aliases
from lintorch.guest.calls.project_texts import list_files_that_call
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_commands import list_commands
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.script_surroundings import enter_script, known_below

_MOST_CALLERS = 3
"""Calls in other files that are looked at for what a function is given."""


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
        own = sys.modules.get(sought.kind.__module__)
        with (
            enter_script(text.path, folder, sought.project),
            known_below(sought.path, own, sought.project),
            self._around(),
        ):
            for runner in self._runners.values():
                runner.start_anew()
            yield self._get_runner(text)

    def find_callers(self, name: str, but: Path) -> Iterator[tuple[ScriptRunner, PlacedCall]]:
        """Calls of a function or class in other files, each with the runner of its file.

        Those come first that speak of the file it stands in: others may have one of that name.
        """
        count = 0
        home = but.stem.encode()
        files = list_files_that_call(self._sought.project, name)
        for path, data in sorted(files, key=lambda pair: home not in pair[1]):
            text = parse_code(path, data) if path != but else None
            if text is None:
                continue
            names = {name, *list_aliases(text, {name})}
            for placed in list_calls(text.tree):
                called = placed.node.func
                if (getattr(called, "id", "") or getattr(called, "attr", "")) in names:
                    count += 1
                    yield self._get_runner(text), placed
                if count == _MOST_CALLERS:
                    return

    def _get_runner(self, text: CodeText) -> ScriptRunner:
        path = text.path
        if path not in self._runners:
            scope = _first_scope(self._sought, path)
            self._runners[path] = ScriptRunner(
                text, scope, self._statements, self.find_callers, self._choose_command(path)
            )
        return self._runners[path]

    def _choose_command(self, path: Path) -> tuple[str, ...]:
        """The arguments that a text starts a script with: those that name the model first."""
        names = {self._sought.kind.__name__.lower(), self._sought.path.stem.lower()}
        commands = list_commands(self._sought.project, path.name)
        own = (each for each in commands if names & {word.lower() for word in each})
        return next(own, next(iter(commands), ()))


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
