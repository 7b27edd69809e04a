"""Writes lintorch/targets/data/_torch_operators.json: which ONNX operators the two exporters write for what of torch.

    python benchmarks/targets/torch_operators.py

Exports a model of one call for each entry, at each opset, and reads the files. Takes about twenty
minutes; needs torch, onnx and onnxscript. Operators that only move, cast or shape values are
left out: which of them appear depends on what stands around the call.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn
from torch.nn import functional as F

FILE = Path(__file__).parents[2] / "lintorch/targets/data/_torch_operators.json"
GLUE = {
    "Cast", "CastLike", "Concat", "Constant", "ConstantOfShape", "Expand", "Flatten", "Gather",
    "Identity", "Reshape", "Shape", "Size", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze",
}  # fmt: skip
BOOKKEEPING = {
    "aten._assert_scalar.default",
    "aten.sym_size.int",
    "aten.detach_.default",
    "aten.lift_fresh_copy.default",
    "aten._assert_async.msg",
}
"""Of constants, and of checks that converters leave out."""
LEGACY, DYNAMO = range(9, 21), (18, 20, 21, 23)


class Attention(nn.Module):
    """Of a layer to itself; the layer is a part of it, or its weights were constants that the tracer refuses."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> Any:
        return self.layer(x, x, x)[0]


attention = Attention


