import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Linear(16 * 5 * 5, 120)
        self.fold = nn.Linear(16, 4)

    def forward(self, x, sizes):
        x = self.pool(F.relu(self.conv1(x)))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        a = x.view(-1, 16 * 5 * 5)  # hit
        b = self.pool(x).reshape(-1, 400)  # hit
        c = x.view(x.size(0), -1)
        d = x.view(-1, self.num_flat_features(x))
        e = x.permute(0, 2, 3, 1).reshape(-1, 16)
        f = self.fc(a).view(-1, 4)
        g = x.view(*sizes)
        h = x.view(-1)
        if sizes:
            x = torch.cat([x, x])
        i = x.view(-1, 400)
        return a + b + c + d + e + f + g + h + i


class Recurrent(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.rnn = nn.LSTM(8, 16, layers)
        self.cell = nn.GRUCell(8, 16)
        self.layers = layers

    def forward(self, x):
        h = torch.zeros(2, 32, 16)  # hit
        c = torch.zeros((self.layers, 32, 16), device=x.device).to(x)  # hit
        out, _ = self.rnn(x, (h, c))
        one = torch.zeros(2, 1, 16)
        out, _ = self.rnn(x, (one, one))
        own = torch.zeros(2, x.size(1), 16)
        out, _ = self.rnn(x, (own, own))
        s = self.cell(x[0], torch.zeros(32, 16))  # hit
        s = self.cell(x[0], s)
        table = torch.zeros(2, 32, 16)
        return out, s, table.sum()
