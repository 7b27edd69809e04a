import torch
from torch import nn
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pack_padded_sequence as pack


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(8, 2)

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (h, c) = self.rnn(packed)
        last = out[:, -1]  # hit
        mean = out.mean(1)  # hit
        wide = self.drop(out)  # hit
        padded, lengths = rnn.pad_packed_sequence(out, batch_first=True)
        data = self.head(out.data)
        return last, mean, wide, self.head(padded), padded[:, -1], self.head(h[-1]), data


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.GRU(4, 4), nn.GRU(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x, lengths):
        out, _ = self.first(pack(x, lengths))
        out, h = self.second(out)
        plain, _ = self.first(x)
        return self.head(h), self.head(plain), torch.cat([plain, plain])


class ToldApart(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, batch_first=True)

    def forward(self, x, lengths):
        return self.run(pack(x, lengths, batch_first=True))

    def run(self, given):
        many = given[1][0] if isinstance(given, rnn.PackedSequence) else given.size(0)
        return self.rnn(given), many
