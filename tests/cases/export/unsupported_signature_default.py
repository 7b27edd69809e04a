from collections import OrderedDict

import torch
from torch import nn


class Bag(OrderedDict):
    pass


class Dict(nn.Module):
    def forward(self, x):
        return {"a": x, "b": x + 1}


class Nothing(nn.Module):
    def forward(self, x):
        return x, None


class Number(nn.Module):
    def forward(self, x):
        return x, 3  # hit


class OnlyTraced(nn.Module):
    def forward(self, x):
        return x, 3  # hit


class Bagged(nn.Module):
    def forward(self, x, *, scale=1):
        return Bag(a=x)  # hit


class Kind(nn.Module):
    def __init__(self, big):
        super().__init__()
        self.big = big

    def forward(self, x, k):
        if self.big:
            return x
        return x, k, 3


torch.onnx.export(Dict(), (torch.ones(1),), "d.onnx")
torch.onnx.export(Nothing(), (torch.ones(1),), "d.onnx", output_names=["x", "y"])
torch.onnx.export(Number(), (torch.ones(1),), "d.onnx")
torch.onnx.export(Kind(True), (torch.ones(1), 2), "d.onnx")
torch.jit.trace(OnlyTraced(), torch.ones(1), strict=False)
torch.export.export(Number(), (torch.ones(1),))


class MaskedTensors:
    def __init__(self, tensors, mask):
        self.tensors, self.mask = tensors, mask


class Backbone(nn.Module):
    """It is given what it gives: other code of the model does so."""

    def forward(self, nested: MaskedTensors):
        return {0: MaskedTensors(nested.tensors * 2, nested.mask)}


class Whole(nn.Module):
    def forward(self, x):
        return MaskedTensors(x * 2, x > 0)  # hit
