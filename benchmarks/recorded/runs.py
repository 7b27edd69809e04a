"""Models that are built, traced and exported."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from recorded.questions import Question, Questions

HERE = Path(__file__).parent
_PATIENT = ("--trace-seconds", "600", "--trial-seconds", "600")
"""Seconds that no model here needs, so that a busy machine stops none."""
_EXPORTED = ("onnx", "onnx-legacy", "torch.export")
_ENDINGS = {"json": ".json", "full": ".txt", "text": ".txt"}


def ask_of_runs(inputs: Path, workspace: Path) -> Questions:
    """The tables of models, exports on their own, and checks that trace and export.

    Each report is asked for once as JSON, and where it is cheap for people, too: an export takes
    as long again for each format.
    """
    sources = {"deployed": HERE / "deployed", "examples": inputs / "examples"}
    sources |= {"models": HERE / "models", "wrong": inputs / "tests" / "wrong"}
    folders = {name: workspace / "runs" / name for name in sources}
    for name, source in sources.items():
        shutil.copytree(source, folders[name], ignore=shutil.ignore_patterns("__pycache__"))
    for name, folder in folders.items():
        forms = ("json", "full") if name in ("deployed", "examples") else ("json",)
        yield from check_with_trials(name, folder, forms)
    for name, folder in folders.items():
        yield from check_with_traces(name, folder)
        yield from list_models(name, folder)
    yield from export_models("deployed", folders["deployed"], ("json", "full"))
    yield from export_models("models", folders["models"], ("json",))


def check_with_trials(name: str, folder: Path, forms: Iterable[str]) -> Questions:
    """What is found by source, traces and trial exports together."""
    trials = [word for exporter in _EXPORTED for word in ("--export", exporter)]
    check = ("check", ".", "--trace", *trials, "--no-cache", *_PATIENT, "--output-format")
    for form in forms:
        yield Question(f"{name}-tried{_ENDINGS[form]}", (*check, form), folder)


def check_with_traces(name: str, folder: Path) -> Questions:
    """What is found by source and traces, and what traces refute."""
    check = ("check", ".", "--trace", "--no-cache", *_PATIENT, "--show-refuted", "--output-format")
    for form in ("json", "full"):
        yield Question(f"{name}-traced{_ENDINGS[form]}", (*check, form), folder)


def list_models(name: str, folder: Path) -> Questions:
    """The models, with the inputs that were found for them."""
    for form in ("json", "text"):
        listing = ("models", *_PATIENT, "--output-format", form)
        yield Question(f"{name}-models{_ENDINGS[form]}", listing, folder)


def export_models(name: str, folder: Path, forms: Iterable[str]) -> Questions:
    """The matrix of models and exporters."""
    export = ("export", *_PATIENT, "--to", "onnx", "--to", "onnx-legacy", "--output-format")
    for form in forms:
        yield Question(f"{name}-export{_ENDINGS[form]}", (*export, form), folder)