image, line, volume = (2, 4, 8, 8), (2, 4, 8), (1, 2, 4, 4, 4)
words, matrix, square = (2, 5, 8), (3, 8), (3, 4, 4)
CASES: list[tuple[str, Any, tuple[Any, ...]]] = [
    # names that are one operator | what is called | shapes of its inputs
    *((f"torch.nn.{name} torch.nn.functional.{function}", getattr(nn, name)(), (image,))
      for name, function in (
        ("ReLU", "relu torch.relu"), ("ReLU6", "relu6"), ("ELU", "elu"), ("CELU", "celu torch.celu"),
        ("SELU", "selu torch.selu"), ("GELU", "gelu"), ("SiLU", "silu"), ("Mish", "mish"),
        ("Hardswish", "hardswish"), ("Hardsigmoid", "hardsigmoid"), ("Hardtanh", "hardtanh"),
        ("LeakyReLU", "leaky_relu"), ("Sigmoid", "sigmoid torch.sigmoid"), ("Tanh", "tanh torch.tanh"),
        ("LogSigmoid", "logsigmoid"), ("Softplus", "softplus"), ("Softsign", "softsign"),
        ("Hardshrink", "hardshrink"), ("Softshrink", "softshrink"), ("Tanhshrink", "tanhshrink"),
        ("RReLU", "rrelu torch.rrelu"),
      )),
    ("torch.nn.PReLU torch.nn.functional.prelu torch.prelu", nn.PReLU(), (image,)),
    ("torch.nn.Threshold torch.nn.functional.threshold torch.threshold", nn.Threshold(0.1, 2), (image,)),
    ("torch.nn.GLU torch.nn.functional.glu", nn.GLU(1), (image,)),
    ("torch.nn.Softmax torch.nn.functional.softmax torch.softmax", nn.Softmax(-1), (image,)),
    ("torch.nn.LogSoftmax torch.nn.functional.log_softmax torch.log_softmax", nn.LogSoftmax(-1), (image,)),
    ("torch.nn.Conv1d torch.nn.functional.conv1d", nn.Conv1d(4, 3, 3), (line,)),
    ("torch.nn.Conv2d torch.nn.functional.conv2d", nn.Conv2d(4, 3, 3), (image,)),
    ("torch.nn.Conv3d torch.nn.functional.conv3d", nn.Conv3d(2, 3, 3), (volume,)),
    ("torch.nn.ConvTranspose1d torch.nn.functional.conv_transpose1d", nn.ConvTranspose1d(4, 3, 3), (line,)),
    ("torch.nn.ConvTranspose2d torch.nn.functional.conv_transpose2d", nn.ConvTranspose2d(4, 3, 3), (image,)),
    ("torch.nn.ConvTranspose3d torch.nn.functional.conv_transpose3d", nn.ConvTranspose3d(2, 3, 3), (volume,)),
    ("torch.nn.Linear torch.nn.functional.linear", nn.Linear(8, 3), (matrix,)),
    ("torch.nn.BatchNorm1d", nn.BatchNorm1d(4), (line,)),
    ("torch.nn.BatchNorm2d", nn.BatchNorm2d(4), (image,)),
    ("torch.nn.BatchNorm3d", nn.BatchNorm3d(2), (volume,)),
    ("torch.nn.InstanceNorm1d", nn.InstanceNorm1d(4), (line,)),
    ("torch.nn.InstanceNorm2d torch.nn.functional.instance_norm", nn.InstanceNorm2d(4), (image,)),
    ("torch.nn.InstanceNorm3d", nn.InstanceNorm3d(2), (volume,)),
    ("torch.nn.LayerNorm torch.nn.functional.layer_norm", nn.LayerNorm(8), (words,)),
    ("torch.nn.RMSNorm torch.nn.functional.rms_norm", nn.RMSNorm(8), (words,)),
    ("torch.nn.GroupNorm torch.nn.functional.group_norm", nn.GroupNorm(2, 4), (image,)),
    ("torch.nn.LocalResponseNorm torch.nn.functional.local_response_norm", nn.LocalResponseNorm(2), (image,)),
    ("torch.nn.functional.normalize", F.normalize, (matrix,)),
    ("torch.nn.MaxPool1d torch.nn.functional.max_pool1d", nn.MaxPool1d(2), (line,)),
    ("torch.nn.MaxPool2d torch.nn.functional.max_pool2d", nn.MaxPool2d(2), (image,)),
    ("torch.nn.MaxPool3d torch.nn.functional.max_pool3d", nn.MaxPool3d(2), (volume,)),
    ("torch.nn.AvgPool1d torch.nn.functional.avg_pool1d", nn.AvgPool1d(2), (line,)),
    ("torch.nn.AvgPool2d torch.nn.functional.avg_pool2d", nn.AvgPool2d(2), (image,)),
    ("torch.nn.AvgPool3d torch.nn.functional.avg_pool3d", nn.AvgPool3d(2), (volume,)),
    ("torch.nn.LPPool1d torch.nn.functional.lp_pool1d", nn.LPPool1d(2, 2), (line,)),
    ("torch.nn.LPPool2d torch.nn.functional.lp_pool2d", nn.LPPool2d(2, 2), (image,)),
    ("torch.nn.Upsample torch.nn.functional.interpolate torch.nn.functional.upsample"
     " torch.nn.UpsamplingNearest2d", nn.Upsample(scale_factor=2), (image,)),
    ("torch.nn.UpsamplingBilinear2d", nn.UpsamplingBilinear2d(scale_factor=2), (image,)),
    ("torch.nn.PixelShuffle torch.nn.functional.pixel_shuffle torch.pixel_shuffle", nn.PixelShuffle(2), (image,)),
    ("torch.nn.PixelUnshuffle torch.nn.functional.pixel_unshuffle torch.pixel_unshuffle", nn.PixelUnshuffle(2), (image,)),
    ("torch.nn.ReflectionPad1d", nn.ReflectionPad1d(1), (line,)),
    ("torch.nn.ReflectionPad2d", nn.ReflectionPad2d(1), (image,)),
    ("torch.nn.ReplicationPad2d", nn.ReplicationPad2d(1), (image,)),
    ("torch.nn.ZeroPad2d torch.nn.ConstantPad2d", nn.ZeroPad2d(1), (image,)),
    ("torch.nn.Fold torch.nn.functional.fold", nn.Fold((8, 8), 2, stride=2), ((2, 16, 16),)),
    ("torch.nn.Unfold torch.nn.functional.unfold", nn.Unfold(2), (image,)),
    ("torch.nn.LSTM", nn.LSTM(8, 4), (words,)),
    ("torch.nn.GRU", nn.GRU(8, 4), (words,)),
    ("torch.nn.RNN", nn.RNN(8, 4), (words,)),
    ("torch.nn.MultiheadAttention", attention(nn.MultiheadAttention(8, 2)), (words,)),
    ("torch.nn.functional.scaled_dot_product_attention",
     lambda q: F.scaled_dot_product_attention(q, q, q), ((2, 2, 5, 8),)),
    ("torch.nn.functional.grid_sample", F.grid_sample, (image, (2, 5, 5, 2))),
    ("torch.nn.functional.affine_grid", lambda t: F.affine_grid(t, [2, 4, 8, 8]), ((2, 2, 3),)),
    ("torch.nn.functional.one_hot", lambda x: F.one_hot(x, 5), (torch.tensor([1, 3]),)),
    ("torch.nn.functional.cosine_similarity torch.cosine_similarity torch.nn.CosineSimilarity",
     F.cosine_similarity, (matrix, matrix)),
    ("torch.einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b), (square, square)),
    ("torch.cumsum", lambda x: torch.cumsum(x, 1), (matrix,)),
    ("torch.cumprod", lambda x: torch.cumprod(x, 1), (matrix,)),
    ("torch.topk", lambda x: torch.topk(x, 2), (matrix,)),
    ("torch.sort", torch.sort, (matrix,)),
    ("torch.argsort", torch.argsort, (matrix,)),
    ("torch.argmax", lambda x: torch.argmax(x, 1), (matrix,)),
    ("torch.argmin", lambda x: torch.argmin(x, 1), (matrix,)),
    ("torch.nonzero", torch.nonzero, (matrix,)),
    ("torch.masked_select", torch.masked_select, (matrix, torch.eye(3, 8) > 0)),
    ("torch.unique", torch.unique, (matrix,)),
    ("torch.where", torch.where, (torch.eye(3, 8) > 0, matrix, matrix)),
    ("torch.gather", lambda x: torch.gather(x, 1, torch.zeros(3, 2, dtype=torch.long)), (matrix,)),
    ("torch.scatter", lambda x: torch.scatter(x, 1, torch.zeros(3, 2, dtype=torch.long), x[:, :2]), (matrix,)),
    ("torch.scatter_add", lambda x: torch.scatter_add(x, 1, torch.zeros(3, 2, dtype=torch.long), x[:, :2]), (matrix,)),
    ("torch.index_select", lambda x: torch.index_select(x, 1, torch.tensor([0, 2])), (matrix,)),
    ("torch.tril", torch.tril, (square,)),
    ("torch.triu", torch.triu, (square,)),
    ("torch.flip", lambda x: torch.flip(x, (1,)), (matrix,)),
    ("torch.roll", lambda x: torch.roll(x, 1, 1), (matrix,)),
    ("torch.clamp torch.clip", lambda x: torch.clamp(x, 0.1, 0.9), (matrix,)),
    *((f"torch.{name}", getattr(torch, name), (matrix,)) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
        "erf", "exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "rsqrt", "reciprocal",
        "floor", "ceil", "round", "trunc", "frac", "sign", "abs", "square", "isnan", "isinf",
        "logical_not", "nan_to_num",
      )),
    *((f"torch.{name}", getattr(torch, name), (matrix, matrix)) for name in (
        "fmod", "remainder", "atan2", "maximum", "minimum", "floor_divide", "pow", "ge", "le", "eq",
        "gt", "lt", "logical_xor",
      )),
    ("torch.matmul torch.mm torch.bmm", torch.matmul, (square, square)),
    ("torch.addmm", torch.addmm, ((3, 3), (3, 4), (4, 3))),
    ("torch.baddbmm", torch.baddbmm, (square, square, square)),
    ("torch.norm torch.linalg.norm torch.linalg.vector_norm", lambda x: torch.linalg.vector_norm(x, dim=1), (matrix,)),
    ("torch.logsumexp", lambda x: torch.logsumexp(x, 1), (matrix,)),
    ("torch.prod", lambda x: torch.prod(x, 1), (matrix,)),
    ("torch.amax", lambda x: torch.amax(x, 1), (matrix,)),
    ("torch.amin", lambda x: torch.amin(x, 1), (matrix,)),
    ("torch.var", lambda x: torch.var(x, 1), (matrix,)),
    ("torch.std", lambda x: torch.std(x, 1), (matrix,)),
    ("torch.cdist", torch.cdist, (square, square)),
    ("torch.det torch.linalg.det", torch.linalg.det, (square,)),
    ("torch.stft", lambda x: torch.view_as_real(torch.stft(
        x, 16, return_complex=True, window=torch.ones(16), center=False)), ((2, 64),)),
    ("torch.fft.rfft", lambda x: torch.view_as_real(torch.fft.rfft(x)), (matrix,)),
    ("torch.fft.fft2", lambda x: torch.view_as_real(torch.fft.fft2(x)), (square,)),
    ("torch.bitwise_and", lambda x: torch.bitwise_and(x, x), (torch.tensor([1, 3]),)),
    ("torch.bitwise_not", torch.bitwise_not, (torch.tensor([1, 3]),)),
    ("torch.bucketize", lambda x: torch.bucketize(x, torch.tensor([0.1, 0.5])), (matrix,)),
    ("torch.bernoulli", torch.bernoulli, (matrix,)),
    ("torch.rand_like", torch.rand_like, (matrix,)),
    ("torch.randn_like", torch.randn_like, (matrix,)),
    ("torch.multinomial", lambda x: torch.multinomial(x, 2), (matrix,)),
    ("torch.eye", lambda x: x @ torch.eye(8), (matrix,)),
    ("torchvision.ops.roi_align torchvision.ops.RoIAlign", "roi_align", ()),
    ("torchvision.ops.nms", "nms", ()),
    ("torchvision.ops.deform_conv2d torchvision.ops.DeformConv2d", "deform_conv2d", ()),
]  # fmt: skip


