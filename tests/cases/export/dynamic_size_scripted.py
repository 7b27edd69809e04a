# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def fold(x):
    return x.view(int(x.size(0)) * len(x), -1)


def fold_in_python(x):
    return x.view(int(x.size(0)), -1)  # hit


class Net(nn.Module):
    def forward(self, x):
        return fold(x), fold_in_python(x)


class Spectrum(nn.Module):
    """A signal's length varies, and so how many windows it gives."""

    def forward(self, wav):
        parts = torch.stft(wav, 512, 128, torch.hann_window(512), onesided=True, return_complex=False)
        kept = min(parts.shape[2], 100)  # hit
        return parts[:, :, :kept] + int(parts.shape[1])
