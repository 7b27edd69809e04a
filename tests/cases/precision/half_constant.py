import torch


def attention(q, k, mask, bias, n):
    scores = (q @ k).half()
    scores.masked_fill_(mask, -1e9)  # hit
    scores = scores.half().masked_fill(mask, value=-1e5)  # hit
    fine = scores.masked_fill(mask, -65504.0)
    fine = scores.masked_fill(mask, float("-inf"))
    fine = scores.masked_fill(mask, -1e4)
    fine = scores.masked_fill(mask, n)
    return q.float().masked_fill(mask, -1e9)


def normalize(x, y):
    small = x.to(torch.float16)
    a = small / (small.abs() + 1e-8)  # hit
    b = small + 1e-6
    c = x + 1e-8
    d = small.float() + 1e-8
    e = x.to(torch.bfloat16) + 1e-8
    f = small - 1e9  # hit
    g = torch.zeros(3, dtype=torch.half) + 1e-8  # hit
    return small * y + 1e-8


def either(x, fast):
    x = x.half() if fast else x
    return x.masked_fill(x > 0, -1e9)


def model(net, x, mask):
    net.half()
    out = net(x)
    return out.masked_fill(mask, -1e9)


HIDDEN = -1e9


def lower(x, kind=torch.float16):
    return x.to(kind)


class Scores(torch.nn.Module):
    def __init__(self, eps=1e-8):
        super().__init__()
        self.eps = eps

    def forward(self, x, mask):
        small = lower(x)
        a = small / (small.sum(-1) + self.eps)  # hit
        a = torch.masked_fill(a, mask, HIDDEN)  # hit
        a = a.view(-1)[:4].fill_(1e5)  # hit
        wide = small + x.float()
        return a, wide + self.eps, (x if mask is None else small.double()) + self.eps


def totals(a, b):
    d = (a - b).half()
    squares = (d**2).sum() / d.numel()  # hit
    rows = d.sum(-1), d.sum(dtype=torch.float32), d.mean(), d.float().sum()
    return squares, torch.sum(d), rows  # hit


def filled(t, x):
    a = torch.full((t, t), -1e5, dtype=torch.float16)  # hit
    b = torch.full((t, t), float("-inf"), dtype=torch.half), torch.full((t, t), -1e9)
    return a, b, torch.full_like(x, -1e9, dtype=torch.half)  # hit


def probe():
    d = torch.rand(100, 1000, dtype=torch.float16, requires_grad=True)
    d.sum().backward()
    return d.grad, d.sum()  # hit


def of_pairs(z, index):
    alike = z.half() @ z.half().t()
    alike.fill_diagonal_(-1e9)  # hit
    alike = alike.index_fill(1, index, -1e5)  # hit
    return alike.fill_diagonal_(-1e4)


def filled_at(z, index):
    z = z.half()
    return z.index_fill(1, index, -1e5)  # hit
