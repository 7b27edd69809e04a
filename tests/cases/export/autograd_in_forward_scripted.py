# profile: torchscript-script
import torch
from torch import nn


class Forces(nn.Module):
    def __init__(self):
        super().__init__()
        self.energy = nn.Linear(3, 1)

    def forward(self, places):
        energy = self.energy(places).sum()
        return torch.autograd.grad([energy], [places], create_graph=self.training)[0]


class Derivatives(nn.Module):
    def forward(self, energy: torch.Tensor, inputs: dict[str, torch.Tensor]):
        return torch.autograd.grad([energy], [inputs[name] for name in ("a", "b")])


class Slopes(nn.Module):
    def forward(self, x):
        return torch.autograd.grad((x**2).sum(), x)[0]  # hit
