import torch
from torch import nn
import torch as t
from torch import FloatTensor, Tensor
from torch.autograd import Variable


def made(n, width, size, x, items, tensors: list):
    torch.Tensor(3, 4)  # hit
    torch.Tensor(n, width)  # hit
    Tensor(5)  # hit
    torch.Tensor([1, 2])  # hit
    t.Tensor([[1.0, 2], [3, 4]])  # hit
    torch.Tensor(x)
    torch.Tensor(items)
    torch.Tensor(*size)
    torch.Tensor()
    torch.Tensor(5.0)  # hit
    FloatTensor(2, 3)  # hit
    FloatTensor(x)
    torch.LongTensor([1, 2])  # hit
    torch.LongTensor(x)
    torch.cuda.FloatTensor(2, 3)  # hit
    torch.cuda.LongTensor(x)  # hit
    torch.Tensor([n, width])
    isinstance(x, torch.Tensor)
    x.type(torch.FloatTensor)
    torch.empty(3, 4)
    return torch.tensor([1, 2])


def copies(x: torch.Tensor, y, n):
    torch.tensor(x)  # hit
    torch.tensor(x, dtype=torch.float64)
    torch.tensor(y)
    torch.tensor(n)
    torch.tensor(x.shape)
    torch.as_tensor(x)
    x.new(3, 4)  # hit
    x.new([1, 2])  # hit
    x.new(y)
    x.new_tensor([1])
    y.new(3, 4)
    return x.new_empty(3)


def wrapped(x, y):
    Variable(x)  # hit
    Variable(torch.ones(2), requires_grad=True)  # hit
    Variable(x, volatile=True)  # hit
    Variable(torch.ones(2), device=x.device)  # hit
    Variable()
    return isinstance(x, Variable)


class Own:
    def Variable(self, x):
        return self.Variable(x)


def label_all(loader, names, device, nets):
    for index, name in enumerate(names):
        for batch in loader:
            count = batch.size(0)
            batch = batch.to(device)
            nets(batch, torch.tensor([index] * count).to(device), torch.tensor(batch.numel()), name)


class Enlarged(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x, factor):
        x = nn.functional.interpolate(self.conv(x), scale_factor=factor)
        return x * torch.tensor(factor).type_as(x)


def enlarge_masks(masks: torch.Tensor) -> torch.Tensor:
    masks = torch.tensor(masks)  # hit
    return nn.functional.interpolate(masks, scale_factor=2)
