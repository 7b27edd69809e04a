# profile: torchscript-trace # target: coreml-9.0 ncnn-20261020
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.celu = nn.CELU()  # hit
        self.shrink = nn.Softsign()  # hit
        self.prelu = nn.PReLU()

    def forward(self, x: torch.Tensor):
        return self.prelu(self.shrink(self.celu(x)))
