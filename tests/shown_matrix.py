"""A matrix as `export` makes it, with something of everything, and the browser that pages are shown in."""

from __future__ import annotations

import importlib.util
import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lintorch.core.finding import Edit, Evidence, Finding, Fix, Note, Place, Severity
from lintorch.record.file_comparisons import Distance, LayerNumbers
from lintorch.record.models import Failure, Input, Layer, Model
from lintorch.record.outcomes import Apart, Deviation, Outcome, Variation
from lintorch.record.precisions import LayerError, PrecisionLoss
from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming, Spread
from lintorch.report import write_matrix
from lintorch.report.matrix import Matrix, Row, Tried
from lintorch.report.model_graph import GraphNode, ModelGraph
from lintorch.report.result import Result

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"
SOURCE = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        batch = int(x.size(0))  # </script><img src=x onerror="document.title='owned'">
        return x.view(batch, -1)
"""
_BATCH = Variation(("batch",), (3,))
TIMING = ModelTiming(
    {"batch": 2},
    rounds=9,
    warm=3,
    forms=(
        FormTiming("eager", Spread(2e-3, 1.9e-3, 2.1e-3), calls=2, operators={"aten.relu": 1}),
        FormTiming("onnx", Spread(1e-3, 0.9e-3, 1.1e-3), calls=2, file=1500),
        FormTiming("torch.compile", why="no compiler"),
    ),
)
ERRORS = (
    LayerError("stem", "Conv2d", 1, 1e-4, 2e-4),
    LayerError("neck.0", "ReLU", 1, 0.0, 0.0),
    LayerError("neck.1", "Linear", 2, 0.3, 0.04),
    LayerError("head", "Softmax", 1, None, None),
)
LOSS = PrecisionLoss(
    Distance(0.01, 0.05, 0.9),
    Distance(0.02, 0.1, 0.9),
    0.02,
    is_lossy=True,
    layer=LayerNumbers("neck.1", "Linear", "", "", Distance(0.3, 0.04, 0.9), 2),
    layers=ERRORS,
)
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def make_row(name: str, *, wrong: bool = True) -> Row:
    """A model that is right with one exporter and maybe wrong with another."""
    site = Site("net.py", 6)
    model = Model(
        "net.py",
        name,
        4,
        arguments={"width": 4, "scale": float("inf")},
        inputs=(Input("x", "float32", ("batch", 3, 8)),),
        sizes={"batch": 2},
        parameters=12,
        made_up=("width",),
        assumptions=("arguments and inputs from train.py:31",),
        layers=(Layer("neck", "torch.nn.Sequential", 12, site), Layer("neck.0", "torch.nn.ReLU")),
    )
    finding = make_finding(name)
    outcome = Outcome(
        "onnx",
        "wrong",
        detail="at batch 3 the output differs from eager by 2.5",
        site=site,
        wrong=(Deviation(_BATCH, 2.5),),
        apart=(Apart(Variation(), "y", 1e-6, 1e-3), Apart(_BATCH, "y", 2.5, 1e-3)),
        compared=(Variation(), _BATCH),
        error=2.5,
        part="neck.0 (ReLU)",
        opset=18,
        seconds=1.5,
    )
    right = Outcome("torch.export", "ok", compared=(Variation(), _BATCH), error=0.0)
    graph = ModelGraph(
        ({"batch": 2}, {"batch": 3}),
        (
            GraphNode(0, "torch.Tensor.size", site, "", (-1,), (((2,),), ((3,),))),
            GraphNode(1, "torch.relu", Site("net.py", 7), "neck.0", (0,), (((2, 3, 8),), None)),
            GraphNode(
                2, "torch.Tensor.view", Site("net.py", 7), "", (0, 1), (((2, 24),), ((3, 24),))
            ),
        ),
        3,
    )
    tried = (
        Tried(outcome, (finding,), nodes=(1,))
        if wrong
        else Tried(Outcome("onnx", "ok", compared=(Variation(), _BATCH)))
    )
    return Row(model, tried=(tried, Tried(right)), graph=graph, findings=(finding,) * wrong)


def make_finding(model: str) -> Finding:
    """One with evidence of two kinds, and a fix."""
    start = SOURCE.index("int(")
    edits = (Edit(start, start + len("int(x.size(0))"), "x.size(0)"),)
    return Finding(
        "LT101",
        "dynamic-size",
        "turns a size into a constant",
        Severity.ERROR,
        Place("net.py", 6, 17, 6, 31),
        Evidence.EXPORT,
        model=f"net.py:{model}",
        fix=Fix("drop int()", edits),
        notes=(Note(Evidence.SOURCE, "`int()` of a size"),),
    )


def make_lossy(name: str) -> Matrix:
    """A model that was timed, and loses much in another type."""
    row = make_row(name)
    lossy = Tried(Outcome("onnx", "ok", precision="float16", loss=LOSS, compared=(Variation(),)))
    rows = (replace(row, tried=(*row.tried, lossy), timing=TIMING),)
    checked = Result(row.findings, texts={"net.py": SOURCE})
    return Matrix(("onnx", "onnx float16", "torch.export"), rows, checked=checked)


def make_matrix(*names: str, right: int = 0) -> Matrix:
    """One row for each of these models, then some that are right, and one that was not built."""
    rows = [make_row(name) for name in names]
    rows += [make_row(f"Right{number}", wrong=False) for number in range(right)]
    rows.append(Row(None, Failure("bare.py", "Bare", 1, "build", "needs mmcv, which is not there")))
    findings = tuple(finding for row in rows for finding in row.findings)
    checked = Result(
        findings, texts={"net.py": SOURCE}, urls={"LT101": "https://example.org/LT101"}
    )
    return Matrix(("onnx", "torch.export"), tuple(rows), checked=checked)


def write(matrix: Matrix, form: str = "html") -> str:
    """What a format makes of it."""
    out = io.StringIO()
    write_matrix(form, matrix, out)
    return out.getvalue()


@contextmanager
def open_browser() -> Iterator[Any]:
    """A headless Chromium; the test is skipped where there is none, or nothing to drive it by."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("needs playwright, and one of chromium and chrome on PATH")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Shown:
    """A page in a browser, with all that it asks for and complains of."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.path = path
        self.asked: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text))

    def open(self, address: str = "") -> Any:
        """The page, at an address within it."""
        self.page.goto(f"{self.path.as_uri()}{address}")
        return self.page
