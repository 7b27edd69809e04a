# profile: onnx torchscript-trace
import torch
from torch import nn


class Fed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 8)
        self.plain = nn.GRU(8, 8, batch_first=True)
        self.fed = nn.GRU(8, 8, batch_first=True)
        self.started = nn.LSTM(8, 8, batch_first=True)

    def forward(self, steps, ids):
        state = torch.zeros(1, steps.size(0), 8)
        a, _ = self.plain(steps)
        b, _ = self.fed(self.table(ids))  # hit
        c, _ = self.started(steps, (state, state))  # hit
        return a, b, c
