"""Rewrites of draws, caches, loops over layers, example inputs and names: what they compute, and that exporters follow."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from lintorch import catalog  # noqa: E402
from lintorch.core.dispatch import index_detectors, lint_subject  # noqa: E402
from lintorch.core.finding import Applicability, Evidence, Finding  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.fix.fix_rounds import settle  # noqa: E402
from lintorch.source import Source  # noqa: E402

USED = frozenset({"torch.export", "onnx", "onnx-legacy", "torchscript-trace", "torchscript-script"})
PROFILE = replace(Profile(USED), stated=USED)
EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)
HEAD = """import random

import numpy as np
import torch
from torch import nn


"""


def mend(text: str, code: str) -> str:
    """A text with the fixes of one rule in it, also those that wait for a run; a second time changes nothing."""

    def find(now: str) -> Iterable[Finding]:
        return [each for each in lint_subject(Source("net.py", now, PROFILE), RULES) if each.code == code]  # fmt: skip

    once = settle(text, find, EVERY).text
    assert settle(once, find, EVERY).text == once
    return once


def build(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["Net"]()


def write_model(*lines: str, made: tuple[str, ...] = ()) -> str:
    built = "".join(f"        {line}\n" for line in ("super().__init__()", *made))
    run = "".join(f"        {line}\n" for line in lines)
    return f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n{built}\n    def forward(self, x):\n{run}"


DRAWS = {
    "return x + random.random()": "torch.rand(())",
    "return x + random.uniform(-0.1, 0.1)": "(torch.rand(()) * 0.2 - 0.1)",
    "return x * (1 + random.gauss(0, 1))": "torch.randn(())",
    "return x * np.random.normal(2.0, 0.5)": "(torch.randn(()) * 0.5 + 2.0)",
    "noise = np.random.rand()|return x - noise * 2": "torch.rand(())",
    "return x * random.randint(1, 6)": "torch.randint(1, 7, ())",
    "return x * np.random.randint(6)": "torch.randint(0, 6, ())",
    "x = x * 2|x += random.normalvariate(0.0, 2.0)|return x": "(torch.randn(()) * 2.0)",
    "return x / random.uniform(1, x.shape[1])": "(torch.rand(()) * ((x.shape[1]) - 1) + 1)",
    "return x.relu() ** random.uniform(1, 2)": "(torch.rand(()) + 1)",
}


@pytest.mark.parametrize("lines", DRAWS)
def test_torch_draws_anew_at_each_call_of_a_program(lines: str) -> None:
    text = mend(write_model(*lines.split("|")), "LT113")
    assert DRAWS[lines] in text
    model, x = build(text), torch.rand(2, 3) + 0.5
    axes = ({0: torch.export.Dim.DYNAMIC},)
    program = torch.export.export(model, (x,), dynamic_shapes=axes).module()
    larger = torch.rand(5, 3) + 0.5
    drawn = [program(larger) for _ in range(8)]
    assert drawn[0].dtype == model(larger).dtype == torch.float32
    assert drawn[0].shape == (5, 3)
    assert any(not torch.equal(each, drawn[0]) for each in drawn)


@pytest.mark.parametrize("call", ["random.uniform(-3, 5)", "random.gauss(1, 2)", "random.randint(2, 4)", "np.random.uniform(0.5)"])  # fmt: skip
def test_what_torch_draws_has_the_same_spread(call: str) -> None:
    text = write_model(f"return x + {call}")
    after, x = mend(text, "LT113"), torch.zeros(())
    if "0.5" in call:
        assert after == text
        return
    torch.manual_seed(0)
    random.seed(0)
    before, now = (torch.stack([m(x) for _ in range(4000)]) for m in map(build, (text, after)))
    assert abs(before.mean() - now.mean()) < 0.2
    assert abs(before.std() - now.std()) < 0.2


LEFT = [
    "return x if random.random() > 0.5 else x * 2",
    "return x.roll(random.randint(0, 3), 1)",
    "return x[:, : random.randint(1, 3)]",
    "scale = float(random.random())|return x.mul(scale)",
    "print(random.random())|return x",
]


@pytest.mark.parametrize("lines", LEFT)
def test_a_draw_that_picks_stays(lines: str) -> None:
    text = write_model(*lines.split("|"))
    assert mend(text, "LT113") == text


CACHES = [
    ("if self.kept is None:", "    self.kept = torch.ones(x.shape[-1]) * 0.5", "return x * self.kept"),
    ("if self.kept is None or self.kept.shape[0] != x.shape[-1]:", "    self.kept = torch.ones(x.shape[-1]) * 0.5", "return x + self.kept"),
    ("if self.kept is None or self.made.shape != x.shape:", "    self.made = torch.ones_like(x) * 3", "    self.kept = 1", "return x * self.made"),
    ("if self.kept != x.shape:", "    self.kept = x.shape", "    rows = torch.ones(x.shape[-1])", "    self.rows = rows", "return x * self.rows"),
    ("kept = x * 2", "if self.kept is None:", "    self.kept = torch.arange(x.shape[1]).to(x)", "return kept + self.kept"),
]  # fmt: skip
NO_CACHES = [
    ("if self.kept is None:", "    self.kept = x", "else:", "    self.kept = x * 2", "return self.kept"),
    ("if self.kept is None and x.shape[0] > 1:", "    self.kept = x", "return x"),
    ("if self.kept is None:", "    self.kept = x", "    print(x)", "return self.kept"),
    ("if self.kept is None:", "    # once", "    self.kept = x", "return self.kept"),
    ("if self.kept is not x:", "    self.kept = self.kept or x", "return self.kept"),
]  # fmt: skip


@pytest.mark.parametrize("lines", CACHES, ids=lambda lines: lines[0])
def test_a_cache_is_filled_at_each_call(lines: tuple[str, ...]) -> None:
    text = write_model(*lines, made=("self.kept = None",))
    after = mend(text, "LT110")
    assert "if " not in after
    model, sizes = build(after), [(2, 4), (3, 4), (2, 7)]
    images = [torch.rand(size) for size in sizes]
    wanted = [build(text)(image) for image in images]
    assert all(torch.equal(model(image), each) for image, each in zip(images, wanted, strict=True))
    axes = (dict.fromkeys((0, 1), torch.export.Dim.DYNAMIC),)
    program = torch.export.export(model, (images[0],), dynamic_shapes=axes).module()
    assert all(
        torch.equal(program(image), each) for image, each in zip(images, wanted, strict=True)
    )


@pytest.mark.parametrize("lines", NO_CACHES, ids=lambda lines: " ".join(lines))
def test_what_is_more_than_a_cache_stays(lines: tuple[str, ...]) -> None:
    text = write_model(*lines, made=("self.kept = None",))
    assert mend(text, "LT110") == text


LAYERS = (
    "self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])",
    "self.norms = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])",
    "self.steps = nn.Sequential(nn.Linear(3, 3), nn.Tanh())",
    "self.sizes = [1, 2]",
)
LOOPS = {
    ("for i in range(2):", "    x = self.blocks[i](x)"): "for block in self.blocks:",
    ("for i in range(len(self.blocks)):", "    x = self.blocks[i](x)"): "for block in self.blocks:",
    ("for i in range(len(self.blocks)):", "    block = self.blocks[i]", "    x = block(x)"): "for block in self.blocks:",
    ("for i in range(len(self.norms)):", "    norm = self.norms[i]", "    x = norm(x) * self.sizes[i]"): "for i, norm in enumerate(self.norms):",
    ("for i in range(len(self.norms)):", "    y = self.norms[i](x)", "    x = y + self.norms[i](y)"): "for norm in self.norms:",
    ("for i in range(len(self.steps)):", "    x = x + self.steps[i](x)"): "for step in self.steps:",
    ("for k in range(len(self.blocks)):", "    if k > 0:", "        x = self.blocks[k](x)"): "for k, block in enumerate(self.blocks):",
    ("for i in range(len(self.blocks)): x = self.blocks[i](x)",): "for block in self.blocks:",
    ("block = x", "for i in range(2):", "    x = self.blocks[i](x) + block"): "for layer in self.blocks:",
    ("for i in range(2):", "    for j in range(len(self.norms)):", "        x = self.norms[j](x) * i"): "for norm in self.norms:",
}  # fmt: skip
OTHER_LOOPS = [
    ("for i in range(1):", "    x = self.blocks[i](x)"),
    ("for i in range(1, 2):", "    x = self.blocks[i](x)"),
    ("for i in range(2):", "    x = self.norms[i](x)"),
    ("for i in range(2):", "    i = 1", "    x = self.blocks[i](x)"),
    ("for i in range(2):", "    x = self.blocks[i - 1](x)"),
]


@pytest.mark.parametrize("lines", LOOPS, ids=lambda lines: " ".join(lines))
def test_torchscript_takes_a_loop_over_layers(lines: tuple[str, ...], tmp_path: Any) -> None:
    text = write_model(*lines, "return x", made=LAYERS)
    after = mend(text, "LT143")
    assert LOOPS[lines] in after
    original, x = build(text), torch.rand(2, 3)
    path = tmp_path / "net.py"
    path.write_text(after)
    names: dict[str, Any] = {"__name__": "net"}
    exec(compile(after, str(path), "exec"), names)
    model = names["Net"]()
    model.load_state_dict(original.state_dict())
    assert torch.equal(torch.jit.script(model)(x), original(x))


@pytest.mark.parametrize("lines", OTHER_LOOPS, ids=lambda lines: " ".join(lines))
def test_a_loop_over_other_numbers_stays(lines: tuple[str, ...]) -> None:
    text = write_model(*lines, "return x", made=LAYERS)
    assert mend(text, "LT143") == text


OPENED = {
    'torch.onnx.export(model, (x,), "net.onnx")': 1,
    'torch.onnx.export(model, x, "net.onnx", opset_version=18)': 1,
    "torch.export.export(model, (x,))": 1,
    "torch.export.export(model, args=(x,), strict=False)": 1,
    'torch.onnx.export(model, (x, torch.ones(4, 2)), "net.onnx")': 2,
    'torch.onnx.export(model, (torch.ones(1, 3),), "net.onnx")': 0,
    'torch.onnx.export(model, (x,), "net.onnx", dynamo=False)': 0,
    'torch.onnx.export(model, (x, 2), "net.onnx")': 0,
    'torch.onnx.export(model, (y,), "net.onnx")': 0,
    "torch.export.export(model, (x,), {'scale': x})": 0,
}


@pytest.mark.parametrize("call", OPENED)
def test_the_batch_of_an_example_is_left_open(call: str) -> None:
    text = f"{HEAD}def save(model, y):\n    x = torch.rand(2, 3)\n    return {call}\n"
    after = mend(text, "LT126")
    assert after.count("torch.export.Dim.DYNAMIC") == OPENED[call]
    if "torch.export.export" in call and OPENED[call]:
        names: dict[str, Any] = {}
        exec(after, names)
        program = names["save"](torch.nn.Linear(3, 3), None)
        assert program.module()(torch.rand(5, 3)).shape == (5, 3)


TAKEN = {
    "self, x, *, scale=None": "self, x, scale=None",
    "self, x, *, scale": "self, x, scale",
    "self, x=None, *, scale=None, bias=0": "self, x=None, scale=None, bias=0",
    "self, x=None, *, scale": "self, x=None, *, scale",
    "self, x, *rest, scale=None": "self, x, *rest, scale=None",
}


@pytest.mark.parametrize("head", TAKEN)
def test_what_is_taken_by_keyword_only_is_taken_by_position(head: str) -> None:
    text = write_model("return x * 2 if scale is None else x * scale").replace("self, x)", f"{head})")  # fmt: skip
    text += "\n\ndef save(x):\n    torch.onnx.export(Net(), (x, x), 'net.onnx', dynamo=False)\n"
    after = mend(text, "LT114")
    assert f"forward({TAKEN[head]})" in after
    if after != text:
        x, saved = torch.rand(2, 3), io.BytesIO()
        assert torch.equal(build(after)(x, scale=x), build(text)(x, scale=x))
        torch.onnx.export(build(after), (x, x), saved, dynamo=False)
        assert saved.getvalue()


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%"])
def test_counted_steps_keep_the_bits_of_what_they_meet(operator: str, kind: str) -> None:
    text = write_model(f"return x {operator} torch.arange(x.shape[1], device=x.device)")
    after = mend(text, "LT133")
    assert ".type_as(x)" in after
    x = (torch.randn(3, 5000) * 3).to(getattr(torch, kind))
    before, now = build(text)(x), build(after)(x)
    assert before.dtype == now.dtype
    assert torch.equal(before.nan_to_num(), now.nan_to_num())


STEPS_OF_OTHER_TYPES = [
    ("return x + torch.arange(0, 1, 0.25, device=x.device)",),
    ("x = x.long()", "return x + torch.arange(x.shape[1], device=x.device)"),
    ("x = x > 0", "return x * torch.arange(x.shape[1], device=x.device)"),
]


@pytest.mark.parametrize("lines", STEPS_OF_OTHER_TYPES, ids=" ".join)
def test_steps_that_would_change_their_type_stay(lines: tuple[str, ...]) -> None:
    text = write_model(*lines)
    assert ".type_as(" not in mend(text, "LT133")
