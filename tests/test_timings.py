"""`lintorch export --time`: forms of a model side by side, what each runs and holds, and what noise leaves open."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

import torch
from running import lintorch
from torch import nn

from lintorch.guest.timing.rounds import find_spread, time_in_rounds, warm_up
from lintorch.guest.timing.torch_memory import count_weights, watch_run
from lintorch.guest.timing.uneven_layers import time_uneven_layers
from lintorch.record.models import Model
from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming, SizeCost, Spread
from lintorch.report import write_matrix
from lintorch.report.matrix import Matrix, Row
from lintorch.report.matrix_timings import write_bytes, write_seconds

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 36)
        self.last = nn.Linear(36, 8)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))
"""
WEIGHTS = 4 * (16 * 36 + 36 + 36 * 8 + 8)
EXPORTED = ("onnx-legacy", "onnx-legacy float16", "onnx-legacy int8-dynamic")
TRACED = ("torchscript-trace", "torchscript-trace float16")


@pytest.fixture(scope="module")
def timing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("timed")
    folder.joinpath("net.py").write_text(NET)
    to = ["--to", "onnx-legacy", "--to", "torchscript-trace", "--time"]
    to += ["--dtype", "float32,float16,int8-dynamic", "--output-format", "json"]
    done = lintorch("export", "net.py", *to, cwd=folder)
    # int8 kernels of ONNX Runtime saturate on processors without VNNI: such an export is lossy
    assert done.returncode in (0, 1), done.stderr + done.stdout
    (model,) = json.loads(done.stdout)["models"]
    found: dict[str, Any] = model["timing"]
    return found


def test_every_form_that_runs_is_timed_beside_the_others(timing: dict[str, Any]) -> None:
    names = [each["form"] for each in timing["forms"]]
    assert names == ["eager", "torch.compile", "eager float16", *EXPORTED, *TRACED]
    assert (timing["stopped"], timing["threads"], timing["sizes"]) == (None, 1, {"batch": 2})
    assert timing["rounds"] >= 9
    assert timing["warm_up"] >= 1
    for each in timing["forms"]:
        assert (each["median"] is None) == (each["not_timed"] is not None)
        if each["median"] is not None:
            assert 0 < each["low"] <= each["median"] <= each["high"]
            assert each["calls"] >= 1
    alike = {each["form"]: set(each["within_spread_of"]) for each in timing["forms"]}
    assert all(name in alike[other] for name, others in alike.items() for other in others)


def test_sizes_and_operators_of_each_form_are_told(timing: dict[str, Any]) -> None:
    forms = {each["form"]: each for each in timing["forms"]}
    assert forms["eager"]["weight_bytes"] == WEIGHTS
    assert forms["eager float16"]["weight_bytes"] == WEIGHTS // 2
    assert forms["onnx-legacy"]["weight_bytes"] == WEIGHTS
    assert forms["onnx-legacy float16"]["weight_bytes"] == WEIGHTS // 2
    assert forms["eager"]["file_bytes"] is None
    assert forms["onnx-legacy"]["file_bytes"] > WEIGHTS
    assert forms["onnx-legacy int8-dynamic"]["weight_bytes"] < WEIGHTS / 2
    assert forms["eager"]["operators"]["aten::addmm"] == 2
    assert forms["torchscript-trace"]["operators"] == forms["eager"]["operators"]
    assert sum(forms["onnx-legacy"]["operators"].values()) in (2, 3)  # relu may be fused
    assert forms["eager"]["activation_bytes"] == 2 * 4 * 2 * 36


def test_layers_of_uneven_sizes_are_timed_beside_even_ones(timing: dict[str, Any]) -> None:
    found = {each["layer"]: each for each in timing["uneven_sizes"]}
    assert {name: each["sizes"] for name, each in found.items()} == {
        "first": [16, 36],
        "last": [36, 8],
    }
    assert found["first"]["padded"] == [16, 40]
    assert found["last"]["padded"] == [40, 8]
    assert found["first"]["location"]["row"] == 8
    assert found["first"]["own"]["median"] > 0


def test_calls_take_turns_and_each_round_begins_with_another() -> None:
    order: list[str] = []
    calls = {name: ((lambda name=name: order.append(name)), 2) for name in "abc"}
    spreads, rounds = time_in_rounds(calls, 0.0)
    assert rounds == 9
    assert "".join(order) == ("aabbcc" + "bbccaa" + "ccaabb") * 3
    assert set(spreads) == set("abc")


def test_a_call_that_raises_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        warm_up(lambda: 1 / 0)


