# profile: onnx-legacy@17
from torch import nn


class Listed(nn.Module):
    def __init__(self, deep=True):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.modules = []  # hit
        for number in range(3):
            layer = nn.Linear(4, 4)
            self.modules.append(layer)
            self.add_module(f"part{number}", layer)
        self.train = deep  # hit
        self.named_modules = {"stem": self.stem}  # hit
        self.steps = []
        self.half = True

    def forward(self, x):
        for layer in self.modules:
            x = layer(x)
        return self.stem(x)


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.children = []

    def children(self):
        return iter(())


class Table:
    def __init__(self):
        self.children = []
        self.train = True
