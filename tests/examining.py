"""Has models of files examined, for tests of what is reported and not of how it is printed."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from reported import subject_of
from running import interpreter

from lintorch.host.examine_models import examine_models
from lintorch.host.reports import Report
from lintorch.record.model_options import ModelLimits, ModelOptions

NET = """
import _socket, ctypes, os, signal, socket, subprocess, sys, threading, time
import torch
from torch import nn
{helpers}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {building}
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        {running}
        return self.conv(x)


class Next(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.conv(x)


{importing}
"""


def net(
    *, importing: str = "", building: str = "pass", running: str = "pass", helpers: str = ""
) -> str:
    """A file with a model that does something at one of these moments, and one that is well."""
    return NET.format(importing=importing, building=building, running=running, helpers=helpers)


def write_files(folder: Path, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Files by their names without `.py`; their paths."""
    paths = {folder / f"{name}.py": text for name, text in texts.items()}
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return tuple(map(str, paths))


def examine_files(
    paths: Iterable[object],
    folder: Path,
    *,
    progress: Callable[[str], None] = lambda line: None,
    python: str = "",
    configured: Mapping[str, Mapping[str, Any]] | None = None,
    trace: bool = True,
    graphs: bool = True,
    program: bool = False,
    exporters: tuple[str, ...] = (),
    in_training: tuple[tuple[str, str], ...] = (),
    opsets: Mapping[str, int] | None = None,
    limits: ModelLimits | None = None,
    processes: int = 1,
) -> list[Report]:
    """What becomes of the models in files, run by an interpreter that is warm unless `python` is named."""
    options = ModelOptions(
        str(folder),
        trace=trace,
        graphs=graphs,
        program=program,
        exporters=exporters,
        in_training=in_training,
        opsets=opsets or {},
        limits=limits or ModelLimits(),
        processes=processes,
    )
    files = map(str, paths)
    return list(examine_models(files, options, configured or {}, python or interpreter(), progress))


def examine_nets(
    folder: Path, texts: Mapping[str, str], limits: ModelLimits | None = None
) -> dict[str, dict[str, Report]]:
    """What becomes of `Net` and `Next`, by file and then by class, run as users run them."""
    paths = dict(zip(write_files(folder, texts), texts, strict=True))
    found: dict[str, dict[str, Report]] = {name: {} for name in texts}
    for report in examine_files(paths, folder, python=sys.executable, trace=False, limits=limits):
        what = subject_of(report)
        assert what.qualname not in found[paths[what.path]]
        found[paths[what.path]][what.qualname] = report
    return found
