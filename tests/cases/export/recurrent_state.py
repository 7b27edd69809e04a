import torch
from torch import nn
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Net(nn.Module):
    def __init__(self, first, **options):
        super().__init__()
        self.lstm = nn.LSTM(8, 8)  # hit
        self.gru = nn.GRU(8, 8, batch_first=True)
        self.rnn = nn.RNN(8, 8, batch_first=True)
        self.projected = nn.LSTM(8, 8, batch_first=True, proj_size=4)  # hit
        self.cell = nn.LSTMCell(8, 8)
        self.any = nn.GRU(8, 8, batch_first=first)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)  # hit
        out, _ = self.gru(packed)
        out, lengths = pad_packed_sequence(out, batch_first=True)
        packed = rnn.pack_sequence([x[0], x[1]])  # hit
        h = x.new_zeros(1, x.size(0), 8)
        return self.lstm(out, (h, h))[0]


class CTCLoss(nn.Module):
    def forward(self, x, target):
        return pack_padded_sequence(x, target)


def collate(batch):
    return rnn.pack_sequence(batch)


layer = nn.LSTM(8, 8)
