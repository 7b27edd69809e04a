# profile: onnx
import torch
from torch import nn


class Filtered(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.weight = nn.Parameter(torch.ones(4, 1, 1))

    def forward(self, image):
        x = self.conv(image)
        height, width = x.shape[-2:]
        spectrum = torch.fft.rfft2(x, norm="ortho")
        a = torch.fft.irfft2(spectrum * self.weight, s=(height, width), norm="ortho")  # hit
        b = torch.fft.irfft2(spectrum, s=(height, width), norm="ortho")
        rows = torch.fft.rfft(x, dim=2)
        c = torch.fft.irfft(rows * rows.conj(), n=height, dim=2)  # hit
        d = torch.fft.irfft(rows * rows.conj(), dim=2)  # hit
        e = torch.fft.irfft(torch.fft.rfft(x, n=32) * 2, n=32)
        f = torch.fft.ifft(torch.fft.fft(x) * 2).real
        return a, b, c, d, e, f
