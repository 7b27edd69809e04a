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
        return a + b + c + u + s + v + d + e + f + g + h + i + j + k


def solve(x):
    return torch.linalg.solve(x, x)
