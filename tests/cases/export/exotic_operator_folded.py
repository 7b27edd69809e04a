# profile: onnx-legacy@17
import torch
from torch import nn


class AtanhOfConstant(nn.Module):
    def forward(self, x):
        return x + torch.atanh(torch.tensor([0.3, 0.2]))


class AtanhOfSpaced(nn.Module):
    def forward(self, x):
        return x + torch.atanh(torch.linspace(0, 0.5, 2))


class AtanhOfPlain(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.tensor([0.3, 0.2])

    def forward(self, x):
        return x + torch.atanh(self.steps / 2)


class AtanhOfUnsaved(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.tensor([0.3, 0.2]), persistent=False)

    def forward(self, x):
        return x + torch.atanh(self.steps / 2)


class AtanhOfBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.tensor([0.3, 0.2]))

    def forward(self, x):
        return x + torch.atanh(self.steps / 2)  # hit


class AtanhOfSizes(nn.Module):
    def forward(self, x):
        return x + torch.atanh(torch.full((x.shape[0], 2), 0.3))  # hit


class AtanhOfWeight(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.Parameter(torch.tensor([0.3, 0.2]))

    def forward(self, x):
        drawn = torch.atanh(torch.rand(2) / 2)  # hit
        return x + torch.atanh(self.steps) + drawn  # hit
