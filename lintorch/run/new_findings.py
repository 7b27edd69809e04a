"""Leaves out what is known: by a baseline, or as a finding of the tree that a change began with."""

from __future__ import annotations

from lintorch.run.check_files import CheckedFiles
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope


def keep_new(
    seen: CheckedFiles, request: CheckRequest, scope: Scope, progress: Progress
) -> CheckedFiles:
    """What was seen, without what is known.

    Raises BaselineError, or RepositoryError for a revision that git does not know.
    """
    if file := scope.main.baseline:
        from lintorch.run.known_findings import leave_out_baseline

        seen = leave_out_baseline(seen, file, request, scope)
    if request.diff_base:
        from lintorch.run.changed_since import leave_out_unchanged

        seen = leave_out_unchanged(seen, request, scope, progress)
    return seen
