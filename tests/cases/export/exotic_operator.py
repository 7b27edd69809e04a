import torch
from torch import linalg, nn
from torch.fft import rfft


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mix", torch.linalg.qr(torch.randn(3, 3))[0])

    def forward(self, x, model):
        a = torch.inverse(x)  # hit
        b = linalg.cholesky(x @ x.mT)  # hit
        c = x.relu().inverse()  # hit
        u, s, v = torch.svd(x)  # hit
        d = x.relu().to_sparse()  # hit
        e = rfft(x).abs()
        f = torch.det(x) + torch.linalg.norm(x)
        if self.training:
            x = torch.linalg.solve(x, x)
        g = model.inverse(x)
        h = torch.stft(x, 4)
        i = torch.cdist(x, x)  # hit
        j = x.relu().median(-1)[0]  # hit
        k = torch.quantile(x, 0.5)
        l = torch.cumprod(1 - x, -1) + x.relu().cumprod(0)  # hit
        m = torch.erfinv(x) * torch.fft.fftfreq(4)  # hit
        o = torch.nn.functional.fractional_max_pool2d(x, 2, output_size=3)  # hit
        p = torch.renorm(x, 2, 0, 1.0) + torch.trace(x) + torch.logaddexp(x, x)
        q = torch.linalg.eigvals(x)  # hit
        r = torch.nn.functional.max_unpool2d(x, x, 2)
        return a + b + c + u + s + v + d + e + f + g + h + i + j + k + l + m + o + p + q + r


def solve(x):
    return torch.linalg.solve(x, x)


class NestedOnce(nn.Module):
    def forward(self, x):
        nested = torch.nested.nested_tensor([x[0], x[1]])  # hit
        return torch.nested.to_padded_tensor(nested, 0.0)


class NestedAgain(nn.Module):
    """That the file works on nested tensors is told once."""

    def forward(self, x):
        nested = torch.nested.nested_tensor([x[0], x[1]])
        return torch.nested.to_padded_tensor(nested, 0.0)


class RetrievalAccuracy(nn.Module):
    """A metric is exported by nobody."""

    def forward(self, x):
        return torch.linalg.svdvals(x) + torch.ones(3, 4) * x


class Experts(nn.Module):
    def forward(self, x, weights, ends):
        return torch.nn.functional.grouped_mm(x, weights, offs=ends)  # hit
