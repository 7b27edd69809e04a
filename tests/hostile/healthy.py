"""Nothing is wrong with this one, and all that a run shows of it is shown."""

from torch import nn


class Healthy(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        count = int(x.shape[0])  # LT101
        return self.conv(x).view(count, -1)