class Call(nn.Module):
    def __init__(self, called: Any) -> None:
        super().__init__()
        self.called = called

    def forward(self, *given: torch.Tensor) -> Any:
        return self.called(*given)


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    rows = []
    for names, called, shapes in CASES:
        prepared = vision(called) if isinstance(called, str) else (called, tensors(shapes))
        if prepared is None:
            continue
        first, *others = names.split()
        module = Call(prepared[0]).eval()
        row = {"name": first, "also": others, "onnx": [*dynamo(module, prepared[1])],
               "onnx-legacy": [*merged(legacy(module, prepared[1]))], **aten(module, prepared[1])}  # fmt: skip
        rows.append({key: value for key, value in row.items() if value})
        print(json.dumps(rows[-1]), flush=True)
    head = {
        "source": f"exports made with torch {torch.__version__}, benchmarks/targets/torch_operators.py",
        "fields": "name; onnx, onnx-legacy: from which opset which operators are written, null"
        " where the export is refused; aten: what torch.export finds",
    }
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    head_lines = "".join(f" {json.dumps(k)}: {json.dumps(v)},\n" for k, v in head.items())
    FILE.write_text("{\n" + head_lines + ' "rows": [\n' + lines + "\n ]\n}\n")


def tensors(shapes: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    return tuple(s if isinstance(s, torch.Tensor) else torch.rand(s) * 0.8 + 0.1 for s in shapes)


def vision(name: str) -> tuple[Any, tuple[torch.Tensor, ...]] | None:
    """The operators of torchvision, where it is installed."""
    try:
        from torchvision import ops
    except ImportError:
        return None
    boxes = torch.tensor([[0.0, 0, 4, 4], [1, 1, 5, 5]])
    if name == "nms":
        return (lambda b, s: ops.nms(b, s, 0.5)), (boxes, torch.tensor([0.5, 0.6]))
    if name == "roi_align":
        return (lambda x, b: ops.roi_align(x, [b], 2)), (torch.rand(1, 4, 8, 8), boxes)
    return (lambda x, o, w: ops.deform_conv2d(x, o, w)), (
        torch.rand(1, 4, 8, 8), torch.rand(1, 18, 6, 6), torch.rand(3, 4, 3, 3))  # fmt: skip


def legacy(module: nn.Module, given: tuple[torch.Tensor, ...]) -> Iterator[tuple[int, Any]]:
    for opset in LEGACY:
        file = io.BytesIO()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                torch.onnx.export(module, given, file, dynamo=False, opset_version=opset)
        except Exception:
            yield opset, None
        else:
            yield opset, used(onnx.load_from_string(file.getvalue()))


def dynamo(module: nn.Module, given: tuple[torch.Tensor, ...]) -> Iterator[list[Any]]:
    def each() -> Iterator[tuple[int, Any]]:
        for opset in DYNAMO:
            try:  # a program with sizes of its data can be written only once
                program = torch.export.export(module, given, strict=False)
                with contextlib.redirect_stdout(io.StringIO()):
                    made = torch.onnx.export(
                        program, dynamo=True, opset_version=opset, verbose=False
                    )
            except Exception:
                yield opset, None
            else:
                assert made is not None
                yield opset, used(made.model_proto)

    yield from merged(each())


def merged(found: Iterator[tuple[int, Any]]) -> Iterator[list[Any]]:
    last: Any = ()
    for opset, operators in found:
        if operators != last:
            yield [opset, operators]
        last = operators


def aten(module: nn.Module, given: tuple[torch.Tensor, ...]) -> dict[str, list[str]]:
    try:
        return {"aten": called(torch.export.export(module, given, strict=False))}
    except Exception:
        return {}


def called(program: Any) -> list[str]:
    names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    return sorted({name for name in names if name.startswith("aten.")} - BOOKKEEPING)


def used(model: onnx.ModelProto) -> list[str]:
    functions = {(f.domain, f.name): f for f in model.functions}

    def walk(nodes: Any) -> Iterator[str]:
        for node in nodes:
            if inner := functions.get((node.domain, node.op_type)):
                yield from walk(inner.node)
                continue
            yield (
                node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"
            )
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    yield from walk(attribute.g.node)

    return sorted(set(walk(model.graph.node)) - GLUE)


if __name__ == "__main__":
    main()
