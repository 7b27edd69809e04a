# profile: onnx-legacy torchscript-script
import torch
from torch import nn
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        energy = self.lin(x).sum()
        (force,) = grad(energy, x)  # hit
        force = torch.autograd.grad(energy, [x])[0]  # hit
        energy.backward()  # hit
        y = checkpoint(self.lin, x)  # hit
        if self.training:
            y = checkpoint(self.lin, x)
        return force + x.grad + y


class EnergyLoss(nn.Module):
    def forward(self, x, target):
        return grad((x - target).sum(), x)[0]


def step(loss, optimizer):
    loss.backward()


class Forces(nn.Module):
    def __init__(self, differentiate=torch.autograd.grad):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.differentiate = differentiate

    def forward(self, x):
        with torch.enable_grad():
            energy = self.lin(x).sum()
            force = self.differentiate(outputs=energy, inputs=x)[0]  # hit
        return force, self.push(energy)

    def push(self, energy):
        run = energy.backward
        run()  # hit
        return energy
