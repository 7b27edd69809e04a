"""Weights by which what goes wrong inside a model is seen in its output."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from running import interpreter, lintorch

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from lintorch.guest.feed.lively_weights import keep_weights, liven_weights  # noqa: E402
from lintorch.guest.feed.settle_model import settle_model, sum_weights  # noqa: E402
from lintorch.guest.feed.varying_sizes import Fed  # noqa: E402
from lintorch.record.input_notation import parse_input  # noqa: E402


class Branch(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.gamma = nn.Parameter(torch.zeros(8, 1, 1))
        self.register_buffer("mask", torch.zeros(8, 1, 1))
        nn.init.zeros_(self.norm.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x)) * self.gamma + self.mask


class Deep(nn.Module):
    """Layers through which a signal dies, and an output that is all bias."""

    def __init__(self) -> None:
        super().__init__()
        self.positions = nn.Parameter(torch.zeros(1, 3, 16, 16))
        self.branch = Branch()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(12))
        self.same = nn.Linear(8, 8)
        self.twin = nn.Linear(8, 8)
        self.twin.weight = self.same.weight
        self.head = nn.Linear(8, 2)
        nn.init.zeros_(self.head.weight)
        nn.init.constant_(self.head.bias, -4.0)

    def forward(self, x: Tensor) -> Tensor:
        x = self.branch(x + self.positions).flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x).relu()
        return self.head(self.twin(self.same(x)))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    torch.manual_seed(0)
    with torch.no_grad():
        yield


def test_a_signal_reaches_the_output() -> None:
    deep, x = Deep().eval(), torch.randn(2, 3, 16, 16)
    assert float(deep(x).std(1).max()) == 0
    tied = deep.same.weight.clone()
    liven_weights(deep, (x,))
    assert float(deep(x)[..., 0].std()) > 0.3
    assert float((deep(x) - deep(x.roll(1, 3))).abs().max()) > 0.1
    given = (value for name, value in deep.named_parameters() if not name.endswith("bias"))
    assert all(float(value.abs().max()) > 0.1 for value in given)
    assert float(deep.branch.mask.abs().max()) == 0
    assert deep.twin.weight is deep.same.weight
    assert torch.equal(deep.same.weight, tied)
    assert int(deep.branch.norm.num_batches_tracked) == 0


def test_the_same_model_gets_the_same_weights_whatever_it_keeps() -> None:
    x, made = torch.randn(2, 3, 16, 16), Deep().eval()
    state = made.state_dict()
    first, second = Deep().eval(), Deep().eval()
    for each in (first, second):
        each.load_state_dict(state)
        liven_weights(each, (x,))
    keep_weights(made, first)
    assert torch.equal(made(x), second(x))


class Squeezed(nn.Module):
    """A gate whose hidden values have all come to about -1e-7."""

    def __init__(self) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(3, 4, 1)
        self.excite = nn.Conv2d(4, 3, 1)
        nn.init.constant_(self.squeeze.bias, -20.0)

    def forward(self, x: Tensor) -> Tensor:
        hidden = nn.functional.silu(self.squeeze(x.mean((2, 3), keepdim=True)))
        return x * self.excite(hidden).sigmoid()


def test_what_is_rounding_is_not_made_the_signal() -> None:
    gate, x = Squeezed().eval(), torch.randn(2, 3, 16, 16)
    liven_weights(gate, (x,))
    assert float(gate.excite.weight.flatten(1).norm(dim=1).max()) < 100


NETS = """
import torch
import torch.nn.functional as F
from torch import nn


class Idle(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.gamma = nn.Parameter(torch.zeros(8, 1, 1))
        self.head = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        x = self.conv(x)
        return self.head(x + self.gamma * (x / int(x.shape[2])))


class Picky(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.gamma = nn.Parameter(torch.zeros(8, 1, 1))

    def forward(self, x):
        if float(self.gamma.abs().max()):
            raise ValueError("not these")
        return self.conv(x)
"""


def test_a_branch_that_begins_as_nothing_is_compared_and_a_model_keeps_what_it_needs(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath("nets.py").write_text(NETS, encoding="utf-8")
    done = lintorch("export", "nets.py", "--to", "torchscript-trace", cwd=tmp_path)
    assert "Idle   wrong by" in done.stdout, done.stdout
    assert "Picky  ok" in done.stdout, done.stdout
    assert "LT101" in done.stdout


class Scaled(nn.Module):
    """Flows and quantizers set a scale by the first samples; what others keep of a run is no weight."""

    def __init__(self, once: bool) -> None:
        super().__init__()
        self.once, self.conv = once, nn.Conv2d(3, 4, 1)
        self.scale = nn.Parameter(torch.ones(1, 3, 1, 1))
        self.register_buffer("seen", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.seen == 0 or not self.once:
            self.scale.data.copy_(x.std((0, 2, 3), keepdim=True) + self.seen)
        self.seen += 1
        return self.conv(x / self.scale)


def test_weights_that_the_first_samples_set_are_set() -> None:
    given, sizes = parse_input("float32[batch=2, 3, 8, 8]", "x")
    fed = Fed((given,), sizes, (), moving=True)
    once, always = Scaled(once=True), Scaled(once=False)
    assert settle_model(once, fed)
    assert not settle_model(always, fed)
    assert [int(once.seen), int(always.seen)] == [1, 0]
    assert not settle_model(once, fed), "and no more often"
    assert not settle_model(Scaled(once=True), replace(fed, moving=False)), "no run has moved it"


def test_weights_that_a_run_has_moved_have_another_sum() -> None:
    moved, still = Scaled(once=True), nn.LazyLinear(3)
    before = sum_weights(moved)
    assert before == sum_weights(moved)
    with torch.no_grad():
        moved(torch.randn(2, 3, 8, 8))
    assert before != sum_weights(moved)
    assert sum_weights(still) != sum_weights(still), "which cannot be summed"


SETTLING = """
import torch
from torch import nn


class Settling(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.scale = nn.Parameter(torch.ones(1, 3, 1, 1))
        self.met = False

    def forward(self, x):
        if not self.met:
            self.scale.data.copy_(x.std((0, 2, 3), keepdim=True))
            self.met = True
        return self.conv(x / self.scale) / int(x.shape[2])
"""


def test_a_program_sets_the_weights_that_the_first_samples_set(tmp_path: Path) -> None:
    """Without that another batch would be told, whose samples are others, in place of the height."""
    tmp_path.joinpath("net.py").write_text(SETTLING, encoding="utf-8")
    asked = ("--to", "torchscript-trace", "--repro", "shown")
    lintorch("export", "net.py", *asked, cwd=tmp_path)
    (program,) = tmp_path.joinpath("shown").iterdir()
    done = subprocess.run([interpreter(), program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "wrong at {'batch': 2, 'height': 129" in done.stderr
