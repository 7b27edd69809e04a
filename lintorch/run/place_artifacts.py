"""Files that exports made: put in place at the end, each whole, under names that tell what they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lintorch.files.file_text import replace_file as written
from lintorch.report.matrix import Row, Tried
from lintorch.run.request import ExportRequest

_CALL = "export.py"
"""What the call that exports a model is written to, beside what was exported."""
_GONE = "the file that was written is gone"


def place_artifacts(rows: Sequence[Row], request: ExportRequest) -> tuple[Row, ...]:
    """The rows with their files in place. Raises OSError."""
    return tuple(
        replace(row, tried=tuple(_place_trial(each, folder, request) for each in row.tried))
        for row, folder in zip(rows, _name_folders(rows), strict=True)
    )


def _place_trial(each: Tried, folder: Path, request: ExportRequest) -> Tried:
    """`nets/seg.UNet/onnx/model.onnx` and what belongs to it; `nets.seg.UNet.onnx.py`."""
    outcome, artifact, script = each.outcome, "", ""
    name = each.told_as.replace(" ", "-")
    if outcome.artifact and not os.path.exists(outcome.artifact):  # other user code can do that
        outcome = replace(outcome, status="failed", stage="save", message=_GONE, artifact="")
    if request.output and outcome.artifact:
        target = Path(request.output, folder, name)
        target.mkdir(parents=True, exist_ok=True)
        source = Path(outcome.artifact)
        for part in sorted(source.parent.iterdir()):
            if (target / part.name).is_dir():
                shutil.rmtree(target / part.name)
            os.replace(part, target / part.name)
        artifact = str(target / source.name)
    if request.output and outcome.suggested and outcome.suggested.text:
        target = Path(request.output, folder, name)
        target.mkdir(parents=True, exist_ok=True)
        script = str(target / _CALL)
        written(script, outcome.suggested.text.encode())
    if request.repro and outcome.script:
        script = os.path.join(request.repro, ".".join((*folder.parts, name, "py")))
        os.makedirs(request.repro, exist_ok=True)
        written(script, outcome.script.encode())
    return replace(each, outcome=outcome, artifact=artifact, script=script)


def _name_folders(rows: Sequence[Row]) -> Iterator[Path]:
    """A folder of its own for each row: its file below what all have in common, and its class."""
    files = [Path(os.path.abspath(row.path)) for row in rows]
    here = Path.cwd()
    inside = all(file.is_relative_to(here) for file in files)
    root = here if inside or not files else Path(os.path.commonpath([f.parent for f in files]))
    taken: set[Path] = set()
    for file, row in zip(files, rows, strict=True):
        bare = file.relative_to(root).with_suffix("")
        folder = first = bare.with_name(f"{bare.name}.{row.qualname}")
        number = 2
        while folder in taken:
            folder, number = first.with_name(f"{first.name}-{number}"), number + 1
        taken.add(folder)
        yield folder
