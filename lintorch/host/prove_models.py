"""Runs models with the original text of a file and with fixed ones, in a worker. Imports no torch."""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.reports import Report
from lintorch.host.worker_task import (
    WorkerTask,
    make_configured_task,
    make_file_task,
    run_task,
    with_proof,
)
from lintorch.record.model_options import ModelOptions


@dataclass(frozen=True)
class ModelPlace:
    """Where models are: a file, or, with a `setting`, the table of settings of this `name`.

    With `training` it is not the models of the file, but what trains some; with `alone` also its
    other functions, called by themselves.
    """

    path: str
    name: str = ""
    setting: Mapping[str, Any] | None = None
    training: bool = False
    alone: bool = False


@dataclass(frozen=True)
class FixedFile:
    """The file that is fixed; of a notebook, the module of its cells as it is."""

    path: str
    module: str | None = None

    @property
    def real(self) -> str:
        """Its path, links followed."""
        return os.path.realpath(self.path)


class ModelProver:
    """A worker that has loaded torch, and a folder for what models compute. Use as a context."""

    def __init__(self, python: str, options: ModelOptions, progress: Callable[[str], None]) -> None:
        self._python, self._progress = python, progress
        self._options = replace(options, trace=False, parts=False, artifacts="")
        self._folder = tempfile.TemporaryDirectory(prefix="lintorch-", ignore_cleanup_errors=True)
        self._workers = LastingWorker(python, self._folder.name)

    def __enter__(self) -> ModelProver:
        """Raises WorkerError where no worker can be had: no torch, no such interpreter."""
        self._progress(f"starting {self._python}, which imports torch")
        try:
            self._workers.__enter__()
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workers.end_for_good()
        self._folder.cleanup()

    def keep_originals(
        self,
        place: ModelPlace,
        fixed: FixedFile,
        rows: Iterable[int] | None,
        checked: Iterable[str],
        exporting: bool = True,
    ) -> list[Report]:
        """Run the models there as they are; what is computed by those that run one of the rows is kept.

        `fixed` is the file that the rows are of; None for all models.
        """
        modules = {} if fixed.module is None else {fixed.real: fixed.module}
        wanted = None if rows is None else sorted(rows)
        described = self._describe(fixed, wanted, None)
        return self._run(place, checked, described, modules, None if exporting else ())

    def compare_models(
        self,
        place: ModelPlace,
        fixed: FixedFile,
        texts: Mapping[str, bytes],
        checked: Iterable[str],
        exporting: bool = True,
        if_equal: bool = False,
        exporters: Sequence[str] | None = None,
    ) -> list[Report]:
        """Run the models that are kept, with the texts, by path, in the place of these files.

        That of the fixed file is of its module, where it is a notebook. Trial exports are only made
        again where `exporting`, each takes seconds; `if_equal`: of models that compute the same;
        by those that the request names, or by other `exporters`.
        """
        encoded = {
            os.path.realpath(path): base64.b64encode(data).decode() for path, data in texts.items()
        }
        text = encoded.pop(fixed.real, None)
        modules = {} if fixed.module is None else {fixed.real: fixed.module}
        if fixed.module is not None and text is not None:
            modules = {fixed.real: base64.b64decode(text).decode()}
        described = {**self._describe(fixed, [], text, encoded), "if_equal": if_equal}
        chosen = exporters if exporting else ()
        return self._run(place, checked, described, modules, chosen)

    def forget_models(self) -> None:
        """Keep no model any longer."""
        for name in os.listdir(self._folder.name):
            path = os.path.join(self._folder.name, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def _describe(
        self,
        fixed: FixedFile,
        rows: list[int] | None,
        text: str | None,
        beside: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        folder = os.path.realpath(self._folder.name)
        told = {"fixed": fixed.real, "original": fixed.module, "folder": folder}
        return {**told, "rows": rows, "text": text, "beside": beside}

    def _run(
        self,
        place: ModelPlace,
        checked: Iterable[str],
        proof: Mapping[str, Any],
        modules: Mapping[str, str],
        exporters: Sequence[str] | None,
    ) -> list[Report]:
        if place.training:
            proof = {**proof, "alone": place.alone}
        task = with_proof(self._make_task(place, checked, modules), proof, place.training)
        if exporters is not None:
            task = replace(task, options=replace(task.options, exporters=tuple(exporters)))
        return list(run_task(self._workers, task, lambda model: self._progress(f"proving {model}")))

    def _make_task(
        self, place: ModelPlace, checked: Iterable[str], modules: Mapping[str, str]
    ) -> WorkerTask:
        known = {os.path.realpath(path): path for path in checked}
        if place.setting is not None:
            return make_configured_task(place.name, place.setting, known, self._options, modules)
        return make_file_task(os.path.realpath(place.path), (), known, self._options, modules)
