"""Pieces of work for a worker: the models of a file, or one that settings describe. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.reports import Report, Telling
from lintorch.host.vouching import Asked
from lintorch.host.worker_process import Worker, WorkerError
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure
from lintorch.record.user_files import user_files_of
from lintorch.record.wire import pack_value
from lintorch.record.work_bounds import MOST_MODELS, bound_file

_TRACERS = ("torch._dynamo", "torch.export._trace", "torch.fx.experimental.symbolic_shapes")
"""What torch.export loads when it is first called: slow, so loaded once for all models."""
_TRANSLATIONS = {"onnx": ("lintorch.guest.export.onnx_translations",), "onnx-legacy": ("onnx",)}
"""What an exporter loads besides."""

_BACKWARD = ("torch.fx.experimental.symbolic_shapes",)
"""What a gradient loads when the first is asked for."""
_STEPPING = ("torch._dynamo",)
"""What the first step of an optimizer loads."""

_EXAMINE_FILE = "lintorch.guest.examine_file:examine_file"
_EXAMINE_CONFIGURED = "lintorch.guest.examine_file:examine_configured"
_PROVE_FILE = "lintorch.guest.proof.prove_file:prove_file"
_PROVE_CONFIGURED = "lintorch.guest.proof.prove_file:prove_configured"
_PROVE_TRAINING = "lintorch.guest.training.prove_training:prove_training"
_COMPARE_FILE = "lintorch.guest.beside.compare_file:compare_file"
_COMPARE_CONFIGURED = "lintorch.guest.beside.compare_file:compare_configured"


@dataclass(frozen=True)
class WorkerTask:
    """A call of a function over there; `checked` has the real paths of all files that are checked,
    each with the path as given. `start` is the failure of what is in hand before any model is.
    """

    function: str
    """As "module:name"."""
    arguments: Mapping[str, Any]
    start: Failure
    models: int
    """Models that it tells of, at most."""
    checked: Mapping[str, str]
    options: ModelOptions
    configured: bool = False
    """Whether it is about a model that settings describe."""
    imports: tuple[str, ...] = ()
    """Modules to be loaded for it besides, once for all work."""

    def send_to(self, worker: Worker) -> Generator[Parcel, None, Ending]:
        """What the worker sends; its ending."""
        arguments = {
            **self.arguments,
            "checked": dict(self.checked),
            "options": pack_value(self.options),
        }
        exporters = self.options.exporters
        imports = [*self.imports, *(_TRACERS if self.options.trace or exporters else ())]
        imports += [name for each in exporters for name in _TRANSLATIONS.get(each, ())]
        bounds = bound_file(self.options, self.models)
        return (yield from worker.do_work(self.function, arguments, bounds, tuple(imports)))

    @property
    def expected_answers(self) -> Asked:
        """What the worker may tell of."""
        options = self.options
        files = user_files_of(self.checked, options.project)
        return Asked(
            self.start, files, self.models, self.configured, options.exporters, options.artifacts
        )


def make_file_task(
    path: str,
    passed: Collection[str],
    checked: Mapping[str, str],
    options: ModelOptions,
    modules: Mapping[str, str],
) -> WorkerTask:
    """Examine the models of the file with this real path, but those of `passed` ("file.py:Class").

    `modules` holds the texts of notebooks by their real paths.
    """
    start = Failure(checked[path], "", 1, "stopped", "")
    own = {path: modules[path]} if path in modules else {}
    arguments = {"path": path, "passed": sorted(passed), "modules": own}
    return WorkerTask(_EXAMINE_FILE, arguments, start, MOST_MODELS + 1, checked, options)


def make_configured_task(
    name: str,
    setting: Mapping[str, Any],
    checked: Mapping[str, str],
    options: ModelOptions,
    modules: Mapping[str, str],
) -> WorkerTask:
    """Examine the model that the table `[tool.lintorch.models.NAME]` describes."""
    start = Failure(str(setting["factory"]).partition(":")[0], name, 1, "stopped", "")
    arguments = {"name": name, "setting": dict(setting), "modules": dict(modules)}
    return WorkerTask(_EXAMINE_CONFIGURED, arguments, start, 1, checked, options, configured=True)


def with_proof(task: WorkerTask, proof: Mapping[str, Any], training: bool) -> WorkerTask:
    """The same models, or what trains some, run beside each other with two texts: see `lintorch.guest.proof`."""
    function = _PROVE_CONFIGURED if task.configured else _PROVE_FILE
    if training:
        function = _PROVE_TRAINING
    imports = (*_BACKWARD, *_STEPPING) if training else _BACKWARD
    arguments = {**task.arguments, "proof": dict(proof)}
    return replace(task, function=function, arguments=arguments, imports=imports)


def beside_file(task: WorkerTask, beside: Mapping[str, Any]) -> WorkerTask:
    """The same models, each beside an exported file: see `lintorch.guest.beside.compare_model`."""
    function = _COMPARE_CONFIGURED if task.configured else _COMPARE_FILE
    return replace(task, function=function, arguments={**task.arguments, "beside": dict(beside)})


def run_task(
    workers: LastingWorker, task: WorkerTask, progress: Callable[[str], None]
) -> Iterator[Report]:
    """One report for each model that the worker tells of, and one for what stopped it."""
    yield from read_reports(task, hear_task(workers, task), progress)


def hear_task(workers: LastingWorker, task: WorkerTask) -> Generator[Parcel, None, Ending]:
    """What the worker tells, as it comes; how it ended. Raises WorkerError where none can be had at all."""
    if not workers.has_started:
        workers.get_worker()
    try:
        return (yield from task.send_to(workers.get_worker()))
    except WorkerError as error:  # user code has killed the worker
        workers.drop_worker()
        return Ending(f"it ended the worker process ({error})", "")


def read_reports(
    task: WorkerTask, told: Generator[Parcel, None, Ending], progress: Callable[[str], None]
) -> Iterator[Report]:
    """The reports that what is told makes, where it is what this task may tell."""
    telling = Telling(task.expected_answers, progress)
    while True:
        try:
            parcel = next(told)
        except StopIteration as stop:
            ending: Ending = stop.value
            break
        yield from telling.take_parcel(parcel)
    if ending.cause:
        yield from telling.end(ending.cause, ending.output)
