# profile: onnx-legacy
import torch
from torch import nn


class Masks(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        x = self.layer(x)
        truths = x > 0.5
        below = torch.ones(4, 4).tril().type(torch.ByteTensor)
        both = truths | (x > 0.1).byte()  # hit
        either = below ^ truths  # hit
        kept = below & truths
        last = x.type(torch.IntTensor) | 3
        return both, either, kept, truths & (x < 2) | ~truths, last
