# profile: torch.export onnx onnx-legacy torchscript-trace
import torch
from torch import jit, nn
from torch.jit import ScriptModule


class Mix(ScriptModule):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    @jit.script_method
    def forward(self, x):  # hit
        return torch.relu(self.linear(x))


class Idle(ScriptModule):
    @jit.script_method
    def other(self, x):
        return x * 2


@jit.script
def gate(x: torch.Tensor):
    return x * torch.sigmoid(x)


def double(x):
    return x * 2


class Net(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.mixes = nn.ModuleList(Mix() for _ in range(2))
        self.last = torch.jit.script(nn.Linear(4, 4))  # hit
        self.loaded = torch.jit.load(path)  # hit
        self.traced = jit.trace(nn.Linear(4, 4), torch.ones(2, 4))  # hit
        self.never = torch.jit.script(nn.Linear(4, 4))
        self.double = torch.jit.script(double)
        self.plain = nn.Linear(4, 4)

    def forward(self, x):
        for mix in self.mixes:
            x = mix(x)
        x = self.double(self.traced(self.loaded(self.last(x))))
        return gate(self.plain(x))


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(4, 4)

    def forward(self, x):
        return self.plain(x)


def serve(path):
    scripted = torch.jit.script(Whole())
    scripted.save(path)
    return torch.jit.load(path)
