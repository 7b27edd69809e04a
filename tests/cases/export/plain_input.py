from functools import partial

import torch
from torch import nn
from torch.export import Dim
from torch.onnx import export

X = torch.ones(2, 4)
FACTOR = 3


class Scale(nn.Module):
    def forward(self, x, factor=1.0, mode="fast"):
        return x * factor if mode == "fast" else x


def new(path, factor):
    export(Scale(), (X, 3), path)  # hit
    export(Scale(), (X, FACTOR), path, input_names=["x", "factor"])  # hit
    export(Scale(), (X,), path, kwargs={"factor": 2.5})  # hit
    export(Scale(), (X, torch.tensor(3)), path)
    export(Scale(), (X, factor), path)
    export(Scale(), (X, X, "slow"), path)
    export(Scale(), (X, X, "slow"), path, input_names=["x", "factor"])
    export(Scale(), (X, X, "slow"), path, input_names=["x", "factor", "mode"])  # hit
    export(Scale(), (X, 3), path, dynamic_shapes=({0: "batch"}, Dim.DYNAMIC))
    export(Scale(), (X,), path)


def legacy(path):
    to_onnx = partial(export, dynamo=False)
    to_onnx(Scale(), (X, 3), path, input_names=["x", "factor"])
    to_onnx(Scale(), (X, X, "slow"), path)
    to_onnx(Scale(), (X, X, "slow"), path, input_names=["x", "factor", "mode"])  # hit
    to_onnx(Scale(), (X, X, "slow"), path, input_names=["x", "factor"])


def traced(mode):
    inputs = (X, 2.0)
    torch.jit.trace(Scale(), inputs)  # hit
    torch.jit.trace(Scale(), (X, X, "slow"))  # hit
    torch.jit.trace(Scale(), example_inputs=(X, None))  # hit
    torch.jit.trace(Scale(), X)
    torch.jit.trace(Scale(), (X, X))
    torch.jit.trace(Scale(), (X, X, mode))
