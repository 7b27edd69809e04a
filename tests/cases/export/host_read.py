# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math

import torch
from torch import Tensor, nn


class Reads(nn.Module):
    def forward(self, x: Tensor, lengths):
        x = x * x.max().item()  # hit
        n = int(lengths.max())  # hit
        x = x / float(x.abs().sum())  # hit
        for i in range(lengths[0].item()):  # hit
            x = x + i
        a, b = x.split(lengths.tolist())  # hit
        scale = math.sqrt(x.pow(2).sum().item())  # hit
        k = int(x.argmax().item())  # hit
        rows = x.detach().cpu().numpy()  # hit
        return x[:, :n] * scale + a * b, k, torch.from_numpy(rows), self.last(x)

    @staticmethod
    def last(x: Tensor):
        return [x[i, int(x[i].argmax())] for i in range(3)]  # hit


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.register_buffer("count", torch.tensor(3))

    def forward(self, x: Tensor, p):
        b, c, h, w = x.shape
        n = int(h * 0.5) + int(x.shape[2]) + int(torch.tensor(x.size(0)).item())
        if x.max().item() > 1:
            x = x * 2
        print(f"{x.mean().item()}", x.sum().item())
        assert x.max().item() < 4
        for i in torch.arange(3).tolist():
            x = x + i
        steps = torch.linspace(0, 1, 4)
        x = x * float(self.scale) * int(p) * int(self.count) + steps[1].item()
        mask = x.bool().float().int()
        if self.training:
            x = x * x.mean().item()
        most = x.max().item()
        if most > 3:
            raise ValueError(f"{most}")
        return x, math.sqrt(c), n, mask, x.to(torch.int)

    def summary(self, x: Tensor):
        return x.mean().item()


class ScaleLoss(nn.Module):
    def forward(self, x, target):
        return x.sum() * target.sum().item()
