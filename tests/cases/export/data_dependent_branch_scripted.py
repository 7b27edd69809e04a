# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def double(x):
    if bool(x.sum() > 0):
        return x * 2
    return x


def double_in_python(x):
    if x.sum() > 0:  # hit
        return x * 2
    return x


class Net(nn.Module):
    def forward(self, x):
        return double(x) + double_in_python(x)
