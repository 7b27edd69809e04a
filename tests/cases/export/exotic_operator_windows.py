# profile: onnx-legacy@17
import torch
from torch import nn


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(8)
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, image):
        patches = image.unfold(2, 4, 4)  # hit
        rows = torch.Tensor.unfold(image.flatten(2), dimension=-1, size=3, step=1)  # hit
        cells = self.pool(image).unfold(2, 4, 4).unfold(3, 4, 4)
        channels = image.permute(0, 2, 3, 1).unfold(-1, 3, 1)  # hit
        front = image.permute(0, 2, 3, 1).unfold(3, 3, 1)
        return patches.sum() + rows.sum() + cells.sum() + channels.sum() + front.sum()


class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, wave):
        wave = wave.flatten(1)
        power = torch.stft(wave, 16, window=self.window, return_complex=True).abs()  # hit
        parts = torch.stft(wave, 16, window=self.window, return_complex=False)
        other = wave.stft(16, 8, return_complex=False)
        wave[:, 0] = 0
        return power, parts, other, wave


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.pad = nn.ReplicationPad1d((0, 8))
        self.embed = nn.Linear(12, 96)
        self.project = nn.Linear(16, 8)

    def forward(self, x):
        x = self.embed(x)
        plain = x.unfold(-1, 16, 8)  # hit
        front = x.unfold(2, 16, 8)
        padded = self.pad(x).unfold(dimension=-1, size=16, step=8)  # hit
        also = nn.functional.pad(x, (0, 8)).unfold(-1, 16, 8)  # hit
        return self.project(plain).mean() + front.mean() + self.project(padded) + self.project(also)
