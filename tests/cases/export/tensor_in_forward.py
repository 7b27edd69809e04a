import torch
from torch import Tensor, nn


class OnCpu(nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        x = x + torch.zeros(3)  # hit
        y = torch.arange(y.shape[1]) * y  # hit
        pos = torch.linspace(0, 1, 3)
        y = y * pos  # hit
        mask = torch.arange(3)[None] < y
        z = y - torch.tensor([1.0, 2.0, 3.0])  # hit
        n = y.view(-1, 3) + torch.ones(y.shape[0], 3)  # hit
        both = torch.tensor([x.max(), x.min()])  # hit
        one = torch.FloatTensor([y[0, 0]])  # hit
        return x, y, mask, z, n, both, one


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x: Tensor, y: Tensor, shape):
        x = x + torch.zeros(3, device=x.device) + torch.tensor(2.0) + torch.zeros(())
        x = x + torch.zeros_like(x) + torch.zeros(3).to(x.device) + torch.ones(3).type_as(x)
        x = x[torch.arange(3)] + x.new_zeros(3)
        pos = torch.arange(3)
        pos = pos.to(x.device)
        x = x + pos
        with torch.device(x.device):
            x = x + torch.zeros(3)
        x = x + torch.zeros(*shape) + torch.zeros(shape)
        if self.training:
            x = x + torch.randn(3)
        count = torch.ones(3) + torch.arange(3) + torch.tensor([x.shape[0], 1])
        count = count + torch.arange(3) * y.cpu()
        for i in range(3):
            count = count * torch.linspace(0, 1, 3) + i
        return x, count


def shifted(x: Tensor):
    return x + torch.zeros(3)
