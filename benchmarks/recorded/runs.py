"""Models that are built, traced and exported."""

from __future__ import annotations

import shutil
from pathlib import Path

from recorded.questions import Question, Questions

HERE = Path(__file__).parent
_PATIENT = ("--trace-seconds", "600", "--trial-seconds", "600")
"""Seconds that no model here needs, so that a busy machine stops none."""
_EXPORTED = ("onnx", "onnx-legacy", "torch.export")


def ask_of_runs(inputs: Path, workspace: Path) -> Questions:
    """The tables of models, exports on their own, and checks that trace and export."""
    sources = {"examples": inputs / "examples", "wrong": inputs / "tests" / "wrong"}
    sources |= {"models": HERE / "models", "deployed": HERE / "deployed"}
    folders = {name: workspace / "runs" / name for name in sources}
    for name, source in sources.items():
        shutil.copytree(source, folders[name], ignore=shutil.ignore_patterns("__pycache__"))
        listing = ("models", *_PATIENT, "--output-format")
        yield Question(f"{name}-models.json", (*listing, "json"), folders[name])
        yield Question(f"{name}-models.txt", (*listing, "text"), folders[name])
    for name in ("models", "deployed", "examples"):
        export = ("export", *_PATIENT, "--to", "onnx", "--to", "onnx-legacy", "--output-format")
        yield Question(f"{name}-export.json", (*export, "json"), folders[name])
        yield Question(f"{name}-export.txt", (*export, "full"), folders[name])
    for name in ("models", "deployed", "examples", "wrong"):
        yield from check_with_runs(name, folders[name])


def check_with_runs(name: str, folder: Path) -> Questions:
    """A folder checked with traces alone, then with exports, in the formats that tell the most."""
    check = ("check", ".", "--trace", "--no-cache", *_PATIENT, "--show-refuted", "--output-format")
    trials = [word for exporter in _EXPORTED for word in ("--export", exporter)]
    for form, ending in (("json", "json"), ("full", "txt"), ("concise", "txt")):
        yield Question(f"{name}-traced-{form}.{ending}", (*check, form), folder)
    for form, ending in (("json", "json"), ("full", "txt")):
        yield Question(f"{name}-tried-{form}.{ending}", (*check, form, *trials), folder)
