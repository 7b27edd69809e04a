from torch import nn


class Net(nn.Module):
    """In single precision nothing is gained."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 100)
        self.classes = nn.Linear(100, 10)

    def forward(self, x):
        half = x.shape[0] // 2
        return self.classes(self.hidden(x[:half]))
