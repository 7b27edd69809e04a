# profile: onnx torch.export
import torch
from torch import nn


class Bands(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.conv = nn.Conv1d(66, 66, 1)

    def forward(self, wave):
        pairs = torch.stft(wave, 64, 16, window=self.window)  # hit
        whole = torch.stft(wave, 64, 16, window=self.window, return_complex=True)
        other = wave.stft(64, return_complex=None)  # hit
        return pairs, whole, other

    def back(self, wave: torch.Tensor):
        whole = torch.stft(wave, 64, 16, window=self.window, return_complex=True)
        real = torch.view_as_real(whole)
        again = torch.istft(whole, 64, 16, window=self.window)
        pairs = torch.istft(torch.nn.functional.relu(real), 64, 16, window=self.window)  # hit
        return again, pairs


def settings(wave, **kwargs):
    return torch.stft(wave, 64, **kwargs)


def either(wave):
    try:
        return torch.stft(wave, 64, return_complex=True)
    except TypeError:
        return torch.stft(wave, 64)


def of_complex(wave: torch.Tensor):
    return torch.stft(wave.to(torch.complex64), 64)


def of_unknown(wave):
    return torch.stft(torch.nn.functional.pad(wave, (32, 32)), 64, center=False)  # hit
