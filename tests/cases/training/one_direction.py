import torch
from torch import nn


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 16, batch_first=True, bidirectional=True)
        self.plain = nn.LSTM(8, 16, batch_first=True)

    def forward(self, x):
        _, (state, _) = self.rnn(x)
        _, (last, _) = self.plain(x)
        return state[-1] + last[-1]  # hit


class Both(Words):
    def forward(self, x):
        _, (state, _) = self.rnn(x)
        return torch.cat([state[0], state[-1]], dim=1)


class Output(Words):
    def forward(self, x):
        out, (state, _) = self.rnn(x)
        return out.mean(1), state[-1]
