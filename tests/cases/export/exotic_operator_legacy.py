# profile: onnx-legacy@12
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        a = torch.fft.rfft2(x).abs()  # hit
        b = torch.polar(x, x)  # hit
        c = torch.tril(x)  # hit
        d = torch.einsum("ij,jk->ik", x, x)
        e = x.relu().cummax(-1)  # hit
        f = F.scaled_dot_product_attention(x, x, x)  # hit
        g = F.unfold(x, 2)
        h = torch.linalg.inv(x)  # hit
        i = F.max_unpool2d(x, x, 2)  # hit
        j = x.relu().trace()  # hit
        k = torch.fft.fftfreq(4)
        l = torch.renorm(x, 2, 0, 1.0)  # hit
        return a + b + c + d + e + f + g + h + i + j + k + l
