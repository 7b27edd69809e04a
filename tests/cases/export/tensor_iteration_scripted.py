# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def smooth(x):
    out = torch.zeros_like(x)
    for i in range(x.size(0)):
        out = out + x * float(i)
    for row in x:
        out = out + row
    return out


def smooth_in_python(x):
    out = torch.zeros_like(x)
    for i in range(x.size(0)):  # hit
        out = out + x * float(i)
    return out


class Net(nn.Module):
    def forward(self, x):
        return smooth(x) + smooth_in_python(x)
