import torch
from torch import nn
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint


class Data(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = x.relu()
        a = y.data * 2  # hit
        b = (y + 1).data  # hit
        c = x.data[:, 0]  # hit
        d = self.scale.data + 1  # hit
        e = nn.functional.linear(x, self.lin.weight.data)  # hit
        y.data[0] = 1
        y.data.mul_(2)
        y.data = a
        n = x.data.size(0) + x.data.new(3, 4).zero_()
        kind = x.data.dtype
        f = x.detach()
        if self.training:
            f = f.data
        g = checkpoint(self.lin, x)
        h, = grad(x.sum(), x)
        return a + b + c + d + e + f + g + h + n

    def load(self, batch):
        return batch.data


class Other(nn.Module):
    def forward(self, graph, box):
        box = box if isinstance(box, dict) else graph.data
        return box["data"]


def clip(model):
    return [p.data for p in model.parameters()]
