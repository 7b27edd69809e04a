import torch
from torch import nn


class Net(nn.Module):
    size = 4

    def __init__(self, size):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)
        self.fc2 = nn.Linear(4, 4)
        self.dropout = nn.Dropout(0.1)
        self.left_side, self.right_side = nn.Linear(4, 4), nn.Linear(4, 4)
        self.width: int = size

    def forward(self, x):
        x = self.fc_1(x)  # hit
        x = self.fc3(x)
        x = self.droput(x)  # hit
        x = self.right_side(self.left_side(x))
        return self.finish(x) * self.size * self.width, self.named_children()

    def finish(self, x):
        return self.fc2(x)


class Slip(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)

    def foward(self, x):  # hit
        return self.line(x)


class Whole(nn.Module):
    def forward(self, x):
        return self.forward_(x)

    def forward_(self, x):
        return torch.relu(x)


class Open(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.layer_a = nn.Linear(2, 2)
        for name in names:
            setattr(self, name, nn.Linear(2, 2))

    def forward(self, x):
        return self.layer_aa(x)


class Derived(Net):
    def forward(self, x):
        return self.fc_1(x)