def test_what_overlaps_does_not_differ() -> None:
    spread = find_spread([3.0, 1.0, 2.0, 5.0, 4.0])
    assert spread == Spread(3.0, 2.0, 4.0)
    assert not spread.differs_from(Spread(5.0, 3.9, 6.0))
    assert spread.differs_from(Spread(5.0, 4.1, 6.0))
    assert Spread(5.0, 4.1, 6.0).differs_from(spread)


def test_what_a_run_holds_is_counted_once_and_only_while_it_lives() -> None:
    class Chain(nn.Module):  # type: ignore[misc]
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x + 1
            y = y.view(-1) * 2  # both are held while this runs
            z = y * 3  # and these, with the sum: the first is gone
            return z.sum()

    x = torch.zeros(10, 10)
    operators, most = watch_run(lambda: Chain()(x), nn.Identity(), [x])
    assert most == 2 * 400 + 4
    assert operators == {"aten::add": 1, "aten::view": 1, "aten::mul": 2, "aten::sum": 1}


def test_shared_weights_are_counted_once() -> None:
    layer = nn.Linear(4, 4)
    assert count_weights(nn.Sequential(layer, layer)) == 4 * 20


def test_layers_that_are_even_or_derived_are_left_out() -> None:
    class Own(nn.Linear):  # type: ignore[misc]
        pass

    net = nn.Sequential(nn.Linear(8, 32), Own(32, 33), nn.Linear(33, 8), nn.Linear(8, 3))
    found = list(time_uneven_layers(net, (torch.randn(2, 8),), {}, 0.0))
    assert [(each.layer, each.sizes, each.padded) for each in found] == [("2", (33, 8), (40, 8))]
    image = nn.Conv2d(3, 20, 3, groups=1)
    (conv,) = time_uneven_layers(nn.Sequential(image), (torch.randn(1, 3, 8, 8),), {}, 0.0)
    assert (conv.kind, conv.padded) == ("Conv2d", (3, 24))


def test_numbers_are_written_with_units() -> None:
    assert [write_seconds(each) for each in (2.5, 0.0123, 4.56e-5)] == ["2.5 s", "12.3 ms", "45.6 µs"]  # fmt: skip
    assert [write_bytes(each) for each in (None, 12, 3400, 5_600_000)] == ["-", "12 B", "3.4 kB", "5.6 MB"]  # fmt: skip


def _show(timing: ModelTiming, kind: str = "full") -> str:
    matrix = Matrix((), (Row(Model("net.py", "Net", 3), timing=timing),))
    out = io.StringIO()
    write_matrix(kind, matrix, out, color=False, width=None)
    return out.getvalue()


def test_people_read_what_differs_and_what_noise_leaves_open() -> None:
    eager, onnx = Spread(4e-3, 3.9e-3, 4.1e-3), Spread(2e-3, 1.9e-3, 2.1e-3)
    forms = (
        FormTiming("eager", eager, operators={"aten::addmm": 2}),
        FormTiming("torch.compile", why="there is no C++ compiler"),
        FormTiming("onnx", onnx, file=2_000_000),
        FormTiming("openvino", Spread(2.05e-3, 2e-3, 2.2e-3)),
    )
    costs = (
        SizeCost("fc", "Linear", (257, 300), (264, 304), eager, onnx, Site("net.py", 9)),
        SizeCost("last", "Linear", (300, 20), (304, 24), eager, eager),
    )
    timing = ModelTiming({"batch": 2}, 1, 9, 3, 7.5, 2, forms, costs)
    text = _show(timing)
    assert "net.py:Net timed at batch 2: 1 thread, 9 interleaved rounds" in text
    assert "2× as fast" in text
    assert "torch.compile was not timed: there is no C++ compiler" in text
    assert "onnx is the fastest; within its spread: openvino" in text
    assert "the machine was busy: 7.5 processes wanted 2 cores" in text
    assert "LT301: fc (Linear 257→300) built at net.py:9 takes 4 ms; as 264→304 it takes 2 ms" in text  # fmt: skip
    assert "last" not in text  # both are within their spread
    assert "| onnx | 2 ms |" in _show(timing, "markdown")


def test_a_run_that_was_stopped_says_why() -> None:
    assert "not timed: it took too long" in _show(ModelTiming(stopped="it took too long"))


def test_nothing_is_timed_unless_asked(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(NET)
    given = ("--to", "torchscript-trace", "--output-format", "json")
    done = lintorch("export", "net.py", *given, cwd=tmp_path)
    assert json.loads(done.stdout)["models"][0]["timing"] is None
