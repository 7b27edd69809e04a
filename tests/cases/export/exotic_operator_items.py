# profile: onnx-legacy@9
import torch
from torch import nn


class Filled(nn.Module):
    def forward(self, x):
        x = x.flatten(1)
        kept = torch.zeros_like(x)
        kept[:, 0] = x[:, 1]  # hit
        kept[..., 2] += 1  # hit
        kept[x > 0] = 0  # hit
        kept = kept.index_put((torch.tensor([0]),), x[:1])  # hit
        names = {}
        names["x"] = x
        power = torch.stft(x, 16, return_complex=False)  # hit
        return kept, names["x"], power
