"""What an exporter is: one module that can export a model, run what it made and explain a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from lintorch.guest.export.module_state import restore_module
from lintorch.guest.export.quantization import LayerReader, Quantization
from lintorch.guest.export.size_guards import GuardLog
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import FedArgument, Input
from lintorch.record.outcomes import ExportStage

ONNX_FILE = "model.onnx"
"""What exporters that write ONNX call their file in the job's directory."""


@dataclass(frozen=True)
class Job:
    """One export to make: the module in the mode it is exported in, and what it is fed.

    `example` holds a tensor or plain value per input; `arrange_arguments` makes arguments of such.
    `dynamic` holds the named sizes that may vary; other names are exported as fixed numbers.
    """

    module: nn.Module
    inputs: tuple[FedArgument, ...]
    example: tuple[Any, ...]
    dynamic: frozenset[str]
    opset: int | None
    directory: Path
    output: Any
    """What eager gives back for the example, as it is."""
    keep: bool = False
    """Whether the exported file is wanted, and not only what it computes."""
    strict: bool = True
    """What torch.jit.trace is told: not to take the dicts that a model gives back."""
    named: bool = False
    """Whether dynamic sizes are declared by `Dim("name")`, as the project's own export does it."""
    largest: Mapping[str, int] = field(default_factory=dict)
    """What each dynamic size is at most where it is to run."""
    guards: GuardLog = field(default_factory=GuardLog)
    """What the exporter takes for given of sizes, where it can be listened to."""
    quantization: Quantization | None = None
    """The integers that it is exported in; a file of ONNX is quantized when it is written."""

    def arrange_arguments(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Values of all inputs as arguments of the module."""
        return arrange_arguments(self.inputs, values)

    def list_dynamic_axes(self) -> list[dict[int, str]]:
        """Per input: the axes that are dynamic, and the names of their sizes."""
        return [
            {
                axis: name
                for axis, name in enumerate(given.shape if isinstance(given, Input) else ())
                if isinstance(name, str) and name in self.dynamic
            }
            for given in self.inputs
        ]


@dataclass(frozen=True)
class Exported:
    """What an exporter made: runs on a value per input, in order, and gives back its tensors."""

    run: Callable[[Sequence[Any]], list[torch.Tensor]]
    opset: int | None = None
    note: str = ""
    artifact: str = ""
    """The file that was written; "" where nothing was asked for."""
    ir: int | None = None
    """The IR version of an ONNX file."""
    devices: tuple[str, ...] = ()
    """Printed stacks of what holds a device as a constant, the innermost line last."""
    pruned: tuple[str, ...] = ()
    """Inputs of the job that the exported file does not have."""
    prepare: Callable[[Sequence[Any]], Callable[[], object]] | None = None
    """From values to a call of the runtime alone; None where `run` is that."""
    module: nn.Module | None = None
    """What runs it, where that is torch; it keeps what a run leaves in it."""
    is_fixed: bool = False
    """Whether it runs at the sizes of the example alone, as all that this exporter makes does."""
    unrun: str = ""
    """Why nothing of it can be run on this machine."""
    read_layers: LayerReader | None = None
    """What its layers give, where that was quantized and is no file of ONNX."""


@dataclass(frozen=True)
class Explained:
    """What an exporter's own records say of a refusal.

    `where` is a printed stack, innermost line last, in which the user's line is looked for.
    """

    operators: tuple[str, ...] = ()
    where: str = ""
    message: str = ""
    enough: int | None = None
    """The lowest opset at which all these operators have a translation; None where there is none."""
    opset: int | None = None
    """The opset that was being written, where it is another than the one asked for."""


class Exporter(Protocol):
    """A module with these functions, in the folder `exporters`; `lintorch.core.profile` lists their names.

    One with `TAKES_PLAIN = True` exports a call with values beside tensors as it is; to the others such
    values are constants of the model.
    """

    def available(self) -> str:
        """The empty text, or what to install."""

    def export(self, job: Job) -> Exported:
        """Exports and loads; raises whatever the exporter raises, `Refused` outside stage "export"."""

    def explain(self, error: BaseException, job: Job) -> Explained:
        """What is known of an error that `export` raised."""

    def script(self, job: Job) -> str:
        """The same as statements of a program; see `lintorch.guest.export.write_program.write_program`."""


def wrap_module(
    job: Job, module: nn.Module, artifact: str = "", devices: Iterable[str] = ()
) -> Exported:
    """A module as what was exported of a job; its buffers are the same before every run."""

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        with restore_module(module):
            return flatten_output(module(*job.arrange_arguments(values)))

    def prepare(values: Sequence[Any]) -> Callable[[], object]:
        arguments = job.arrange_arguments(values)
        return lambda: module(*arguments)

    kept = tuple(devices)
    return Exported(run, artifact=artifact, devices=kept, prepare=prepare, module=module)


def save_artifact(job: Job, name: str, save: Callable[[str], object]) -> str:
    """Write the file where it is wanted, which is its own stage; its path, else ""."""
    if not job.keep:
        return ""
    path = str(job.directory / name)
    with refuse_in_stage("save"):
        save(path)
    return path


def save_program(job: Job, name: str, save: Callable[[Any], object]) -> str:
    """As `save_artifact`; where no file is wanted it is saved to memory: what cannot be saved serves nobody."""
    if job.keep:
        return save_artifact(job, name, save)
    with refuse_in_stage("save"):
        save(BytesIO())
    return ""


class Refused(Exception):
    """An error, its cause, raised in a stage that is not the export itself."""

    def __init__(self, stage: ExportStage) -> None:
        super().__init__(stage)
        self.stage = stage


@contextmanager
def refuse_in_stage(name: ExportStage) -> Iterator[None]:
    """Raises `Refused(name)` from any error inside."""
    try:
        yield
    except Exception as error:
        raise Refused(name) from error


def explain_missing(*packages: str, extra: str = "") -> str:
    """How to install what cannot be imported; the empty text where all can be.

    By names of any index, or by an `extra` of lintorch, whose exporter may have an interpreter of its own.
    """
    install = f'"lintorch[{extra}]", or name an interpreter that has it, python.{extra}'
    for package in packages:
        try:
            __import__(package)
        except ImportError as error:
            named = install if extra else " ".join(packages)
            return f"{package} cannot be imported ({error}); pip install {named}"
    return ""
