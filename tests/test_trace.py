"""The record says what Python asked of which size, on which line, and what was written where."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from examining import examine_files
from reported import subject_of

from lintorch.guest.watch.user_lines import UserLines
from lintorch.host.reports import Report
from lintorch.record.events.base import RunEvent
from lintorch.record.events.effects import InputWrite, SharedWrite, ViewWrite
from lintorch.record.events.layer_facts import ModalLayer
from lintorch.record.events.size_reads import (
    SizeCompared,
    SizeLooped,
    SizeQuestion,
    SizeRead,
    SizeUse,
)
from lintorch.record.events.tensor_reads import TensorRead
from lintorch.record.model_options import ModelLimits

QUESTIONS = """
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def helper(size):
    return int(size) + 1  # size.int:height,width


class Asks(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.drop = nn.Dropout(0.5)  # modal-layer
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        b, c, h, w = x.shape
        plain = x.view(x.size(0), -1).reshape(b, c, h * w)[:, :, : h // 2]
        kept = torch.zeros(b, c, h // 2, (w + 3) // 4), torch.arange(h), x.shape[1:].numel()
        grown = F.interpolate(x, size=(h * 2, w * 2)), F.pad(x, [0, -h % 4]), math.prod(x.shape)
        mean = x.sum((2, 3)) / (h * w), x.expand(b, c, h, w), x.repeat(b, 1, 1, 1)
        n = int(x.size(0))  # size.int:batch
        n = [int(s) for s in x.shape]  # size.int:batch,height,width
        n = len(x)  # size.len:batch
        n = torch.tensor(x.size(2)).item()  # size.tensor:height,width tensor.item
        n = torch.tensor([h, w])  # size.tensor:height,width
        n = x.data.size(1), x.data.shape  # size.data:batch,height,width
        n = x.detach().size(2)
        n = math.ceil(h / 4), math.ceil(c / 4)  # size.ceil:height,width
        n = math.sqrt(b)  # size.float:batch
        n = int(h * 0.75)  # size.int:height,width
        n = np.prod(x.shape[1:]), np.float32(2)  # size.numpy:height,width
        n = float(c)  # size.float
        n = round(w * 0.5)  # size.round:height,width
        n = max(h, 32)  # size-chosen:height,width
        n = -(-h // 4)  # size-divided:height,width
        n = (8 - h) // 2, (h - 8) // 2  # size-divided:height,width
        n = -h % 4, h // 3, h**0.5, h % 2
        n = helper(h)
        if h > 4 and c != 7:  # size-compared:height,width
            n = 1
        assert x.dim() == 4 and x.ndim == 4 and isinstance(h, int) and isinstance(range(c), range)  # size-looped
        for i in range(b):  # size-looped:batch
            n = x[i]
        for row in x:  # tensor.iter
            n = row.sum()
        if x.mean() > 100:  # tensor.bool
            n = 0
        n = x.mean().item(), x[0, 0, 0].tolist(), x.numpy(), float(x[0, 0, 0, 0])  # tensor.item tensor.tolist tensor.numpy tensor.float
        return self.drop(self.conv(x)), f"{h}", {h: 1}[h]
"""
WRITES = """
import torch
from torch import nn


class Writes(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = x * 2
        y[:, 0] = 0
        y.view(-1)[0] = 1  # view-write shared-write
        total = y.sum()
        z = (x + 1).flatten(1)
        z.add_(1)
        x = self.relu(x)  # input-write
        return total + z.sum(), x
"""
REFUSED = """
import torch
from torch import nn


class Refused(nn.Module):
    def forward(self, x):
        x = x.float() * 2
        if x.sum() > 0:  # fx torch.export
            return x
        return x * 3
"""
GRAPHED = """
import torch
from torch import nn


class Graphed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.conv(x).relu()
"""
TOUCHY = """
import torch
from torch import nn


class Touchy(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        assert type(x.shape[0]) is int
        return self.conv(x).relu()
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("project")
    texts = {"asks": QUESTIONS, "writes": WRITES, "refused": REFUSED}
    texts |= {"graphed": GRAPHED, "touchy": TOUCHY}
    paths = [folder / f"{name}.py" for name in texts]
    for path in paths:
        path.write_text(textwrap.dedent(texts[path.stem]))
    asked, paths = [paths[-2]], [*paths[:-2], paths[-1]]
    reports = examine_files(asked, folder, program=True)
    reports += examine_files(paths, folder, limits=ModelLimits(seconds=60))
    return {Path(subject_of(r).path).stem: r for r in reports}


def marks(text: str) -> dict[int, set[str]]:
    found = {n: re.search(r"#\s(.*)", line) for n, line in enumerate(text.splitlines(), 1)}
    return {row: set(match[1].split()) for row, match in found.items() if match}


def told(report: Report, *kinds: type[RunEvent]) -> dict[int, set[str]]:
    """By row: the names of events of these kinds, with the sizes that they came from."""
    by_row: dict[int, dict[str, dict[str, bool]]] = {}
    for event in report.runs[0].events:
        if isinstance(event, kinds):
            how = f".{event.how.value}" if isinstance(event, (SizeRead, TensorRead)) else ""
            names = by_row.setdefault(event.site.row, {}).setdefault(event.tag + how, {})
            names.update(dict.fromkeys(getattr(event, "symbols", ()), True))
    return {
        row: {f"{name}:{','.join(symbols)}" if symbols else name for name, symbols in names.items()}
        for row, names in by_row.items()
    }


def of_key(report: Report, key: object) -> list[Any]:
    return [event for event in report.runs[0].events if event.key == key]


def test_each_question_is_recorded_at_its_line_with_the_sizes_it_came_from(
    reports: dict[str, Report],
) -> None:
    report = reports["asks"]
    assert report.failure is None
    assert {run.error for run in report.runs if not run.axis} == {""}
    assert told(report, SizeQuestion, TensorRead, ModalLayer) == marks(QUESTIONS)


def test_an_operator_is_recorded_with_layer_shapes_and_arguments(
    reports: dict[str, Report],
) -> None:
    report = reports["asks"]
    (conv,) = of_key(report, "torch.nn.functional.conv2d")
    row = next(n for n, line in enumerate(QUESTIONS.splitlines(), 1) if "nn.Conv2d" in line)
    assert conv.built is not None
    assert (conv.layer, conv.layer_class, conv.built.row) == ("conv", "torch.nn.Conv2d", row)
    assert conv.inputs[0] == (2, 3, 64, 64)
    assert conv.outputs == ((2, 4, 64, 64),)
    assert conv.dtypes[0] == "float32"
    assert conv.args["padding"] == (1, 1)
    (resized,) = of_key(report, "torch.nn.functional.interpolate")
    assert (resized.layer, resized.args["mode"]) == ("", "nearest")
    assert resized.args["size"] == (128, 128)


def test_answers_and_operands_are_plain_numbers(reports: dict[str, Report]) -> None:
    report = reports["asks"]
    assert {event.value for event in of_key(report, SizeUse.LEN)} == {2}
    compared = next(e for e in of_key(report, SizeCompared) if e.right == 4)
    assert (compared.left, compared.operator, compared.value) == (64, ">", True)
    assert {event.value for event in of_key(report, SizeLooped)} == {3, 2}


def test_runs_change_one_group_of_sizes_each(reports: dict[str, Report]) -> None:
    first, *others = (dict(run.sizes) for run in reports["asks"].runs if not run.axis)
    changed = [{name for name in first if other[name] != first[name]} for other in others]
    sides = {"height", "width"}
    assert (changed[0], {*map(frozenset, changed[1:])}) == ({"batch"}, {frozenset(sides)})
    assert {other["height"] > first["height"] for other in others[1:]} == {True, False}


def test_writes_that_reach_further_are_recorded(reports: dict[str, Report]) -> None:
    assert told(reports["writes"], InputWrite, ViewWrite, SharedWrite) == marks(WRITES)


def test_a_graph_that_is_refused_names_the_line(reports: dict[str, Report]) -> None:
    (row,) = marks(REFUSED)
    captures = {each.tracer.value: each for each in reports["refused"].captures}
    assert set(captures) == marks(REFUSED)[row]
    for capture in captures.values():
        assert not capture.ok
        assert capture.site is not None
        assert capture.site.row == row
        assert 0 < len(capture.error) <= 400
        assert "\n" not in capture.error


def test_a_graph_that_is_made_has_operators_with_lines(reports: dict[str, Report]) -> None:
    captures = {each.tracer.value: each for each in reports["graphed"].captures}
    row = next(n for n, line in enumerate(GRAPHED.splitlines(), 1) if "return" in line)
    names = {name: [op for op, _ in capture.operators] for name, capture in captures.items()}
    assert names["torch.export"] == ["aten.conv2d.default", "aten.relu.default"]
    assert names["fx"] == ["torch.nn.Conv2d", "torch.Tensor.relu"]
    rows = {site and site.row for each in captures.values() for _, site in each.operators}
    assert rows == {row}


def test_torch_export_is_asked_of_models_that_read_data(reports: dict[str, Report]) -> None:
    asked = {name for name, each in reports.items() if len(each.captures) > 1} - {"graphed"}
    assert asked
    for name, report in reports.items():
        read = any(isinstance(e, TensorRead) for run in report.runs for e in run.events)
        assert read or name not in asked


def test_a_model_that_following_disturbs_is_recorded_without(reports: dict[str, Report]) -> None:
    report = reports["touchy"]
    assert report.failure is None
    assert {run.error for run in report.runs if not run.axis} == {""}
    assert of_key(report, "torch.nn.functional.conv2d")


def test_an_installed_package_that_is_checked_is_the_users_whatever_the_order_of_folders() -> None:
    package = "/home/me/project/.venv/lib/python3.11/site-packages/nets"
    for roots in (("/home/me/project", package), (package, "/home/me/project")):
        files = UserLines({f"{package}/net.py": "net.py"}, roots)
        assert files.is_shown(f"{package}/common.py")
        assert not files.is_shown(f"{package}/../other/common.py")
        assert files.is_shown("/home/me/project/train.py")
