# profile: onnx
from torch import nn


class Net(nn.Module):
    def __init__(self, first, **options):
        super().__init__()
        self.lstm = nn.LSTM(8, 8)  # hit
        self.gru = nn.GRU(8, 8, 1, True, True)
        self.same = nn.GRU(8, 8, batch_first=True, bidirectional=True)
        self.rnn = nn.RNN(8, 8, batch_first=True)  # hit
        self.any = nn.GRU(8, 8, batch_first=first)
        self.hidden = nn.GRU(8, 8, **options)
        self.projected = nn.LSTM(8, 8, batch_first=True, proj_size=4)  # hit
        self.plain = nn.LSTM(8, 8, batch_first=True, proj_size=0)
