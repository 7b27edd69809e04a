# profile: torch.export
from torch import nn


class Net(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.lstm = nn.LSTM(8, 8)  # hit
        self.gru = nn.GRU(8, 8, batch_first=True)  # hit
        self.rnn = nn.RNN(8, 8, batch_first=True)  # hit
        self.any = nn.GRU(8, 8, batch_first=first)  # hit
        self.projected = nn.LSTM(8, 8, batch_first=True, proj_size=4)
