import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        hidden = scores.masked_fill(mask == 0, -1e9)  # hit
        shown = scores.masked_fill(mask == 0, -1e4)
        full = scores.float().masked_fill(mask == 0, -1e9)
        return hidden.softmax(-1), shown, full


def step(model, x, mask):
    with torch.autocast("cuda", dtype=torch.float16):
        return model(x, mask)


if __name__ == "__main__":
    step(Attention(), torch.randn(2, 3, 4), torch.ones(2, 3, 3))
