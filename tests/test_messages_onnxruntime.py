"""Messages that the installed onnxruntime raises itself are answered by their cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper
from onnxruntime import quantization
from onnxruntime.tools.onnx_model_utils import make_input_shape_fixed

from lintorch.messages import recognise, unify_text


class Samples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Gives what it was made with, once."""

    def __init__(self, items: list[Mapping[str, Any]]) -> None:
        self.items: Iterator[Mapping[str, Any]] = iter(items)

    def get_next(self) -> Mapping[str, Any] | None:
        return next(self.items, None)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    weight = numpy_helper.from_array(np.ones((4, 3), dtype=np.float32), "W")
    node = helper.make_node("Gemm", ["x", "W"], ["y"], name="gemm", transB=1)
    given = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 3])]
    told = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 4])]
    graph = helper.make_graph([node], "g", given, told, [weight])
    opsets = [helper.make_opsetid("", 17)]
    written = str(tmp_path_factory.mktemp("misused") / "m.onnx")
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), written)
    return written


def quantize(path: str, samples: Any, **settings: Any) -> None:
    out = str(Path(path).with_name("out.onnx"))
    quantization.quantize_static(path, out, samples, **settings)


SAMPLE: dict[str, Any] = {"x": np.zeros((1, 3), dtype=np.float32)}
SIGNED = {
    "activation_type": quantization.QuantType.QInt8,
    "weight_type": quantization.QuantType.QUInt8,
}
MISUSED: dict[str, Callable[[str], object]] = {
    "calibration-unfed": lambda path: quantize(path, Samples([])),
    "calibration-reader": lambda path: quantize(path, [{}]),
    "calibration-reader of none": lambda path: quantize(path, None),
    "quantize-types": lambda path: quantize(path, Samples([SAMPLE]), **SIGNED),
    "quantize-release": lambda path: quantization.quantize_dynamic(path, path, optimize_model=True),
    "fix-shape": lambda path: make_input_shape_fixed(onnx.load(path).graph, "image", [1, 3]),
    "fix-shape of a size": lambda path: make_input_shape_fixed(onnx.load(path).graph, "x", [1, 4]),
    "session-argument": lambda path: ort.InferenceSession(onnx.load(path)),
}


@pytest.mark.parametrize("name", MISUSED)
def test_what_onnxruntime_raises_is_answered_by_its_cause(name: str, path: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of any kind
        MISUSED[name](path)
    text = f"{type(raised.value).__name__}: {raised.value}"
    (first, *_) = recognise(unify_text(text))
    assert first.kind.full_name == f"onnxruntime/{name.partition(' ')[0]}", text
