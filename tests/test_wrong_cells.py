"""Every measured cell of hazards and exporters: what is silently wrong is reported at its line.

The models lie in `tests/wrong`. A line that ends in `# wrong: EXPORTERS -> CODES` makes the export
by these exporters wrong and must be what the rules with these codes say of it; `# refused: ...`
makes it fail, `# ok: ...` is said of one that is right where it was made. What stands on no line of a model is right, and nothing is said of it.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

from running import CHECKOUT, findings, lintorch

FOLDER = Path("tests", "wrong")
TRACERS = ("onnx-legacy", "torchscript-trace")
RUNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "read_sizes": (TRACERS, ()),
    "read_data": (TRACERS, ()),
    "other_numbers": (TRACERS, ()),
    "views": (TRACERS, ()),
    "rounding": (("torch.export", "onnx", *TRACERS), ()),
    "resizes": (("onnx",), ()),
    "far_sizes": (("torch.export", "onnx"), ()),
    "chance": (("torch.export", "torchscript-trace"), ()),
    "old_opset": (("onnx-legacy",), ("--opset", "10")),
}
"""By file: the exporters that it is tried with, and further options."""
MARK = re.compile(r"(wrong|refused|ok): ([\w. -]+) -> ((?:LT\d+ ?)+)")
STATUS = {"wrong": "wrong", "refused": "failed", "ok": "ok"}
Told = tuple[str, frozenset[tuple[str, int]]]
"""The status of an export, and (code, row) of what is said of it."""


@dataclass
class Expected:
    """What the marks of one model ask of one exporter."""

    status: str = "ok"
    said: set[tuple[str, int]] = field(default_factory=set)


def marked(stem: str) -> dict[tuple[str, str], Told]:
    """By model and exporter: what its marks say."""
    text = CHECKOUT.joinpath(FOLDER, f"{stem}.py").read_text(encoding="utf-8")
    models = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    found: dict[tuple[str, str], Expected] = defaultdict(Expected)
    for model in models:
        for exporter in RUNS[stem][0]:
            found[model.name, exporter] = Expected()
        lines = text.splitlines()[model.lineno - 1 : model.end_lineno]
        for row, line in enumerate(lines, model.lineno):
            for what, exporters, codes in MARK.findall(line):
                for exporter in exporters.split():
                    expected = found[model.name, exporter]
                    expected.status = STATUS[what]
                    expected.said |= {(code, row) for code in codes.split()}
    return {key: (each.status, frozenset(each.said)) for key, each in found.items()}


def told(trial: dict[str, Any]) -> Told:
    """What an export came to."""
    said = {(finding["code"], finding["location"]["row"]) for finding in trial["findings"]}
    return trial["status"], frozenset(said)


def trials(stem: str, folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What became of the exports of one file, by model and exporter: in a project that holds it alone."""
    exporters, options = RUNS[stem]
    to = [word for exporter in exporters for word in ("--to", exporter)]
    shutil.copy(CHECKOUT / FOLDER / f"{stem}.py", folder)
    done = lintorch("export", ".", *to, *options, "--output-format", "json", cwd=folder)
    matrix = json.loads(done.stdout)
    right = all(trial["status"] == "ok" for trial in matrix["trials"])
    assert done.returncode == (0 if right else 1), done.stderr
    assert [model for model in matrix["models"] if "cause" in model] == []
    return {(each["model"].rpartition(":")[2], each["exporter"]): each for each in matrix["trials"]}


@pytest.mark.parametrize("stem", RUNS)
def test_every_cell_is_told_at_its_line(stem: str, tmp_path: Path) -> None:
    expected = marked(stem)
    given = {key: told(trial) for key, trial in trials(stem, tmp_path).items()}
    other = {key: given.get(key) for key in expected if given.get(key) != expected[key]}
    assert other == {}, {key: expected[key] for key in other}
    assert given.keys() == expected.keys()


def test_checking_says_the_same_once(tmp_path: Path) -> None:
    text = CHECKOUT.joinpath(FOLDER, "views.py").read_text(encoding="utf-8")
    tmp_path.joinpath("views.py").write_text(text.partition("class Chunk")[0], encoding="utf-8")
    found = findings("--export", "onnx-legacy", "--select", "LT131,LT9", cwd=tmp_path)
    said = {(f["code"], f["location"]["row"], f["evidence"], f["severity"]) for f in found}
    ((code, row),) = marked("views")["View", "onnx-legacy"][1]
    assert said == {(code, row, "export", "error")}
