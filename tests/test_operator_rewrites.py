"""Rewrites for runtimes: the operator that one lacks is gone, and every size computes the same."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from torch.export import Dim  # noqa: E402

from lintorch import catalog  # noqa: E402
from lintorch.core.dispatch import index_detectors, lint_subject  # noqa: E402
from lintorch.core.finding import Applicability, Evidence, Finding  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.fix.fix_rounds import settle  # noqa: E402
from lintorch.source import Source  # noqa: E402

EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
ONE = [catalog.build_catalog().rules["LT901"]]
RULES = index_detectors(ONE, Evidence.SOURCE)
HEAD = """import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 2, 3))

    def forward(self, x):
"""
SIZES = [(2, 3, 8, 8), (1, 3, 7, 9), (4, 3, 12, 5)]
RKNN, OLD, NEWER = ("rknn-2.1", 13), ("tensorrt-8.0", 13), ("tensorrt-8.4", 14)
SUMMED = ("tensorrt-7.2", 13)
MENDED = [
    (OLD, "Sign", "return torch.sign(x)"),
    (RKNN, "Sign", "y = x - 0.1", "return y.sign() * 2"),
    (OLD, "Round", "x = x * 4", "return torch.round(x)"),
    (OLD, "Round", "half = (x * 4).floor() / 2", "return half.round() * 2"),
    (OLD, "IsNaN", "y = (x - 1).sqrt()", "return ~torch.isnan(y)"),
    (OLD, "IsNaN", "y = x.log()", "return torch.where(y.isnan(), x, y)"),
    (OLD, "IsInf", "return torch.isinf(x / x.floor())"),
    (OLD, "IsInf", "return (1 / x.relu()).isinf()"),
    (OLD, "Xor", "a, b = x > 0, x > 1", "return torch.logical_xor(a, b)"),
    (OLD, "Xor", "y = x.relu()", "return x.logical_xor(other=y)"),
    (OLD, "Mod", "y = x.sigmoid() * 9 - 4", "return 1 + torch.fmod(y, 1.5)"),
    (OLD, "Mod", "y, z = x.exp(), x + 4", "return y.fmod(other=z)"),
    (SUMMED, "CumSum", "y = x.sigmoid().float()", "return torch.cumsum(y, 1)"),
    (SUMMED, "CumSum", "y = x.sigmoid().float()", "return y.cumsum(dim=-1) * 2"),
    (OLD, "OneHot", "k = x.argmax(1)", "return F.one_hot(k, 5)"),
    (RKNN, "OneHot", "k = x.argmax(1)", "return F.one_hot(k, num_classes=3).sum(1)"),
    (NEWER, "Trilu", "return torch.triu(x, 1)"),
    (NEWER, "Trilu", "return x.tril(diagonal=-1) + 1"),
    (RKNN, "ReduceL2", "return F.normalize(x, dim=1)"),
    (RKNN, "ReduceL2", "return F.normalize(self.weight, p=2.0, dim=-1, eps=1e-6) + x[:, :, :, :1]"),
    (RKNN, "ReduceL2", "return x.norm(dim=1, keepdim=True)"),
    (RKNN, "ReduceL2", "return torch.norm(x + 1, 2, -1)"),
    (RKNN, "ReduceL2", "return torch.linalg.norm(x * 2, dim=-2, keepdim=True)"),
    (RKNN, "ReduceL2", "return torch.linalg.vector_norm(x, dim=1)"),
    (RKNN, "Abs", "return torch.abs(x) + 1"),
    (RKNN, "Abs", "y = x * 2", "return y.abs().sum(1)"),
    (RKNN, "ReduceProd", "return torch.var(x, dim=1, unbiased=False, keepdim=True)"),
    (RKNN, "ReduceProd", "y = F.pad(x, (0, 0, 0, 1))", "return y.var(-1, correction=0) * 2"),
    (RKNN, "ReduceProd", "y = F.avg_pool2d(x, 1).mean(1, True) * torch.arange(4).view(4, 1, 1)", "return y.var(1)"),
    (RKNN, "ReduceProd", "y = F.avg_pool2d(x, 1).mean(1, True) * torch.arange(4).view(4, 1, 1)", "return 1 / y.std(1, keepdim=True)"),
    (RKNN, "ReduceProd", "return torch.std(x, dim=2, unbiased=False)"),
    (RKNN, "Ceil", "return torch.ceil(x * 3) + 1"),
    (RKNN, "Ceil", "y = x * 3", "return y.ceil() * 2"),
    (RKNN, "Selu", "return F.selu(x * 4)"),
    (RKNN, "Celu", "return F.celu(x * 4, alpha=1.5)"),
    (RKNN, "Celu", "return 2 * F.celu(x)"),
    (RKNN, "ReduceLogSumExp", "return torch.logsumexp(x, 1)"),
    (RKNN, "ReduceLogSumExp", "y = x * 9", "return 2 * y.logsumexp(dim=-1, keepdim=True)"),
    (OLD, "ScatterND", "y = x * 2", "y[:, :1] = 0.5", "return y"),
    (OLD, "ScatterND", "y = x * 2", "y[:, 0] = x[:, 1]", "return y"),
    (OLD, "ScatterND", "y = x.relu()", "y[:, 1:2] = x[:, :1] + 1", "return y"),
    (OLD, "ScatterND", "y = x - 1", "y[..., -1] = 0", "return y"),
    (OLD, "ScatterND", "y = torch.cat((x, x), 1)", "y[..., -2:, :] = x.mean()", "return y * 2"),
    (OLD, "ScatterND", "y = x.clone()", "y[:, -2] = x[:, 0].mean()", "return y"),
    (OLD, "ScatterND", "y = x * 2", "y[:, 0] = 0", "y[:, 2] = y[:, 1]", "return y"),
    (OLD, "ScatterND", "y = x.sigmoid()", "y[:, :, 1:3] = (x > 0)[:, :, 1:3]", "return y"),
    (OLD, "ScatterND", "y = x * 2", "y[0] = 1", "return y"),
    (OLD, "ScatterND", "y = x.exp()", "if self.training:", "    y[:, :1] = 0", "else:", "    y[:, 1:] = 2.5", "return y"),
    (OLD, "Einsum", "return torch.einsum('bchw,c->bchw', x, self.weight) * 2"),
    (OLD, "Einsum", "y = x.mean((2, 3))", "return 2 * torch.einsum('bi,bj->bij', y, y)"),
    (OLD, "Einsum", "return torch.einsum('bchw->bhwc', x)"),
    (OLD, "Einsum", "return torch.einsum('b c h w, c -> b w h', [x, self.weight])"),
]  # fmt: skip
LEFT = [
    (OLD, "return torch.round(x, decimals=2)"),
    (OLD, "return torch.round(x * 4)"),
    (OLD, "return (x > 0).sign()"),
    (OLD, "k = x.argmax(1)", "return k.fmod(3)"),
    (SUMMED, "y = x > 0", "return y.cumsum(1)"),
    (OLD, "return F.one_hot(x.argmax(1))"),
    (OLD, "k = x.argmax(1)", "return F.one_hot(k, -1)"),
    (OLD, "y = x * 2", "z = y", "y[:, :1] = 0.5", "return z"),
    (OLD, "y = x * 2", "z = y[:, 1:]", "y[:, 1:] = 0.5", "return z"),
    (OLD, "y = x * 2", "y[:, 1:-1] = 0.5", "return y"),
    (OLD, "y = x * 2", "y[:, ::2] = 0.5", "return y"),
    (OLD, "y = x * 2", "y[:, 1:, 2:] = 0.5", "return y"),
    (OLD, "x[:, :1] = 0.5", "return x"),
    (OLD, "y = x.view(x.shape)", "y[:, :1] = 0.5", "return y"),
    (OLD, "kept = []", "y = x * 2", "kept.append(y)", "y[:, 0] = 1", "return kept[0]"),
    (RKNN, "return torch.logsumexp(x, (1, 2))"),
    (RKNN, "return F.celu(x, -1.0)"),
    (RKNN, "return torch.triu(x)"),
    (RKNN, "return F.normalize(x, p=1.0, dim=1)"),
    (RKNN, "return F.normalize(x.relu(), dim=1)"),
    (RKNN, "return x.norm(dim=(1, 2))"),
    (RKNN, "return x.norm(1, dim=1)"),
    (RKNN, "return x.norm()"),
    (RKNN, "return x.var()"),
    (RKNN, "return x.var((2, 3), unbiased=False)"),
    (RKNN, "return x.var(-1)"),
    (RKNN, "return (x + 1).abs()"),
    (RKNN, "return torch.isnan(x)"),
    (OLD, "return torch.einsum('bchw,bkhv->bckwv', x, x)"),
]


def mend(target: tuple[str, int], *lines: str) -> tuple[str, str]:
    """A model with these lines, and what all fixes make of it; a second time changes nothing."""
    name, opset = target
    profile = Profile(frozenset({"onnx-legacy"}), opset, targets=(name,))

    def find_hazards(text: str) -> Iterable[Finding]:
        return lint_subject(Source("model.py", text, profile), RULES)

    before = HEAD + "".join(f"        {line}\n" for line in lines)
    after = settle(before, find_hazards, EVERY).text
    assert settle(after, find_hazards, EVERY).text == after
    return before, after


def build(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["Net"]().eval()


def export(model: Any, image: Any, opset: int, dynamo: bool) -> bytes:
    """The bytes of a model whose batch, height and width vary."""
    file = io.BytesIO()
    if not dynamo:
        axes = {"x": {0: "batch", 2: "height", 3: "width"}}
        torch.onnx.export(
            model,
            (image,),
            file,
            dynamo=False,
            opset_version=opset,
            input_names=["x"],
            dynamic_axes=axes,
        )
        return file.getvalue()
    shapes = (dict.fromkeys((0, 2, 3), Dim.DYNAMIC),)
    program = torch.onnx.export(model, (image,), dynamo=True, dynamic_shapes=shapes)
    written: bytes = program.model_proto.SerializeToString()
    return written


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", MENDED, ids=lambda case: case[-1])
def test_the_operator_is_gone_and_numbers_are_the_same(case: tuple[Any, ...]) -> None:
    target, operator, *lines = case
    before, after = mend(target, *lines)
    assert after != before
    torch.manual_seed(0)
    images = [torch.randn(size) for size in SIZES]
    model = build(after)
    wanted = [build(before)(image) for image in images]
    for image, want in zip(images, wanted, strict=True):
        torch.testing.assert_close(model(image), want, rtol=1e-6, atol=1e-6, equal_nan=True)
    for dynamo in (False, True):
        written = export(model, images[0], target[1], dynamo)
        graph = onnx.load_from_string(written).graph
        assert operator not in {node.op_type for node in graph.node}
        session = onnxruntime.InferenceSession(written)
        for image, want in zip(images, wanted, strict=True):
            fed = {session.get_inputs()[0].name: image.numpy()}
            found = torch.from_numpy(session.run(None, fed)[0])
            torch.testing.assert_close(found, want, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("case", LEFT, ids=lambda case: case[-1])
def test_what_is_not_known_well_enough_is_left_alone(case: tuple[Any, ...]) -> None:
    target, *lines = case
    before, after = mend(target, *lines)
    assert after == before


def test_a_row_of_zeros_has_a_gradient() -> None:
    _, after = mend(RKNN, "return F.normalize(x, dim=1)")
    image = torch.zeros(1, 3, 2, 2, requires_grad=True)
    build(after)(image).sum().backward()
    assert image.grad.isfinite().all()
