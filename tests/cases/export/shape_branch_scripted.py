# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def double(x):
    if x.size(2) > 4:
        return x * 2
    return x


def double_in_python(x):
    if x.size(2) > 4:  # hit
        return x * 2
    return x


class Net(nn.Module):
    def forward(self, x):
        return double(x) + double_in_python(x)
