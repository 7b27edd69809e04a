# profile: torchscript-trace torch.export onnx onnx-legacy@17
import torch.nn.functional as F
from torch import nn


def pad_to(x, multiple, dim=-1):
    count = x.shape[dim] / multiple
    if count.is_integer():  # hit
        return x
    return F.pad(x, (0, 0, 0, -x.shape[dim] % multiple))


class Windows(nn.Module):
    def __init__(self, wide, heads=8):
        super().__init__()
        self.heads, self.project = heads, nn.Linear(wide, wide)
        self.even = (heads / 2).is_integer()

    def forward(self, x):
        b, n, d = self.project(x).shape
        whole = not (x.shape[1] / 8).is_integer()  # hit
        bits = x * n.bit_length()  # hit
        wide = (self.heads / 2).is_integer(), self.heads.bit_length(), (7 / 2).is_integer()
        mean = x.mean().item().is_integer()
        return pad_to(x, 16, dim=-2), whole, bits, wide, mean
