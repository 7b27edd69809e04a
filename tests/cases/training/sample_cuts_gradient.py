import torch
from torch import distributions as dist
from torch import nn


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 1)
        self.spread = nn.Parameter(torch.zeros(1))

    def forward(self, state):
        chosen = dist.Normal(self.mean(state), self.spread.exp())
        return torch.tanh(chosen.sample())  # hit


class Prior(nn.Module):
    def __init__(self):
        super().__init__()
        self.back = nn.Linear(2, 4)

    def forward(self, x):
        z = dist.Normal(torch.zeros(3, 2), torch.ones(3, 2)).sample()
        return self.back(z) + x


class Switched(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)
        self.back = nn.Linear(2, 3)

    def forward(self, x):
        mean = self.mean(x)
        if self.training:
            z = mean + torch.randn_like(mean)
        else:
            z = dist.Normal(mean, 1.0).sample()
        return self.back(z)


class Kinds(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Linear(3, 2)

    def forward(self, x):
        return dist.Categorical(logits=self.logits(x)).sample()


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 4)
        self.dec = nn.Linear(4, 4)

    def forward(self, x):
        z = torch.round(self.enc(x) * 16) / 16  # hit
        places = x.floor()
        return self.dec(z) + places


class Passed(Quantized):
    def forward(self, x):
        z = self.enc(x)
        z = z + (torch.round(z) - z).detach()
        return self.dec(z)


class Squashed:
    def __init__(self, mean):
        self.normal = dist.Normal(mean, 1.0)

    def sample(self):
        return torch.sigmoid(self.normal.sample())


class Acting(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, x):
        return self.dec(Squashed(self.enc(x)).sample())


class Noisy(Quantized):
    def forward(self, x):
        z = self.enc(x)
        z = z + torch.rand_like(z) if self.training else torch.round(z)
        return self.dec(z)


for net in (Quantized(), Passed(), Noisy()):
    net(torch.randn(2, 4)).sum().backward()
