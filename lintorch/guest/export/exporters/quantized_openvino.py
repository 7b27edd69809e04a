"""A converted model of OpenVINO in integers of 8 bits, by NNCF, and what its layers give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import torch

from lintorch.guest.export.exporter import Job, explain_missing
from lintorch.guest.export.quantization import Quantization

_LAYER = re.compile(r"^__module\.(?P<layer>.+)/aten::[^/]+/[^/]+$")
"""The name that the frontend gives to operators of a layer."""


def quantize_converted(converted: Any, asked: Quantization, job: Job) -> Any:
    """The model after `nncf.quantize` with its defaults; it prints bars on standard output."""
    if lacking := explain_missing("nncf"):
        raise ImportError(lacking)
    import nncf

    batches = asked.make_batches(job.inputs, job.example)
    given = [[tensor.numpy() for tensor in values] for values in batches]
    with redirect_stdout(StringIO()):
        return nncf.quantize(converted, nncf.Dataset(given), subset_size=len(given))


def read_layers(
    converted: Any, given: Sequence[torch.Tensor], config: Mapping[str, Any]
) -> dict[str, torch.Tensor]:
    """What the last operator of each layer gives; of a layer that is called again, in its last call."""
    import openvino

    whole = converted.clone()
    outputs = {}
    for operator in whole.get_ordered_ops():
        if found := _LAYER.match(operator.get_friendly_name()):
            outputs[found["layer"]] = operator.output(0)
    whole.add_outputs([*outputs.values()])
    results = openvino.compile_model(whole, "CPU", config)([value.numpy() for value in given])
    made = {_name_source(result): number for number, result in enumerate(whole.outputs)}
    return {
        layer: torch.as_tensor(results[made[name]])
        for layer, output in outputs.items()
        if (name := output.node.get_friendly_name()) in made
    }


def _name_source(result: Any) -> str:
    """The operator that gives a result; one that gave one already gets no second."""
    found: str = result.node.input_value(0).node.get_friendly_name()
    return found
