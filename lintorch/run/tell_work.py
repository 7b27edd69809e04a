"""What `--verbose` says of the work: which settings, files, caches and interpreters it is done with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lintorch.cache import cache_folder
from lintorch.report.places import shown_path
from lintorch.report.summary_line import write_count
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope

if TYPE_CHECKING:
    from lintorch.host.reports import Report
    from lintorch.run.project_models import ProjectModels


def tell_files(paths: Sequence[str], scope: Scope, request: Request, progress: Progress) -> None:
    """By whose settings how many files are looked at."""
    if not request.verbose:
        return
    counted = Counter(scope.settings_of(path).file for path in paths)
    for file, number in counted.items():
        progress(
            f"settings: {shown_path(file) if file else 'none'} ({write_count(number, 'file')})"
        )


def tell_cache(known: int, read: int, request: Request, progress: Progress) -> None:
    """How many files are known from last time, and where that is kept."""
    if request.verbose:
        kept = (
            "not used" if request.no_cache else f"{cache_folder() or 'none, as there is no home'}"
        )
        progress(f"cache: {kept} ({known} known, {read} to be read)")


def tell_interpreter(group: ProjectModels, request: Request, progress: Progress) -> None:
    """With what models of which project run."""
    if request.verbose:
        from lintorch.run.find_interpreter import find_interpreter_for

        python = group.interpreter
        progress(f"models of {shown_path(group.folder)} run with {python.path}, {python.why}")
        for name in group.settings.python_for:
            if own := find_interpreter_for(group.settings, name):
                progress(f"{name} is tried with {own.path}, {own.why}")


def tell_tracebacks(
    reports: Iterable[Report], request: Request, progress: Progress
) -> Iterator[Report]:
    """The same reports; the traceback of each that did not run is told."""
    for report in reports:
        failure = report.failure
        if request.verbose and failure is not None:
            name = f"{shown_path(failure.path)}{f':{failure.qualname}' if failure.qualname else ''}"
            progress(f"{name} {failure.stage}: {failure.cause}\n{failure.traceback}".rstrip())
        yield report
