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


class Base(nn.Module):
    def start(self, width, batch=16):
        return torch.randn(1, batch, width)  # hit


class Spelled(Base):
    features = 64 * 5 * 5

    def __init__(self, batch=4, kind=nn.GRU):
        super().__init__()
        self.rnn = kind(8, 16, batch_first=True)
        self.lstm = nn.LSTM(input_size=8, hidden_size=16)
        self.cell = nn.LSTMCell(8, 16)
        self.body = nn.Sequential(nn.Conv2d(1, 64, 3), nn.ReLU(), nn.Dropout(0.1))
        self.sizes = {"rows": -1}
        self.batch = batch

    def forward(self, x, steps):
        state = self.start(16)
        out, _ = self.rnn(steps, hx=state)
        pair = [torch.zeros(1, self.batch, 16) for _ in range(2)]  # hit
        out, _ = self.lstm(steps, tuple(pair))
        h, c = torch.zeros(8, 16), torch.zeros(8, 16).type_as(x)  # hit
        h, c = self.cell(steps[0], (h, c))
        maps = self.body(x)
        rows = maps.view((-1, self.features))  # hit
        flat = torch.relu(maps).reshape(self.sizes["rows"], 1600)  # hit
        return out, h, c, rows, flat


class Fine(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16)
        self.body = nn.Conv2d(1, 16, 3)
        self.pool = nn.AdaptiveAvgPool2d((5, 5))
        self.state = nn.Parameter(torch.zeros(1, 4, 16))

    def forward(self, x, steps):
        shape = (1, steps.size(1), 16)
        out, last = self.rnn(steps, torch.zeros(shape, device=steps.device))
        out, last = self.rnn(steps, last)
        out, last = self.rnn(steps, steps.new_zeros(1, steps.shape[1], 16))
        out, last = self.rnn(steps)
        maps = self.body(x)
        rows = self.pool(maps).view(-1, 16 * 5 * 5)
        b, c, h, w = maps.shape
        pixels = maps.view(-1, c)
        return out, rows, pixels, maps.flatten(1), maps.view(b, 16, -1)


class WrittenBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = nn.Conv2d(3, 8, 3, 2)
        self.score = nn.Linear(8 * 15 * 15, 10)

    def forward(self, x, groups=4):
        maps = self.maps(x)
        mixed = maps.view(groups, -1).sum() + maps.reshape(1, -1).sum()
        return self.score(torch.relu(maps).view(4, -1)) + mixed  # hit


class KeptBatch(nn.Module):
    def __init__(self, batch_size=8, groups=4):
        super().__init__()
        self.batch_size, self.groups = batch_size, groups
        self.maps = nn.Conv2d(3, 8, 3, 2)
        self.score = nn.Linear(8 * 15 * 15, 10)

    def forward(self, x):
        maps = self.maps(x)
        mixed = maps.view(self.groups, -1).sum()
        return self.score(maps.view(self.batch_size, -1)) + mixed  # hit


class OfOneSize(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims = dims
        self.conv = nn.Conv2d(4, 32, 3, stride=2)
        self.head = nn.Linear(288, 4)

    def forward(self, x):
        x = x.view(x.size(0), self.dims[0], self.dims[1], self.dims[1])
        x = self.conv(x)
        x = x.view(-1, 288)
        return self.head(x)
