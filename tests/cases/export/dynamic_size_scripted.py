# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def fold(x):
    return x.view(int(x.size(0)) * len(x), -1)


def fold_in_python(x):
    return x.view(int(x.size(0)), -1)  # hit


class Net(nn.Module):
    def forward(self, x):
        return fold(x), fold_in_python(x)
