# profile: onnx-legacy
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Last(nn.Module):
    """Of a pack that nobody unpacks."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)  # hit
        _, (last, _) = self.rnn(packed)
        return last[-1]


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, (last, _) = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return out, last[-1]


class Handed(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, x, lengths):
        return self.head(pack_padded_sequence(x, lengths, batch_first=True))
