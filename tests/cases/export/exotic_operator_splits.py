# profile: onnx-legacy
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(32, 32)
        self.norm = nn.LayerNorm(32)

    def forward(self, image):
        x = self.fc(image)
        b, n, c = x.shape
        rows = x.view(x.size(0), -1, 32)
        first = rows.split(10, 2)  # hit
        again = torch.split(rows.relu() + 1, 10, dim=-1)  # hit
        turned = rows.permute(0, 2, 1).split(split_size=12, dim=1)  # hit
        normed = self.norm(rows).split(10, 2)  # hit
        flat = x.unsqueeze(1).flatten(1, 2).split(10, 2)  # hit
        shown = x.expand(b, n, 32).split(10, 2)  # hit
        even = rows.split(8, 2)
        whole = rows.split(32, 2)
        listed = rows.split([10, 10, 12], 2)
        chunks = rows.chunk(5, 2)
        named = x.view(b, n, 32).split(10, 2)
        linear = self.fc(rows).split(10, 2)
        joined = torch.cat((rows, x), 1).split(10, 2)
        return first, again, turned, normed, flat, shown, even, whole, listed, chunks, named, linear, joined
