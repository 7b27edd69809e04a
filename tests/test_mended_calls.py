"""Export calls whose sizes go by strange names: refused, or fixed in silence, before, and taken after the fix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import find_hazards, settle_twice  # noqa: E402

HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, low):
        return low * 2


class Table(nn.Module):
    def forward(self, batch):
        return batch["a"] + batch["b"]


def run(path):
    low, size = torch.ones(2, 3, 8, 8), torch.export.Dim("n")
    data = {"a": torch.ones(3, 4), "b": torch.ones(3, 4)}
"""
OF_INPUTS = '{"low": {0: "n"}, "high": {0: "n"}}'
NAMES = 'input_names=["image"], output_names=["result"], dynamo=False'


def mend(line: str) -> str:
    return settle_twice(f"{HEAD}    {line}\n", find_hazards)


def test_axes_by_parameters_are_named_as_inputs_and_outputs_are(tmp_path: Path) -> None:
    call = f"return torch.onnx.export(Net(), (low,), path, dynamic_axes={OF_INPUTS}, {NAMES})"
    text = mend(call)
    assert 'dynamic_axes={"image": {0: "n"}, "result": {0: "n"}}' in text
    run(text, f"{tmp_path}/net.onnx")


def test_two_strange_names_of_which_none_is_a_parameter_stay() -> None:
    axes = '{"one": {0: "n"}, "two": {0: "n"}}'
    call = f"return torch.onnx.export(Net(), (low,), path, dynamic_axes={axes}, {NAMES})"
    assert f"dynamic_axes={axes}" in mend(call)


def test_entries_of_one_dictionary_stand_in_that_of_the_input() -> None:
    shapes = '{"a": {0: size}, "b": {0: size}}'
    text = mend(f"return torch.export.export(Table(), (data,), dynamic_shapes={shapes})")
    assert f'dynamic_shapes={{"batch": {shapes}}}' in text
    program = run(text, "")
    assert len(program.range_constraints) == 1


def run(text: str, path: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["run"](path)
