import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self, seed=0):
        super().__init__()
        self.generator = torch.Generator()
        self.generator.manual_seed(seed)
        self.source = torch.Generator(device="cpu").manual_seed(seed)

    def draw(self, size, **options):
        return torch.rand(size, **options)  # hit

    def forward(self, x):
        a = torch.randn(x.shape, generator=self.generator)  # hit
        b = torch.randn_like(x)
        c = torch.rand(x.size(0), 4, generator=None)
        d = torch.bernoulli(x.sigmoid(), generator=self.source)  # hit
        e = torch.empty_like(x).uniform_(generator=self.generator)  # hit
        f = torch.empty_like(x).normal_(0, 1, generator=self.generator)  # hit
        g = x.softmax(-1).multinomial(1, generator=self.generator)  # hit
        local = torch.Generator()
        h = torch.randint(0, 3, (x.shape[0],), generator=local)  # hit
        i = self.draw(x.shape, generator=local)
        j = torch.normal(x, 1.0, generator=self.source)  # hit
        return a, b, c, d, e, f, g, h, i, j


class Given(nn.Module):
    def forward(self, x, generator=None):
        return x + torch.randn(x.shape, generator=generator)


class OnlyInTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = torch.Generator()
        self.register_buffer("noise", torch.rand(4, generator=self.generator))

    def forward(self, x):
        if self.training:
            x = x + torch.randn(x.shape, generator=self.generator)
        return x + self.noise


def split(data):
    return torch.randperm(len(data), generator=torch.Generator().manual_seed(0))
