from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.spare = nn.Linear(4, 4)  # hit
        self.other = nn.Linear(4, 4)
        self.number = 3
        self.act = nn.SiLU()

    def forward(self, x):
        return self.body(x)


class Children(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


class NoForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.reached = nn.Linear(4, 4)


def use(net):
    return net.other


def make_layer(width=4):
    return nn.Linear(width, width)


class Prepared(nn.Module):
    def __init__(self):
        super().__init__()
        self.prepare()

    def prepare(self):
        self.entry = make_layer()
        self.unneeded = make_layer()  # hit


class Ready(Prepared):
    def forward(self, x):
        return self.entry(x)
