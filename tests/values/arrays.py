"""Arrays of NumPy whose shapes are said by sizes."""

import numpy as np
import torch
from torch import nn


class Windowed(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(16, 4)

    def forward(self, x):
        b, t, d = x.shape
        window = np.hanning(t)  # value: array[x.1]
        ramp = np.linspace(0, 1, t)  # value: array of float64[x.1]
        empty = np.zeros((t, 3), dtype=np.float32)  # value: array of float32[x.1, 3]
        square = np.eye(t)  # value: array of float64[x.1, x.1]
        above = np.triu(np.ones((1, t, t)), k=1)  # value: array[1, x.1, x.1]
        lines = np.arange(t)  # value: array[x.1]
        steps = np.arange(0, t, 2)  # value: array[...]
        scaled = 2 * window + 1  # value: array[x.1]
        table = torch.tensor(ramp, dtype=torch.float32)  # value: float32[x.1]
        seen = torch.from_numpy(above)  # value: tensor[1, x.1, x.1]
        return self.proj(x), empty, square, lines, steps, scaled, table, seen
