import torch
from torch import nn

X = torch.ones(2, 4)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.export.export(nn.Linear(4, 4).eval(), (X,)).module()

    def forward(self, x):
        return self.inner(x)


def run(path):
    program = torch.export.export(nn.Linear(4, 4).eval(), (X,))
    program(X)  # hit
    program.eval()  # hit
    program.save(path)  # hit
    program.to("cpu")  # hit
    program.module()(X)
    program.parameters()
    program.module().eval()  # hit
    model = program.module()
    model(X)
    model.train()  # hit
    model.to("cpu")
    torch.export.export(model, (X,))(X)  # hit
    return torch.export.load(path)(X)  # hit


def maybe(path, program):
    program(X)
    if path:
        program = torch.export.load(path)
    program(X)
    program.eval()
    other = torch.export.export(nn.Linear(4, 4).eval(), (X,))
    other = other.module()
    other(X)
    Net().eval()
    nn.Linear(4, 4).eval()(X)


def load(path):
    program = torch.jit.load(path)
    program.eval()
    return program(X)
