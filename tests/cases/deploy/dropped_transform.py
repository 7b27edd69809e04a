import torch
from torch import nn
from torch.ao.quantization import convert, fuse_modules, prepare, quantize_dynamic


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def dropped(model, x):
    torch.compile(model)  # hit
    quantize_dynamic(model, {nn.Linear})  # hit
    fuse_modules(model, [["conv", "norm"]])  # hit
    prepare(model)  # hit
    model(x)
    convert(model)  # hit
    traced = torch.jit.trace(model, x)
    torch.jit.freeze(traced)  # hit
    return traced


def kept(model, x):
    model = torch.compile(model)
    fast = quantize_dynamic(model, {nn.Linear})
    fuse_modules(model, [["conv", "norm"]], inplace=True)
    fuse_modules(model, [["conv", "norm"]], True)
    prepare(model, inplace=True)
    convert(model, inplace=True)
    model.compile()
    print(torch.compile(model))
    torch.compile(model)(x)
    frozen = torch.jit.freeze(torch.jit.trace(model, x))
    return fast, frozen


@torch.compile
def scaled(x):
    return x * 2


def dropped_with_a_mode(model):
    torch.compile(model, mode="max-autotune")  # hit


class Holder:
    def __init__(self):
        self.model = Net()

    def speed_up(self):
        torch.compile(self.model)  # hit

    def fast(self):
        return torch.compile(self.model)
