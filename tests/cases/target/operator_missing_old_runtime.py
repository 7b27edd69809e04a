# profile: onnx-legacy@9 # target: tensorrt-5.1.5
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.PReLU(8)  # hit
        self.leaky = nn.LeakyReLU()
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.leaky(self.act(x)))
