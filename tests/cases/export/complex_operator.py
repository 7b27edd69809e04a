# profile: onnx torch.export torchscript-trace
import torch
from torch import nn


class Filtered(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(8, 8, dtype=torch.cfloat))
        self.plain = nn.Parameter(torch.rand(8, 8))

    def mix(self, part):
        return torch.einsum("bci,co->boi", part, self.weight)  # hit

    def forward(self, x):
        spectrum = torch.fft.rfft2(x)
        low = self.mix(spectrum[..., :4])
        out = torch.zeros(2, 8, 9, dtype=torch.cfloat)
        out[:, :, :4] = low  # hit
        one = spectrum[:, 0]  # hit
        wide = spectrum[..., None]  # hit
        squared = spectrum**2  # hit
        grown = torch.exp(spectrum)  # hit
        turned = spectrum.transpose(1, 2).roll(1, 1)
        kept = spectrum * self.weight[0], spectrum @ self.weight, spectrum.abs(), spectrum.conj()  # hit
        parts = torch.exp(spectrum.real), spectrum.abs()[:, 0], spectrum.angle() ** 2
        real = torch.einsum("bci,co->boi", x, self.plain), torch.exp(x), x[:, 0]
        return low, out, one, wide, squared, grown, turned, kept, parts, real


class Rotated(nn.Module):
    def forward(self, x, angle):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        turn = torch.polar(torch.ones_like(angle), angle)
        turned = pairs * turn.unsqueeze(0)  # hit
        return torch.view_as_real(pairs * turn), torch.view_as_real(turned)


class OldPairs(nn.Module):
    def forward(self, psf):
        otf = torch.rfft(psf, 2, onesided=False)
        otf[..., 1][torch.abs(otf[..., 1]) < 1e-15] = 0.0
        return otf


class Chosen(nn.Module):
    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        out = torch.zeros(2, 8, 9, dtype=torch.cfloat)
        for place in range(4):
            if place >= out.shape[2]:
                continue
            out[:, :, place] = torch.complex(spectrum.real[:, :, place], spectrum.imag[:, :, place])  # hit
        return torch.fft.irfft(out)
