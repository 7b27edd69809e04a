"""A loop over time, with a state that is made for the batch."""

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 10)
        self.embed = nn.Embedding(20, 6)

    def forward(self, words):
        state = torch.zeros(words.size(0), 10)
        for step in range(words.size(1)):
            state = self.cell(self.embed(words[:, step]), state)
        return state


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.LSTM(6, 10, batch_first=True, bidirectional=True)

    def forward(self, features):
        out, (hidden, _) = self.layers(features)
        return out[:, -1] + hidden.sum(0).repeat(1, 2)
