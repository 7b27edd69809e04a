"""The fixes of files of the same project that the models of a file lead into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from lintorch.core.finding import Finding
from lintorch.files import FileText
from lintorch.report.places import shown_path
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.importers import Importers
from lintorch.run.lint_file import lint_text
from lintorch.run.mend_file import FileMending
from lintorch.run.project_exports import project_files
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope


def list_mendings(
    text: FileText,
    seen: CheckedFiles,
    scope: Scope,
    request: CheckRequest,
    progress: Progress,
    eager: bool = False,
) -> list[FileMending]:
    """The file itself, of which runs have been `seen`, and those beside it, where they have fixes.

    `eager`: also such as wait for a run to show something.

    Raises SettingsError, CatalogError, and what a rule raises.
    """
    importers, path = Importers(scope), text.path
    found = [finding for finding in seen.standing if finding.place.path == path]
    mendings = [FileMending(text, found, seen, scope, request, importers, eager=eager)]
    beside = list(list_entered(text, seen, scope))
    if beside:
        models = replace(request.models, exporters=(), trace=False)
        asked = replace(request, paths=(path, *beside), models=models)
        look = check_files(asked, scope, progress)
        mendings += [
            FileMending(
                look.texts[each],
                _list_found(each, look),
                look,
                scope,
                request,
                importers,
                eager=eager,
            )
            for each in beside
            if each in look.texts
        ]
    return [each for each in mendings if each.has_fixes]


def list_entered(text: FileText, seen: CheckedFiles, scope: Scope) -> Iterator[str]:
    """Files of the project that forward passes of the file's models run through, or that runs told of."""
    path = text.path
    linted = lint_text(scope.make_task(path), text.text)
    places = [name for name, _ in linted.enters]
    places += [finding.place.path for finding in (*linted.findings, *seen.standing)]
    reached = {os.path.realpath(each) for each in places} - {os.path.realpath(path)}
    if not reached:
        return
    project = scope.project_of(path) or os.path.dirname(path) or "."
    for each in sorted(project_files([project], scope.settings_of(path))):
        if os.path.realpath(each) in reached and each.endswith(".py"):
            yield shown_path(each)


def _list_found(path: str, look: CheckedFiles) -> list[Finding]:
    return [finding for finding in look.standing if finding.place.path == path]
