"""What is to be done with each model, and within which limits: one value, read alike on both sides of the wall."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.record.limit_words import Limit, memory_limit, seconds_limit

TAKES_NO_SIZES = frozenset({"torchscript-trace", "torchscript-script"})
"""Exporters that are told no sizes: of these no call says that they are fixed."""


@dataclass(frozen=True)
class ModelLimits:
    """Seconds for building, feeding and running a model; seconds for each of its exports; bytes of
    memory; bytes that all models of a file may write.
    """

    seconds: float = 60
    trial_seconds: float = 120
    memory: int = 8 * 2**30
    disk: int = 16 * 2**30

    @property
    def time(self) -> Limit:
        """The limit of building, feeding and running, in words."""
        return seconds_limit(self.seconds, "trace-seconds")

    @property
    def trial_time(self) -> Limit:
        """The limit of one export, in words."""
        return seconds_limit(self.trial_seconds, "trial-seconds")

    @property
    def space(self) -> Limit:
        """The limit of memory, in words."""
        return memory_limit(self.memory, "trace-memory")


@dataclass(frozen=True)
class ModelOptions:
    """What is to be done with each model; without `trace` and `exporters` it is built and fed only."""

    project: str = ""
    """The real path of the folder that models are run for."""
    only: tuple[str, ...] = ()
    """Names of those that are wanted, "Class" or "file.py:Class"; all where none is named."""
    trace: bool = False
    """Whether runs are recorded."""
    graphs: bool = True
    """Whether a model whose runs are recorded is traced as a graph too."""
    program: bool = False
    """Whether torch.export traces it whatever its runs show: a target looks operators up in that program."""
    axes: bool = True
    """Whether sizes without a name of their own are changed as well: that backs what is withdrawn."""
    exporters: tuple[str, ...] = ()
    """Those that the model is exported with, on trial."""
    precisions: tuple[str, ...] = ()
    """Those of `lintorch.record.precisions.PRECISIONS` that are tried; () for the model as it is built."""
    in_training: tuple[tuple[str, str], ...] = ()
    """Models ("file.py:Class") that the project exports in training mode, each with the exporter:
    this is tried as well."""
    opsets: Mapping[str, int] = field(default_factory=dict)
    """By exporter of ONNX, the opset asked of it."""
    strict: bool = True
    """Whether torch.jit.trace is to refuse dicts, as it does unless it is told `strict=False`."""
    dynamic: bool = True
    """Whether exports leave sizes open; else each is made, and compared, at the first sizes alone."""
    parts: bool = True
    """Whether the smallest part that goes wrong is looked for where an export does."""
    artifacts: str = ""
    """The folder that exported files are kept below; "" to keep none."""
    state: bool = False
    """Whether the keys and shapes of its state_dict are told."""
    scripts: bool = False
    """Whether programs are written that show what went wrong in an export."""
    suggest: bool = False
    """Whether the call that exports the model is written out and tried."""
    timed: bool = False
    """Whether each model is timed, as it is and as it was exported."""
    reads: bool = False
    """Whether it is told which files were read."""
    limits: ModelLimits = ModelLimits()
    processes: int = 1
    """Files that are looked at side by side, and else exports of one model, at most."""

    def wants_model(self, path: str, qualname: str) -> bool:
        """Whether the model of this name, in the file at the path as it was given, is looked at."""
        return not self.only or any(
            name in (qualname, f"{path}:{qualname}", f"{os.path.normpath(path)}:{qualname}")
            for name in map(os.path.normpath, self.only)
        )
