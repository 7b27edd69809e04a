"""Loops whose steps need the one before: as they were in eager mode, and a scan for torch.export."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import RULES, find_waiting, settle_twice  # noqa: E402

from lintorch.core.dispatch import lint_subject  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.source import Source  # noqa: E402

HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = nn.Linear(4, 4)
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x: torch.Tensor):
        b, n, c = x.shape
        h = x.new_zeros(b, c)
"""
LOOPS = (
    "ys = []|for t in range(n):|    h = torch.tanh(x[:, t] + self.own(h))|    ys.append(h)|return torch.stack(ys, dim=1) + 1",
    "y = x * 2|for t in range(1, y.size(1)):|    h = h * 0.5  # fades|    h += y[:, t, :]|return h",
    "out = torch.zeros_like(x)|for t in range(n - 1, -1, -1):|    h = self.own(h) + x[:, t]|    out[:, t] = h|return out, h",
    "ys = []|for t in reversed(range(n)):|    h = self.own(h) + x[:, t]|    ys.append(h)|return torch.stack(ys, 1)",
    "ys = []|k = h + 1|for row in x.split(1, dim=1):|    h, k = self.cell(row.squeeze(1), (h, k))|    ys.append(k.unsqueeze(1))|return torch.cat(ys, dim=1)",
    "ys = []|last = h|for t, row in enumerate(x.unbind(1)):|    h, last = row + last, h|    ys.append(h)|out = torch.stack(ys)|return out",
    "ys = []|s = (h, h + 1)|for t in range(n):|    s = self.cell(x[:, t], s)|    ys.append(s[0])|return torch.stack(ys)",
    "ys = []|for t in range(n):|    ys.append(self.own(h + 1) * x.select(1, t))|ys = torch.stack(ys, dim=-1)|return ys * 2, ys[0]",
    "ys = []|for t in range(n):|    h = h + x[:, t]|    ys.append(h)|return torch.cat(ys, dim=-1)",
    "k = j = h|for t in range(n):|    k, j = k + x[:, t], j * 0.5 + x[:, t]|return k, j",
    "P = torch.eye(4).expand(b, -1, -1)|for t in range(n):|    P = (P @ P.transpose(1, 2) + x[:, t].unsqueeze(1)) * 0.1|return P",
    "y = x|for scale in (1, 2):|    k = h + scale|    ys = []|    for t in range(n):|        k = torch.tanh(y[:, t] + self.own(k))|        ys.append(k)|    y = torch.stack(ys, 1)|return y",
)
LEFT = (
    "h = None|for t in range(n):|    h = x[:, t] if h is None else h + x[:, t]|return h",
    "ys = []|for t in range(n):|    h = h + x[:, t]|    ys.append(h)|return torch.stack(ys, 1), ys[-1]",
    "for t in range(n):|    h = h * t + x[:, t]|return h",
    "for t in range(1, n):|    h = h + x[:, t] * x[:, t - 1]|return h",
    "for t in range(n):|    h = h + x[:, t]|    h.add_(1)|return h",
    "for t in range(n):|    if t > 3:|        break|    h = h + x[:, t]|return h",
    "for t in range(n):|    h = torch.tanh(h + x[:, t])|return h * t",
)


def build(text: str) -> Any:
    names: dict[str, Any] = {}
    torch.manual_seed(0)
    exec(text, names)
    return names["Net"]().eval()


def write(loop: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in loop.split("|"))


def list_tensors(given: Any) -> list[Any]:
    return list(given) if isinstance(given, tuple) else [given]


@pytest.mark.parametrize("loop", LOOPS, ids=range(len(LOOPS)))
def test_torch_export_keeps_the_steps_at_every_length(loop: str) -> None:
    text = write(loop)
    after = settle_twice(text, find_waiting)
    assert "scan(take_step, " in after
    assert ("# fades" in after) == ("# fades" in text)
    original, mended = build(text), build(after)
    every, axes = torch.export.Dim.DYNAMIC, [torch.randn(3, 7, 4), torch.randn(5, 12, 4)]
    exported = torch.export.export(mended, (axes[0],), dynamic_shapes=({0: every, 1: every},))
    for x in axes:
        wanted, found = list_tensors(original(x)), list_tensors(mended(x))
        close = list_tensors(exported.module()(x))
        assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(close, wanted, strict=True))


@pytest.mark.parametrize("loop", LEFT, ids=range(len(LEFT)))
def test_a_loop_that_is_no_scan_stays(loop: str) -> None:
    assert "scan" not in settle_twice(write(loop), find_waiting)


def test_the_loop_that_tracers_keep_is_told_to_be_scripted() -> None:
    """Of operators alone; a layer in it cannot be reached from a function."""
    loop = "out = self.own(x)|for t in range(n):|    h = torch.tanh(out[:, t] + h)|return h"
    used = Profile(frozenset({"onnx-legacy", "torchscript-trace"}))
    own = loop.replace("out[:, t] + h", "self.own(h) + out[:, t]")
    for text, scripted in ((write(loop), True), (write(own), False)):
        found = lint_subject(Source("model.py", text, used), RULES)
        told = [each.remedy for each in found if each.code == "LT105"]
        assert any("script_if_tracing" in each for each in told) == scripted
