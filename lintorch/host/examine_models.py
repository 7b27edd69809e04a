"""Finds, builds, runs and exports the models of checked files, in worker processes. Imports no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from lintorch.host.configured_models import inferred_name, is_wanted
from lintorch.host.file_order import order_files
from lintorch.host.hands import Hands, OwnHands
from lintorch.host.pieces import Asking, Piece, leave_out_covered, note_covered
from lintorch.host.progress_lines import ProgressLines
from lintorch.host.reports import Report
from lintorch.host.said import KeptWork, NothingKept
from lintorch.record.model_options import ModelOptions
from lintorch.record.shard import WHOLE, Shard

_NONE: Mapping[str, Mapping[str, Any]] = {}
_NO_MODULES: Mapping[str, str] = {}


def examine_models(
    files: Iterable[str],
    options: ModelOptions,
    configured: Mapping[str, Mapping[str, Any]] = _NONE,
    python: str = sys.executable,
    progress: Callable[[str], None] = lambda line: None,
    modules: Mapping[str, str] = _NO_MODULES,
    shard: Shard = WHOLE,
    kept: KeptWork | None = None,
    hands: Callable[[str, Asking], Hands] = OwnHands,
) -> Generator[Report, None, None]:
    """One report per model that was found; `progress` gets a line when work begins or ends.

    `configured` holds the tables `[tool.lintorch.models.NAME]`; `python` is the interpreter whose
    torch is used; `modules` holds the texts of the modules of notebooks, by their real paths.
    Of tables and then files, in the order in which they are looked at, those of the `shard` are;
    reports have their places. What was `kept` of earlier runs is not done again; `hands` do all
    else. Models that are parts of another that ran are not reported. Raises WorkerError where no
    worker can be had: no torch, no such interpreter.
    """
    checked = {os.path.realpath(path): path for path in files}
    covered: set[str] = set()
    lines = ProgressLines(progress, len(checked))
    asking = Asking(checked, options, modules, lines, kept or NothingKept())
    pieces: list[Piece] = []
    for number, (name, setting) in enumerate(configured.items()):
        file = str(setting["factory"]).partition(":")[0]
        if options.wants_model(file, name) and is_wanted(setting, checked, options.project):
            covered.add(inferred_name(setting, checked, options.project))
            pieces += [asking.configured(name, setting, number)] if shard.takes(number) else []
    places = enumerate(order_files(checked, modules), len(configured))
    pieces += [asking.of_file(path, place) for place, path in places if shard.takes(place)]
    if kept is None:
        progress(f"starting {python}, which imports torch")
    with hands(python, asking) as own:
        for piece, reports in own.examine(pieces, covered):
            left = leave_out_covered(reports, covered) if not piece.configured else reports
            yield from note_covered(left, covered, piece.place)
