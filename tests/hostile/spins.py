"""Never comes back, and is never idle."""

from torch import nn


class Net(nn.Module):  # LT007 it did not finish within 5 s
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        while True:
            pass
        return self.conv(x)
