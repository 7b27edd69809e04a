"""Runs the models of a file beside an exported one, in a worker. Imports no torch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lintorch.host.configured_models import is_wanted
from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.reports import Report
from lintorch.host.worker_task import (
    WorkerTask,
    beside_file,
    make_configured_task,
    make_file_task,
    run_task,
)
from lintorch.record.model_options import ModelOptions


def compare_models(
    path: str,
    beside: Mapping[str, Any],
    options: ModelOptions,
    configured: Mapping[str, Mapping[str, Any]],
    python: str,
    progress: Callable[[str], None],
) -> Iterator[Report]:
    """One report for each model of the file at `path`; `configured` are those that settings describe.

    `beside` says what each is compared with: the real path of the exported `file`, and maybe that
    of a `checkpoint`, or that it runs with its `own` weights.

    Raises WorkerError where no worker can be had: no torch, no such interpreter.
    """
    checked = {os.path.realpath(path): path}
    progress(f"starting {python}, which imports torch")
    with LastingWorker(python) as workers:
        for task in _list_tasks(path, checked, options, configured):
            work = beside_file(task, beside)
            yield from run_task(workers, work, lambda name: progress(f"comparing {name}"))


def _list_tasks(
    path: str,
    checked: Mapping[str, str],
    options: ModelOptions,
    configured: Mapping[str, Mapping[str, Any]],
) -> Iterator[WorkerTask]:
    """Those of models that settings describe; else that of the file."""
    own = [
        (name, setting)
        for name, setting in configured.items()
        if options.wants_model(path, name) and is_wanted(setting, checked, options.project)
    ]
    for name, setting in own:
        yield make_configured_task(name, setting, checked, options, {})
    if not own or not options.only:
        yield make_file_task(os.path.realpath(path), (), checked, options, {})
