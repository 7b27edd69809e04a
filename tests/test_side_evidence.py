"""What runs of real models say of what forward does beside computing: memory, chance, gradients, arrays, devices."""

from __future__ import annotations

import pytest
from examining import examine_files

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace
from lintorch.report.wording import write_message
from lintorch.source import Source

CATALOG = catalog.build_catalog()
CODES = ("LT107", "LT108", "LT110", "LT113", "LT115", "LT132", "LT133")
RULES = [CATALOG.rules[code] for code in CODES]
PROFILE = Profile(frozenset({"torch.export", "onnx", "onnx-legacy", "torchscript-trace"}))
MODELS = """
import os
import random
from random import uniform

import numpy as np
import torch
from torch import nn


class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.depth = 0
        self.widest = 0
        self.last = None
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("seen", torch.zeros(3))

    def count(self, name):
        setattr(self, name, getattr(self, name) + 1)  # LT110 trace: finds self.calls as 1, not 0: the output differs

    def begin(self):
        vars(self)["depth"] = 0

    def forward(self, image):
        self.count("calls")
        self.begin()
        for _ in range(2):
            self.depth = self.depth + 1  # LT110 withdrawn: each call writes self.depth anew
            image = image * self.depth
        self.last = image
        self.widest = max(self.widest, image.size(3))
        self.seen.copy_(image.mean((0, 2, 3)))
        self.total += image.mean((0, 2, 3))  # LT110 trace: finds another self.total: the output differs
        return image * self.calls + self.total[None, :, None, None]


class Restarts(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = None
        self.mean = None
        self.last = None

    def restart(self, image):
        self.state = torch.zeros_like(image)

    def settle(self, image):
        self.mean = image.mean()

    def forward(self, image, fresh=True):
        self.settle(image)
        if fresh:
            self.restart(image)
        if fresh or self.last is None:
            self.last = torch.zeros_like(image)
        self.state = self.state + image  # LT110 source: self.state is kept from one forward to the next
        self.last = self.last + image  # LT110 source: self.last is kept from one forward to the next
        self.mean = self.mean * 2
        return self.last + self.state * self.mean


class Draws(nn.Module):
    def __init__(self):
        super().__init__()
        self.order = [0, 1, 2]

    def forward(self, image):
        image = image + random.uniform(-0.1, 0.1)  # LT113 trace: with another draw the output differs
        image = image * np.random.rand()  # LT113 trace: numpy.random.rand() is drawn once
        if uniform(0, 1) < 2:  # LT113 source: drawn once
            image = image * 2
        unused = self.chosen(image, random.random())  # LT113 withdrawn: nothing looks at the number
        label = f"{random.random():.2f}"
        random.shuffle(self.order)  # LT113 trace: with another draw
        return image[:, self.order] + unused, label

    def chosen(self, image, share):
        return image * share if self.training else image


class RandomShift(nn.Module):
    def forward(self, image):
        return image + random.random()


class Batch:
    def __init__(self, data):
        self.data = data


class Gradients(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        inputs = Batch(image)
        image = self.conv(image)
        error = image.round() - image
        image = image + error.data  # LT115 trace: on other values with the .data of the example
        image = image + self.conv.weight.data.sum()  # LT115 trace: ran here on [3, 3, 1, 1]
        image = image.view(image.data.size(0), -1)
        image = take(image) + inputs.data.mean()
        with torch.enable_grad():
            image = image.clone().requires_grad_()
            (slope,) = torch.autograd.grad((image**2).sum(), image)  # LT115 trace: with the gradient of the example
        return image + slope


def take(x):
    pair = Batch(x)
    return pair.data * 2


class Pair(nn.Module):
    def forward(self, x):
        made = torch.relu(x)
        return of(x, made) if os.environ.get("BARE") else of(x, Batch(made))


def of(x, features):
    return x + features.data  # LT115 withdrawn: asked of no tensor


class Arrays(nn.Module):
    def forward(self, image):
        image = image * float(np.sqrt(4.0))
        image = image + torch.as_tensor(np.sin(torch.relu(image)))  # LT107 trace: with the array of the example
        return image + torch.as_tensor(np.stack([image, image])).sum(0)  # LT107 trace: with the array of the example


class Places(nn.Module):
    def forward(self, image):
        steps = torch.arange(image.shape[3])
        image = image + steps  # LT108 trace: with the model on a GPU add of [2, 3, 64, 64] and a tensor of shape [64]
        image = torch.where(image > 0, image, steps)  # LT108 trace: made on the CPU in line
        image = image[:, torch.arange(2)] * torch.tensor(2.0)
        image = image + torch.arange(image.shape[3], device=image.device)  # LT133 trace: what arange() gives, of shape [64]
        image = image * image.new_zeros(64) + torch.tensor(2.0, device=image.device)
        rows = torch.arange(64, device=image.device)
        return image[:, :, rows] + 1


class Asked(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 1)

    def forward(self, target):
        size = target.shape[0]
        first = torch.arange(size, device=target.device)
        if (first == target.flatten()[:size]).all():
            target = target + 1
        return self.encoder(target, mask=target.new_ones(size, size).tril())


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(99, 8), nn.Embedding(99, 8)
        self.read = nn.LSTM(8, 8, batch_first=True)

    def forward(self, input_ids):
        places = torch.arange(input_ids.size(1), device=input_ids.device)  # LT133 trace: and embedding with
        x = self.words(input_ids) + self.places(places)
        start = x.new_zeros(1, len(x), 8)
        first = torch.zeros(1, len(x), 8).to(x)  # LT133 trace: what to() gives, of shape [1, 2, 8], stays
        x, _ = self.read(x, (start, first))
        return x + torch.arange(8).type_as(x)


class Samples(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, features):
        unused = torch.rand(3)
        shape = features.new_empty(4).uniform_().shape
        mean, spread = self.mean(features), self.spread(features)
        sampled = mean + torch.randn_like(spread) * spread  # LT132 trace: torch.randn_like() is drawn anew
        if self.training:
            sampled = sampled + torch.rand(4)
        drawn = torch.distributions.Categorical(logits=mean).sample()  # LT132 trace: in eval mode too
        return sampled * shape[0], drawn


class Copies(nn.Module):
    def forward(self, image):
        return image * torch.tensor([image.mean(), image.sum()]).sum()  # LT108 trace: numbers of 2 tensors were copied


class Table(nn.Module):
    def forward(self, image):
        grid = torch.zeros(image.shape[3])
        for step in (1, 2):
            grid = torch.ones(2, 1) * grid  # LT108 unsaid
        return image.flatten(1), grid
"""
MARKED = [
    (row, *mark.split(" ", 1))
    for row, line in enumerate(MODELS.splitlines(), 1)
    for _, hash_, mark in [line.partition("  # ")]
    if hash_
]


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Merged:
    path = tmp_path_factory.mktemp("side") / "nets.py"
    path.write_text(MODELS, encoding="utf-8")
    found: list[Finding] = list(
        lint_subject(Source(str(path), MODELS, PROFILE), index_detectors(RULES, Evidence.SOURCE))
    )
    for report in examine_files([path], path.parent):
        assert report.model is not None, report.failure
        assert not [run.error for run in report.runs if run.error and not run.axis]
        trace = Trace(report.model, report.runs, report.captures, PROFILE)
        found += lint_subject(trace, index_detectors(RULES, Evidence.TRACE))
    return merge_findings(found)


@pytest.mark.parametrize(("row", "code", "said"), MARKED)
def test_a_marked_line_has_its_finding(merged: Merged, row: int, code: str, said: str) -> None:
    state, _, words = said.partition(": ")
    if state == "withdrawn":
        ((found, text),) = [(f, f.refuted or "") for f in merged.withdrawn if f.place.row == row]
        assert not [f for f in merged.standing if f.place.row == row]
    elif state == "unsaid":
        assert not [f for f in merged.standing if f.place.row == row]
        return
    else:
        ((found, text),) = [(f, write_message(f)) for f in merged.standing if f.place.row == row]
        assert str(found.evidence) == state
    assert found.code == code
    assert words in text


def test_no_other_line_has_one(merged: Merged) -> None:
    rows = {row for row, *_ in MARKED}
    assert not {(f.place.row, write_message(f)) for f in merged.standing if f.place.row not in rows}
