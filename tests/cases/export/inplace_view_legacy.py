# profile: onnx-legacy
import torch
import torch.nn.functional as F
from torch import nn


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, index):
        y = x * 2
        v = y[:, 0]
        v += 1  # hit
        y.view(-1)[:3] = 0  # hit
        y.mT.mul_(2)  # hit
        torch.transpose(y, 1, 2).add_(1)  # hit
        a, b = y.chunk(2, dim=2)
        a.mul_(2)  # hit
        b = F.relu(b, inplace=True)  # hit
        w = y.flatten(1)
        w[:, 0] = 0  # hit
        c, d = torch.split(y, 4, 2)
        self.act(c)  # hit
        y.data[0] = 1  # hit
        return y


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.lin = nn.Linear(4, 4)

    def forward(self, x, index):
        y = x * 2
        y[:, 0] = 0
        y[:, 0] += 1
        y[:, 0].add_(1)
        y[index].add_(1)
        picked = y[index]
        picked += 1
        copied = y.clone().view(-1)
        copied += 1
        converted = y.float().view(-1)
        moved = y.permute(0, 2, 1).reshape(-1)
        moved += 1
        fresh = y[:, 0] + 1
        fresh += 1
        v = y.view(-1)
        v = v * 2
        v += 1
        y = self.lin(y)
        last = y.view(-1)
        last += 1
        return last

    def branch(self, y):
        if y.dim() == 2:
            v = y.view(-1)
            v += 1
        else:
            return y
        return v

    def forward_features(self, x):
        a, b = x.chunk(2, 1)
        a = self.act(a)
        x = torch.cat([a, b], 1)
        return x


def halve(t):
    first, second = t.chunk(2, dim=1)
    second.mul_(0.5)  # hit
    return t


class Spelled(nn.Module):
    def __init__(self):
        super().__init__()
        self.view = torch.flatten
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        y = halve(y)
        flat = self.view(y, 1)
        flat += 1  # hit
        rows = y.unbind(0)
        rows[0].zero_()  # hit
        for row in y.split(1):
            row.add_(1)  # hit
        return {"y": y}


class Fine(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        low, high = y.chunk(2, dim=1)
        low += 1
        high.mul_(2)
        z = torch.cat([low, high], 1)
        w = z.transpose(1, 2).contiguous()
        w += 1
        n = z.view(-1)
        n += z.shape[0]
        if self.lin.bias is None:
            v = z[:, 0]
            v += 1
        else:
            return n, w
        return v


class Indexed(nn.Module):
    def forward(self, x):
        x = x.flatten(1)
        a, b, c, d, e, f = (x.clone() for _ in range(6))
        a[:, 1:][:, 1:] = 0  # hit
        b[1:][0].mul_(2)  # hit
        inner = c[:, 1:]
        inner[:, 0] = 0  # hit
        d[0][1:] = 0
        e[1][0] += 1
        f[..., 1:][..., 1:] += 1  # hit
        return a, b, c, d, e, f


class Masked(nn.Module):
    def forward(self, x):
        x = x.flatten(1)[:, 1:]
        x[x > 2] = 0
        return x
