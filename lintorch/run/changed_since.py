"""Leaves out what a change did not bring: neither on its lines, nor elsewhere because of it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from lintorch.baseline import make_entries, match_entries
from lintorch.core.finding import Finding
from lintorch.files import FileText, is_notebook
from lintorch.files.git_changes import Changes, read_changes, read_former, write_tree
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.find_interpreter import find_interpreter, find_interpreter_for
from lintorch.run.known_findings import leave_out, name_from
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope
from lintorch.settings import NamedPython

_LONGEST = 12
"""Rows of a span that a change may touch; a longer one, such as a class, is where it begins."""
_WANTED = (".py", ".pyi", ".pyw", ".ipynb", ".md", ".gitignore", "setup.cfg")
"""Endings of the files that findings depend on, apart from settings: those are today's."""


def leave_out_unchanged(
    seen: CheckedFiles, request: CheckRequest, scope: Scope, progress: Progress
) -> CheckedFiles:
    """Keep findings on changed rows, and those elsewhere that the old tree does not have.

    The old tree is looked at only where a finding stands on a row that did not change. Raises
    RepositoryError.
    """
    given = request.paths[0]
    folder = given if os.path.isdir(given) else os.path.dirname(given) or "."
    changes = read_changes(folder, request.diff_base or "")
    name = name_from(changes.root)
    changes = replace(changes, rows={**changes.rows, **_compare_notebooks(seen, changes)})
    elsewhere = [
        finding
        for finding in (*seen.standing, *seen.unasked)
        if not _is_changed(finding, changes, name(finding.place.path))
    ]
    if not elsewhere:
        return seen
    progress(f"reading the tree of {request.diff_base}")
    with tempfile.TemporaryDirectory(prefix="lintorch-") as temporary:
        tree = os.path.realpath(temporary)
        old = _check_old(changes, tree, seen, request, scope, progress)
        known = _find_in_both(elsewhere, seen, old, changes, tree)
    return leave_out(seen, known, ())


def _is_changed(finding: Finding, changes: Changes, name: str) -> bool:
    place = finding.place
    last = place.end_row - (place.end_column == 1) if place.end_row > place.row else place.row
    return changes.is_changed(name, place.row, last if last - place.row < _LONGEST else place.row)


def _compare_notebooks(seen: CheckedFiles, changes: Changes) -> dict[str, tuple[range, ...]]:
    """The changed rows of notebooks, as they count in the modules of their cells."""
    name = name_from(changes.root)
    found: dict[str, tuple[range, ...]] = {}
    for path, text in seen.texts.items():
        inner = name(path)
        if is_notebook(path) and inner in changes.rows:
            from lintorch.files.notebook_text import decode_notebook

            data = read_former(changes, inner)
            old = decode_notebook(path, data) if data is not None else None
            before = _list_code(old) if isinstance(old, FileText) else []
            matcher = SequenceMatcher(None, before, _list_code(text), autojunk=False)
            found[inner] = tuple(
                range(first + 1, stop + 1)
                for kind, _, _, first, stop in matcher.get_opcodes()
                if kind != "equal"
            )
    return found


def _list_code(text: FileText) -> list[str]:
    """The rows of a module; what stands between cells is the same wherever they are."""
    return [re.sub(r"^# -+ cell \d+$", "", row) for row in text.text.split("\n")]


def _check_old(
    changes: Changes,
    tree: str,
    seen: CheckedFiles,
    request: CheckRequest,
    scope: Scope,
    progress: Progress,
) -> CheckedFiles:
    """What is found in the tree as it was, under the settings of today."""
    write_tree(changes, tree, lambda path: path.endswith(_WANTED))
    os.makedirs(os.path.join(tree, ".git"), exist_ok=True)  # the root of a project is one again
    _take_settings(changes.root, tree, seen, scope)
    paths = _find_paths(changes, tree, request)
    if not paths:
        return CheckedFiles()
    settings = dict(request.settings)
    if request.runs_models:
        python = find_interpreter(scope.main, scope.project_of(request.paths[0]))
        settings["python"] = NamedPython(python.path, os.getcwd(), "--python")
        settings["python_for"] = {
            name: NamedPython(found.path, os.getcwd(), f"--python-for {name}")
            for name in scope.main.python_for
            if (found := find_interpreter_for(scope.main, name))
        }
    asked = replace(
        request, paths=paths, settings=settings, no_cache=True, diff_base=None, fix=False
    )
    old = Scope(asked)
    return check_files(asked, old, progress)


def _take_settings(root: str, tree: str, seen: CheckedFiles, scope: Scope) -> None:
    files = {scope.settings_of(path).file for path in seen.paths} | {scope.main.file}
    for file in filter(None, files):
        real = os.path.realpath(file)
        if real.startswith(root + os.sep):
            copy = os.path.join(tree, os.path.relpath(real, root))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(real, copy)


def _find_paths(changes: Changes, tree: str, request: CheckRequest) -> tuple[str, ...]:
    """What was asked for, where it lay in the old tree; what is new since lay nowhere."""
    name = name_from(changes.root)
    inner = [changes.former.get(name(path), name(path)) for path in request.paths]
    inner += [
        old
        for new, old in changes.former.items()
        if any(each == "." or new.startswith(f"{each}/") for each in map(name, request.paths))
    ]
    paths = (os.path.normpath(os.path.join(tree, each)) for each in dict.fromkeys(inner))
    return tuple(path for path in paths if os.path.exists(path))


def _find_in_both(
    elsewhere: Sequence[Finding],
    seen: CheckedFiles,
    old: CheckedFiles,
    changes: Changes,
    tree: str,
) -> list[Finding]:
    renamed = {was: now for now, was in changes.former.items()}
    inside, name = name_from(tree), name_from(changes.root)
    entries = make_entries(
        (*old.standing, *old.unasked),
        {path: text.text for path, text in old.texts.items()},
        lambda path: renamed.get(inside(path), inside(path)),
    )
    known, _ = match_entries(
        elsewhere,
        {path: text.text for path, text in seen.texts.items()},
        name,
        entries,
        {name(path) for path in seen.paths},
        lambda inner: os.path.exists(os.path.join(changes.root, inner)),
    )
    return known
