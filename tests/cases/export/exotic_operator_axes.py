# profile: onnx onnx-legacy@17
import torch
from torch import nn


class Squeezed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 3, 3)
        self.single = nn.Conv2d(8, 1, 3)
        self.weight = nn.Parameter(torch.ones(4, 6))
        self.wide = nn.Parameter(torch.ones(1, 3, 4, 6))

    def forward(self, x):
        x = self.conv(x)
        three = x.squeeze(1)  # hit
        named = torch.squeeze(x, dim=1)  # hit
        several = x.mean((2, 3), keepdim=True).squeeze((2, 3))  # hit
        one = self.single(x).squeeze(1), x.mean(1, keepdim=True).squeeze(1), x.squeeze()
        height = x[:, :, :1].squeeze(2), x.squeeze(2), x.squeeze(0)
        last = x[..., :6]
        apart = torch.einsum("...id,...jd->...ij", last, self.weight)  # hit
        alone = torch.einsum("...id,jd->...ij", last, self.weight)
        alike = torch.einsum("...id,...jd->...ij", last, self.wide)
        return three, named, several, one, height, apart, alone, alike
