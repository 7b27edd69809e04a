# profile: torch.export
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)

    def forward(self, sound):
        x = self.conv(sound).flatten(0, 1)
        samples = x.shape[-1]
        window = torch.hann_window(16)
        spectrum = torch.stft(x, 16, 4, window=window, return_complex=True)
        a = torch.istft(spectrum, 16, 4, window=window, length=samples)  # hit
        b = torch.istft(spectrum, 16, 4, window=window)[..., :samples]
        return a, b, torch.istft(spectrum, 16, 4, window=window, length=64)
