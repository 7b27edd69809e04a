import torch
import torch.nn.functional as F
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        h0 = torch.randn(1, x.size(0), 8)  # hit
        out, _ = self.rnn(x, h0)
        return self.head(out)


class RecurrentPair(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, batch_first=True)

    def begin(self, batch):
        return torch.rand(1, batch, 8), torch.zeros(1, batch, 8)  # hit

    def forward(self, x):
        out, _ = self.rnn(x, self.begin(x.size(0)))
        return out


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        x = self.body(x)
        return x + 0.1 * torch.randn_like(x)  # hit


class Scaled(Head):
    def forward(self, x):
        return self.body(x) * torch.bernoulli(torch.full((4,), 0.9))  # hit


class Filled(Head):
    def forward(self, x):
        return self.body(x) + torch.empty(4).normal_()  # hit


class OwnGenerator(Head):
    def forward(self, x):
        return self.body(x) + torch.rand(4, generator=torch.Generator())


class InTraining(Head):
    def forward(self, x):
        x = self.body(x)
        if self.training:
            x = x + torch.randn_like(x)
        return x


class LeavesEarly(Head):
    def forward(self, x):
        x = self.body(x)
        if not self.training:
            return x
        return x * torch.rand(x.shape[0], 1)


class Unused(Head):
    def forward(self, x):
        x = self.body(x)
        other = torch.rand(3)
        return x + torch.zeros_like(torch.randn_like(x)) + other.size(0)


class Asked(Head):
    def forward(self, x, shake):
        x = self.body(x)
        if shake:
            x = x + torch.randn_like(x)
        return x


class AsksArgument(Head):
    def forward(self, x, start=None):
        if start is None:
            start = torch.zeros(4)
        return self.body(x) + start


class Noise(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x)


class Samples(Head):
    def sample(self, count):
        return self.body(torch.randn(count, 4))

    def forward(self, x):
        return self.body(x)


class Begins(Head):
    def __init__(self):
        super().__init__()
        self.start = torch.randn(4)
        self.scale = nn.Parameter(torch.rand(4))

    def forward(self, x):
        return self.body(x) * self.scale + self.start


class Reparameterized(Head):
    def reparameterize(self, mean, spread):
        return mean + spread * torch.randn_like(spread)

    def forward(self, x):
        return self.reparameterize(self.body(x), self.body(x).exp())


class Drops(Head):
    def forward(self, x):
        return F.dropout(self.body(x), 0.1, training=self.training)


class Objective(Head):
    def forward(self, x, weight=1.0):
        noise = torch.randn_like(x)
        loss = F.mse_loss(self.body(x + noise), noise, reduction="none") * weight
        return loss.mean(), noise


class Objectives(Head):
    def forward(self, x):
        noise = torch.randn_like(x)
        batchwise_mse = ((self.body(x + noise) - noise) ** 2).mean(1)
        return batchwise_mse.mean(), {"each": batchwise_mse.tolist()}


class Texture(Recurrent):
    """The call says that it is noise."""

    def __init__(self):
        super().__init__()
        self.noise_channels = 4

    def forward(self, x):
        drawn = torch.rand(x.size(0), x.size(1), self.noise_channels)
        return self.head(self.rnn(x + drawn)[0])


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        places = torch.rand(4, 8).to(x.device)
        return self.body(x) * places, places


class HiddenPlaces(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        places = torch.rand(4, 8).to(x.device)  # hit
        return self.body(x) * places
