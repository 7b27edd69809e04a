"""The models of each project: which files they are in, and how they are run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lintorch.core.profile import EXPORTERS, Profile
from lintorch.files import FileText, UnreadableFile
from lintorch.host.cluster_hands import Cluster
from lintorch.host.examine_models import examine_models
from lintorch.host.hands import OwnHands
from lintorch.host.reports import Report
from lintorch.host.worker_process import WorkerError
from lintorch.record.model_options import ModelLimits, ModelOptions
from lintorch.record.models import Failure
from lintorch.record.repository import find_repository
from lintorch.record.shard import WHOLE, Shard
from lintorch.run.find_interpreter import Interpreter, find_interpreter
from lintorch.run.own_interpreters import examine_apart
from lintorch.run.process_pool import count_cores
from lintorch.run.read_notebooks import NotebookTexts, read_notebooks
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope
from lintorch.settings import Settings
from lintorch.store import StoredWork, StoreError, open_store
from lintorch.targets import find_target

_MEBIBYTE = 2**20


@dataclass(frozen=True)
class ProjectModels:
    """The files of one project under the same settings, and what is done with the models in them."""

    files: tuple[str, ...]
    folder: str
    settings: Settings
    profile: Profile
    interpreter: Interpreter
    options: ModelOptions
    notebooks: NotebookTexts
    cluster: Cluster | None = None
    """Who runs the models; None for this machine."""
    kept: StoredWork | None = None
    """What earlier runs came to."""

    def examine_files(
        self, progress: Progress, shard: Shard = WHOLE
    ) -> Generator[Report, None, None]:
        """One report per model of a shard. Raises WorkerError, which says why it is that interpreter."""
        unread = {p: t for p, t in self.notebooks.items() if isinstance(t, UnreadableFile)}
        for path, text in unread.items() if shard.number == 1 else ():
            yield Report(None, Failure(path, "", 1, "import", text.cause))
        read = [path for path in self.files if path not in unread]
        modules = {t.real: t.text for t in self.notebooks.values() if isinstance(t, FileText)}

        def examine(options: ModelOptions, python: Interpreter) -> Generator[Report, None, None]:
            is_main = python is self.interpreter  # what is kept, and a cluster, are of that one
            try:
                yield from examine_models(
                    read,
                    options,
                    self.settings.models,
                    python.path,
                    progress,
                    modules,
                    shard,
                    self.kept if is_main else None,
                    self.cluster.take_on if is_main and self.cluster else OwnHands,
                )
            except WorkerError as error:
                raise WorkerError(f"{error} ({python.why})") from error

        yield from examine_apart(self.options, self.settings, self.interpreter, examine)

    def place_failure(self, report: Report) -> Report:
        """The same report; where a configured model is in no file, its failure is the settings'."""
        if report.failure is None or os.path.isfile(report.failure.path):
            return report
        path = self.settings.file or self.files[0]
        return replace(report, failure=replace(report.failure, path=path, row=1))


def group_models(
    paths: Iterable[str],
    request: Request,
    scope: Scope,
    in_training: tuple[tuple[str, str], ...] = (),
) -> Iterator[ProjectModels]:
    """The files of each project under the same settings. Raises WorkerError."""
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for path in paths:
        groups[scope.project_of(path), id(scope.settings_of(path))].append(path)
    for (project, _), files in groups.items():
        settings, profile = scope.settings_of(files[0]), scope.profile_of(files[0])
        folders = [os.path.dirname(os.path.abspath(file)) for file in files]
        folder = project or str(find_repository(Path(os.path.commonpath(folders))))
        real = os.path.realpath(folder)
        interpreter = find_interpreter(settings, folder)
        kept = _open_store(request, interpreter, real)
        options = replace(
            request.models,
            project=real,
            reads=kept is not None,
            trace=request.runs_models,
            in_training=in_training,
            strict=profile.strict,
            opsets={e: n for e in EXPORTERS if (n := profile.opset_asked(e))},
            program=any(find_target(t).tables.looks_up == "program" for t in profile.targets),
            dynamic=profile.dynamic or _names_inputs(settings),
            limits=limit_models(settings),
            processes=request.jobs or count_cores(),
        )
        notebooks = read_notebooks(files)
        cluster = Cluster(request.executor, request.resources) if request.executor else None
        yield ProjectModels(
            tuple(files),
            folder,
            settings,
            profile,
            interpreter,
            options,
            notebooks,
            cluster,
            kept,
        )


def _open_store(request: Request, interpreter: Interpreter, project: str) -> StoredWork | None:
    """The store that was asked for; none for what is measured, or runs programs. Raises WorkerError."""
    if not request.store or request.models.timed or request.models.suggest:
        return None
    try:
        return open_store(request.store, interpreter.path, project)
    except (StoreError, OSError) as error:
        raise WorkerError(str(error)) from error


def limit_models(settings: Settings) -> ModelLimits:
    """What a model may take by these settings."""
    usual = ModelLimits()
    seconds = settings.trace_seconds or usual.seconds
    memory, disk = settings.trace_memory, settings.trace_disk
    return ModelLimits(
        seconds,
        settings.trial_seconds or 2 * seconds,
        usual.memory if memory is None else memory * _MEBIBYTE,
        usual.disk if disk is None else disk * _MEBIBYTE,
    )


def _names_inputs(settings: Settings) -> bool:
    """Whether the settings say what models are fed, and so which sizes vary."""
    return any("inputs" in table for table in settings.models.values())
